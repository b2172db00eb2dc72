"""Paths of links around boxes, in parallel where they share a direction.

The levels of both trees are rows of boxes, and a link is a long edge of a layered
drawing (Sugiyama, Tagawa & Toda 1981): in every row between its ends it passes a gap
between two boxes, upright, and between two rows it goes aside in one bend. Links in one
gap have lanes of their own, in the order in which they go on, as orthogonal connectors
that are nudged apart (Wybrow, Marriott & Stuckey 2009, GD). In the band links that go
past others together run as one bundle and fan out at its ends (Holten 2006, TVCG).

All bends between the same two rows have the same shape, so two links cross between them
just if they change places: once at the most.

There is a way for every link, since boxes of one level never touch. Where more links
pass a gap than have room at ``LANE`` px, their lanes are closer. Labels of arcs between
the words and the band (view "both") are not boxes: links run beneath them.

Rows follow one another *down* from the root of the source through the band to the root
of the target; *along* is the direction of the words. A scene with ``across`` is turned,
so this module does not need to know. Coordinates have two decimals, so the page, which
reads them from the drawing, computes the same.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.layout.scene import Box, Scene

CLEAR = 4.0  # px between a box and lines that pass it, less where space is short
APART = 8.0  # px: an edge nearer to a box than this needs no extra space
HAIR = 1e-6  # px: who would pass through the middle of a box is left of it by that


@dataclass(frozen=True, slots=True)
class BoxRow:
    """Boxes of one level: it reaches down from ``top`` to ``bottom``.

    ``spans``: where each begins and ends along, in order; ``mids``: their middles,
    where links begin, on the ``line`` down; ``length``: of the drawing along. px. Edges
    that run past the boxes are among these, without any width.
    """

    top: float
    bottom: float
    line: float
    spans: tuple[tuple[float, float], ...]
    mids: tuple[float, ...]
    length: float

    def gap(self, x: float) -> int:
        """Between which boxes x is: how many have their middles before it."""
        return bisect_left(self.mids, x)

    def bounds(self, gap: int) -> tuple[float, float]:
        """The free range of that gap, within its clearance."""
        low = self.spans[gap - 1][1] if gap else 0.0
        high = self.spans[gap][0] if gap < len(self.spans) else self.length
        clear = min(CLEAR, (high - low) / 4)
        return low + clear, high - clear

    def places(self, x: float) -> list[float]:
        """x if it is free, else the two free places next to the box that is there."""
        gap = self.gap(x)
        low, high = self.bounds(gap)
        if x < low:
            return [self.bounds(gap - 1)[1], low]
        if x > high:
            return [high, self.bounds(gap + 1)[0]]
        return [x]


@dataclass(frozen=True, slots=True, order=True)
class LinkEnd:
    """The end of a box's links: its row, its middle along, its edge down."""

    row: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a scene downwards; those from ``below`` on are the target's."""

    rows: tuple[BoxRow, ...]
    below: int
    ends: dict[str, LinkEnd]


@dataclass(frozen=True, slots=True)
class _Turned:
    """A box as (low, high) along and (top, bottom) down."""

    key: str
    span: tuple[float, float]
    top: float
    bottom: float

    @property
    def mid(self) -> float:
        return self.span[0] + (self.span[1] - self.span[0]) / 2


def rows_of(scene: Scene) -> Rows:
    """The rows of a scene, strips left out. O(boxes log boxes)."""
    levels: dict[tuple[str, int], list[_Turned]] = defaultdict(list)
    for each in scene.boxes:
        if each.kind != "null":
            levels[each.side, each.level].append(_turned(each, across=scene.across))
    length = round(scene.height if scene.across else scene.width, 2)
    source = sorted((name for name in levels if name[0] == "s"), reverse=True)
    target = sorted(name for name in levels if name[0] == "t")
    ends = {}
    for i, name in enumerate([*source, *target]):
        for box in levels[name]:
            y = box.bottom if name[0] == "s" else box.top
            ends[box.key] = LinkEnd(i, box.mid, y)
    passing = _passing(scene, ends)
    rows = [
        _row(levels[name], name[0], passing[i], length)
        for i, name in enumerate([*source, *target])
    ]
    return Rows(tuple(rows), len(source), ends)


def _passing(scene: Scene, ends: dict[str, LinkEnd]) -> dict[int, list[float]]:
    """Of each row, where edges run past its boxes: beyond a child, to its parent."""
    passing: dict[int, list[float]] = defaultdict(list)
    for edge in scene.edges:
        end, parent = (ends[f"{edge.side}:{ref}"] for ref in (edge.ref, edge.parent))
        for i in range(min(end.row, parent.row) + 1, max(end.row, parent.row)):
            passing[i].append(end.x)
    return passing


