"""Draws one parse: the parser's certainty by line weight, differences from gold by
outline and sign. Everything a line shows is also text on hover."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.svg import theme
from annotator.svg.tree import draw_secondary
from annotator.svg.writer import Element, Svg, num
from core.layout.links import SMALL
from core.layout.scene import Arc, Box, Edge, Scene, rounded

DIFFERS = "≠"
THIN, THICK = 0.8, 2.6  # px: a line that is never, and always, there


@dataclass(frozen=True, slots=True)
class Note:
    """``p``: how probable it is, None if not known; ``differs``: gold has it not;
    ``is_match``: it is part of what someone looked for."""

    p: float | None = None
    differs: bool = False
    is_match: bool = False


def draw(
    scene: Scene,
    *,
    title: str,
    desc: str = "",
    phrases: Mapping[str, Note] | None = None,
    arcs: Mapping[str, Note] | None = None,
) -> str:
    """SVG text of a ``parse_scene``; notes are keyed by the ref of the node (n3) or
    of the modifier (w3). Labels of arcs that differ come with their sign, since the
    scene has to make room for it: see ``marked``."""
    of_phrase, of_arc = phrases or {}, arcs or {}
    svg = Svg.of_scene(scene, title=title, desc=desc, class_="parse")
    edges = svg.group(class_="pe", fill="none", stroke=theme.LINE)
    for edge in scene.edges:
        _edge(edges, edge, of_phrase.get(edge.ref, Note()))
    draw_secondary(svg, scene)
    for arc in scene.arcs:
        _arc(svg, arc, of_arc.get(arc.ref, Note()))
    for box in scene.boxes:
        _box(svg, box, of_phrase.get(box.ref, Note()))
    return svg.render()


def marked(label: str, note: Note) -> str:
    """The label of an arc as it is to be drawn."""
    return f"{label} {DIFFERS}" if note.differs else label


def _edge(group: Element, edge: Edge, note: Note) -> None:
    group.path(rounded(edge.points), **_stroke(note))


def _box(svg: Svg, box: Box, note: Note) -> None:
    rect = box.rect
    phrase = box.kind == "phrase"
    kind = "pp" if phrase else "pw"
    group = svg.group(class_=_class(kind, note))
    if phrase or note.is_match:
        group.title(_title(box.text, note))
        look = {"rx": 7, "fill": theme.PAPER, "stroke": _colour(note)}
        group.box(rect, **look, **_stroke(note))
    middle = rect.x + rect.w / 2
    if not phrase:
        group.text(middle, rect.y + 15.5, box.tag, **_tag())
    sign = f" {DIFFERS}" if note.differs else ""
    low = rect.y + (rect.h / 2 + 4.5 if phrase else rect.h - 8)
    group.text(middle, low, box.text + sign, text_anchor="middle")


def _arc(svg: Svg, arc: Arc, note: Note) -> None:
    group = svg.group(class_=_class("pa", note))
    group.title(_title(arc.label.removesuffix(f" {DIFFERS}"), note))
    colour = _colour(note)
    line = {"fill": "none", "stroke": colour}
    group.path(rounded(arc.points, 8.0), class_="line", **line, **_stroke(note))
    group.path(arrow(arc), class_="head", fill=colour)
    rect = arc.label_rect
    halo = {"class_": "halo", "fill": theme.PAPER}
    group.box(rect, rx=3, **halo)
    middle, low = rect.x + rect.w / 2, rect.y + rect.h - 3.5
    text = {"font_size": SMALL, "text_anchor": "middle"}
    group.text(middle, low, arc.label, **text)


def _class(kind: str, note: Note) -> str:
    names = [kind, *["differs"] * note.differs, *["found"] * note.is_match]
    return " ".join(names)


def _tag() -> dict[str, object]:
    return {
        "text_anchor": "middle",
        "class_": "tag",
        "font_size": SMALL,
        "fill": theme.MUTED,
    }


def _colour(note: Note) -> str:
    return theme.VERMILLION if note.differs else theme.LINE


def _stroke(note: Note) -> dict[str, object]:
    """Heavier is surer; dashed is less likely than not."""
    if note.p is None:
        return {"stroke_width": 1.3}
    width = THIN + (THICK - THIN) * min(1.0, max(0.0, note.p))
    return {
        "stroke_width": width,
        "stroke_dasharray": "4 3" if note.p < 0.5 else None,
    }


def _title(name: str, note: Note) -> str:
    parts = [name or "phrase"]
    if note.p is not None:
        parts.append(f"{100 * note.p:.0f} % sure" if note.p < 0.995 else "sure")
    if note.differs:
        parts.append("not in the other tree")
    if note.is_match:
        parts.append("found")
    return ", ".join(parts)


HEAD = 4.0  # half the width of an arrow head, px


def draw_arcs(parent: Element, scene: Scene) -> None:
    """All arcs of both sides; nothing if the view has none."""
    if not scene.arcs:
        return
    lines = parent.group(
        class_="arcs", fill="none", stroke=theme.LINE, stroke_width=1.2
    )
    heads = parent.group(class_="arc-heads", fill=theme.LINE)
    labels = parent.group(
        class_="arc-labels", font_size=SMALL, fill=theme.INK, text_anchor="middle"
    )
    for arc in scene.arcs:
        lines.path(rounded(arc.points, 8.0), class_=f"a {arc.side}", data_r=arc.ref)
        heads.path(arrow(arc))
        rect = arc.label_rect
        labels.box(rect, rx=3, class_="halo", fill=theme.PAPER)
        labels.text(rect.x + rect.w / 2, rect.y + rect.h - 3.5, arc.label)


def arrow(arc: Arc) -> str:
    """A triangle whose tip is where the arc ends."""
    (x1, y1), (x2, y2) = arc.points[-2:]
    along, down = _sign(x2 - x1), _sign(y2 - y1)
    bx, by = x2 - along * 2 * HEAD, y2 - down * 2 * HEAD
    left = (bx + down * HEAD, by + along * HEAD)
    right = (bx - down * HEAD, by - along * HEAD)
    points = ((x2, y2), left, right)
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points) + "Z"


def _sign(value: float) -> int:
    return (value > 0.01) - (value < -0.01)
