"""Draws the boxes and edges of trees. In a page, classes and the style sheet define how
a node looks, since its state changes there; in a figure, ``marks`` do."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.svg import theme
from annotator.svg.writer import Element, num
from core.layout.links import SMALL, TINY
from core.layout.scene import Box, Edge, Point, Rect, Scene, rounded

State = Literal["undecided", "linked", "null", "suggested", "parked", "plain"]


@dataclass(frozen=True, slots=True)
class Mark:
    """The decision about a node; ``partners``: "3", or "3,5"; "" for none. ``plain``:
    no decision is shown."""

    state: State = "undecided"
    partners: str = ""


UNDECIDED = Mark()


@dataclass(frozen=True, slots=True)
class _Look:
    fill: str
    stroke: str
    dash: str | None = None
    width: float = 1.25


LOOKS: Mapping[State, _Look] = {
    "undecided": _Look(theme.PAPER, theme.MUTED, "1.5 2.5"),
    "linked": _Look(theme.TINT, theme.BLUE, None, 1.4),
    "null": _Look(theme.PAPER, theme.MUTED),
    "suggested": _Look(theme.PAPER, theme.BLUE, "5 3"),
    "parked": _Look(theme.PAPER, theme.VERMILLION, "5 3"),
    "plain": _Look(theme.PAPER, theme.LINE, None, 1.0),
}
_SIGNS = {"null": "∅", "suggested": "?", "parked": "⚷"}


def draw_edges(parent: Element, scene: Scene) -> None:
    """All edges; edge labels and secondary edges where the treebank has them."""
    group = parent.group(
        class_="edges", fill="none", stroke=theme.LINE, stroke_width=1.2
    )
    for edge in scene.edges:
        group.path(rounded(edge.points), class_=f"e {edge.side}", data_r=edge.ref)
    labels = [edge for edge in scene.edges if edge.label and edge.label != "--"]
    if labels:
        small = parent.group(
            class_="edge-labels",
            font_size=TINY,
            fill=theme.MUTED,
            text_anchor="middle",
        )
        for edge in labels:
            _edge_label(small, edge, across=scene.across)
    draw_secondary(parent, scene)


def draw_secondary(parent: Element, scene: Scene) -> None:
    """Secondary edges, if there are any: dashed curves with an arrow head."""
    if not scene.secondary:
        return
    group = parent.group(class_="secedges", stroke=theme.MUTED, fill=theme.MUTED)
    for one in scene.secondary:
        (x, y), (cx, cy), (x2, y2) = one.points
        line = f"M{num(x)} {num(y)}C{num(cx)} {num(cy)} {num(cx)} {num(cy)} "
        look = {"fill": "none", "stroke_width": 1.4, "stroke_dasharray": "5 3"}
        path = group.path(f"{line}{num(x2)} {num(y2)}", class_="line", **look)
        ends = (scene.box(f"{one.side}:{ref}") for ref in (one.ref, one.target))
        names = " → ".join(box.text for box in ends if box)
        path.title(f"{one.label}: {names}" if one.label else names)
        group.path(_head(one.points[1], one.points[2]), stroke="none")
    small = {"font_size": SMALL, "text_anchor": "middle", "font_style": "italic"}
    for one in scene.secondary:
        if one.label:
            x, y, rect = *one.label_rect.centre, one.label_rect
            halo = {"class_": "halo", "fill": theme.PAPER, "stroke": "none"}
            group.box(rect, rx=3, **halo)
            group.text(x, y + 3.5, one.label, fill=theme.INK, stroke="none", **small)


def _head(start: Point, tip: Point) -> str:
    """A triangle at the end of a line."""
    dx, dy = tip[0] - start[0], tip[1] - start[1]
    far = math.hypot(dx, dy) or 1.0
    ux, uy = 8 * dx / far, 8 * dy / far
    corners = [(tip[0] - ux + k * uy, tip[1] - uy - k * ux) for k in (0.5, -0.5)]
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in (tip, *corners)) + "Z"


def draw_boxes(
    parent: Element,
    scene: Scene,
    side: str,
    marks: Mapping[str, Mark] | None,
    rest: Mark = UNDECIDED,
) -> None:
    """The nodes of one side; with ``marks`` None they are bare, for a page. ``rest``:
    how nodes look that have none."""
    name = {"s": "source", "t": "target"}[side]
    group = parent.group(class_=f"side {name}", id=f"side-{side}")
    for box in scene.boxes:
        if box.side == side and box.kind != "null":
            mark = None if marks is None else marks.get(box.key, rest)
            _box(group, box, mark, across=scene.across)


def hatch(parent: Element, rect: Rect, *, step: float = 6.0) -> None:
    """Diagonal lines over ``rect``, each cut where it leaves: no pattern, no clip."""
    parts = []
    k = step
    while k < rect.w + rect.h:
        x1, y1 = rect.x + max(0.0, k - rect.h), rect.y + min(k, rect.h)
        x2, y2 = rect.x + min(k, rect.w), rect.y + max(0.0, k - rect.w)
        parts.append(f"M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}")
        k += step
    parent.path("".join(parts), stroke=theme.HATCH, stroke_width=1, fill="none")


def _box(parent: Element, box: Box, mark: Mark | None, *, across: bool) -> None:
    kind = {"phrase": "p", "fold": "p f", "word": "w", "trace": "x"}[box.kind]
    rect = box.rect
    if mark is None:
        node = parent.group(
            class_=f"n {kind}",
            id=f"{box.side}-{box.ref}",
            data_r=box.ref,
            data_level=box.level,
        )
        node.box(rect)
    else:
        node = parent.group(class_=f"n {kind} {mark.state}")
        _outline(node, box, mark)
    _texts(node, box, mark, across=across)


def _outline(node: Element, box: Box, mark: Mark) -> None:
    rect = box.rect
    is_bare = mark.state == "plain" and box.kind in ("word", "trace")
    if is_bare or (box.kind == "trace" and mark.state == "undecided"):
        node.box(rect, fill=theme.PAPER, stroke="none")
        return
    look = LOOKS[mark.state]
    radius = 7 if box.kind in ("phrase", "fold") else 4
    node.box(
        rect,
        rx=radius,
        fill=look.fill,
        stroke=look.stroke,
        stroke_width=look.width,
        stroke_dasharray=look.dash,
    )
    if mark.state == "null":
        hatch(node, Rect(rect.x + 1, rect.y + 1, rect.w - 2, rect.h - 2))


def _texts(node: Element, box: Box, mark: Mark | None, *, across: bool) -> None:
    """The label or word, the tag, and room for the partner's number."""
    rect, figure = box.rect, mark is not None
    sign = "" if mark is None else _SIGNS.get(mark.state, mark.partners)
    middle = rect.y + rect.h / 2 + 4.5
    ink = {"fill": theme.INK} if figure else {}
    small = {"font_size": SMALL, "fill": theme.MUTED} if figure else {}
    bold = {"font_size": SMALL, "font_weight": "bold", "fill": theme.SOURCE}
    number = bold if figure else {}
    if mark and mark.state == "plain" and not across:
        _centred(node, box, ink, small)
        return
    if box.kind in ("phrase", "fold"):
        _text(node, rect.x + 8, middle, box.text, "l", "start", ink)
        _text(node, rect.x + rect.w - 6, middle - 1, sign, "b", "end", number)
        return
    if across:
        source = box.side == "s"  # words are next to the band, numbers away from it
        way, edge = (1, rect.x) if source else (-1, rect.x + rect.w)
        far, near = ("start", "end") if source else ("end", "start")
        _text(node, edge + way * (rect.w - 8), middle, box.text, "l", near, ink)
        _text(node, edge + way * 6, middle, sign, "b", far, number)
        _text(node, edge + way * 26, middle, box.tag, "g", far, small)
        return
    centre = rect.x + rect.w / 2
    upper, lower = rect.y + 15.5, rect.y + rect.h - 8
    tag_y, word_y = (upper, lower) if box.side == "s" else (lower, upper)
    _text(node, centre, word_y, box.text, "l", "middle", ink)
    _text(node, rect.x + 5, tag_y, box.tag, "g", "start", small)
    _text(node, rect.x + rect.w - 5, tag_y, sign, "b", "end", number)


