"""Every dependency tree with one root, projective or not, from the definition."""

from collections.abc import Iterator
from itertools import product

from core.data.check import Floats

Heads = tuple[int, ...]


def dependency_trees(n: int, *, projective: bool) -> Iterator[Heads]:
    """Heads of every tree over n tokens; ROOT = -1 governs exactly one."""
    for heads in product(range(-1, n), repeat=n):
        is_tree = all(reaches_root(heads, m) for m in range(n))
        if (
            heads.count(-1) == 1
            and is_tree
            and (not projective or is_projective(heads))
        ):
            yield heads


def reaches_root(heads: Heads, m: int) -> bool:
    for _ in range(len(heads)):
        if heads[m] == -1:
            return True
        m = heads[m]
    return False


def is_projective(heads: Heads) -> bool:
    """Every token between a head and its modifier descends from that head."""
    return all(
        descends(heads, t, h)
        for m, h in enumerate(heads)
        if h >= 0
        for t in range(min(h, m) + 1, max(h, m))
    )


def descends(heads: Heads, t: int, h: int) -> bool:
    while t not in (-1, h):
        t = heads[t]
    return t == h


def weight(heads: Heads, arcs: Floats) -> float:
    return sum(float(arcs[h + 1, m + 1]) for m, h in enumerate(heads))
