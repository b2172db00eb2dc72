"""Phrases of two linked sentences made to agree, by dual decomposition.

Two spans are linked if their words are linked to each other alone, and the first and
last word of each is linked (Och & Ney 2004, without free words at the edges). For every
such pair, one side having a phrase there and the other none costs ``slack`` nats,
whatever the labels. The duals are those of ``core.joint_parsing.duals``, over forests.
"""

from dataclasses import dataclass

import numpy as np

from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.forests.viterbi import viterbi
from core.joint_parsing.linked import LinkedWords
from core.joint_parsing.values import Round

__all__ = ["SpanAgreement", "SpanPair", "agree_on_spans", "linked_spans"]

SpanPair = tuple[tuple[int, int], tuple[int, int]]
CLOSED = 1e-7


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
        """How many phrases each linked span has in the derivation."""
        at = self._of_edge[edges]
        counts = np.bincount(at[at >= 0], minlength=self._n)
        return np.asarray(counts, dtype=np.float64)
