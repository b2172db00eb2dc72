"""The levels of two trees as rows of boxes, and what is free between these boxes.

Rows follow one another *down* from the root of the source through the band to the root
of the target; *along* is the way the words run. A scene that lies ``across`` is turned,
so that nothing here knows of it. Numbers are those of the drawing, with two decimals:
the page, which reads them off it, comes to the same.
"""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass

from core.layout.scene import Box, Scene

CLEAR = 4.0  # px between a box and what passes it, less where there is no room
APART = 8.0  # px: an edge that is nearer to a box than that takes no room of its own
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
        """From where to where that gap is free, its clearance kept."""
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
    """Where links of a box begin: its row, its middle along, its edge down."""

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
