"""Which gap between two boxes each link passes, level by level, so that few cross.

A link that keeps, at every box, to the side on which the straight line between its ends
passes the box's middle, crosses just what that line crosses. All links begin so. One
after another then takes the way down to the band and from there to its partner that
crosses fewest others, the shortest of these. Only if all of them cross more than before
does it stay as it was; in the end there are never more crossings than straight lines
have.

``static/js/editor/passing.js`` is the same for links that are being made.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.layout.rows import HAIR, BoxRow, LinkEnd, Rows

BEND = 8.0  # what a step aside costs, in px of detour
KEPT = 4  # ways that are followed at once
SWEEPS = 2  # how often every link is asked


@dataclass(frozen=True, slots=True)
class _Passage:
    """Places in one row after another; ``turn``: the side of the first step aside."""

    cost: float
    turn: int
    places: tuple[float, ...]


def passages(rows: Rows, ends: Sequence[tuple[LinkEnd, LinkEnd]]) -> Floats:
    """Where along each link is in each row: ``(links, rows)``, px.

    NaN outside the rows between its ends. A place may be wished for by several links.
    O(links^2 * rows).
    """
    options = [_options(rows, *each) for each in ends]
    chosen = np.array([each[-1] for each in options])
    for _ in range(SWEEPS):
        for k, each in enumerate(options):
            if len(each) > 1:
                chosen[k] = np.nan
                own = slice(ends[k][0].row, ends[k][1].row + 1)
                counts = crossings(each[:, own], chosen[:, own])
                chosen[k] = each[int(np.argmin(counts))]
    return chosen


def crossings(options: Floats, others: Floats) -> NDArray[np.int_]:
    """How often each option changes sides with all the others: ``(options,)``.

    Both are places ``(links, rows)``, NaN where there is no link; two links in the same
    place change sides only if they do so before and after.
    """
    one, other = options[:, None, :], others[None, :, :]
    turn = np.arange(0, 2 * options.shape[-1], 2, dtype=np.int16)
    left = np.where(one < other, turn, np.int16(-1))
    sides = np.where(one > other, turn + np.int16(1), left)
    last = np.maximum.accumulate(sides, axis=-1)  # the side, and since which row
    before, after = last[..., :-1], last[..., 1:]
    changes = (before >= 0) & (((before ^ after) & 1) == 1)
    total: NDArray[np.int_] = np.count_nonzero(changes, axis=(1, 2))
    return total


def _options(rows: Rows, s: LinkEnd, t: LinkEnd) -> Floats:
    """The ways of a link: the shortest first, the straight one last."""
    above = rows.rows[s.row + 1 : rows.below]
    beyond = rows.rows[rows.below : t.row][::-1]
    pairs = list(product(_ways(above, s.x), _ways(beyond, t.x)))
    lines = [[*a.places, *reversed(b.places)] for a, b in pairs]
    order = sorted(range(len(pairs)), key=lambda i: _cost(pairs[i], s.x, t.x))
    straight = _straight(rows.rows, s, t)
    kept = [] if straight in lines[:1] else [lines[i] for i in order]
    options = np.full((len(kept) + 1, len(rows.rows)), np.nan)
    options[:, s.row], options[:, t.row] = s.x, t.x
    options[:, s.row + 1 : t.row] = [*kept, straight]
    return options


def _cost(pair: tuple[_Passage, _Passage], x: float, y: float) -> float:
    a, b = pair
    start = a.places[-1] if a.places else x
    end = b.places[-1] if b.places else y
    return a.cost + b.cost + abs(start - end)


def _straight(rows: Sequence[BoxRow], s: LinkEnd, t: LinkEnd) -> list[float]:
    """Where the straight line passes the rows between both ends."""
    first, last = rows[s.row].line, rows[t.row].line
    line = []
    for row in rows[s.row + 1 : t.row]:
        x = s.x + (t.x - s.x) * ((row.line - first) / (last - first))
        line.append(x - HAIR if x in row.mids else x)
    return line


def _ways(rows: Sequence[BoxRow], x: float) -> list[_Passage]:
    """The shortest way from x through all rows, and the one that first steps aside to
    the other side, if there is one; the shortest first."""
    ways = [_Passage(0.0, 0, ())]
    for row in rows:
        nearest: dict[tuple[int, float], _Passage] = {}
        for way in ways:
            at = way.places[-1] if way.places else x
            for to in row.places(at):
                side = way.turn or (to > at) - (to < at)
                cost = way.cost + abs(to - at) + (BEND if to != at else 0.0)
                known = nearest.get((side, to))
                if known is None or cost < known.cost:
                    nearest[side, to] = _Passage(cost, side, (*way.places, to))
        ways = sorted(nearest.values(), key=_rank)[:KEPT]
    best: dict[int, _Passage] = {}
    for way in ways:
        best.setdefault(way.turn, way)
    return list(best.values())


def _rank(way: _Passage) -> tuple[float, int, float]:
    return way.cost, way.turn, way.places[-1]
