"""Alignments of two small forests, enumerated from the definition.

Every pair of trees, every set of links that holds the two wholes, is one to one and
keeps the order of descent; its weight by what meets where. Shares no code with
core.phrase_alignment.supports.
"""

from collections.abc import Iterator
from itertools import product
from math import inf

from core.data.check import Floats
from core.phrase_alignment.sides import BinaryForest

Pair = tuple[int, int]


class BinaryDerivation:
    """One binary derivation: node to parts, and its weight."""

    def __init__(self, side: BinaryForest, edges: dict[int, int]) -> None:
        self.side = side
        self.parts = {v: side.parts_of(e) for v, e in edges.items()}
        self.weight = sum(float(side.weight[e]) for e in edges.values())
        self.mother = {c: v for v, below in self.parts.items() for c in below}
        self.top = next(v for v in self.parts if v not in self.mother)
        self.above = {v: frozenset(self.path(v)) for v in self.parts}

    def path(self, v: int) -> list[int]:
        nodes = [v]
        while nodes[-1] in self.mother:
            nodes.append(self.mother[nodes[-1]])
        return nodes

    def is_below(self, v: int, top: int) -> bool:
        return top in self.above[v]

    def meet(self, nodes: list[int]) -> int:
        """The lowest node that is above all of them, or one of them."""
        common = [
            v for v in self.path(nodes[0]) if all(v in self.path(x) for x in nodes)
        ]
        return common[0]

    def part_towards(self, v: int, below: int) -> int:
        path = self.path(below)
        return path[path.index(v) - 1]


def trees(side: BinaryForest) -> Iterator[BinaryDerivation]:
    """All derivations of a side."""

    def grow(v: int) -> Iterator[dict[int, int]]:
        for e in side.edges_of(v):
            for below in product(*(list(grow(c)) for c in side.parts_of(e))):
                edges = {v: e}
                for one in below:
                    edges |= one
                yield edges

    for top in side.tops:
        for edges in grow(top):
            yield BinaryDerivation(side, edges)


def best(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    cross_cost: float,
    null_cost: float,
) -> float:
    """The weight of the best alignment of all trees; -inf if there is none."""
    return max(
        (
            value(a, b, links, gain, cross_cost, null_cost)
            for a in trees(source)
            for b in trees(target)
            for links in link_sets(a, b)
        ),
        default=-inf,
    )


def link_sets(a: BinaryDerivation, b: BinaryDerivation) -> Iterator[tuple[Pair, ...]]:
    """Sets of links that hold the tops, one to one, in the order of descent."""
    root = (a.top, b.top)
    free = [
        (s, t)
        for s in a.parts
        for t in b.parts
        if s != a.top and t != b.top and a.side.named[s] and b.side.named[t]
    ]

    def grow(
        chosen: tuple[Pair, ...], others: list[Pair]
    ) -> Iterator[tuple[Pair, ...]]:
        yield chosen
        for at, x in enumerate(others, 1):
            fit = [y for y in others[at:] if _agree(a, b, x, y)]
            yield from grow((*chosen, x), fit)

    yield from grow((root,), free)


def _agree(a: BinaryDerivation, b: BinaryDerivation, x: Pair, y: Pair) -> bool:
    if x[0] == y[0] or x[1] == y[1]:
        return False
    down = a.is_below(x[0], y[0]), a.is_below(y[0], x[0])
    return down == (b.is_below(x[1], y[1]), b.is_below(y[1], x[1]))


def value(
    a: BinaryDerivation,
    b: BinaryDerivation,
    links: tuple[Pair, ...],
    gain: Floats,
    cross_cost: float,
    null_cost: float,
) -> float:
    """Trees and gains, less the costs of the places where links meet."""
    total = a.weight + b.weight + sum(float(gain[pair]) for pair in links)
    for pair in links:
        inside = [x for x in links if x != pair and a.is_below(x[0], pair[0])]
        direct = [x for x in inside if not _is_covered(a, inside, x)]
        total -= _inner(a, b, pair, direct, cross_cost, null_cost)
    return total


def _is_covered(a: BinaryDerivation, inside: list[Pair], x: Pair) -> bool:
    return any(y != x and a.is_below(x[0], y[0]) for y in inside)


def _inner(
    a: BinaryDerivation,
    b: BinaryDerivation,
    pair: Pair,
    direct: list[Pair],
    cross: float,
    null: float,
) -> float:
    """What the links right below ``pair`` cost: how they meet in it, and below."""
    if not direct:
        return 0.0
    s, t = a.meet([x[0] for x in direct]), b.meet([x[1] for x in direct])
    if len(direct) == 1:
        return 0.0 if s != pair[0] and t != pair[1] else inf
    rest = _split(a, b, s, t, direct, cross, null)
    # Strictly below on both sides, they meet in two nulls; on one, it is uneven.
    if s != pair[0] and t != pair[1]:
        named = a.side.named[s] and b.side.named[t]
        return rest + (null if named else 0.0)
    between = _named_between(a, s, pair[0]) or _named_between(b, t, pair[1])
    return rest + (cross if between else 0.0)


def _named_between(tree: BinaryDerivation, low: int, high: int) -> bool:
    """Whether a named node strictly below ``high`` holds ``low`` or is it."""
    path = tree.path(low)
    return any(tree.side.named[v] for v in path[: path.index(high)])


def _split(
    a: BinaryDerivation,
    b: BinaryDerivation,
    s: int,
    t: int,
    direct: list[Pair],
    cross: float,
    null: float,
) -> float:
    """The links fall in two groups, one below each part of s, and of t."""
    groups: dict[Pair, list[Pair]] = {}
    for x in direct:
        if x[0] == s or x[1] == t:
            return inf
        key = a.part_towards(s, x[0]), b.part_towards(t, x[1])
        groups.setdefault(key, []).append(x)
    if len(groups) != 2 or len({k for k, _ in groups} | {None}) != 3:
        return inf
    if len({m for _, m in groups}) != 2:
        return inf
    total = 0.0
    for group in groups.values():
        if len(group) > 1:
            low_s, low_t = a.meet([x[0] for x in group]), b.meet([x[1] for x in group])
            named = a.side.named[low_s] and b.side.named[low_t]
            total += null if named else 0.0
            total += _split(a, b, low_s, low_t, group, cross, null)
    return total