def _turned(box: Box, *, across: bool) -> _Turned:
    x, y = round(box.rect.x, 2), round(box.rect.y, 2)
    w, h = round(box.rect.w, 2), round(box.rect.h, 2)
    if across:
        return _Turned(box.key, (y, y + h), x, x + w)
    return _Turned(box.key, (x, x + w), y, y + h)


def _row(
    boxes: list[_Turned], side: str, passing: list[float], length: float
) -> BoxRow:
    top, bottom = min(b.top for b in boxes), max(b.bottom for b in boxes)
    spans = sorted(box.span for box in boxes)
    for x in sorted(passing):
        i = bisect_left(spans, (x, x))
        near = (
            low - APART < x < high + APART for low, high in spans[max(0, i - 1) : i + 1]
        )
        if not any(near):
            spans.insert(i, (x, x))
    mids = (low + (high - low) / 2 for low, high in spans)
    line = bottom if side == "s" else top
    return BoxRow(top, bottom, line, tuple(spans), tuple(mids), length)


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
    """The position of each link in each row: ``(links, rows)``, px.

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
    """How often each option crosses the others: ``(options,)``.

    Both are positions ``(links, rows)``, NaN where there is no link; two links in the
    same position change sides only if they do so before and after.
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


LANE = 3.0  # px between links side by side
BEYOND = 2.0  # px of vertical line before and after a row
FAN = 0.2  # of the band, at each edge: where a bundle opens
WIDE = 160.0  # px between the outer links of a bundle, before it is one

Lanes = list[dict[int, float]]  # of each link: row -> place along, px
Station = tuple[float, float, float]  # along; from and to where down, upright


def link_paths(scene: Scene, links: Sequence[tuple[str, str]]) -> list[str]:
    """SVG path data of links from the source's box to the target's, by keys of boxes.

    "" where an end is not in the scene, within a folded phrase. The links are seen
    together, whatever their order: one more may move others. O(links^2 * levels).
    """
    rows = rows_of(scene)
    shown = [link for link in set(links) if set(link) <= rows.ends.keys()]
    if not shown:
        return [""] * len(links)
    ends = sorted((rows.ends[s], rows.ends[t]) for s, t in shown)
    lines = dict(zip(ends, _stations(rows, ends), strict=True))
    paths = {
        (s, t): _path(lines[rows.ends[s], rows.ends[t]], across=scene.across)
        for s, t in shown
    }
    return [paths.get(link, "") for link in links]


def _stations(
    rows: Rows, ends: Sequence[tuple[LinkEnd, LinkEnd]]
) -> list[list[Station]]:
    """Where each link is upright, downwards."""
    places = passages(rows, ends)
    orders = _orders(places, ends)
    lanes = _lanes(rows, ends, places, orders)
    trunks = _trunks(lanes, orders, rows.below)
    top, bottom = rows.rows[rows.below - 1].bottom, rows.rows[rows.below].top
    fan = FAN * (bottom - top)
    stations = []
    for k, (s, t) in enumerate(ends):
        line = [_station(rows.rows[r], x) for r, x in sorted(lanes[k].items())]
        line[0] = (s.x, s.y, line[0][2])
        line[-1] = (t.x, line[-1][1], t.y)
        start, end = trunks[k]
        trunk = [(start, top + fan, top + fan), (end, bottom - fan, bottom - fan)]
        cut = rows.below - s.row
        stations.append([*line[:cut], *trunk, *line[cut:]])
    return stations


def _station(row: BoxRow, x: float) -> Station:
    return x, row.top - BEYOND, row.bottom + BEYOND


def _orders(places: Floats, ends: Sequence[tuple[LinkEnd, LinkEnd]]) -> list[list[int]]:
    """The links of each row in order; those in the same place as they were in the row
    before, else as they go on."""
    table = places.tolist()
    orders: list[list[int]] = []
    before: dict[int, int] = {}
    for r in range(places.shape[1]):
        keys = {
            k: (table[k][r], before.get(k, -1), table[k][r : t.row + 1])
            for k, (s, t) in enumerate(ends)
            if s.row <= r <= t.row
        }
        orders.append(sorted(keys, key=lambda k: keys[k]))
        before = {k: i for i, k in enumerate(orders[-1])}
    return orders


