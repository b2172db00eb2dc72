"""Draws a tree whose nodes are chosen by mouse and keys: each is a tree item with a
name, and knows its mother, so that a script finds its way without the tree."""

from annotator.svg import theme
from annotator.svg.writer import Svg
from core.data.tree import Tree
from core.layout.links import FONT, SMALL
from core.layout.scene import Box, Scene, rounded

__all__ = ["draw"]


def draw(scene: Scene, tree: Tree, *, title: str) -> str:
    """SVG text of a ``parse_scene`` of this tree; ``data-v``: the node's number."""
    svg = Svg(
        scene.width,
        scene.height,
        title=title,
        class_="parse tree-edit",
        font_family=theme.FONT_FAMILY,
        font_size=FONT,
        fill=theme.INK,
    )
    edges = svg.group(class_="pe", fill="none", stroke=theme.LINE, stroke_width=1.3)
    for edge in scene.edges:
        edges.path(rounded(edge.points))
    for box in scene.boxes:
        _box(svg, box, _node_of(tree, box.ref), tree)
    return svg.render()


def _node_of(tree: Tree, ref: str) -> int:
    number = int(ref[1:])
    return number if ref[0] == "n" else tree.leaf_of[number]


def _box(svg: Svg, box: Box, v: int, tree: Tree) -> None:
    rect, is_leaf = box.rect, tree.is_leaf(v)
    node = svg.group(class_="pw tn" if is_leaf else "pp tn", data_v=v,
                     data_up=tree.parents[v], data_label=tree.labels[v])  # fmt: skip
    node.title(_said(tree, v))
    look = {"rx": 4 if is_leaf else 7, "fill": theme.PAPER, "stroke": theme.LINE}
    node.rect(rect.x, rect.y, rect.w, rect.h, stroke_width=1.3, **look)
    middle = rect.x + rect.w / 2
    if not is_leaf:
        low = rect.y + rect.h / 2 + 4.5
        node.text(middle, low, box.text, text_anchor="middle")
        return
    small = {"font_size": SMALL, "fill": theme.MUTED, "text_anchor": "middle"}
    node.text(middle, rect.y + 15.5, box.tag, class_="tag", **small)
    node.text(middle, rect.y + rect.h - 8, box.text, text_anchor="middle")


def _said(tree: Tree, v: int) -> str:
    """The name of a node: "NP, the window, words 4 to 5"."""
    start, end = tree.spans[v]
    words = [tree.words[token] for token in tree.yield_of(v)]
    text = tree.forms[v] or " ".join(words)
    place = f"words {start + 1} to {end}" if end - start > 1 else f"word {end}"
    return ", ".join([tree.labels[v] or "root", text, place])
