"""Agreement of the alignment layers of a corpus."""

import json
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotator import access
from annotator.forms import number, refuse_unknown
from annotator.pages.agreement import layers as pages
from annotator.services.reports import layers
from annotator.services.reports.layers import LayerReport

MAX_PLACE = 10**6
MAX_SEED = 10**9 - 1
FROZEN = 10


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
    filters = f"seed={seed}" if seed else ""
    context = pages.shown(report, corpus, **_options(request), filters=filters) | {
        "may_freeze": access.may(request.user, "curate", corpus.project),
        "frozen": corpus.reports.all()[:FROZEN],
        "seed": seed,
    }
    return render(request, "agreement/layers.html", context)


@login_required
@require_POST
def freeze(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    title, seed = request.POST.get("title", ""), _seed(request)
    kept = layers.freeze(corpus, seed=seed, title=title, by=request.user)
    messages.success(request, _("Frozen. These figures will not change any more."))
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
    seed = int(kept.query.removeprefix("seed=") or 0)
    now = layers.report(corpus, seed=seed)
    filters = f"frozen={kept.code}"
    context = pages.shown(then, corpus, **_options(request), filters=filters) | {
        "kept": kept,
        "live_url": reverse("layer_report", args=[slug, code])
        + (kept.query and f"?{kept.query}"),
        "is_same": now.digest == kept.digest,
    }
    return render(request, "agreement/layers.html", context)


@login_required
@require_GET
def layer_cases(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The pairs behind a figure: ``of`` names its table, the rest its place there."""
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    sent = request.GET
    refuse_unknown(sent, {"of", "at", "x", "y", "seed", "names", "frozen"})
    if frozen_code := sent.get("frozen"):
        report = layers.thawed(get_object_or_404(corpus.reports, code=frozen_code))
    else:
        report = layers.report(corpus, seed=_seed(request))
    cell = (_place(request, "x"), _place(request, "y")) if sent.get("x") else None
    codes = pages.behind(report.body, sent.get("of", ""), _place(request, "at"), cell)
    context = {
        "project": corpus.project,
        "corpus": corpus,
        "rows": layers.case_rows(corpus, report, codes),
    }
    return render(request, "agreement/layer_cases.html", context)


def _options(request: HttpRequest) -> dict[str, Any]:
    return {"by": request.user, "hides_names": request.GET.get("names") == "0"}


def _place(request: HttpRequest, name: str) -> int:
    problem = _("There is no such figure.")
    return number(request.GET.get(name, ""), 0, MAX_PLACE, field="of", problem=problem)


def _seed(request: HttpRequest) -> int:
    problem = _("A seed is a whole number from 0.")
    return number(
        request.GET.get("seed", "0"), 0, MAX_SEED, field="seed", problem=problem
    )


def _json(report: LayerReport, name: str) -> HttpResponse:
    text = json.dumps(report.body, ensure_ascii=False, indent=1)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return response
