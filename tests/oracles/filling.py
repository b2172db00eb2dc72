"""Nulls filled in plain Python: the twin of core.phrase_alignment.kernels.align.

TRACE and DOWN of Arase & Tsujii 2017, Algorithm 4.2, link after link on sets.
"""

from dataclasses import replace

import numpy as np

from core.data.check import Floats
from core.phrase_alignment.sides import BinaryForest
from core.phrase_alignment.supports import Derivation, Pair, nodes_of


def fill_nulls(
    derivation: Derivation,
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    *,
    order_cost: float,
) -> Derivation:
    """``derivation`` with further links between its nulls; its score grows with it.

    ``order_cost`` in nats; infinite: no crossing links. O(candidates * links).
    """
    work = _Trace(derivation, source, target)
    score = derivation.score
    for pair, nats in _candidates(derivation, source, target, gain):
        if work.is_taken(pair):
            continue
        place, inside, split = work.trace(pair)
        if not split:
            work.insert(pair, place, inside)
            score += nats
        elif nats - order_cost * len(split) > 0:
            work.cross(pair)
            score += nats - order_cost * len(split)
    links = tuple(sorted(work.supports))
    supports = {pair: tuple(sorted(work.supports[pair])) for pair in links}
    crossing = derivation.crossing | work.crossing
    return replace(
        derivation, score=score, links=links, supports=supports, crossing=crossing
    )


def _candidates(
    derivation: Derivation, source: BinaryForest, target: BinaryForest, gain: Floats
) -> list[tuple[Pair, float]]:
    """Pairs of null nodes that gain something, the best first."""
    linked_s = {s for s, _ in derivation.links}
    linked_t = {t for _, t in derivation.links}
    free_s = [v for v in nodes_of(derivation, source, 0) if v not in linked_s]
    free_t = [v for v in nodes_of(derivation, target, 1) if v not in linked_t]
    table = gain[np.ix_(free_s, free_t)]
    rows, columns = np.nonzero(table > 0)
    order = np.argsort(-table[rows, columns], kind="stable")
    return [
        ((free_s[rows[at]], free_t[columns[at]]), float(table[rows[at], columns[at]]))
        for at in order
    ]


class _Trace:
    """The supports while links are put between them."""

    def __init__(
        self, derivation: Derivation, source: BinaryForest, target: BinaryForest
    ) -> None:
        self.supports = {k: set(v) for k, v in derivation.supports.items()}
        self.crossing: set[Pair] = set()
        self._bits = source.bits, target.bits
        below = set().union(*self.supports.values())
        (self._root,) = set(self.supports) - below
        self._taken = {s for s, _ in self.supports}, {t for _, t in self.supports}

    def is_taken(self, pair: Pair) -> bool:
        return pair[0] in self._taken[0] or pair[1] in self._taken[1]

    def trace(self, pair: Pair) -> tuple[Pair, list[Pair], list[Pair]]:
        """The link it falls under, the supports inside it, those it would split."""
        at = self._root
        while True:
            around = [k for k in sorted(self.supports[at]) if self._is_in(pair, k)]
            if not around:
                return at, *self._down(pair, at)
            at = around[0]

    def insert(self, pair: Pair, place: Pair, inside: list[Pair]) -> None:
        self.supports[place] = (self.supports[place] - set(inside)) | {pair}
        self.supports[pair] = set(inside)
        self._take(pair)

    def cross(self, pair: Pair) -> None:
        self.supports[pair] = set()
        self.crossing.add(pair)
        self._take(pair)

    def _down(self, pair: Pair, at: Pair) -> tuple[list[Pair], list[Pair]]:
        """Of the supports of ``at``: those inside ``pair``, and those it splits."""
        inside, split = [], []
        for support in sorted(self.supports[at]):
            within = [self._holds(x, pair[x], support[x]) for x in (0, 1)]
            around = [self._holds(x, support[x], pair[x]) for x in (0, 1)]
            if within[0] != within[1] or around[0] != around[1]:
                split.append(support)
            elif within[0]:
                inside.append(support)
        return inside, split

    def _is_in(self, pair: Pair, other: Pair) -> bool:
        return all(self._holds(x, other[x], pair[x]) for x in (0, 1))

    def _holds(self, side: int, v: int, w: int) -> bool:
        """Whether all words of w are below v; in one tree: w is v or below it."""
        bits = self._bits[side]
        return not bits[w] & ~bits[v]

    def _take(self, pair: Pair) -> None:
        self._taken[0].add(pair[0])
        self._taken[1].add(pair[1])
