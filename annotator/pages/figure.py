"""A pair as a file to print: drawn, or as text for LaTeX."""

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.pages.canvas import Canvas, ViewOptions
from annotator.svg.figure import FORMATS, convert
from core.errors import InvalidValue
from core.formats import latex

__all__ = ["FIGURES", "tex", "written"]

FIGURES = FORMATS | {
    f"{package}.tex": "application/x-tex" for package in latex.PACKAGES
}
"""What a pair is written as, by the end of its name: the type of its content."""


def written(canvas: Canvas, options: ViewOptions, to: str) -> bytes:
    """The bytes of one of ``FIGURES``; raises BadRequest where LaTeX cannot."""
    if to in FORMATS:
        return convert(canvas.svg(options, figure=True), to)
    return tex(canvas, to.removesuffix(".tex")).encode()


def tex(canvas: Canvas, package: str) -> str:
    """What the package draws, to be put into a document; ``package``: one of
    ``latex.PACKAGES``. Raises BadRequest where there is no such tree, or it cannot."""
    pair, layer = canvas.pair, canvas.layer
    made_of = f"pair {pair.code}" + (f", layer {layer.code}" if layer else "")
    head = [f"% \\usepackage{{{package}}}", f"% Gemel: {made_of}"]
    try:
        body = _dependencies(canvas) if package == "tikz-dependency" else ""
        return "\n".join([*head, body or _constituents(canvas, package), ""])
    except InvalidValue as error:
        raise BadRequest(str(error), field="to") from error


def _dependencies(canvas: Canvas) -> str:
    rows = []
    for name, sentence in (("s", canvas.pair.source), ("t", canvas.pair.target)):
        deps = canvas.deps[name]  # type: ignore[index]
        if deps is None:
            raise BadRequest(_("There are no arcs on both sides."), field="to")
        rows.append(latex.dependency(sentence.forms, deps))
    return "\n\\par\n".join(rows)


def _constituents(canvas: Canvas, package: str) -> str:
    source, target = canvas.trees["s"], canvas.trees["t"]
    if source is None or target is None:
        raise BadRequest(_("There are no constituents on both sides."), field="to")
    if package == "qtree":
        return "\n\\par\n".join(latex.qtree(tree) for tree in (source, target))
    links = canvas.layer.to_core().links if canvas.layer else ()
    return latex.linked(source, target, links)
