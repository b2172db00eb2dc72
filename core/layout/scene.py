"""Shapes of a drawing, in px, y down; every part is keyed by its node."""

from dataclasses import dataclass
from typing import Literal

BoxKind = Literal["phrase", "word", "trace", "fold", "null"]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rect:
    x: float
    y: float
    w: float
    h: float

    def overlaps(self, other: "Rect", *, slack: float = 0.01) -> bool:
        """Whether they share more than ``slack`` px in both directions."""
        wide = min(self.x + self.w, other.x + other.w) - max(self.x, other.x)
        high = min(self.y + self.h, other.y + other.h) - max(self.y, other.y)
        return wide > slack and high > slack

    @property
    def centre(self) -> Point:
        return self.x + self.w / 2, self.y + self.h / 2


@dataclass(frozen=True, slots=True)
class Box:
    """A node. ``ref`` is its name in an alignment (w3, n5).

    ``side``: s or t. ``text``: the label of a phrase, the word of a leaf; ``tag``:
    that of a leaf; ``level``: 0 for words and what is folded, more away from them.
    """

    side: Literal["s", "t"]
    ref: str
    kind: BoxKind
    rect: Rect
    text: str
    tag: str = ""
    level: int = 0

    @property
    def key(self) -> str:
        return f"{self.side}:{self.ref}"


@dataclass(frozen=True, slots=True)
class Edge:
    """From phrase ``parent`` to its child ``ref``: corners of a line; its label."""

    side: Literal["s", "t"]
    ref: str
    parent: str
    points: tuple[Point, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Arc:
    """A dependency into token ``ref``: corners from head to modifier; label box."""

    side: Literal["s", "t"]
    ref: str
    points: tuple[Point, ...]
    label: str
    label_rect: Rect


@dataclass(frozen=True, slots=True)
class SecondaryCurve:
    """A secondary edge: start, the control point of both its ends, and end of a cubic
    curve; its label, or "", and the box of that."""

    side: Literal["s", "t"]
    ref: str
    target: str
    points: tuple[Point, Point, Point]
    label: str
    label_rect: Rect


@dataclass(frozen=True, slots=True)
class Scene:
    """A drawing without its ink. ``across``: the trees are left and right."""

    width: float
    height: float
    band: Rect
    boxes: tuple[Box, ...] = ()
    edges: tuple[Edge, ...] = ()
    arcs: tuple[Arc, ...] = ()
    secondary: tuple[SecondaryCurve, ...] = ()
    across: bool = False

    def box(self, key: str) -> Box | None:
        return next((box for box in self.boxes if box.key == key), None)


def rounded(points: tuple[Point, ...], radius: float = 5.0) -> str:
    """SVG path data of the line through ``points`` with rounded corners."""
    parts = ["M" + _xy(points[0])]
    for before, at, after in zip(points, points[1:], points[2:], strict=False):
        r = min(radius, _far(before, at) / 2, _far(at, after) / 2)
        parts.append("L" + _xy(_towards(at, before, r)))
        parts.append("Q" + _xy(at) + " " + _xy(_towards(at, after, r)))
    parts.append("L" + _xy(points[-1]))
    return "".join(parts)


def _xy(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}".replace(".0 ", " ").removesuffix(".0")


def _far(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])  # all lines run along an axis


def _towards(at: Point, to: Point, r: float) -> Point:
    far = _far(at, to)
    if far == 0:
        return at
    return at[0] + (to[0] - at[0]) * r / far, at[1] + (to[1] - at[1]) * r / far
