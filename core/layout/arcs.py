"""Levels for dependency arcs: a longer arc runs above all that it spans."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.data.deps import ROOT, DepTree
from core.layout.tree import Demand


@dataclass(frozen=True, slots=True)
class Level:
    """The arc into ``modifier`` runs at ``level``, 1 being nearest to the words."""

    modifier: int
    head: int
    level: int


def arc_levels(deps: DepTree, *, shown: frozenset[int] | None = None) -> list[Level]:
    """A level for every arc whose two ends are shown, the root arcs last.

    Two arcs on one level never share a stretch of words. Arcs of one length are taken
    from left to right. O(arcs^2).
    """
    ends = [
        (m, h)
        for m, h in enumerate(deps.heads)
        if h != ROOT and (shown is None or {m, h} <= shown)
    ]
    ends.sort(key=lambda arc: (abs(arc[0] - arc[1]), min(arc)))
    placed: list[Level] = []
    for m, h in ends:
        low, high = min(m, h), max(m, h)
        inside = [
            arc.level
            for arc in placed
            if low < max(arc.modifier, arc.head) and min(arc.modifier, arc.head) < high
        ]
        placed.append(Level(m, h, 1 + max(inside, default=0)))
    roots = [m for m, h in enumerate(deps.heads) if h == ROOT]
    top = 1 + max((arc.level for arc in placed), default=0)
    kept = [m for m in roots if shown is None or m in shown]
    return placed + [Level(m, ROOT, top + i) for i, m in enumerate(kept)]


def demands(
    arcs: Sequence[Level], label_sizes: Sequence[float], *, pad: float = 18.0
) -> list[Demand]:
    """How far apart head and modifier must stand for the label to fit between."""
    return [
        Demand(min(a.modifier, a.head), max(a.modifier, a.head), size + pad)
        for a, size in zip(arcs, label_sizes, strict=True)
        if a.head != ROOT
    ]
