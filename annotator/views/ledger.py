"""The ledger of a run: its changes a page at a time, verdicts, totals and files."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import Refusal
from annotator.exchange.files import safe_name
from annotator.forms import ChangeFilter, VerdictForm, refuse_unknown
from annotator.models import JointRun
from annotator.pages import ledger as pages
from annotator.services.parses import ledger

FILTERS = {*ChangeFilter.base_filters, "sort"}


@login_required
@require_http_methods(["GET", "POST"])
def ledger_page(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A page of changes; POST: a verdict from a form, for browsers without scripts."""
    run = _run(request, slug, code)
    if request.method == "POST":
        return _judge(request, run)
    refuse_unknown(request.GET, {*FILTERS, "after", "part"})
    fits = ChangeFilter(queryset=ledger.rows_of(run), request=request)
    rows = fits.rows()
    is_narrowed = any(request.GET.get(name) for name in ChangeFilter.base_filters)
    sums = {"filtered": _query(request), "narrowed": is_narrowed}
    sums |= {"totals": pages.totals_of(ledger.totals(rows, run))}
    if request.GET.get("part") == "totals":
        return render(request, "joint/_totals.html", sums | {"run": run})
    page = pages.shown(run, rows, request.GET, by=request.user)
    return render(request, "joint/ledger.html", {**sums, **page, "filter": fits})


def _run(request: HttpRequest, slug: str, code: str) -> JointRun:
    project = access.project_or_404(request.user, slug)
    rows = JointRun.objects.filter(corpus__project=project).select_related("corpus")
    run = get_object_or_404(rows, code=code)
    run.corpus.project = project
    return run


def _judge(request: HttpRequest, run: JointRun) -> HttpResponse:
    code, verdict = VerdictForm(request.POST).sent()
    change = ledger.find(code, run=run)
    change.run = run
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
    fits = ChangeFilter(queryset=ledger.rows_of(run), request=request)
    ordered = ledger.ordered(fits.rows(), run, sort=request.GET.get("sort", ""))
    pieces = pages.export(ordered, run, form, by=request.user)
    response = StreamingHttpResponse(pieces, content_type=pages.FORMS[form])
    name = f"{safe_name(run.corpus.name)}-ledger.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _query(request: HttpRequest) -> str:
    """The filters in the address, without the page."""
    query = request.GET.copy()
    for name in ("after", "part"):
        query.pop(name, None)
    return query.urlencode()
