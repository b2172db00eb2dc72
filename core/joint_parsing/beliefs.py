"""Belief propagation between linked sentences: messages about their arcs.

For every ordered pair of links either sentence has a variable: no arc between these
words, or an arc with a relation. Two that differ cost ``slack`` nats, times the
probabilities of the links: the price of soft dual decomposition, with relations, and
summed over instead of maximised. A sentence is a factor over its trees, whose marginals
are exact; messages go round, each without its receiver's own message (Smith & Eisner
2008, "Dependency Parsing by Belief Propagation"). The tree is then the best labelled
one by the parser's weights and the messages that came. In a set of sentences every two
that are linked exchange messages.

Parsing by the other sentence's arc marginals: least expected disagreement.

A tree is worth its own score and ``trust`` nats for each arc that the other sentence
is expected to have between the linked words: the probability of that arc, by its own
parser, times those of the links. So the risk that is least is expected over the trees
of the other sentence (Kumar & Byrne 2004 for minimum Bayes risk over alternatives).
Several other sentences add up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data.check import Floats, Ints
from core.data.deps import DepAnalysis
from core.dependencies.eisner import EisnerDecoder, eisner_marginals
from core.dependencies.mst import MstDecoder, tree_marginals
from core.errors import InvalidValue
from core.joint_parsing.linked import LinkedWords, SetLinks


def arc_marginals(arcs: Floats, *, projective: bool) -> Floats:
    """The probability of each arc, ``(n + 1, n + 1)``."""
    return eisner_marginals(arcs) if projective else tree_marginals(arcs)


def carried(linked: LinkedWords, p_target: Floats, n_source: int) -> Floats:
    """``p_target`` seen through the links: ``(n_source + 1, n_source + 1)``.

    Cell [h, m] is the probability of the target's arc between the words linked to h
    and m, times that of both links; 0 where either has none. O(n^2 m).
    """
    through = linked.matrix(n_source, len(p_target) - 1)
    return np.asarray(through @ p_target @ through.T)


def consensus_heads(
    arcs: Floats, others: Sequence[Floats], *, trust: float, projective: bool
) -> Ints:
    """Heads, int32 ``(n,)``; ``others``: ``carried`` of each other sentence.

    O(n^3) projective, else O(n^2). Raises Contradiction if every tree is forbidden.
    """
    bonus = np.zeros_like(arcs)
    for p_carried in others:
        bonus += trust * p_carried
    n = len(arcs) - 1
    decoder = EisnerDecoder(n) if projective else MstDecoder(n)
    return decoder.argmax(arcs, bonus=bonus)[1].copy()


ROUNDS = 2  # beliefs of the others, given this sentence's own
TINY = 1e-9
LEAST = 1e-4  # less probable relations are not distinguished


@dataclass(frozen=True, slots=True)
class Labelled:
    """Heads by token (ROOT = -1), and the relation of each arc."""

    heads: tuple[int, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _SentenceFactor:
    """A sentence: arc weights, and how probable each relation of an arc is, ``(n + 1,
    n + 1, names)``, subtypes added up."""

    deps: DepAnalysis
    arcs: Floats
    relations: Floats
    projective: bool

    def arc_beliefs(self, bonus: Floats) -> Floats:
        """The probability of each arc by the weights and ``bonus``."""
        return arc_marginals(self.arcs + bonus, projective=self.projective)


@dataclass(slots=True, eq=False)
class _LinkFactors:
    """Between two sentences, by their numbers: the cells of linked words in the arcs of
    each, ``exp(- price)`` of a difference ``(l, l)``, and the last messages to each,
    nats ``(l, l, names)``: how much better an arc with that relation is than none."""

    ends: tuple[int, int]
    cells: tuple[Any, Any]
    disagreement: Floats
    messages: tuple[Floats, Floats]


def agree(
    sides: Sequence[DepAnalysis],
    edges: Sequence[SetLinks],
    *,
    slack: float,
    projective: bool,
    rounds: int = ROUNDS,
) -> tuple[Labelled, ...]:
    """Return the tree of each sentence of a set, by messages along ``edges``.

    Without relations on every side, or without names in common, arcs alone agree.
    Raises InvalidValue if a side has no arc weights, Contradiction if it has no tree.
    O(rounds n^3 + n^2 names) a sentence and edge, crossing or not.
    """
    names = _names(sides)
    factors = [_side(deps, names, projective=projective) for deps in sides]
    links = [_link_factors(edge, slack, max(1, len(names))) for edge in edges]
    for _ in range(rounds):
        _round(factors, links)
    incoming: list[list[tuple[Any, Floats]]] = [[] for _ in sides]
    for link in links:
        for k, cells, message in zip(link.ends, link.cells, link.messages, strict=True):
            incoming[k].append((cells, message))
    return tuple(
        _best(side, names, told) for side, told in zip(factors, incoming, strict=True)
    )


def _round(sides: Sequence[_SentenceFactor], links: Sequence[_LinkFactors]) -> None:
    """All messages again, from those of the round before."""
    messages = [np.zeros_like(side.relations) for side in sides]
    for link in links:
        for k in (0, 1):
            messages[link.ends[k]][link.cells[k]] += link.messages[k]
    weights = [
        side.relations * np.exp(told)
        for side, told in zip(sides, messages, strict=True)
    ]
    gains = [np.log(np.maximum(one.sum(-1), TINY)) for one in weights]
    p_arcs = [side.arc_beliefs(x) for side, x in zip(sides, gains, strict=True)]
    for link in links:
        sent = []
        for k, cells, told in zip(link.ends, link.cells, link.messages, strict=True):
            relations = weights[k][cells] / np.exp(told)
            total = relations.sum(-1)
            alone = _without(p_arcs[k][cells], gains[k][cells] - np.log(total))
            relations /= total[..., None]
            sent.append(_message(alone, relations, link.disagreement))
        link.messages = sent[1], sent[0]


def _message(p_arcs: Floats, relations: Floats, disagreement: Floats) -> Floats:
    """What a sentence that believes in arcs with ``p_arcs`` tells the other.

    A state of the receiver is worth 1 where the sender's is the same, else
    ``disagreement``: the log of that, expected, less the same of having no arc.
    """
    same = (1 - disagreement)[..., None] * p_arcs[..., None] * relations
    none = disagreement + (1 - disagreement) * (1 - p_arcs)
    return np.asarray(np.log(disagreement[..., None] + same) - np.log(none)[..., None])


def _without(p_arcs: Floats, gain: Floats) -> Floats:
    """The probabilities before ``gain`` nats were added to each arc alone."""
    sure = np.clip(p_arcs, TINY, 1 - TINY)
    return np.asarray(1 / (1 + np.exp(gain) * (1 - sure) / sure))


def _best(
    side: _SentenceFactor, names: Sequence[str], incoming: Sequence[tuple[Any, Floats]]
) -> Labelled:
    """The best labelled tree by the side's weights and the messages."""
    messages = np.zeros(side.relations.shape)
    for cells, message in incoming:
        messages[cells] += message
    bonus = (np.log(np.maximum(side.relations, LEAST)) + messages).max(-1)
    n = len(side.arcs) - 1
    decoder = EisnerDecoder(n) if side.projective else MstDecoder(n)
    heads = decoder.argmax(side.arcs, bonus=bonus)[1].tolist()
    return Labelled(tuple(heads), _labels(side.deps, heads, names, messages))


