"""The aligner's work on a corpus: starting it, and the pairs that need people most."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest
from annotator.forms import refuse_unknown
from annotator.models import AlignmentLayer, Pair
from annotator.services import aligning, parsing, word_aligning
from core.backends import registry

__all__ = ["alignments", "next_unsure"]

PAGE = 50
STATES = [("open", "Not done"), ("", "All"), *Pair.State.choices]


@login_required
@require_http_methods(["GET", "POST"])
def alignments(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Pairs by how many of the aligner's links are wrong, to be expected."""
    project = access.project_or_404(request.user, slug)
    found = get_object_or_404(project.corpora, code=code)
    found.project = project
    if request.method == "POST":
        asked = (request.POST.get(name, "") for name in ("method", "parser"))
        job = word_aligning.start_by(found, *asked, by=request.user)
        return redirect("job", slug, job.code)
    refuse_unknown(request.GET, {"state", "page"})
    state = request.GET.get("state", "open")
    if state not in dict(STATES):
        raise BadRequest("There is no such state.", field="state")
    number = _number(request.GET.get("page", "1"))
    layers = aligning.uncertain(found, state=state)
    rows = list(layers[(number - 1) * PAGE : number * PAGE + 1])
    context = {
        "project": project,
        "corpus": found,
        "rows": [_row(layer) for layer in rows[:PAGE]],
        "counted": layers.count(),
        "aligned": aligning.uncertain(found).count(),
        "aligned_words": word_aligning.n_aligned(found),
        "methods": word_aligning.METHODS.items(),
        "state": state,
        "states": STATES,
        "page": number,
        "more": number + 1 if len(rows) > PAGE else 0,
        "parsers": parsing.engines(),
        "default": registry.DEFAULT,
        "may_run": access.may(request.user, "run", project),
    }
    return render(request, "pairs/alignments.html", context)


@login_required
@require_GET
def next_unsure(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """On to the pair that needs a person most; after the last one, back to the list."""
    project = access.project_or_404(request.user, slug)
    found = get_object_or_404(project.corpora, code=code)
    rows = aligning.uncertain(found, state="open")
    row = rows.exclude(pair__code=request.GET.get("after", "")).first()
    if row is None:
        return redirect("alignments", slug, code)
    return redirect(reverse("pair", args=[slug, row.pair.code]))


def _row(layer: AlignmentLayer) -> dict[str, Any]:
    """A pair, and the least sure of its links in percent."""
    sure = [float(link.attrs.get("prob", 1)) for link in layer.to_core().links]
    least = 100 * min(sure) if sure else None
    return {"pair": layer.pair, "layer": layer, "least": least}


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 100_000):
        raise BadRequest("Pages are counted from 1.", field="page")
    return int(text)
