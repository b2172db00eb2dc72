"""Links as they are drawn: the points of their paths, and what these meet."""

import re
from collections.abc import Sequence
from itertools import combinations, permutations, product

import numpy as np

from core.data.check import Floats
from core.layout.routes import LinkEnd, Rows
from core.layout.scene import Scene

Point = tuple[float, float]
SAMPLES = 24  # of one bend


def points(path: str) -> list[Point]:
    """Points of a path of M, L and C, close together."""
    line: list[Point] = []
    for op, rest in re.findall(r"([MLC])([^MLC]*)", path):
        numbers = [float(n) for n in rest.split()]
        corners = list(zip(numbers[::2], numbers[1::2], strict=True))
        if op == "M":
            line.append(corners[0])
        elif op == "L":
            line += _bend([line[-1], line[-1], corners[0], corners[0]])
        else:
            line += _bend([line[-1], *corners])
    return line


def _bend(corners: list[Point]) -> list[Point]:
    """A cubic Bézier curve, its start left out."""
    shares = np.arange(1, SAMPLES + 1)[:, None] / SAMPLES
    a, b, c, d = (np.array(corner) for corner in corners)
    rest = 1 - shares
    curve = rest**3 * a + 3 * rest**2 * shares * b + 3 * rest * shares**2 * c
    return [(float(x), float(y)) for x, y in curve + shares**3 * d]


def boxes_met(scene: Scene, own: tuple[str, str], path: str, *, slack: float) -> set:
    """The keys of boxes, not its own, that a path comes nearer to than ``slack`` px."""
    met = set()
    for box in scene.boxes:
        rect = box.rect
        if box.kind == "null" or box.key in own:
            continue
        for x, y in points(path):
            if (
                rect.x - slack < x < rect.x + rect.w + slack
                and rect.y - slack < y < rect.y + rect.h + slack
            ):
                met.add(box.key)
    return met


def drawn_crossings(paths: Sequence[str], *, across: bool) -> int:
    """How often two paths change sides, seen every half px on their way down."""
    lines = [np.array(points(path)) for path in paths]
    lines = [line[:, ::-1] if not across else line for line in lines]  # (down, along)
    grid = np.arange(0.0, max(line[-1, 0] for line in lines) + 1, 0.5)
    along = [
        np.interp(grid, line[:, 0], line[:, 1], left=np.nan, right=np.nan)
        for line in lines
    ]
    return sum(_changes(a - b) for a, b in combinations(along, 2))


def _changes(apart: Floats) -> int:
    sides = np.sign(apart[~np.isnan(apart) & (np.abs(apart) > 0.15)])
    return int((sides[1:] != sides[:-1]).sum())


def straight_crossings(rows: Rows, keys: Sequence[tuple[str, str]]) -> int:
    """How many pairs of straight lines between the same rows meet; those of one box
    meet nowhere else."""
    lines = [(rows.ends[s], rows.ends[t]) for s, t in keys]
    n = 0
    for (k, one), (m, two) in combinations(list(zip(keys, lines, strict=True)), 2):
        if k[0] == m[0] or k[1] == m[1]:
            continue
        top = max(one[0].row, two[0].row)
        bottom = min(one[1].row, two[1].row)
        at = [rows.rows[r].line for r in (top, bottom)]
        first, last = (_at(rows, one, y) - _at(rows, two, y) for y in at)
        n += first * last <= 1e-9
    return n


def _at(rows: Rows, link: tuple[LinkEnd, LinkEnd], y: float) -> float:
    s, t = link
    first, last = rows.rows[s.row].line, rows.rows[t.row].line
    return s.x + (t.x - s.x) * (y - first) / (last - first)


def fewest_crossings(places: Floats) -> int:
    """The fewest crossings of links in these places ``(links, rows)``, NaN where there
    is none, over every order of those that share a place."""
    best: dict[tuple[int, ...], int] = {(): 0}
    for column in places.T:
        following: dict[tuple[int, ...], int] = {}
        for order in _orders(column):
            following[order] = min(
                n + _inversions(before, order) for before, n in best.items()
            )
        best = following
    return min(best.values())


def _orders(column: Floats) -> list[tuple[int, ...]]:
    values = sorted({float(x) for x in column if not np.isnan(x)})
    shared = [np.flatnonzero(column == x).tolist() for x in values]
    return [
        tuple(k for group in groups for k in group)
        for groups in product(*(permutations(group) for group in shared))
    ]


def _inversions(before: tuple[int, ...], after: tuple[int, ...]) -> int:
    both = [k for k in before if k in after]
    return sum(after.index(a) > after.index(b) for a, b in combinations(both, 2))
