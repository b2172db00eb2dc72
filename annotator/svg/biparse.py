"""Draws a biparse: blocks in the alignment matrix, and the tree from both sides.

A straight block has a solid blue outline and the sign =, an inverted one a dashed
vermillion outline and the sign ×; a word without a counterpart is grey and struck by ∅.
"""

from collections.abc import Sequence

from annotator.svg import theme
from annotator.svg.writer import Element, Svg
from core.layout.biparse import (
    CELL,
    NULL,
    SIZE,
    BlockMark,
    Label,
    MatrixScene,
    TreesScene,
)

STYLE = {
    "straight": (theme.BLUE, None, "="),
    "inverted": (theme.VERMILLION, "5 3", "×"),
}


def draw_matrix(scene: MatrixScene, *, title: str) -> str:
    """SVG text: source words are rows, target words columns."""
    desc = "Each nested rectangle is a block; the table next to it says the same."
    svg = _sheet(scene, title, desc)
    _grid(svg, scene)
    for mark in scene.blocks:
        stroke, dash, _ = STYLE[mark.orientation]
        group = svg.group(class_=f"block {mark.orientation}", data_n=mark.number)
        group.title(_title(mark, scene.source, scene.target))
        group.box(
            mark.rect,
            fill=stroke,
            fill_opacity=0.06,
            stroke=stroke,
            stroke_width=1.6,
            stroke_dasharray=dash,
            rx=3,
        )
    for cell in scene.links:
        svg.rect(cell.x + 4, cell.y + 4, cell.w - 8, cell.h - 8, fill=theme.INK, rx=2)
    return svg.render()


def _sheet(scene: MatrixScene | TreesScene, title: str, desc: str) -> Svg:
    font = {"font_family": theme.FONT_FAMILY, "font_size": SIZE}
    svg = Svg(scene.width, scene.height, title=title, desc=desc, **font)
    svg.rect(0, 0, scene.width, scene.height, fill=theme.PAPER)
    return svg


def _grid(svg: Svg, scene: MatrixScene) -> None:
    grid = scene.grid
    lines = svg.group(stroke=theme.GRID, stroke_width=1)
    for i in range(len(scene.source) + 1):
        lines.line(grid.x, grid.y + CELL * i, grid.x + grid.w, grid.y + CELL * i)
    for j in range(len(scene.target) + 1):
        lines.line(grid.x + CELL * j, grid.y, grid.x + CELL * j, grid.y + grid.h)
    side = svg.group(text_anchor="end", dominant_baseline="middle")
    for label in scene.source:
        side.text(*label.at, _shown(label), fill=_ink(label, theme.SOURCE))
    head = svg.group(dominant_baseline="middle")
    for label in scene.target:
        x, y = label.at
        head.text(
            x,
            y,
            _shown(label),
            fill=_ink(label, theme.TARGET),
            transform=f"rotate(-90 {x:.1f} {y:.1f})",
        )


def draw_trees(scene: TreesScene, *, title: str) -> str:
    """SVG text: the tree over the source words above, over the target words below."""
    desc = "The same blocks above and below, numbered alike; links between words."
    svg = _sheet(scene, title, desc)
    for (x1, y1), (x2, y2) in scene.links:
        svg.line(x1, y1, x2, y2, stroke=theme.BLUE, stroke_width=1.2)
    for (x1, y1), (x2, y2) in scene.lines:
        svg.line(x1, y1, x2, y2, stroke=theme.LINE, stroke_width=1.2)
    words = svg.group(text_anchor="middle")
    for labels, colour in (
        (scene.source, theme.SOURCE),
        (scene.target, theme.TARGET),
    ):
        for label in labels:
            words.text(*label.at, _shown(label), fill=_ink(label, colour))
    for mark in (*scene.above, *scene.below):
        _node(svg, mark, scene)
    return svg.render()


def _node(svg: Element, mark: BlockMark, scene: TreesScene) -> None:
    stroke, dash, sign = STYLE[mark.orientation]
    group = svg.group(class_=f"block {mark.orientation}", data_n=mark.number)
    group.title(_title(mark, scene.source, scene.target))
    x, y = mark.rect.centre
    group.box(
        mark.rect,
        fill=theme.PAPER,
        stroke=stroke,
        stroke_width=1.6,
        stroke_dasharray=dash,
        rx=3 if mark.orientation == "straight" else 9,
    )
    group.text(x, y + 4.5, sign, fill=stroke, text_anchor="middle", font_weight="bold")
    group.text(mark.rect.x + mark.rect.w + 3, y + 4, str(mark.number), fill=theme.MUTED,
               font_size=10)  # fmt: skip


def _shown(label: Label) -> str:
    return label.text + NULL if label.is_null else label.text


def _ink(label: Label, colour: str) -> str:
    return theme.MUTED if label.is_null else colour


def _title(mark: BlockMark, source: Sequence[Label], target: Sequence[Label]) -> str:
    words = (
        " ".join(label.text for label in source[mark.source.start : mark.source.end]),
        " ".join(label.text for label in target[mark.target.start : mark.target.end]),
    )
    return f"Block {mark.number}, {mark.orientation}: {words[0]} / {words[1]}"
