"""How a pair biparses, and the scores of a corpus."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotator import access
from annotator.errors import BadRequest
from annotator.exchange import download
from annotator.models import Pair
from annotator.pages import biparse as pages
from annotator.services.alignments import scores
from annotator.svg.figure import FORMATS, convert


@login_required
@require_GET
def biparse(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The pair's best biparse as a matrix, as facing trees and as a table."""
    page = pages.shown(_load(request, slug, code))
    return render(request, "biparse/biparse.html", page)


@login_required
@require_GET
def figure(
    request: HttpRequest, slug: str, code: str, what: str, to: str
) -> HttpResponse:
    """The matrix or the trees as SVG, PDF or PNG."""
    if to not in FORMATS or what not in ("matrix", "trees"):
        raise Http404(_("Choose svg, pdf or png."))
    drawn = _load(request, slug, code)
    if drawn.biparse is None:
        raise BadRequest(drawn.error)
    body = convert(pages.svg(drawn, what), to)
    name = f"gemel-biparse-{what}-{code}.{to}"
    return download.figure(body, name, FORMATS[to], "attachment")


@login_required
@require_POST
def score(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Start scoring the pairs of a corpus."""
    corpus = access.corpus_or_404(request.user, slug, code, "run")
    job = scores.start(corpus, request.POST.get("scorer", ""), by=request.user)
    messages.success(request, _("Scoring has started; this page follows it."))
    return redirect("job", slug=slug, code=job.code)


def _load(request: HttpRequest, slug: str, code: str) -> pages.Drawn:
    project = access.project_or_404(request.user, slug)
    rows = Pair.objects.filter(corpus__project=project)
    pair = get_object_or_404(
        rows.select_related("corpus__project", "source", "target"), code=code
    )
    return pages.load(pair, request.GET.get("scorer", pages.DEFAULT))