def _labels(
    deps: DepAnalysis, heads: Sequence[int], names: Sequence[str], messages: Floats
) -> tuple[str, ...]:
    """The best relation of each arc; the parser's own where it gives no others."""
    if deps.relations is None:
        return deps.tree.labels
    bases = _bases(deps)
    at = [names.index(base) for base in bases] if names else [0] * len(bases)
    labels = []
    for m, h in enumerate(heads):
        nats = deps.relations[h + 1, m + 1] + messages[h + 1, m + 1, at]
        labels.append(deps.relation_names[int(nats.argmax())])
    return tuple(labels)


def _names(sides: Sequence[DepAnalysis]) -> tuple[str, ...]:
    """The relations of the first, without subtypes; () unless all sides have them."""
    sets = [
        set(_bases(deps)) if deps.relations is not None else set() for deps in sides
    ]
    return tuple(sorted(sets[0])) if all(one == sets[0] for one in sets) else ()


def _bases(deps: DepAnalysis) -> list[str]:
    return [name.partition(":")[0] for name in deps.relation_names]


def _side(
    deps: DepAnalysis, names: Sequence[str], *, projective: bool
) -> _SentenceFactor:
    if deps.arcs is None:
        raise InvalidValue("arc weights are missing: ask the parser for dependencies")
    if not names or deps.relations is None:
        return _SentenceFactor(
            deps, deps.arcs, np.ones((*deps.arcs.shape, 1)), projective
        )
    to_base = np.array([[base == name for name in names] for base in _bases(deps)])
    relations = np.exp(deps.relations) @ to_base.astype(float)
    return _SentenceFactor(deps, deps.arcs, relations, projective)


def _link_factors(edge: SetLinks, slack: float, n_names: int) -> _LinkFactors:
    pairs, probs = edge.linked.pairs, edge.linked.probs
    cells = np.ix_(pairs[:, 0], pairs[:, 0]), np.ix_(pairs[:, 1], pairs[:, 1])
    disagreement = np.exp(-slack * np.outer(probs, probs))
    nothing = np.zeros((*disagreement.shape, n_names))
    return _LinkFactors((edge.a, edge.b), cells, disagreement, (nothing, nothing))
