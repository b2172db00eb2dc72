"""Relabelling by query, and taking it back."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown
from annotator.models import Corpus, TreeBatch
from annotator.pages.treebanks import relabelling as pages
from annotator.services.treebanks import relabelling
from annotator.services.treebanks.relabelling import Order

FIELDS = {"q", "label", "node", "functions", "parsed", "drafts"}


@login_required
@require_http_methods(["GET", "POST"])
def relabel(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The order and its preview; POST does what the preview showed."""
    corpus = access.corpus_or_404(request.user, slug, code, "manage")
    refuse_unknown(request.GET, FIELDS)
    order = _order(request.POST if request.method == "POST" else request.GET)
    more: dict[str, Any] = {}
    if request.method == "POST":
        try:
            return _apply(request, corpus, order)
        except Refusal as error:
            more = {"stale": error}
    page = pages.order_page(corpus, order, by=request.user) | more
    refusal = page.get("stale") or page.get("refusal")
    status = refusal.status if refusal else 200
    return render(request, "treebanks/relabel.html", page, status=status)


def _apply(request: HttpRequest, corpus: Corpus, order: Order) -> HttpResponse:
    seen = request.POST.get("seen", "")
    made, job = relabelling.apply(corpus, order, seen=seen, by=request.user)
    if job is not None:
        return redirect("job", corpus.project.slug, job.code)
    return redirect("relabelled", corpus.project.slug, made.code)


def _order(sent: QueryDict) -> Order:
    return Order(
        sent.get("q", ""),
        sent.get("label", "").strip(),
        sent.get("node", "").strip().removeprefix("="),
        keeps_functions=_ticked(sent, "functions"),
        with_parsed=_ticked(sent, "parsed"),
        as_drafts=_ticked(sent, "drafts"),
    )


def _ticked(sent: QueryDict, name: str) -> bool:
    if sent.get(name, "") not in ("", "1"):
        reason = _("%(name)s must be 1 or omitted.") % {"name": name}
        raise BadRequest(reason, field=name)
    return bool(sent.get(name))


@login_required
@require_http_methods(["GET", "POST"])
def batch(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What became of a batch; POST undoes it."""
    project = access.project_or_404(request.user, slug, "manage")
    rows = TreeBatch.objects.select_related("corpus", "by", "undone_by")
    made = get_object_or_404(rows, code=code, corpus__project=project)
    made.corpus.project = project
    refuse_unknown(request.GET, set())
    if request.method == "POST":
        return _undo(request, made)
    page = pages.batch_page(made, by=request.user)
    return render(request, "treebanks/batch.html", page)


def _undo(request: HttpRequest, made: TreeBatch) -> HttpResponse:
    slug = made.corpus.project.slug
    job = relabelling.undo(made, by=request.user)
    if job is not None:
        return redirect("job", slug, job.code)
    counts = relabelling.counts(made)
    message = _("Undone; as they were before: %(n)s.") % {"n": counts["undone"]}
    if counts["kept"]:
        kept = _("Changed since, so they stay: %(n)s, listed below.")
        message = f"{message} {kept % {'n': counts['kept']}}"
    messages.success(request, message)
    return redirect("relabelled", slug, made.code)