def _lanes(
    rows: Rows,
    ends: Sequence[tuple[LinkEnd, LinkEnd]],
    places: Floats,
    orders: list[list[int]],
) -> Lanes:
    """A lane for each link in each of its rows, from both outer ends to the band: who
    need not go aside stays where it was in the row before."""
    lanes: Lanes = [{s.row: s.x, t.row: t.x} for s, t in ends]
    n, below = len(rows.rows), rows.below
    order = [(r, r - 1) for r in range(below)]
    order += [(r, r + 1) for r in reversed(range(below, n))]
    for r, outer in order:
        row = rows.rows[r]
        gaps: dict[int, list[int]] = {}
        for k in orders[r]:
            if r in lanes[k]:
                continue  # it begins or ends here
            gaps.setdefault(row.gap(places[k, r]), []).append(k)
        for gap, members in gaps.items():
            low, high = row.bounds(gap)
            wishes = [min(max(lanes[k][outer], low), high) for k in members]
            if wishes != sorted(wishes):  # they come here in another order
                wishes = [float(places[k, r]) for k in members]
            for k, x in zip(members, _spread(wishes, low, high), strict=True):
                lanes[k][r] = x
    return lanes


def _spread(wishes: list[float], low: float, high: float) -> list[float]:
    """Places in this order within ``low`` and ``high``, near the wishes, LANE apart."""
    step = min(LANE, (high - low) / max(1, len(wishes) - 1))
    at: list[float] = []
    for wish in wishes:
        at.append(max(min(wish, high), at[-1] + step if at else low))
    for i in range(len(at)):
        at[i] = min(at[i], high - step * (len(at) - 1 - i))
    return at


def _trunks(
    lanes: Lanes, orders: list[list[int]], below: int
) -> list[tuple[float, float]]:
    """Where each link is at both ends of the trunk in the band."""
    trunks = [(lane[below - 1], lane[below]) for lane in lanes]
    for run in _runs(orders[below - 1], orders[below]):
        for bundle in _slim([trunks[k] for k in run], run):
            columns = [_gathered([trunks[k][e] for k in bundle]) for e in (0, 1)]
            for k, start, end in zip(bundle, *columns, strict=True):
                trunks[k] = (start, end)
    return trunks


def _runs(order: list[int], other: list[int]) -> list[list[int]]:
    """Links that follow each other at both edges of the band and cross others there."""
    place = {k: i for i, k in enumerate(other)}
    runs: list[list[int]] = []
    for i, k in enumerate(order):
        if i and place[k] == place[order[i - 1]] + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    crossing, first = [], 0
    for run in runs:
        start = place[run[0]]
        if start != first or any(place[k] > start for k in order[:first]):
            crossing.append(run)
        first += len(run)
    return crossing


def _slim(places: list[tuple[float, float]], run: list[int]) -> list[list[int]]:
    """The run in parts that are nowhere wider than ``WIDE``, or not much."""
    low, high = sum(places[0]), sum(places[-1])
    widest = max(b - a for a, b in zip(places[0], places[-1], strict=True))
    n = max(1, math.ceil(widest / WIDE))
    parts: list[list[int]] = [[] for _ in range(n)]
    for k, place in zip(run, places, strict=True):
        share = (sum(place) - low) / (high - low) if high > low else 0.0
        parts[min(n - 1, int(n * share))].append(k)
    return [part for part in parts if len(part) > 1]


def _gathered(places: list[float]) -> list[float]:
    """The same around their middle, LANE apart, or as close as they were."""
    low, high, last = places[0], places[-1], len(places) - 1
    step = min(LANE, (high - low) / last)
    return [(low + high) / 2 + (i - last / 2) * step for i in range(last + 1)]


def _path(stations: list[Station], *, across: bool) -> str:
    """The text of a path; every bend leaves and arrives upright."""
    first, at, _ = stations[0]
    parts = ["M" + _point(first, at, across=across)]
    for (x1, _, y1), (x2, y2, _) in pairwise(stations):
        if _short(x1) == _short(x2):
            continue
        middle = (y1 + y2) / 2
        if y1 != at:
            parts.append("L" + _point(x1, y1, across=across))
        corners = ((x1, middle), (x2, middle), (x2, y2))
        parts.append("C" + " ".join(_point(*each, across=across) for each in corners))
        at = y2
    last, _, end = stations[-1]
    if end != at:
        parts.append("L" + _point(last, end, across=across))
    return "".join(parts)


def _point(x: float, y: float, *, across: bool) -> str:
    return " ".join(map(_short, (y, x) if across else (x, y)))


def _short(value: float) -> str:
    """One decimal, halves up as in scripts."""
    return f"{math.floor(value * 10 + 0.5) / 10:g}"
