"""Draws two trees, the band between them and the links in it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.svg import theme
from annotator.svg.parse import draw_arcs
from annotator.svg.tree import UNDECIDED, Mark, draw_boxes, draw_edges, hatch
from annotator.svg.writer import Element, Svg
from core.data.alignment import Alignment, Link, Ref
from core.data.tree import Tree
from core.layout.links import SMALL
from core.layout.routes import link_paths
from core.layout.scene import Box, Rect, Scene
from core.phrase_alignment.legitimacy import node_of

DASHES = {  # whether a link is a possible one, whether it crosses; edges are solid
    (False, False): "8 3",
    (True, False): "3 3",
    (False, True): "10 3 2 3",
    (True, True): "5 3 1.5 3",
}


@dataclass(frozen=True, slots=True)
class _Line:
    source: str
    target: str
    kind: str
    crossing: bool = False


@dataclass(frozen=True, slots=True)
class LinkMarks:
    """Marks of a figure on top of the trees; keys are those of boxes. ``rest``: the
    look of nodes without a mark."""

    nodes: Mapping[str, Mark] = field(default_factory=dict)
    links: Sequence[_Line] = ()
    rest: Mark = UNDECIDED


def marks_of(
    alignment: Alignment, source: Tree | None = None, target: Tree | None = None
) -> LinkMarks:
    """Number the links as the trees read, and mark every node that is decided."""
    numbers: dict[str, list[str]] = {}
    lines = []
    for n, link in enumerate(in_order(alignment.links, source, target), 1):
        s, t = f"s:{link.source}", f"t:{link.target}"
        numbers.setdefault(s, []).append(str(n))
        numbers.setdefault(t, []).append(str(n))
        lines.append(_Line(s, t, link.kind, link.crossing))
    nodes = {key: Mark("linked", _few(partners)) for key, partners in numbers.items()}
    nodes |= {f"s:{ref}": Mark("null") for ref in alignment.null_source}
    nodes |= {f"t:{ref}": Mark("null") for ref in alignment.null_target}
    return LinkMarks(nodes, lines)


def in_order(
    links: Iterable[Link], source: Tree | None, target: Tree | None
) -> list[Link]:
    """The links as the trees read; their numbers in a figure are their places here."""
    return sorted(links, key=_order(source, target))


def _order(
    source: Tree | None, target: Tree | None
) -> Callable[[Link], tuple[int, int]]:
    """Sort key of links: the preorder number of the source node, then the target's."""

    def place(tree: Tree | None, ref: Ref) -> int:
        if tree is None:
            return int(ref[1:])
        v = node_of(tree, ref)
        return len(tree) if v is None else v

    return lambda link: (place(source, link.source), place(target, link.target))


def draw(
    scene: Scene,
    *,
    title: str,
    desc: str = "",
    marks: LinkMarks | None = None,
    metadata: str = "",
) -> str:
    """SVG text: for a page bare nodes to be dressed there, or a figure with marks, and
    with ``metadata`` for programs."""
    kind = "trees across" if scene.across else "trees"
    svg = Svg.of_scene(scene, title=title, desc=desc, class_=kind)
    if metadata:
        svg.add("metadata", metadata)
    if marks is not None:
        svg.rect(0, 0, scene.width, scene.height, fill=theme.PAPER)
    band = scene.band
    if band.w and band.h:  # one tree alone has none
        svg.box(band, rx=10, class_="band", fill=theme.BAND)
    for box in scene.boxes:
        if box.kind == "null":
            _strip(svg, box, across=scene.across)
    draw_edges(svg, scene)
    draw_arcs(svg, scene)
    links = svg.group(class_="links", id="links", fill="none")
    if marks is not None:
        _links(links, scene, marks.links)
    nodes, rest = (None, UNDECIDED) if marks is None else (marks.nodes, marks.rest)
    for side in ("s", "t"):
        draw_boxes(svg, scene, side, nodes, rest)
    return svg.render()


def _links(group: Element, scene: Scene, links: Sequence[_Line]) -> None:
    paths = link_paths(scene, [(link.source, link.target) for link in links])
    for link, path in zip(links, paths, strict=True):
        if not path:
            continue  # within a folded phrase
        word = link.source[2] == "w" and link.target[2] == "w"
        group.path(
            path,
            class_=f"k {link.kind}",
            stroke=theme.VERMILLION if link.crossing else theme.BLUE,
            stroke_width=1.8 if word else 1.5,
            stroke_dasharray=DASHES[link.kind == "possible", link.crossing],
        )


def _strip(svg: Svg, box: Box, *, across: bool) -> None:
    """Where nodes without a counterpart go."""
    rect = box.rect
    group = svg.group(class_="null-strip", id=f"{box.side}-null")
    group.box(rect, rx=8, fill=theme.PAPER, stroke=theme.GRID)
    end = Rect(rect.x + 5, rect.y + 5, 16, 16)
    hatch(group, end, step=4.0)
    where = {"text_anchor": "start", "font_size": SMALL, "fill": theme.MUTED}
    if across:
        group.text(
            rect.x + rect.w / 2, rect.y + 38, "∅", **where | {"text_anchor": "middle"}
        )
        return
    label = "∅ no counterpart"
    group.text(rect.x + 28, rect.y + 17, label, class_="strip-text", **where)


def _few(numbers: Sequence[str]) -> str:
    """All the numbers, or the first of them and a star: there is room for three
    characters. ``Model.sign`` in static/js/editor/model.js does the same."""
    every = ",".join(numbers)
    return every if len(every) <= 3 else f"{numbers[0]}*"
