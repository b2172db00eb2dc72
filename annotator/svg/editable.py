"""Draws a tree whose nodes can be chosen by mouse and keyboard: each is a tree item
with a name and its parent, so the script needs no tree of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from annotator.svg import theme
from annotator.svg.parse import draw_arcs as draw_lines
from annotator.svg.tree import draw_secondary
from annotator.svg.writer import Element, Svg
from core.data.tree import Tree
from core.layout.links import SMALL
from core.layout.scene import Box, Scene, rounded
from core.trees.arc_lines import Arcs
from core.trees.editing import name_of


@dataclass(frozen=True, slots=True)
class Marks:
    """Nodes that say more of themselves, in the drawing and in their names.

    ``wrong``: they break a rule; ``uncertain``: how probable the parser holds them,
    those of which it is not sure; ``came``: they followed from the last step.
    """

    wrong: frozenset[int] = frozenset()
    uncertain: Mapping[int, float] = field(default_factory=dict)
    came: frozenset[int] = frozenset()

    def classes(self, v: int) -> str:
        p = self.uncertain.get(v)
        classes = {
            "wrong": v in self.wrong,
            "doubt": p is not None,
            "grave": p is not None and p < 0.5,
            "came": v in self.came,
        }
        return "".join(f" {name}" for name, holds in classes.items() if holds)

    def words(self, v: int) -> str:
        p, parts = self.uncertain.get(v), [""]
        if v in self.wrong:
            parts.append(_("breaks a rule"))
        if p is not None:
            parts.append(_("parser %(share)s sure") % {"share": f"{p:.0%}"})
        if v in self.came:
            parts.append(_("followed from the last step"))
        return ", ".join(parts)


def draw(scene: Scene, tree: Tree, *, title: str, marks: Marks | None = None) -> str:
    """SVG text of a ``parse_scene`` of this tree; ``data-v``: the node's number;
    ``data-word``: its first word."""
    marks = marks or Marks()
    svg = Svg.of_scene(scene, title=title, class_="parse tree-edit")
    edges = svg.group(class_="pe", fill="none", stroke=theme.LINE, stroke_width=1.3)
    for edge in scene.edges:
        edges.path(rounded(edge.points))
    _edge_labels(svg, scene)
    draw_secondary(svg, scene)
    boxes = sorted(scene.boxes, key=lambda box: box.level, reverse=True)
    row: Element = svg
    for box in boxes:
        if not box.level and row is svg:
            row = _row(svg, scene)
        _box(row, box, _node_of(tree, box.ref), tree, marks)
    return svg.render()


def _row(svg: Svg, scene: Scene) -> Element:
    """The group of words and folded phrases, which a script keeps in sight."""
    row = svg.group(class_="words")
    rects = [box.rect for box in scene.boxes if not box.level]
    top = min((rect.y for rect in rects), default=0.0)
    row.rect(0, top - 3, scene.width, scene.height - top + 3, class_="ground")
    return row


def _edge_labels(svg: Svg, scene: Scene) -> None:
    """Grammatical functions, above the node that has them."""
    small = {"font_size": SMALL, "fill": theme.MUTED, "text_anchor": "middle"}
    for edge in scene.edges:
        x, y = edge.points[-1]
        if edge.label:
            svg.text(x, y - 3, edge.label, class_="edge-label halo", **small)


def draw_arcs(
    scene: Scene, arcs: Arcs, tags: Sequence[str], *, title: str, marks: Marks
) -> str:
    """SVG text of a ``parse_scene`` of these arcs: each word is an item with its head.
    ``tags``: the text above the words."""
    svg = Svg.of_scene(scene, title=title, class_="parse tree-edit")
    draw_lines(svg, scene)
    row = _row(svg, scene)
    for box in scene.boxes:
        _word(row, box, arcs, tags, marks)
    return svg.render()


def _word(
    svg: Element, box: Box, arcs: Arcs, tags: Sequence[str], marks: Marks
) -> None:
    rect, m = box.rect, int(box.ref[1:])
    deps, words = arcs.deps, arcs.words
    head = deps.heads[m]
    node = svg.group(class_="pw tn" + marks.classes(m),
                     data_v=m, data_up=head, data_label=deps.labels[m],
                     data_word=m, data_form=words[m])  # fmt: skip
    names = {"word": words[m], "relation": deps.labels[m], "n": m + 1}
    text = _("%(word)s, %(relation)s of the sentence, word %(n)s") % names
    if head >= 0:
        names["head"] = words[head]
        text = _("%(word)s, %(relation)s of %(head)s, word %(n)s") % names
    node.title(text + marks.words(m))
    look = {"rx": 4, "fill": theme.PAPER, "stroke": theme.LINE}
    node.box(rect, stroke_width=1.3, **look)
    middle = rect.x + rect.w / 2
    if m in marks.wrong:
        node.text(rect.x + rect.w - 1, rect.y + 5, "!", class_="sign")
    small = {"font_size": SMALL, "fill": theme.MUTED, "text_anchor": "middle"}
    node.text(middle, rect.y + 15.5, tags[m], class_="tag", **small)
    node.text(middle, rect.y + rect.h - 8, box.text, text_anchor="middle")


def _node_of(tree: Tree, ref: str) -> int:
    number = int(ref[1:])
    return number if ref[0] == "n" else tree.leaf_of[number]


def _box(svg: Element, box: Box, v: int, tree: Tree, marks: Marks) -> None:
    rect, is_leaf, is_fold = box.rect, tree.is_leaf(v), box.kind == "fold"
    kind = ("pw" if is_leaf else "pf" if is_fold else "pp") + " tn" + marks.classes(v)
    node = svg.group(class_=kind, data_v=v,
                     data_up=tree.parents[v], data_label=tree.labels[v],
                     data_word=tree.spans[v][0], data_end=tree.spans[v][1],
                     **_form(tree, v))  # fmt: skip
    node.title(_title(tree, v) + marks.words(v))
    look = {"rx": 4 if is_leaf else 7, "fill": theme.PAPER, "stroke": theme.LINE}
    node.box(rect, stroke_width=1.3, **look)
    middle = rect.x + rect.w / 2
    if v in marks.wrong:
        node.text(rect.x + rect.w - 1, rect.y + 5, "!", class_="sign")
    if not is_leaf:
        low = rect.y + rect.h / 2 + 4.5
        node.text(middle, low, box.text, text_anchor="middle")
        return
    small = {"font_size": SMALL, "fill": theme.MUTED, "text_anchor": "middle"}
    node.text(middle, rect.y + 15.5, box.tag, class_="tag", **small)
    node.text(middle, rect.y + rect.h - 8, box.text, text_anchor="middle")


def _form(tree: Tree, v: int) -> dict[str, str]:
    """Of a word what it is, and of a node its function, to be edited."""
    form = {"data_form": tree.forms[v]} if tree.tokens[v] >= 0 else {}
    return form | ({"data_edge": tree.edges[v]} if tree.edges else {})


def _title(tree: Tree, v: int) -> str:
    """The name of a node: "NP, the window, words 4 to 5"."""
    start, end = tree.spans[v]
    words = [tree.words[token] for token in tree.yield_of(v)]
    text = tree.forms[v] or " ".join(words)
    place = _("words %(first)s to %(last)s") % {"first": start + 1, "last": end}
    if end - start == 1:
        place = _("word %(n)s") % {"n": end}
    edges = [named_secondary(tree, one) for one in tree.secondary if one[0] == v]
    return ", ".join([tree.labels[v] or _("root"), text, place, *edges])


def named_secondary(tree: Tree, edge: tuple[int, int, str]) -> str:
    """A secondary edge seen from its node: "secondary edge SB to NP “the window”"."""
    facts = {"label": edge[2] or "–", "target": name_of(tree, edge[1])}
    return _("secondary edge %(label)s to %(target)s") % facts
