"""The drawing of a pair as a file."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotator import access
from annotator.exchange import download
from annotator.pages import canvas, editor
from annotator.svg.figure import FORMATS, convert

__all__ = ["figure"]


@login_required
@require_GET
def figure(request: HttpRequest, slug: str, code: str, to: str) -> HttpResponse:
    """SVG, PDF or PNG; the same bytes as ``manage.py figure`` writes."""
    if to not in FORMATS:
        raise Http404("A figure is svg, pdf or png.")
    project = access.project_or_404(request.user, slug)
    layer = request.GET.get("layer", "")
    drawn = editor.load(project, code, layer=layer, by=request.user)
    options = canvas.options_of(request.GET.dict())
    body = convert(drawn.svg(options, figure=True), to)
    shown = request.GET.get("show") == "1" and to != "pdf"
    name = f"gemel-{drawn.layer.code if drawn.layer else code}.{to}"
    return download.figure(body, name, FORMATS[to], "inline" if shown else "attachment")
