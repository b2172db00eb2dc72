"""The drawing of a pair or of a sentence as a file, and the page that makes it."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotator import access
from annotator.errors import BadRequest
from annotator.exchange import download
from annotator.forms.figures import options_of
from annotator.models import Project, Sentence
from annotator.pages import editor
from annotator.pages.figures import asking, material, writing
from annotator.pages.figures.material import FigureOptions, Material


@require_GET
def figure(request: HttpRequest, slug: str, code: str, to: str) -> HttpResponse:
    """SVG, PDF, PNG or LaTeX; the same bytes as ``manage.py figure`` writes."""
    project = access.project_or_404(request.user, slug)
    options = options_of(request.GET.dict(), {"layer", "show"})
    return _file(request, _of_pair(request, project, code, options.side), options, to)


@require_GET
def sentence_figure(
    request: HttpRequest, slug: str, code: str, to: str
) -> HttpResponse:
    """As ``figure``, of one sentence."""
    project = access.project_or_404(request.user, slug)
    options = options_of(request.GET.dict(), {"tree", "show"}, of_pair=False)
    return _file(request, _of_sentence(request, project, code), options, to)


@require_GET
def pair_page(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What the figure of a pair shows, and the files."""
    project = access.project_or_404(request.user, slug)
    drawn = editor.load(
        project, code, layer=request.GET.get("layer", ""), by=request.user
    )
    subject = {"pair": drawn.pair, "layer": drawn.layer, "subject": str(drawn.pair)}
    return _page(
        request,
        {"project": project, **subject},
        {"layer"},
        lambda side: material.of_pair(drawn, side),
    )


@require_GET
def sentence_page(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What the figure of a sentence shows, and the files."""
    project = access.project_or_404(request.user, slug)
    shown = _of_sentence(request, project, code)
    sentence = shown.parts[0].sentence
    subject = {"sentence": sentence, "subject": sentence.ref or sentence.code}
    return _page(request, {"project": project, **subject}, {"tree"}, lambda side: shown)


def _page(
    request: HttpRequest, page: dict[str, Any], also: set[str], made: asking.Maker
) -> HttpResponse:
    try:
        of_pair = "pair" in page
        options = options_of(request.GET.dict(), also, of_pair=of_pair)
        page |= asking.figure(made(options.side), options, request.GET.dict())
    except BadRequest as error:
        page |= {"problem": error, **asking.refused(made("both"), request.GET.dict())}
    status = 400 if "problem" in page else 200
    return render(request, "figures/figure.html", page, status=status)


def _of_pair(request: HttpRequest, project: Project, code: str, side: str) -> Material:
    layer = request.GET.get("layer", "")
    drawn = editor.load(project, code, layer=layer, by=request.user)
    return material.of_pair(drawn, side)


def _of_sentence(request: HttpRequest, project: Project, code: str) -> Material:
    rows = Sentence.objects.filter(corpus__project=project)
    sentence = get_object_or_404(rows.select_related("corpus__project"), code=code)
    tree = request.GET.get("tree", "")
    return material.of_sentence(sentence, tree=tree, by=request.user)


def _file(
    request: HttpRequest, shown: Material, options: FigureOptions, to: str
) -> HttpResponse:
    if to not in writing.FIGURES:
        known = ", ".join(writing.FIGURES)
        raise Http404(_("Choose a figure: %(known)s.") % {"known": known})
    body = writing.written(shown, options, to)
    inline = request.GET.get("show") == "1" and to in ("svg", "png")
    kind = "inline" if inline else "attachment"
    return download.figure(body, f"{shown.name}.{to}", writing.FIGURES[to], kind)
