"""Draws dependency arcs with their labels and arrow heads."""

from annotator.svg import theme
from annotator.svg.writer import Element, num
from core.layout.links import SMALL
from core.layout.scene import Arc, Scene, rounded

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
        labels.rect(
            rect.x, rect.y, rect.w, rect.h, rx=3, class_="halo", fill=theme.PAPER
        )
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
