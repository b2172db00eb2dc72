"""The drawing of a pair as a file."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotator import access
from annotator.exchange import download
from annotator.pages import canvas, editor
from annotator.pages import figure as figures

__all__ = ["figure"]


@login_required
@require_GET
def figure(request: HttpRequest, slug: str, code: str, to: str) -> HttpResponse:
    """SVG, PDF, PNG or LaTeX; the same bytes as ``manage.py figure`` writes."""
    if to not in figures.FIGURES:
        raise Http404("A figure is svg, pdf, png, or PACKAGE.tex.")
    project = access.project_or_404(request.user, slug)
    layer = request.GET.get("layer", "")
    drawn = editor.load(project, code, layer=layer, by=request.user)
    body = figures.written(drawn, canvas.options_of(request.GET.dict()), to)
    shown = request.GET.get("show") == "1" and to in ("svg", "png")
    name = f"gemel-{drawn.layer.code if drawn.layer else code}.{to}"
    return download.figure(
        body, name, figures.FIGURES[to], "inline" if shown else "attachment"
    )
