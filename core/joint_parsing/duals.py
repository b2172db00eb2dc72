"""Dual decomposition for two linked sentences: hard, or soft with slack.

Of trees a and b, with d[i, j] = a[i, j] - b[i, j] for the arc from linked word i to
linked word j, the best pair under ``f(a) + g(b) - sum price(d)`` is sought; price is
``slack`` for each disagreement, or infinite (hard). Its dual keeps each Lagrange
multiplier between - slack and slack: Choe & McClosky 2015, algorithms 1 and 2, after
Anzaroot et al. 2014. There the multipliers stay between 0 and the slack, so that only
arcs of the paraphrase alone cost (``one_sided``). The least dual bounds all pairs: one
that reaches it is the best, proved.

Of a set of sentences each tree is compared with a consensus about every arc between
groups of linked words (``agree_on_arcs``).

Phrases of two linked sentences made to agree, by dual decomposition.

Two spans are linked if their words are linked to each other alone, and the first and
last word of each is linked (Och & Ney 2004, without free words at the edges). For every
such pair, one side having a phrase there and the other none costs ``slack`` nats,
whatever the labels. The duals are those of ``core.joint_parsing.duals``, over forests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data import check
from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.dependencies.eisner import EisnerDecoder
from core.dependencies.mst import MstDecoder
from core.errors import Contradiction, InvalidScores
from core.forests.kbest import viterbi
from core.joint_parsing.kernels import duals as kernels
from core.joint_parsing.linked import LinkedWords
from core.joint_parsing.values import Round

STEP = 1.0  # nats; against the 0.1 of the paper: lab/notes/joint-parsing.md
CLOSED = 1e-7  # nats: a smaller gap is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Agreed:
    """The best pair found: heads by token, ROOT = -1; ``score`` with what the
    disagreements cost; ``last``: the trees of the last round, with which algorithms 1
    and 2 answer."""

    source: Ints
    target: Ints
    score: float
    bound: float
    rounds: tuple[Round, ...]
    last: tuple[Ints, Ints]

    @property
    def gap(self) -> float:
        """The maximum by which another pair could be better, nats."""
        return max(0.0, self.bound - self.score)

    @property
    def is_exact(self) -> bool:
        return self.gap <= CLOSED * (1.0 + abs(self.bound))


class DualDecoder:
    """For two sentences of ``n`` and ``m`` tokens; no allocation within its rounds."""

    def __init__(self, n: int, m: int, *, projective: bool = False) -> None:
        self._sides = [_buffers(n), _buffers(m)]
        self._projective = projective

    def decode(
        self,
        source: Floats,
        target: Floats,
        linked: LinkedWords,
        slack: Floats,
        *,
        rounds: int = 20,
        step: float = STEP,
        one_sided: bool = False,
    ) -> Agreed:
        """The best pair found within ``rounds``.

        ``source``, ``target``: arc weights in nats, as in ``core.dependencies.mst``.
        ``slack``: ``(l, l)`` nats from 0 for the l links, inf = hard. ``step``: the
        first one, halved when the dual rises. Raises InvalidScores on another shape,
        Contradiction if a sentence has no tree. O(rounds (n^2 + m^2 + l^2)), projective
        O(rounds (n^3 + m^3)).
        """
        check.arc_nats(source=source, target=target)
        shape = (len(linked.pairs),) * 2
        if slack.shape != shape or np.isnan(slack).any() or (slack < 0).any():
            raise InvalidScores(
                f"slack: expected {shape} of at least 0, got {slack.shape}"
            )
        low = np.zeros(shape) if one_sided else -slack
        duals = np.zeros(shape)
        ours, theirs = (
            (arcs, np.zeros_like(arcs), *buffers)
            for arcs, buffers in zip((source, target), self._sides, strict=True)
        )
        kind, pairs, trace = self._projective, linked.pairs, np.empty((rounds, 3))
        a, b = np.empty_like(ours[-1]), np.empty_like(theirs[-1])
        best, bound, used = kernels.descend(
            ours, theirs, pairs, duals, low, slack, kind, step, trace, a, b
        )
        if bound == -np.inf:
            raise Contradiction("a sentence has no tree: every tree is forbidden")
        last = ours[-1].copy(), theirs[-1].copy()
        if bound - best > CLOSED and np.isfinite(slack).all():
            best = kernels.respond(ours, theirs, pairs, low, slack, kind, best, a, b)
        course = tuple(Round(float(d), float(p), int(c)) for d, p, c in trace[:used])
        return Agreed(a, b, best, bound, course, last)


def slack_of(linked: LinkedWords, slack: float, *, by_prob: bool = False) -> Floats:
    """``(l, l)``: one slack for all, or times the probabilities of the two links."""
    n = len(linked.pairs)
    if by_prob:
        return np.asarray(slack * np.outer(linked.probs, linked.probs))
    return np.full((n, n), slack)


def _buffers(n: int) -> tuple[Any, ...]:
    """Those of ``dependencies.eisner`` and ``dependencies.mst``, and the heads."""
    size = 2 * n + 1
    return (
        np.empty((6, n, n)),
        np.empty((4, n, n), dtype=np.int32),
        np.empty((2 * n + 4, 3), dtype=np.int32),
        np.empty((size, size)),
        np.empty((size, size), dtype=np.int32),
        np.empty(size),
        np.empty((5, size), dtype=np.int32),
        np.empty(n, dtype=np.int32),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """The best trees found for a set, heads by token (ROOT = -1); ``score`` with what
    the minorities cost; ``bound``: no other trees score more."""

    heads: tuple[Ints, ...]
    score: float
    bound: float
    rounds: tuple[Round, ...]


def agree_on_arcs(
    sides: Sequence[Floats],
    groups: Ints,
    *,
    slack: float,
    projective: bool,
    rounds: int,
    step: float = STEP,
) -> Consensus:
    """Return the trees of a set of sentences that agree most on the arcs of its words.

    ``sides``: arc weights in nats; ``groups``: ``word_groups``. Of the sentences that
    have words in two groups, some have an arc between them; each of the others, or of
    those if they are fewer, costs ``slack`` nats: its price of leaving the consensus.
    For two sentences that is the price of ``DualDecoder``. Raises Contradiction if a
    sentence has no tree. O(rounds n^3) a sentence.
    """
    members = [
        _Member(arcs, groups[:, k], projective=projective)
        for k, arcs in enumerate(sides)
    ]
    n = len(groups)
    present = sum((one.mask for one in members), np.zeros((n, n)))
    duals = [np.zeros((n, n)) for _ in members]
    best, least, last = -np.inf, np.inf, np.inf
    kept: tuple[Ints, ...] = ()
    course = []
    for _ in range(rounds):
        found = [one.best(u) for one, u in zip(members, duals, strict=True)]
        has = [
            one.arcs_of(heads) for one, (_, heads) in zip(members, found, strict=True)
        ]
        total = sum(duals, np.zeros((n, n)))
        dual = sum(x for x, _ in found) + float(np.maximum(0, -total).sum())
        count = sum(has, np.zeros((n, n)))
        minority = np.minimum(count, present - count)
        broken = int(minority.sum())
        own = [
            one.own_score(heads) for one, (_, heads) in zip(members, found, strict=True)
        ]
        primal = sum(own) - (slack * broken if broken else 0.0)
        if primal > best or not kept:
            best, kept = primal, tuple(heads.copy() for _, heads in found)
        least = min(least, dual)
        course.append(Round(dual, best, broken))
        if least - best <= CLOSED * (1 + abs(least)):
            break
        step, last = (step / 2 if dual > last else step), dual
        share = count / np.maximum(present, 1)
        consensus = np.where(np.abs(total) < CLOSED, share, total < 0)
        duals = [
            np.clip(u - step * (arcs - consensus) * one.mask, -slack, slack)
            for u, arcs, one in zip(duals, has, members, strict=True)
        ]
    if least - best > CLOSED and np.isfinite(slack):
        best, kept = _answered(members, present, slack, best, kept)
    return Consensus(kept, best, least, tuple(course))


def _answered(
    members: Sequence["_Member"],
    present: Floats,
    slack: float,
    best: float,
    kept: tuple[Ints, ...],
) -> tuple[float, tuple[Ints, ...]]:
    """Let each sentence answer the trees of the others in turn until none gains."""
    has = [one.arcs_of(heads) for one, heads in zip(members, kept, strict=True)]
    heads_of, before = list(kept), -np.inf
    while best > before + CLOSED:
        before = best
        for k, one in enumerate(members):
            others = sum(has, np.zeros_like(present)) - has[k]
            without = np.minimum(others, present - others)
            with_arc = np.minimum(others + 1, present - others - 1)
            heads = one.best(slack * (without - with_arc))[1].copy()
            count = others + one.arcs_of(heads)
            cost = slack * float(np.minimum(count, present - count).sum())
            trees = [*heads_of[:k], heads, *heads_of[k + 1 :]]
            own = (x.own_score(tree) for x, tree in zip(members, trees, strict=True))
            if (score := sum(own) - cost) > best + CLOSED:
                best, heads_of[k], has[k] = score, heads, one.arcs_of(heads)
    return best, tuple(heads_of)


class _Member:
    """A sentence of a set: ``mask``, the ordered pairs of groups in which it has
    words and could have an arc."""

    def __init__(self, arcs: Floats, at: Ints, *, projective: bool) -> None:
        check.arc_nats(arcs=arcs)
        n = len(arcs) - 1
        self._arcs, self._bonus = arcs, np.zeros_like(arcs)
        self._decoder = EisnerDecoder(n) if projective else MstDecoder(n)
        self._groups = np.flatnonzero(at >= 0)
        self._at = at[self._groups]
        self.mask = np.outer(at >= 0, at > 0).astype(float)
        np.fill_diagonal(self.mask, 0.0)

    def best(self, duals: Floats) -> tuple[float, Ints]:
        inside = np.ix_(self._groups, self._groups)
        self._bonus[np.ix_(self._at, self._at)] = (duals * self.mask)[inside]
        return self._decoder.argmax(self._arcs, bonus=self._bonus)

    def arcs_of(self, heads: Ints) -> Floats:
        """Return 1 for each pair of groups with an arc from the first to the second."""
        head_at = np.append(-1, heads + 1)[self._at]  # ROOT has no head
        has = np.zeros_like(self.mask)
        has[np.ix_(self._groups, self._groups)] = self._at[:, None] == head_at
        return has

    def own_score(self, heads: Ints) -> float:
        return float(self._arcs[heads + 1, np.arange(1, len(self._arcs))].sum())


SpanPair = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class SpanAgreement:
    """Edges of either forest's derivation, and the course of the duals."""

    source: Ints
    target: Ints
    score: float
    bound: float
    rounds: tuple[Round, ...]


