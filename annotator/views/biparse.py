"""How a pair biparses, and the scores of a corpus."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Pair, PairScore, Project
from annotator.services import scoring
from annotator.svg import biparse as drawing
from annotator.svg.figure import FORMATS, convert
from core.errors import GemelError
from core.inference.biparse import Biparse
from core.layout.biparse import matrix_scene, numbered, trees_scene
from core.layout.measure import GlyphTable

__all__ = ["biparse", "figure", "score"]

DEFAULT = "thesaurus"


@login_required
@require_GET
def biparse(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The pair's best biparse as a matrix, as facing trees and as a table."""
    project = access.project_or_404(request.user, slug)
    found = _load(request, project, code)
    context: dict[str, Any] = {
        "project": project,
        "pair": found.pair,
        "scorers": list(scoring.scorers()),
        "chosen": found.scorer,
        "value": found.value,
        "notes": found.notes,
        "error": found.error,
        "stored": PairScore.objects.filter(pair=found.pair).select_related("run"),
    }
    if found.biparse is not None:
        context |= {
            "biparse": found.biparse,
            "rows": _rows(found),
            "alone": _alone(found),
            "matrix": _svg(found, "matrix"),
            "trees": _svg(found, "trees"),
        }
    return render(request, "biparse/biparse.html", context)


@login_required
@require_GET
def figure(
    request: HttpRequest, slug: str, code: str, what: str, to: str
) -> HttpResponse:
    """The matrix or the trees as SVG, PDF or PNG."""
    if to not in FORMATS or what not in ("matrix", "trees"):
        raise Http404("A figure is svg, pdf or png.")
    project = access.project_or_404(request.user, slug)
    found = _load(request, project, code)
    if found.biparse is None:
        raise BadRequest(found.error)
    body = convert(_svg(found, what), to)
    response = HttpResponse(body, content_type=FORMATS[to])
    name = f"gemel-biparse-{what}-{code}.{to}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'none'"
    return response


@login_required
@require_POST
def score(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Start scoring the pairs of a corpus."""
    project = access.project_or_404(request.user, slug, "run")
    corpus = get_object_or_404(project.corpora, code=code)
    job = scoring.start(corpus, request.POST.get("scorer", ""), by=request.user)
    messages.success(request, "Scoring has started; this page follows it.")
    return redirect("job", slug=slug, code=job.code)


@dataclass(frozen=True, slots=True)
class _Found:
    """A pair with its biparse under one scorer, or why there is none."""

    pair: Pair
    scorer: str
    biparse: Biparse | None
    value: float
    notes: list[str]
    error: str = ""

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        return self.pair.source.forms, self.pair.target.forms


def _load(request: HttpRequest, project: Project, code: str) -> _Found:
    rows = Pair.objects.filter(corpus__project=project)
    pair = get_object_or_404(
        rows.select_related("corpus", "source", "target"), code=code
    )
    scorer = request.GET.get("scorer", DEFAULT)
    if scorer not in dict(scoring.scorers()):
        raise BadRequest("There is no such scorer.", field="scorer")
    try:
        found, notes = scoring.score_one(pair, scorer)
    except GemelError as error:
        return _Found(pair, scorer, None, 0.0, [], str(error))
    return _Found(pair, scorer, found.biparse, found.value, notes)


def _svg(found: _Found, what: str) -> str:
    tree = found.biparse.tree if found.biparse else None
    measure = GlyphTable()
    if what == "matrix":
        scene = matrix_scene(*found.sides, tree, measure)
        return drawing.draw_matrix(scene, title=f"Biparse of {found.pair}: matrix")
    facing = trees_scene(*found.sides, tree, measure)
    return drawing.draw_trees(facing, title=f"Biparse of {found.pair}: trees")


def _rows(found: _Found) -> list[dict[str, Any]]:
    """The table twin: a block a row, in the numbers of the drawings."""
    source, target = found.sides
    tree = found.biparse.tree if found.biparse else None
    return [
        {
            "number": number,
            "orientation": block.orientation,
            "depth": depth,
            "parent": parent or "",
            "source": " ".join(source[block.source.start : block.source.end]),
            "target": " ".join(target[block.target.start : block.target.end]),
        }
        for number, block, depth, parent in numbered(tree)
    ]


def _alone(found: _Found) -> dict[str, list[str]]:
    """The words that the biparse links to nothing."""
    links = found.biparse.links if found.biparse else ()
    linked = {i for i, _ in links}, {j for _, j in links}
    return {
        side: [word for k, word in enumerate(forms) if k not in taken]
        for side, forms, taken in zip(
            ("source", "target"), found.sides, linked, strict=True
        )
    }
