"""Agreement of the alignment layers of a corpus."""

import json
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotator import access
from annotator.forms import number, refuse_unknown
from annotator.models import Corpus
from annotator.pages.agreement import layers as pages
from annotator.services.reports import layers
from annotator.services.reports.layers import LayerReport

MAX_PLACE = 10**6
MAX_SEED = 10**9 - 1


@login_required
@require_GET
def layer_report(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Recall and precision as in the paper, the human row, F1, AER, kappa of nodes."""
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    refuse_unknown(request.GET, {"seed", "names", "format"})
    seed = _seed(request)
    report = layers.report(corpus, seed=seed)
    if request.GET.get("format") == "json":
        return _json(report, f"alignment-agreement-{corpus.code}")
    page = pages.live(report, corpus, seed, **_options(request))
    return render(request, "agreement/layers.html", page)


@login_required
@require_POST
def freeze(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    title, seed = request.POST.get("title", ""), _seed(request)
    kept = layers.freeze(corpus, seed=seed, title=title, by=request.user)
    messages.success(request, _("Frozen. These figures will not change."))
    return redirect("layer_frozen", slug, code, kept.code)


@login_required
@require_GET
def frozen(request: HttpRequest, slug: str, code: str, report: str) -> HttpResponse:
    """A report as it was frozen, and whether what it read has moved since."""
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    refuse_unknown(request.GET, {"names", "format"})
    kept = get_object_or_404(corpus.reports.select_related("created_by"), code=report)
    then = layers.thawed(kept)
    if request.GET.get("format") == "json":
        return _json(then, f"alignment-agreement-{kept.code}")
    page = pages.frozen(then, kept, corpus, **_options(request))
    return render(request, "agreement/layers.html", page)


@login_required
@require_GET
def layer_cases(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The pairs behind a figure: ``of`` names its table, the rest its place there."""
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    sent = request.GET
    refuse_unknown(sent, {"of", "at", "x", "y", "seed", "names", "frozen"})
    report = _report(request, corpus)
    cell = (_place(request, "x"), _place(request, "y")) if sent.get("x") else None
    codes = pages.behind(report.body, sent.get("of", ""), _place(request, "at"), cell)
    rows = layers.case_rows(corpus, report, codes)
    page = {"project": corpus.project, "corpus": corpus, "rows": rows}
    return render(request, "agreement/layer_cases.html", page)


def _report(request: HttpRequest, corpus: Corpus) -> LayerReport:
    """The frozen one that is asked for, or today's."""
    if code := request.GET.get("frozen"):
        return layers.thawed(get_object_or_404(corpus.reports, code=code))
    return layers.report(corpus, seed=_seed(request))


def _options(request: HttpRequest) -> dict[str, Any]:
    return {"by": request.user, "hides_names": request.GET.get("names") == "0"}


def _place(request: HttpRequest, name: str) -> int:
    problem = _("There is no such figure.")
    return number(request.GET.get(name, ""), 0, MAX_PLACE, field="of", problem=problem)


def _seed(request: HttpRequest) -> int:
    problem = _("The seed must be a whole number, 0 or more.")
    return number(
        request.GET.get("seed", "0"), 0, MAX_SEED, field="seed", problem=problem
    )


def _json(report: LayerReport, name: str) -> HttpResponse:
    text = json.dumps(report.body, ensure_ascii=False, indent=1)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return response