def linked_spans(linked: LinkedWords, n_source: int, n_target: int) -> list[SpanPair]:
    """Half-open token spans that are linked, of two words and more, not the whole."""
    to = {int(s) - 1: int(t) - 1 for s, t in linked.pairs if s > 0}
    back = {t: s for s, t in to.items()}
    spans = []
    for i in sorted(to):
        low = high = to[i]
        for j in range(i + 1, n_source):
            if j not in to:
                continue
            low, high = min(low, to[j]), max(high, to[j])
            inner = [back[t] for t in range(low, high + 1) if t in back]
            whole = j - i + 1 == n_source or high - low + 1 == n_target
            if not whole and min(inner) >= i and max(inner) <= j:
                spans.append(((i, j + 1), (low, high + 1)))
    return spans


def agree_on_spans(
    source: tuple[Forest, Floats],
    target: tuple[Forest, Floats],
    spans: list[SpanPair],
    *,
    slack: float,
    rounds: int,
    step: float,
) -> SpanAgreement:
    """The best pair of derivations found. Raises Contradiction if a forest is empty.

    O(rounds (edges of both forests)).
    """
    ours, theirs = (
        _SpanSide(forest, weights, [pair[k] for pair in spans])
        for k, (forest, weights) in enumerate((source, target))
    )
    duals = np.zeros(len(spans))
    best, least, last = -np.inf, np.inf, np.inf
    kept: tuple[Ints, Ints] = (np.empty(0, np.int32), np.empty(0, np.int32))
    course = []
    for _ in range(rounds):
        (x, a), (y, b) = ours.best(duals), theirs.best(-duals)
        d = ours.has(a) - theirs.has(b)
        broken = float(np.abs(d).sum())
        primal = x + y - float(duals @ d) - slack * broken
        if primal > best:
            best, kept = primal, (a, b)
        least = min(least, x + y)
        course.append(Round(x + y, best, int(broken)))
        if least - best <= CLOSED * (1 + abs(least)):
            break
        step, last = (step / 2 if x + y > last else step), x + y
        duals = np.clip(duals - step * d, -slack, slack)
    return SpanAgreement(kept[0], kept[1], best, least, tuple(course))


class _SpanSide:
    """A forest whose named nodes over linked spans can be given a bonus."""

    def __init__(
        self, forest: Forest, weights: Floats, spans: list[tuple[int, int]]
    ) -> None:
        self._forest, self._weights, self._n = forest, weights, len(spans)
        number = {span: k for k, span in enumerate(spans)}
        ends = zip(forest.starts.tolist(), forest.ends.tolist(), strict=True)
        of_node = [
            number.get(span, -1) if forest.name(v) else -1
            for v, span in enumerate(ends)
        ]
        self._of_edge = np.array(of_node, dtype=np.int64)[forest.heads]

    def best(self, bonus: Floats) -> tuple[float, Ints]:
        padded = np.append(bonus, 0.0)  # -1: no linked span
        return viterbi(self._forest, self._weights + padded[self._of_edge])

    def has(self, edges: Ints) -> Floats:
        """The number of phrases of each linked span in the derivation."""
        at = self._of_edge[edges]
        counts = np.bincount(at[at >= 0], minlength=self._n)
        return np.asarray(counts, dtype=np.float64)
