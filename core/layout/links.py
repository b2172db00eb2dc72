"""The geometry of two facing sentences: trees or arcs outside, links in the band
between.

The source is above with its root up, the target below with its root down, or,
``across``, left and right. A strip at each outer side holds nodes without a
counterpart. Everything is computed once for "the words run along, the trees grow away
from the band" and then turned into px by ``_Axes``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from operator import mul
from typing import Literal

from core.data.deps import ROOT, DepTree
from core.data.tree import Tree
from core.layout.measure import GlyphTable
from core.layout.scene import Arc, Box, Edge, Point, Rect, Scene, SecondaryCurve
from core.layout.tree import Demand, Placed, place, place_words
from core.protocols import TextMeasure


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
    """Return how far apart head and modifier must be for the label to fit between."""
    return [
        Demand(min(a.modifier, a.head), max(a.modifier, a.head), size + pad)
        for a, size in zip(arcs, label_sizes, strict=True)
        if a.head != ROOT
    ]


View = Literal["constituency", "dependency", "both"]
FONT, SMALL, TINY = 13.0, 10.5, 9.0  # px
PAD = 14.0  # around the whole drawing
STRIP = 26.0  # the null strip
BOX, WORD = 24.0, 42.0  # heights of a phrase and of a word above its tag
LEVEL = 17.0  # between the boxes of two levels
ARC = 20.0  # between two levels of arcs
BADGE = 20.0  # room for the number of a partner
BAND_DOWN, BAND_ACROSS = 112.0, 190.0


@dataclass(frozen=True, slots=True)
class LinkedSide:
    """One sentence: its words, and the trees over them, if there are any.

    Raises nothing: a tree over another number of words is the caller's to refuse.
    """

    words: tuple[str, ...]
    tree: Tree | None = None
    deps: DepTree | None = None
    folded: frozenset[int] = frozenset()


def link_scene(
    source: LinkedSide,
    target: LinkedSide,
    *,
    view: View = "constituency",
    across: bool = False,
    strips: bool = True,
    measure: TextMeasure | None = None,
) -> Scene:
    """Boxes, edges and arcs of both sides, keyed by node; see the module. ``strips``:
    whether there are any for what has no counterpart."""
    pen = measure or GlyphTable()
    plans = [_Plan(side, view, pen, across=across) for side in (source, target)]
    length = max(max(plan.placed.length for plan in plans), 220.0)
    band = BAND_ACROSS if across else BAND_DOWN
    start = PAD + STRIP + PAD if strips else PAD
    line = start + plans[0].depth  # where the band begins
    total = line + band + plans[1].depth + start
    shifts = [PAD + (length - plan.placed.length) / 2 for plan in plans]
    frames = (
        _Axes(line, -1, shifts[0], across=across),
        _Axes(line + band, 1, shifts[1], across=across),
    )
    ends = (
        _strip("s", PAD, length, across=across),
        _strip("t", total - PAD - STRIP, length, across=across),
    )
    parts = [
        _Ink(plan, frame, name)
        for plan, frame, name in zip(plans, frames, ("s", "t"), strict=True)
    ]
    return Scene(
        *((total, length + 2 * PAD) if across else (length + 2 * PAD, total)),
        band=frames[0].rect(PAD, 0, length, -band, origin=PAD),
        boxes=(
            *(ends if strips else ()),
            *(box for part in parts for box in part.boxes()),
        ),
        edges=tuple(edge for part in parts for edge in part.edges()),
        arcs=tuple(arc for part in parts for arc in part.arcs()),
        secondary=tuple(one for part in parts for one in part.secondary()),
        across=across,
    )


def parse_scene(side: LinkedSide, *, measure: TextMeasure | None = None) -> Scene:
    """One sentence alone: its tree above the words, its arcs below them, if any.

    All parts are of side "s"; the band is empty.
    """
    view: View = "both" if side.tree is not None else "dependency"
    plan = _Plan(side, view, measure or GlyphTable(), across=False)
    line = PAD + plan.depth
    ink = _Ink(plan, _Axes(line, -1, PAD, across=False), "s")
    width = plan.placed.length + 2 * PAD
    return Scene(
        width,
        line + PAD,
        band=Rect(PAD, line, 0.0, 0.0),
        boxes=tuple(ink.boxes()),
        edges=tuple(ink.edges()),
        arcs=tuple(ink.arcs()),
        secondary=tuple(ink.secondary()),
    )


class _Plan:
    """Sizes and places of one side, measured away from the band."""

    def __init__(self, side: LinkedSide, view: View, pen: TextMeasure, *, across: bool):
        self.side, self.pen, self.across = side, pen, across
        self.tree = side.tree if view != "dependency" else None
        deps = side.deps if view != "constituency" else None
        shown = None if self.tree is None else _shown_tokens(self.tree, side.folded)
        self.arcs = arc_levels(deps, shown=shown) if deps else []
        self.deps = deps
        self.inner_arcs = bool(self.arcs) and self.tree is not None  # view "both"
        self.placed = self._place()
        self.word = max(map(self.cross_size, self.placed.ends), default=WORD)
        self.arc_step = self._arc_step()
        arc_room = self.arc_step * max((a.level for a in self.arcs), default=0)
        self.arc_room = arc_room + 16.0 if arc_room else 0.0
        self.steps = self._level_steps()
        self.base = self.arc_room if self.inner_arcs else 0.0  # words begin here
        outer = 0.0 if self.inner_arcs else self.arc_room
        self.depth = self.base + self.word + outer + self.steps[-1]

    def box_size(self, v: int) -> tuple[float, float]:
        """Width and height in px of node v (of token v without a tree)."""
        text, tag = self.texts(v)
        if self.is_phrase(v):
            return max(self.pen.width(text, size=FONT) + 14 + BADGE, 40.0), BOX
        form = self.pen.width(text, size=FONT)
        small = self.pen.width(tag, size=SMALL) + BADGE
        if self.across:
            return form + small + 22, BOX
        return max(form, small, 26.0) + 10, WORD

    def texts(self, v: int) -> tuple[str, str]:
        if self.tree is None:
            return self.side.words[v], ""
        if v in self.side.folded and not self.tree.is_leaf(v):
            return _folded_text(self.tree, v), ""
        if self.is_phrase(v):
            return self.tree.labels[v] or "–", ""
        return self.tree.forms[v], self.tree.labels[v]

    def is_phrase(self, v: int) -> bool:
        return self.tree is not None and not self.tree.is_leaf(v)

    def cross_size(self, v: int) -> float:
        return self.box_size(v)[0 if self.across else 1]

    def arc_label(self, arc: Level) -> str:
        return self.deps.labels[arc.modifier] if self.deps else ""

    def _along(self, v: int) -> float:
        return self.box_size(v)[1 if self.across else 0]

    def _arc_size(self, arc: Level) -> tuple[float, float]:
        return self.pen.width(self.arc_label(arc), size=SMALL) + 6, 14.0

    def _place(self) -> Placed:
        along = [self._arc_size(a)[1 if self.across else 0] for a in self.arcs]
        wanted = demands(self.arcs, along)
        gap = 6.0 if self.across else 8.0
        if self.tree is None:
            sizes = [self._along(i) for i in range(len(self.side.words))]
            return place_words(sizes, gap=gap, demands=wanted)
        sizes = [self._along(v) for v in range(len(self.tree))]
        folded = self.side.folded
        return place(self.tree, sizes, gap=gap, folded=folded, demands=wanted)

    def _arc_step(self) -> float:
        if not self.across:
            return ARC
        return max((self._arc_size(a)[0] for a in self.arcs), default=0.0) + 8

    def _level_steps(self) -> list[float]:
        """How far beyond the words each level ends: ``[0]`` is 0."""
        deepest = [0.0] * self.placed.n_levels
        for v, level in self.placed.level.items():
            if level:
                deepest[level] = max(deepest[level], self.cross_size(v))
        steps, at = [0.0], 0.0
        for size in deepest[1:]:
            at += (size or BOX) + LEVEL
            steps.append(at)
        return steps


@dataclass(frozen=True, slots=True)
class _Axes:
    """Turns (along the words, away from the band) into px.

    ``line``: where this side touches the band; ``way``: -1 for the source, whose tree
    grows towards 0, and 1 for the target; ``shift``: where its words begin.
    """

    line: float
    way: int
    shift: float
    across: bool

    def point(self, along: float, away: float) -> tuple[float, float]:
        x, y = along + self.shift, self.line + self.way * away
        return (y, x) if self.across else (x, y)

    def rect(
        self,
        along: float,
        away: float,
        length: float,
        depth: float,
        *,
        origin: float | None = None,
    ) -> Rect:
        """The box from ``along`` on, between ``away`` and ``away + depth``."""
        ends = (self.line + self.way * away, self.line + self.way * (away + depth))
        low, high = min(ends), max(ends)
        x = along + (self.shift if origin is None else 0.0)
        if self.across:
            return Rect(low, x, high - low, length)
        return Rect(x, low, length, high - low)


class _Ink:
    """The parts of one side in px."""

    def __init__(self, plan: _Plan, frame: _Axes, name: str) -> None:
        self.plan, self.frame = plan, frame
        self.name: Literal["s", "t"] = "s" if name == "s" else "t"

    def boxes(self) -> list[Box]:
        return [self._box(v) for v in sorted(self.plan.placed.at)]

    def edges(self) -> list[Edge]:
        tree = self.plan.tree
        if tree is None:
            return []
        shown = self.plan.placed.at
        return [self._edge(tree, v) for v in sorted(shown) if v]

    def arcs(self) -> list[Arc]:
        return [self._arc(arc) for arc in self.plan.arcs]

    def secondary(self) -> list[SecondaryCurve]:
        """Those between two nodes that are shown; their labels off the boxes."""
        tree, shown = self.plan.tree, self.plan.placed.at
        curves: list[SecondaryCurve] = []
        taken = [box.rect for box in self.boxes()]
        for v, target, label in tree.secondary if tree else ():
            if v in shown and target in shown:
                curves.append(self._secondary(v, target, label, taken))
                taken.append(curves[-1].label_rect)
        return curves

    def _secondary(
        self, v: int, target: int, label: str, taken: list[Rect]
    ) -> SecondaryCurve:
        bend = self._bend(v, target)
        corners = (self._border(v, bend), bend, self._border(target, bend))
        start, control, end = (self.frame.point(*corner) for corner in corners)
        size = self.plan.pen.width(label, size=SMALL) + 6, 14.0
        where = _label_place((start, control, end), size, taken)
        tree, folded = self.plan.tree, self.plan.side.folded
        ref, to = (_identity(tree, u, folded)[1] for u in (v, target))
        return SecondaryCurve(self.name, ref, to, (start, control, end), label, where)

    def _bend(self, v: int, target: int) -> Point:
        """Beside the middle of the line between two nodes, away from the words."""
        (x, y), (x2, y2) = self._middle(v), self._middle(target)
        far = max(hypot(x2 - x, y2 - y), 1.0)
        by = min(16 / far + 0.16, 80 / far) * (1 if x2 >= x else -1)
        along, away = (x + x2) / 2 + by * (y - y2), (y + y2) / 2 + by * (x2 - x)
        plan, edge = self.plan, PAD / 2
        low = plan.base + plan.word + LEVEL
        return (
            min(max(along, -edge), plan.placed.length + edge),
            min(max(away, low), plan.depth + edge),
        )

    def _middle(self, v: int) -> Point:
        near, depth = self._reach(v)
        return self.plan.placed.at[v], near + depth / 2

    def _border(self, v: int, bend: Point) -> Point:
        """Where the line to ``bend`` leaves the box; of a word its outer edge."""
        (x, y), depth = self._middle(v), self._reach(v)[1] / 2 + 2
        half = self.plan.box_size(v)[1 if self.plan.across else 0] / 2 + 2
        dx, dy = bend[0] - x, bend[1] - y
        if not self.plan.placed.level[v]:
            return x + max(-half / 2, min(half / 2, dx / 2)), y + depth + 2
        share = min(half / max(abs(dx), 1e-6), depth / max(abs(dy), 1e-6), 1.0)
        return x + share * dx, y + share * dy

    def _box(self, v: int) -> Box:
        plan = self.plan
        along = plan.box_size(v)[1 if plan.across else 0]
        start = plan.placed.at[v] - along / 2
        near, depth = self._reach(v)
        rect = self.frame.rect(start, near, along, depth)
        kind, ref = _identity(plan.tree, v, plan.side.folded)
        text, tag = plan.texts(v)
        level = plan.placed.level[v]
        return Box(self.name, ref, kind, rect, text, tag, level)

    def _reach(self, v: int) -> tuple[float, float]:
        """Where the box of v begins, away from the band, and how deep it is."""
        plan = self.plan
        depth = plan.cross_size(v)
        level = plan.placed.level[v]
        if level == 0:
            return plan.base, depth
        return plan.base + plan.word + plan.steps[level] - depth, depth

    def _edge(self, tree: Tree, v: int) -> Edge:
        parent = tree.parents[v]
        at = self.plan.placed.at
        top, (near, depth) = self._reach(parent)[0], self._reach(v)
        low = near + depth
        turn = max(top - LEVEL / 2, (top + low) / 2)
        corners = [(at[parent], top), (at[v], low)]
        if abs(at[parent] - at[v]) > 0.5:
            corners[1:1] = [(at[parent], turn), (at[v], turn)]
        points = tuple(self.frame.point(*corner) for corner in corners)
        ref, mother = (
            _identity(tree, u, self.plan.side.folded)[1] for u in (v, parent)
        )
        label = tree.edges[v] if tree.edges else ""
        return Edge(self.name, ref, mother, points, label)

    def _arc(self, arc: Level) -> Arc:
        """Outside the words, or between them and the band if a tree is outside."""
        plan = self.plan
        inner = plan.inner_arcs
        foot = plan.base if inner else plan.base + plan.word
        away = -1 if inner else 1
        height = foot + away * (arc.level * plan.arc_step + 4)
        end = plan.placed.token_at[arc.modifier]
        if arc.head == ROOT:
            corners = [(end, height), (end, foot + away * 2)]
        else:
            start = plan.placed.token_at[arc.head]
            start += 6.0 if end > start else -6.0
            corners = [(start, foot), (start, height), (end, height)]
            corners.append((end, foot + away * 2))
        points = tuple(self.frame.point(*corner) for corner in corners)
        label = plan.arc_label(arc)
        middle = (corners[0][0] + corners[-1][0]) / 2
        rect = self._label_rect(middle, height, plan._arc_size(arc))
        return Arc(self.name, f"w{arc.modifier}", points, label, rect)

    def _label_rect(self, along: float, away: float, size: tuple[float, float]) -> Rect:
        x, y = self.frame.point(along, away)
        return Rect(x - size[0] / 2, y - size[1] / 2, *size)


def _label_place(
    points: tuple[Point, Point, Point], size: tuple[float, float], taken: list[Rect]
) -> Rect:
    """Where a label on the curve hides no box: as near to its middle as can be."""
    rects = []
    for t in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82):
        parts = (1 - t) ** 3, 3 * t * (1 - t), t**3
        x, y = (sum(map(mul, parts, row)) for row in zip(*points, strict=True))
        rects.append(Rect(x - size[0] / 2, y - size[1] / 2, *size))
    free = (r for r in rects if not any(r.overlaps(other) for other in taken))
    return next(free, rects[0])


def _strip(side: Literal["s", "t"], at: float, length: float, *, across: bool) -> Box:
    rect = Rect(at, PAD, STRIP, length) if across else Rect(PAD, at, length, STRIP)
    return Box(side, "null", "null", rect, "∅")


def _identity(
    tree: Tree | None, v: int, folded: frozenset[int]
) -> tuple[Literal["phrase", "word", "trace", "fold"], str]:
    if tree is None:
        return "word", f"w{v}"
    if tree.children[v]:
        return ("fold" if v in folded else "phrase"), f"n{v}"
    if tree.tokens[v] < 0:
        return "trace", f"n{v}"
    return "word", f"w{tree.tokens[v]}"


def _folded_text(tree: Tree, v: int) -> str:
    tokens = tree.yield_of(v)
    words = tree.words
    label = tree.labels[v] or "–"
    if len(tokens) < 3:
        return f"{label}: {' '.join(words[i] for i in tokens)}"
    return f"{label}: {words[tokens[0]]} … {words[tokens[-1]]}"


def _shown_tokens(tree: Tree, folded: Sequence[int] | frozenset[int]) -> frozenset[int]:
    hidden = {token for v in folded for token in tree.yield_of(v)}
    return frozenset(range(tree.n_tokens)) - hidden
