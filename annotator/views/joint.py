"""Joint parsing: runs of a corpus, a pair's trees, biparses, the ledger of changes."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.exchange import download
from annotator.exchange.files import safe_name
from annotator.forms import ChangeFilter, JointForm, VerdictForm, refuse_unknown
from annotator.http.answers import form_page
from annotator.models import Corpus, JointPair, JointRun, Pair, Project
from annotator.pages import biparse, corpora
from annotator.pages import joint as pages
from annotator.pages import ledger as ledger_pages
from annotator.services.alignments import scores
from annotator.services.parses import joint, ledger
from annotator.svg.figure import FORMATS, convert
from core.parsing import registry


@require_http_methods(["GET", "POST"])
def corpus_joint(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The runs over a corpus; POST starts or continues one."""
    corpus = access.corpus_or_404(request.user, slug, code)
    if request.method == "POST":
        access.require(request.user, "run", corpus.project)
    form = JointForm(request.POST) if request.method == "POST" else JointForm()
    return form_page(
        request,
        "joint/corpus.html",
        lambda: corpora.joint_runs(corpus, by=request.user) | {"form": form},
        lambda: _start(request, corpus, form),
        status_refused=400,
    )


def _start(request: HttpRequest, corpus: Corpus, form: JointForm) -> HttpResponse:
    """Raises BadRequest or Conflict."""
    parser = request.POST.get("parser") or registry.DEFAULT
    settings = joint.settings_of(form.arguments())
    sets = form.cleaned_data["sets"]
    job = joint.start(corpus, settings, parser=parser, sets=sets, by=request.user)
    return redirect("job", corpus.project.slug, job.code)


@require_GET
def pair_joint(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One pair: separate and joint trees next to gold, and the course of the duals."""
    loaded = _load(request, slug, code)
    page = pages.shown(loaded.pair, loaded.results, loaded.result) | {
        "project": loaded.project,
        "may_run": access.may(request.user, "run", loaded.project),
    }
    return render(request, "joint/pair.html", page)


@require_GET
def figure(
    request: HttpRequest, slug: str, code: str, what: str, to: str
) -> HttpResponse:
    """One drawing of that page, by its name, as SVG, PDF or PNG."""
    if to not in FORMATS:
        raise Http404(_("Choose svg, pdf or png."))
    loaded = _load(request, slug, code)
    drawn = pages.figures_of(loaded.result, loaded.pair) if loaded.result else {}
    if what not in drawn:
        raise Http404(_("There is no such figure of this pair."))
    name = f"gemel-joint-{what}-{code}.{to}"
    return download.figure(convert(drawn[what], to), name, FORMATS[to], "attachment")


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A pair, its results, and the one that is asked for: None if there is none."""

    project: Project
    pair: Pair
    results: list[JointPair]
    result: JointPair | None


def _load(request: HttpRequest, slug: str, code: str) -> _Loaded:
    """Raises Http404 if the run asked for has no result of the pair."""
    project = access.project_or_404(request.user, slug)
    refuse_unknown(request.GET, {"run"})
    pairs = Pair.objects.select_related("corpus", "source", "target")
    pair = get_object_or_404(pairs, corpus__project=project, code=code)
    results = pages.results_of(pair)
    wanted = request.GET.get("run", "")
    result = pages.result_of(results, wanted)
    if wanted and result is None:
        raise Http404(_("This run has no result for the pair."))
    return _Loaded(project, pair, results, result)


@require_GET
def biparse_page(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The pair's best biparse as a matrix, as facing trees and as a table."""
    page = biparse.shown(_drawn(request, slug, code))
    return render(request, "biparse/biparse.html", page)


@require_GET
def biparse_figure(
    request: HttpRequest, slug: str, code: str, what: str, to: str
) -> HttpResponse:
    """The matrix or the trees as SVG, PDF or PNG."""
    if to not in FORMATS or what not in ("matrix", "trees"):
        raise Http404(_("Choose svg, pdf or png."))
    drawn = _drawn(request, slug, code)
    if drawn.biparse is None:
        raise BadRequest(drawn.error)
    body = convert(biparse.svg(drawn, what), to)
    name = f"gemel-biparse-{what}-{code}.{to}"
    return download.figure(body, name, FORMATS[to], "attachment")


@require_POST
def biparse_score(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Start scoring the pairs of a corpus."""
    corpus = access.corpus_or_404(request.user, slug, code, "run")
    job = scores.start(corpus, request.POST.get("scorer", ""), by=request.user)
    messages.success(request, _("Scoring has started; this page follows it."))
    return redirect("job", slug=slug, code=job.code)


def _drawn(request: HttpRequest, slug: str, code: str) -> biparse.Drawn:
    project = access.project_or_404(request.user, slug)
    rows = Pair.objects.filter(corpus__project=project)
    pair = get_object_or_404(
        rows.select_related("corpus__project", "source", "target"), code=code
    )
    return biparse.load(pair, request.GET.get("scorer", biparse.DEFAULT))


FILTERS = {*ChangeFilter.base_filters, "sort"}


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
    sums |= {"totals": ledger_pages.totals_of(ledger.totals(rows, run))}
    if request.GET.get("part") == "totals":
        return render(request, "joint/_totals.html", sums | {"run": run})
    page = ledger_pages.shown(run, rows, request.GET, by=request.user)
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


@require_GET
def export(
    request: HttpRequest, slug: str, code: str, form: str
) -> StreamingHttpResponse:
    """The changes that fit the filter, as CSV or JSON."""
    run = _run(request, slug, code)
    refuse_unknown(request.GET, FILTERS)
    fits = ChangeFilter(queryset=ledger.rows_of(run), request=request)
    ordered = ledger.ordered(fits.rows(), run, sort=request.GET.get("sort", ""))
    pieces = ledger_pages.export(ordered, run, form, by=request.user)
    response = StreamingHttpResponse(pieces, content_type=ledger_pages.FORMS[form])
    name = f"{safe_name(run.corpus.name)}-ledger.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _query(request: HttpRequest) -> str:
    """The filters in the address, without the page."""
    query = request.GET.copy()
    for name in ("after", "part"):
        query.pop(name, None)
    return query.urlencode()