def _centred(
    node: Element, box: Box, ink: Mapping[str, object], small: Mapping[str, object]
) -> None:
    """The label or word and the tag, where no number has to have room."""
    rect = box.rect
    x, upper, lower = rect.x + rect.w / 2, rect.y + 15.5, rect.y + rect.h - 8
    if box.kind in ("phrase", "fold"):
        _text(node, x, rect.y + rect.h / 2 + 4.5, box.text, "l", "middle", ink)
        return
    tag_y, word_y = (upper, lower) if box.side == "s" else (lower, upper)
    _text(node, x, word_y, box.text, "l", "middle", ink)
    _text(node, x, tag_y, box.tag, "g", "middle", small)


def _text(
    node: Element,
    x: float,
    y: float,
    text: str,
    class_: str,
    anchor: str,
    more: Mapping[str, object],
) -> None:
    if text or class_ == "b":
        node.text(x, y, text, class_=class_, text_anchor=anchor, **more)


def _edge_label(parent: Element, edge: Edge, *, across: bool) -> None:
    (x1, y1), (x2, y2) = edge.points[-2], edge.points[-1]
    x, y = (x1 + x2) / 2, (y1 + y2) / 2 + 3
    parent.text(
        x,
        y,
        edge.label,
        stroke=theme.PAPER,
        stroke_width=3,
        class_="halo",
    )
    parent.text(x, y, edge.label)
