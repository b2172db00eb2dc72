"""The ledger of a run: its changes a page at a time, verdicts, totals and files."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.exchange.files import safe_name
from annotator.forms import ChangeFilter, VerdictForm, refuse_unknown
from annotator.models import JointRun, TreeChange
from annotator.models.joint import TreeChangeQuerySet
from annotator.services import joint_gold, ledger, ledger_view

__all__ = ["export", "ledger_page"]

PAGE = 50
FILTERS = {*ChangeFilter.base_filters, "sort"}
KEYS = ("", "1", "2", "3", "4")


@login_required
@require_http_methods(["GET", "POST"])
def ledger_page(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A page of changes; POST: a verdict from a form, for browsers without scripts."""
    run = _run(request, slug, code)
    if request.method == "POST":
        return _judge(request, run)
    refuse_unknown(request.GET, {*FILTERS, "after", "part"})
    fits = ChangeFilter.of(request.GET, run)
    sums = {
        "totals": _totals(ledger.totals(fits.qs, run)),
        "filtered": _query(request),
        "narrowed": any(request.GET.get(name) for name in ChangeFilter.base_filters),
    }
    if request.GET.get("part") == "totals":
        return render(request, "joint/_totals.html", sums | {"run": run})
    return render(request, "joint/ledger.html", sums | _context(request, run, fits))


def _run(request: HttpRequest, slug: str, code: str) -> JointRun:
    project = access.project_or_404(request.user, slug)
    rows = JointRun.objects.filter(corpus__project=project).select_related("corpus")
    run = get_object_or_404(rows, code=code)
    run.corpus.project = project
    return run


def _context(request: HttpRequest, run: JointRun, fits: ChangeFilter) -> dict[str, Any]:
    asked = request.GET
    project = run.corpus.project
    sort, after = asked.get("sort", ""), asked.get("after", "")
    found = list(ledger.ordered(fits.qs, run, sort=sort, after=after)[: PAGE + 1])
    shown = found[:PAGE]
    may_judge = access.may(request.user, "annotate", project)
    return {
        "project": project,
        "corpus": run.corpus,
        "run": run,
        "runs": list(run.corpus.joint_runs.filter(n_pairs__gt=0)),
        "filter": fits,
        "choices": ledger.choices(run),
        "sort": sort,
        "sorts": ledger.SORTS.items(),
        "rows": [_row(change) for change in shown],
        "verdicts": _verdicts(),
        "next_url": _url(request, shown[-1].code) if len(found) > PAGE else "",
        "first_url": _url(request, "") if after else "",
        "stale": joint_gold.is_stale(run),
        "may_judge": may_judge,
        "may_export": access.may(request.user, "export", project),
        "data": {
            "run": run.code,
            "user": request.user.get_username(),
            "url": reverse("api_verdicts", args=[run.code]),
            "sign_in": reverse("sign_in"),
            "mine": ledger.last_of(run, request.user) if may_judge else [],
        },
    }


def _row(change: TreeChange) -> dict[str, Any]:
    return {
        "change": change,
        "pair": change.result.pair,
        "words": ledger_view.words_of(change),
        "uuid": uuid4(),
        "side": "source" if change.side == "s" else "target",
    }


def _verdicts() -> list[tuple[str, str, str]]:
    """Key, value and name of each verdict, the one of taking back left out."""
    choices = zip(KEYS, TreeChange.Verdict.choices, strict=True)
    return [(key, value, str(name)) for key, (value, name) in choices if value]


def _totals(found: ledger.Totals) -> dict[str, Any]:
    """The table of counts as it is printed."""
    verdicts = [(v, TreeChange.Verdict(v).label) for v in (*TreeChange.Verdict.values,)]
    heads = [*verdicts[1:], verdicts[0]]
    rows = [
        {
            "gold": gold,
            "name": TreeChange.Gold(gold).label,
            "cells": [found.cells[gold][verdict] for verdict, _ in heads],
            "n": found.of_gold(gold),
        }
        for gold in found.cells
    ]
    shares = [found.share(verdict) for verdict, _ in heads[:-1]]
    return {
        "heads": heads,
        "rows": rows,
        "sums": [found.of_verdict(verdict) for verdict, _ in heads],
        "shares": [None if s is None else 100 * s for s in shares],
        "n": found.n,
        "judged": found.judged,
        "fixed": found.of_gold("fixed"),
        "broken": found.of_gold("broken"),
        "real_fixes": found.of_verdict("fix"),
        "real_errors": found.of_verdict("error"),
        "fixed_left": found.real("fixed"),
        "broken_left": found.real("broken"),
        "reduction": None if found.reduction is None else 100 * found.reduction,
        "errors": found.errors.items(),
    }


def _judge(request: HttpRequest, run: JointRun) -> HttpResponse:
    sent = VerdictForm(request.POST)
    if not sent.is_valid():
        raise BadRequest("A verdict needs a change, a uuid and what was seen.")
    said = sent.cleaned_data
    change = ledger.find(said["change"], run=run)
    change.run = run
    verdict = ledger.Verdict(said["uuid"], said["seen"], said["verdict"])
    try:
        ledger.give(change, verdict, by=request.user)
    except Refusal as refusal:
        if refusal.status == 403:
            raise
        messages.error(request, str(refusal))
    query = request.GET.urlencode()
    return redirect(f"{request.path}{'?' if query else ''}{query}#c{change.code}")


@login_required
@require_GET
def export(
    request: HttpRequest, slug: str, code: str, form: str
) -> StreamingHttpResponse:
    """The changes that fit the filter, as CSV or JSON."""
    run = _run(request, slug, code)
    refuse_unknown(request.GET, FILTERS)
    rows: TreeChangeQuerySet = ChangeFilter.of(request.GET, run).qs
    ordered = ledger.ordered(rows, run, sort=request.GET.get("sort", ""))
    pieces = ledger_view.export(ordered, run, form, by=request.user)
    response = StreamingHttpResponse(pieces, content_type=ledger_view.FORMS[form])
    name = f"{safe_name(run.corpus.name)}-ledger.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _query(request: HttpRequest) -> str:
    """The filters in the address, without the page."""
    query = request.GET.copy()
    for name in ("after", "part"):
        query.pop(name, None)
    return query.urlencode()


def _url(request: HttpRequest, after: str) -> str:
    query = request.GET.copy()
    query.pop("after", None)
    if after:
        query["after"] = after
    return "?" + query.urlencode()
