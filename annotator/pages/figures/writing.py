"""The bytes of a figure: drawn, or as text for LaTeX."""

import json
from dataclasses import replace
from typing import Any, cast

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.pages.figures.material import (
    DrawnSentence,
    FigureOptions,
    Material,
    chosen,
    view_of,
)
from annotator.svg import links as drawing
from annotator.svg.figure import FORMATS, convert
from annotator.svg.links import LinkMarks
from annotator.svg.theme import dressed
from annotator.svg.tree import Mark
from core.data.alignment import Alignment
from core.errors import InvalidValue
from core.formats import latex
from core.layout.links import LinkedSide, View, link_scene, parse_scene
from core.layout.measure import GlyphTable
from core.layout.scene import Scene

FIGURES = FORMATS | {
    f"{package}.tex": "application/x-tex" for package in latex.PACKAGES
}
"""What a figure is written as, by the end of its name: the type of its content."""


def written(material: Material, options: FigureOptions, to: str) -> bytes:
    """The bytes of one of ``FIGURES``; raises BadRequest where LaTeX cannot, and at
    nodes that there are not."""
    if to in FORMATS:
        return convert(svg(material, options), to)
    return tex(material, options, to.removesuffix(".tex")).encode()


def formats_of(material: Material) -> list[str]:
    """Those of ``FIGURES`` that are possible for it."""
    is_tree = all(part.tree is not None for part in material.parts)
    is_arcs = all(part.deps is not None for part in material.parts)
    able = {"forest.tex": is_tree, "qtree.tex": is_tree, "tikz-dependency.tex": is_arcs}
    return [to for to in FIGURES if able.get(to, True)]


def svg(material: Material, options: FigureOptions) -> str:
    """The drawing, with the data of what it shows in its metadata."""
    alignment = chosen(material, options)
    texts = [part.sentence.text for part in material.parts]
    one = "The tree of one sentence, or its arcs."
    two = "Two trees face to face, with the links between them."
    drawn = drawing.draw(
        _scene(material, options),
        title=" / ".join(texts),
        desc=one if len(texts) == 1 else two,
        marks=_marks(material, options, alignment),
        metadata=json.dumps(data(material, alignment), ensure_ascii=False),
    )
    is_serif = options.font == "serif"
    return dressed(drawn, in_grey=options.colour == "grey", serif=is_serif)


def data(material: Material, alignment: Alignment) -> dict[str, Any]:
    """The figure's content, for programs: its source, words, brackets, heads and
    relations of each sentence, and its links; refs are those of the brackets."""
    names = {"s": "source", "t": "target"}
    sides = {names[part.side]: _side_data(part) for part in material.parts}
    links = alignment.to_json() if len(material.parts) > 1 else {}
    return {"permalink": material.address} | material.about | sides | links


def _side_data(part: DrawnSentence) -> dict[str, Any]:
    shown: dict[str, Any] = {"words": part.sentence.forms}
    if part.parse is not None and part.tree is not None:
        shown |= {"tree": part.parse.code, "brackets": part.parse.text}
    if part.deps is not None:
        shown |= {"heads": part.deps.heads, "relations": part.deps.labels}
    return shown


def _scene(material: Material, options: FigureOptions) -> Scene:
    view = view_of(material, options)
    measure = GlyphTable(serif=options.font == "serif")
    sides = [_linked_side(part, options) for part in material.parts]
    if len(sides) == 1:
        tree = sides[0].tree if view != "dependency" else None
        deps = sides[0].deps if view != "constituency" else None
        return parse_scene(replace(sides[0], tree=tree, deps=deps), measure=measure)
    return link_scene(
        *sides,
        view=cast(View, view),
        across=options.across,
        strips=options.marks == "yes",
        measure=measure,
    )


def _linked_side(part: DrawnSentence, options: FigureOptions) -> LinkedSide:
    tree, numbers = part.tree, [int(ref[1:]) for ref in options.folded]
    sides = [ref[0] for ref in options.folded]
    folded = frozenset(
        v
        for side, v in zip(sides, numbers, strict=True)
        if side == part.side and tree and 0 < v < len(tree) and tree.children[v]
    )
    return LinkedSide(tuple(part.sentence.forms), tree, part.deps, folded)


def _marks(
    material: Material, options: FigureOptions, alignment: Alignment
) -> LinkMarks:
    """Nodes that are decided, but whose links are not among the chosen, are plain."""
    trees = [part.tree for part in material.parts]
    marks = drawing.marks_of(alignment, *trees)
    plain = Mark("plain")
    if len(trees) == 1 or options.marks == "no":
        return LinkMarks({}, marks.links, plain)
    draft = material.draft
    nodes = dict.fromkeys(drawing.marks_of(draft.alignment).nodes, plain)
    for row in draft.parked:
        ends = [f"{end}:{row[end]}" for end in ("s", "t") if _is_ref(row.get(end))]
        nodes = dict.fromkeys(ends, Mark("parked")) | nodes
    return replace(marks, nodes=nodes | dict(marks.nodes))


def _is_ref(end: object) -> bool:
    """Whether this end of a parked link is a node of the present tree."""
    return isinstance(end, str)


def tex(material: Material, options: FigureOptions, package: str) -> str:
    """LaTeX to include in a document; ``package``: one of ``latex.PACKAGES``. Raises
    BadRequest where there is no such tree, or the package cannot draw it."""
    codes = [f"{name} {material.about[name]}" for name in ("pair", "sentence", "layer")
             if name in material.about]  # fmt: skip
    head = [f"% \\usepackage{{{package}}}", f"% Gemel: {', '.join(codes)}"]
    head.append(f"% {material.address}")
    try:
        if package == "tikz":
            scene = _scene(material, options)
            body = latex.picture(scene, chosen(material, options).links)
        elif package == "tikz-dependency":
            body = _dependencies(material)
        else:
            body = _constituents(material, options, package)
    except InvalidValue as error:
        raise BadRequest(str(error), field="to") from error
    return "\n".join([*head, body, ""])


def _dependencies(material: Material) -> str:
    rows = []
    for part in material.parts:
        if part.deps is None:
            raise BadRequest(_missing(material, is_arcs=True), field="to")
        rows.append(latex.dependency(part.sentence.forms, part.deps))
    return "\n\\par\n".join(rows)


def _constituents(material: Material, options: FigureOptions, package: str) -> str:
    trees = [part.tree for part in material.parts if part.tree is not None]
    if len(trees) < len(material.parts):
        raise BadRequest(_missing(material, is_arcs=False), field="to")
    if package == "qtree":
        return "\n\\par\n".join(map(latex.qtree, trees))
    alignment = chosen(material, options)
    if len(trees) == 1:
        return latex.forest(trees[0])
    links = drawing.in_order(alignment.links, *trees) if options.marks == "yes" else ()
    return latex.linked(trees[0], trees[1], links)


def _missing(material: Material, *, is_arcs: bool) -> str:
    if len(material.parts) > 1:
        both = _("There are no arcs on both sides.")
        return both if is_arcs else _("There are no constituents on both sides.")
    return _("There are no arcs.") if is_arcs else _("There are no constituents.")
