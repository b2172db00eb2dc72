"""Packed supports unpacked in plain Python: all ways of an item, and lazy ranks.

The twin of ``kernels.unpacking``: the same order of ways, candidates and ranks.
"""

import heapq
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from core.phrase_alignment.sides import BinaryForest
from core.phrase_alignment.supports import Derivation, PackedSupports

FULL, EVEN, UNEVEN_S, UNEVEN_T, LINK, ITEM, TOP, DOWN, NULL_S, NULL_T = range(10)
Item = tuple[int, int, int]  # kind, source node, target node (-1 for none)
Pair = tuple[int, int]


def k_best(packed: PackedSupports, k: int) -> Iterator[Derivation]:
    """The ``k`` best different alignments, as ``PackedSupports.k_best``."""
    seen: set[tuple[tuple[Pair, ...], ...]] = set()
    unpacker = _Unpacker(Ways(packed))
    for rank in range(50 * k):
        derivation = unpacker.derivation(rank)
        if derivation is None or len(seen) == k:
            return
        trees = (tuple(sorted(chosen.items())) for chosen in derivation.edges)
        key = (derivation.links, *trees)
        if key not in seen:
            seen.add(key)
            yield derivation


class _Way(NamedTuple):
    """One way to make an item: ``used`` are (side, edge); ``cost`` in nats."""

    tails: tuple[Item, ...]
    weight: float = 0.0
    used: tuple[Pair, ...] = ()
    uneven: bool = False


class Ways:
    """All ways to make the items of packed supports."""

    def __init__(self, packed: PackedSupports) -> None:
        self.source, self.target, self.gain = packed.source, packed.target, packed.gain
        self.cross_cost, self.null_cost = packed.cross_cost, packed.null_cost
        self.tables = packed.tables

    def goals(self) -> list[Pair]:
        return [(s, t) for s in self.source.tops for t in self.target.tops]

    def value(self, item: Item) -> float:
        kind, s, t = item
        if kind == NULL_S:
            return float(self.source.below[s])
        if kind == NULL_T:
            return float(self.target.below[t])
        return float(self.tables[kind, s, t])

    def ways(self, item: Item) -> list[_Way]:
        """All ways to make an item, in a fixed order."""
        kind, s, t = item
        if kind in (NULL_S, NULL_T):
            return [self._null(kind, s if kind == NULL_S else t)]
        named = bool(self.source.named[s] and self.target.named[t])
        if kind == FULL:
            return list(self._full(s, t))
        if kind == EVEN:
            return [_Way(((FULL, s, t),)), *self._into(EVEN, s, t, named=False)]
        if kind == UNEVEN_S:
            lower = self._into_source(EVEN, s, t, named=True)
            return [*self._into_source(UNEVEN_S, s, t), *lower]
        if kind == UNEVEN_T:
            lower = self._into_target(EVEN, s, t, named=True)
            return [*self._into_target(UNEVEN_T, s, t), *lower]
        if kind == LINK:
            return list(self._link(s, t)) if named else []
        if kind == ITEM:
            bare = _Way(((FULL, s, t),), -self.null_cost if named else 0.0)
            return [_Way(((LINK, s, t),)), bare]
        if kind == TOP:
            return [_Way(((ITEM, s, t),)), *self._into_target(TOP, s, t)]
        return [_Way(((TOP, s, t),)), *self._into_source(DOWN, s, t)]

    def _null(self, kind: int, v: int) -> _Way:
        side = self.source if kind == NULL_S else self.target
        edge = side.best_edge(v)
        parts = side.parts_of(edge)
        tails = tuple((kind, c, -1) if kind == NULL_S else (kind, -1, c) for c in parts)
        return _Way(tails, float(side.weight[edge]), ((kind - NULL_S, edge),))

    def _full(self, s: int, t: int) -> Iterator[_Way]:
        for e in self.source.edges_of(s):
            a = self.source.parts_of(e)
            for f in self.target.edges_of(t):
                b = self.target.parts_of(f)
                if len(a) == len(b) == 2:
                    weight = float(self.source.weight[e] + self.target.weight[f])
                    used = ((0, e), (1, f))
                    for x, y in (b, b[::-1]):
                        tails = ((DOWN, a[0], x), (DOWN, a[1], y))
                        yield _Way(tails, weight, used)

    def _link(self, s: int, t: int) -> Iterator[_Way]:
        gain = float(self.gain[s, t])
        yield _Way(((NULL_S, s, -1), (NULL_T, -1, t)), gain)
        yield _Way(((EVEN, s, t),), gain)
        for kind in (UNEVEN_S, UNEVEN_T):
            yield _Way(((kind, s, t),), gain - self.cross_cost, uneven=True)
        for c, rest, e in _parts(self.source, s, NULL_S):
            for d, others, f in _parts(self.target, t, NULL_T):
                weight = float(self.source.weight[e] + self.target.weight[f])
                tails = ((DOWN, c, d), *rest, *others)
                yield _Way(tails, gain + weight, ((0, e), (1, f)))

    def _into(
        self, kind: int, s: int, t: int, *, named: bool | None = None
    ) -> Iterator[_Way]:
        yield from self._into_target(kind, s, t, named=named)
        yield from self._into_source(kind, s, t, named=named)

    def _into_target(
        self, kind: int, s: int, t: int, *, named: bool | None = None
    ) -> Iterator[_Way]:
        for d, others, f in _parts(self.target, t, NULL_T):
            if named is None or bool(self.target.named[d]) == named:
                weight = float(self.target.weight[f])
                yield _Way(((kind, s, d), *others), weight, ((1, f),))

    def _into_source(
        self, kind: int, s: int, t: int, *, named: bool | None = None
    ) -> Iterator[_Way]:
        for c, rest, e in _parts(self.source, s, NULL_S):
            if named is None or bool(self.source.named[c]) == named:
                weight = float(self.source.weight[e])
                yield _Way(((kind, c, t), *rest), weight, ((0, e),))


