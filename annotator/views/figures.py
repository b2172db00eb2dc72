"""The drawing of a pair as a file."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotator import access
from annotator.services import canvas
from annotator.svg.figure import FORMATS, convert
from annotator.views.editor import load_canvas

__all__ = ["figure"]


@login_required
@require_GET
def figure(request: HttpRequest, slug: str, code: str, to: str) -> HttpResponse:
    """SVG, PDF or PNG; the same bytes as ``manage.py figure`` writes."""
    if to not in FORMATS:
        raise Http404("A figure is svg, pdf or png.")
    project = access.project_or_404(request.user, slug)
    found = load_canvas(request, project, code)
    options = canvas.options_of(request.GET.dict())
    body = convert(found.svg(options, figure=True), to)
    response = HttpResponse(body, content_type=FORMATS[to])
    shown = request.GET.get("show") == "1" and to != "pdf"
    kind = "inline" if shown else "attachment"
    name = found.layer.code if found.layer else code
    response["Content-Disposition"] = f'{kind}; filename="gemel-{name}.{to}"'
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'none'"
    return response