def _parts(
    side: BinaryForest, v: int, null: int
) -> Iterator[tuple[int, tuple[Item, ...], int]]:
    """(part, the other part as a null item, edge) for all parts of all edges of v."""
    for e in side.edges_of(v):
        parts = side.parts_of(e)
        for at, c in enumerate(parts):
            others = parts[:at] + parts[at + 1 :]
            if null == NULL_S:
                yield c, tuple((NULL_S, o, -1) for o in others), e
            else:
                yield c, tuple((NULL_T, -1, o) for o in others), e


_Entry = tuple[float, int, tuple[int, ...]]  # score, way, ranks of its tails
_Candidate = tuple[float, int, int, tuple[int, ...]]  # -score, order, way, ranks


class _Unpacker:
    """Ranks of every item, made when they are asked for."""

    GOAL: Item = (-1, -1, -1)

    def __init__(self, packed: Ways) -> None:
        self._packed = packed
        self._heads = [
            np.repeat(np.arange(side.n_nodes), np.diff(side.first_edge)).tolist()
            for side in (packed.source, packed.target)
        ]
        self._ways: dict[Item, list[_Way]] = {}
        self._done: dict[Item, list[_Entry]] = {}
        self._ahead: dict[Item, list[_Candidate]] = {}
        self._seen: dict[Item, set[tuple[int, tuple[int, ...]]]] = {}
        self._order = count()

    def derivation(self, rank: int) -> Derivation | None:
        """The alignment of this rank, from 0, or None."""
        entry = self._entry(self.GOAL, rank)
        if entry is None:
            return None
        edges: tuple[dict[int, int], dict[int, int]] = ({}, {})
        supports: dict[Pair, tuple[Pair, ...]] = {}
        crossing: set[Pair] = set()
        self._read(self.GOAL, rank, edges, supports, crossing)
        return Derivation(
            entry[0], tuple(sorted(supports)), edges, supports, frozenset(crossing)
        )

    def _read(
        self,
        item: Item,
        rank: int,
        edges: tuple[dict[int, int], dict[int, int]],
        supports: dict[Pair, tuple[Pair, ...]],
        crossing: set[Pair],
    ) -> tuple[Pair, ...]:
        """Collect what a derivation holds; returns its topmost links."""
        self._entry(item, rank)
        _, at, ranks = self._done[item][rank]
        way = self._ways[item][at]
        for side, edge in way.used:
            edges[side][self._heads[side][edge]] = edge
        below: list[Pair] = []
        for tail, lower in zip(way.tails, ranks, strict=True):
            below += self._read(tail, lower, edges, supports, crossing)
        if item[0] != LINK:
            return tuple(below)
        pair = item[1:]
        supports[pair] = tuple(sorted(below))
        if way.uneven:
            crossing.add(pair)
        return (pair,)

    def _entry(self, item: Item, rank: int) -> _Entry | None:
        if item not in self._done:
            self._open(item)
        done, ahead = self._done[item], self._ahead[item]
        while len(done) <= rank:
            if done:
                self._push_after(item, done[-1])
            if not ahead:
                return None
            cost, _, at, ranks = heapq.heappop(ahead)
            done.append((-cost, at, ranks))
        return done[rank]

    def _open(self, item: Item) -> None:
        """The first rank of every way, scored by the tables."""
        packed = self._packed
        if item == self.GOAL:
            ways = [_Way(((LINK, s, t),)) for s, t in packed.goals()]
        else:
            ways = packed.ways(item)
        ahead: list[_Candidate] = []
        for at, way in enumerate(ways):
            score = way.weight + sum(packed.value(tail) for tail in way.tails)
            if score > -np.inf:
                ahead.append((-score, next(self._order), at, (0,) * len(way.tails)))
        heapq.heapify(ahead)
        self._ways[item], self._done[item], self._ahead[item] = ways, [], ahead
        self._seen[item] = {(at, ranks) for _, _, at, ranks in ahead}

    def _push_after(self, item: Item, entry: _Entry) -> None:
        """The neighbours of the entry taken last: one tail a rank further."""
        _, at, ranks = entry
        way = self._ways[item][at]
        for place in range(len(ranks)):
            more = (*ranks[:place], ranks[place] + 1, *ranks[place + 1 :])
            if (at, more) in self._seen[item]:
                continue
            self._seen[item].add((at, more))
            score = way.weight
            for tail, rank in zip(way.tails, more, strict=True):
                below = self._entry(tail, rank)
                if below is None:
                    break
                score += below[0]
            else:
                heapq.heappush(self._ahead[item], (-score, next(self._order), at, more))
