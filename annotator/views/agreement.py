"""Agreement reports: live, frozen, exported, and the items behind their figures."""

import json
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown, whole
from annotator.models import Project
from annotator.models.projects import Anybody
from annotator.services import (
    agreement,
    layer_agreement,
    rating_sets,
    report_cases,
    report_jobs,
    report_query,
)
from annotator.services.agreement import Source
from annotator.views.report_page import SECTIONS, Page, shown_scales
from core.agreement import paper
from core.agreement.chance import PAIRWISE
from core.agreement.report import BETWEEN
from core.agreement.words import WORDS

FORMS = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}
PAGE = 25


@login_required
@require_GET
def index(request: HttpRequest, slug: str) -> HttpResponse:
    """What there is to report on, and what was frozen."""
    project = access.project_or_404(request.user, slug, "report")
    context = {
        "project": project,
        "campaigns": project.campaigns.all(),
        "sets": project.rating_sets.all(),
        "corpora": layer_agreement.corpora_with_layers(project),
        "frozen": project.reports.select_related("created_by"),
        "may_import": access.may(request.user, "import", project),
    }
    return render(request, "agreement/index.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Ratings that were collected elsewhere."""
    project = access.project_or_404(request.user, slug, "import")
    context: dict[str, Any] = {"project": project, "formats": rating_sets.FORMATS}
    if request.method == "POST":
        try:
            sent = request.FILES.get("file")
            if sent is None:
                raise BadRequest("Choose a file.", field="file")
            made = rating_sets.add(
                project,
                sent,
                name=request.POST.get("name", ""),
                form=request.POST.get("format", ""),
                by=request.user,
            )
        except Refusal as error:
            context |= {"error": str(error).split("\n"), "sent": request.POST}
            return render(
                request, "agreement/upload.html", context, status=error.status
            )
        return redirect("report", slug, "ratings", made.code)
    return render(request, "agreement/upload.html", context)


@login_required
@require_GET
def report(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """The live report."""
    project = access.project_or_404(request.user, slug, "report")
    found = _source(project, kind, code)
    refuse_unknown(request.GET, {*report_query.FILTERS, *report_query.VIEW})
    asked = report_query.parse(request.GET)
    filters = report_query.filters_of(request.GET)
    if report_jobs.is_large(found) and request.GET.get("wait") != "1":
        return _large(request, project, found, filters)
    report_query.check(asked, found.read().data)
    body, read = agreement.report(found, asked)
    page = Page(
        body,
        cases_url=reverse("report_cases", args=[slug, kind, code]),
        filters=filters,
        names=_names(request, project, read.names),
    )
    context = _context(request, project, page) | {
        "source": found,
        "data": read.data,
        "asked": asked,
        "filters": filters,
        "last_event": body["facts"]["last_event"],
        "may_freeze": access.may(request.user, "curate", project),
        "plan_url": reverse("campaign_design", args=[slug, code])
        if kind == "campaign"
        else "",
        "guidelines": sorted({int(v) for v in read.data.guideline if v}),
        "corpora": layer_agreement.corpora_with_layers(project),
        "thresholds": _thresholds(page.body),
        "frozen": found.row.reports.all()[:10],
        "export_prefix": reverse("report", args=[slug, kind, code]) + "export/",
        "judges": [
            (label, page.name(label), label in asked.selection.annotators)
            for label in read.data.annotators
        ],
    }
    _add_texts(context["worst"], found)
    return render(request, "agreement/report.html", context)


def _large(
    request: HttpRequest, project: Project, found: Source, filters: str
) -> HttpResponse:
    """More judgments than somebody should wait for: a job, or patience."""
    context = {
        "project": project,
        "source": found,
        "filters": filters,
        "n": report_jobs.n_judgments(found),
        "jobs": project.jobs.filter(kind="report").active(),
        "frozen": found.row.reports.all()[:10],
        "may_freeze": access.may(request.user, "curate", project),
    }
    return render(request, "agreement/large.html", context)


@login_required
@require_GET
def cases(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """The items that a figure counts, with everything said of them."""
    project = access.project_or_404(request.user, slug, "report")
    found = _source(project, kind, code)
    fields = {*report_query.FILTERS, *report_cases.CASE_FIELDS, "page", "names"}
    refuse_unknown(request.GET, fields)
    asked = report_query.parse(request.GET)
    case = {k: request.GET[k] for k in report_cases.CASE_FIELDS if request.GET.get(k)}
    read = found.read()
    report_query.check(asked, read.data)
    data, places = report_cases.cases(read, asked, case)
    page, last = _page(request, len(places))
    names = _names(request, project, read.names)
    rows = report_cases.case_rows(
        found, data, places[(page - 1) * PAGE : page * PAGE], read
    )
    context = {
        "project": project,
        "source": found,
        "rows": [
            (row, [(names.get(w, w), a, b) for w, a, b in row.judges]) for row in rows
        ],
        "titles": [question.title for question in data.questions],
        "told": [(k, v.replace(BETWEEN, " and ")) for k, v in case.items()],
        "n": len(places),
        "page": page,
        "last": last,
        "query": _query_without(request, "page"),
        "report_url": _report_url(slug, kind, code, request),
        "may_curate": access.may(request.user, "curate", project),
    }
    return render(request, "agreement/cases.html", context)


@login_required
@require_POST
def freeze(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "report")
    found = _source(project, kind, code)
    asked = report_query.parse(request.GET)
    query, title = report_query.filters_of(request.GET), request.POST.get("title", "")
    if report_jobs.is_large(found):
        job = report_jobs.start(found, query=query, title=title, by=request.user)
        return redirect("job", slug, job.code)
    report_query.check(asked, found.read().data)
    kept = agreement.freeze(found, asked, query=query, title=title, by=request.user)
    messages.success(request, "Frozen. These figures will not change any more.")
    return redirect("frozen", slug, kept.code)


@login_required
@require_GET
def fresh(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """How many judgments are newer than the report in somebody's browser."""
    project = access.project_or_404(request.user, slug, "report")
    found = _source(project, kind, code)
    since = whole(request.GET.get("since", ""), 0, 2**53)
    if since is None:
        raise BadRequest("since: a number is wanted.", field="since")
    return JsonResponse({"newer": agreement.newer(found, since)})


@login_required
@require_GET
def export(
    request: HttpRequest, slug: str, kind: str, code: str, form: str
) -> HttpResponse:
    """The live report as a file."""
    project = access.project_or_404(request.user, slug, "report")
    found = _source(project, kind, code)
    refuse_unknown(request.GET, {*report_query.FILTERS, *report_query.VIEW})
    asked = report_query.parse(request.GET)
    report_query.check(asked, found.read().data)
    body, _ = agreement.report(found, asked)
    return _file(body, form, f"agreement-{found.code}")


@login_required
@require_GET
def frozen(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A report as it was frozen, and whether its data has moved since."""
    project = access.project_or_404(request.user, slug, "report")
    refuse_unknown(request.GET, set(report_query.VIEW))
    rows = project.reports.select_related("created_by", "corpus")
    kept = get_object_or_404(rows, code=code)
    if kept.corpus is not None:
        return redirect("layer_frozen", slug, kept.corpus.code, code)
    found = agreement.source_of(kept)
    page = Page(
        kept.body,
        cases_url=reverse("report_cases", args=[slug, found.kind, found.code]),
        filters=kept.query,
        names=_names(request, project, kept.names),
    )
    context = _context(request, project, page) | {
        "source": found,
        "kept": kept,
        "filters": kept.query,
        "newer": agreement.newer(found, kept.body["facts"]["last_event"]),
        "is_same": None
        if report_jobs.is_large(found)
        else report_query.reads_the_same(kept, found),
        "corpora": layer_agreement.corpora_with_layers(project),
        "export_prefix": reverse("frozen", args=[slug, code]) + "export/",
    }
    _add_texts(context["worst"], found)
    return render(request, "agreement/frozen.html", context)


@login_required
@require_GET
def frozen_export(
    request: HttpRequest, slug: str, code: str, form: str
) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "report")
    kept = get_object_or_404(project.reports.filter(corpus=None), code=code)
    return _file(kept.body, form, f"agreement-{kept.code}")


def _source(project: Project, kind: str, code: str) -> Source:
    found = agreement.source(project, kind, code) if kind in agreement.KINDS else None
    if found is None:
        raise Http404("There is no such campaign or set of ratings.")
    return found


def _context(request: HttpRequest, project: Project, page: Page) -> dict[str, Any]:
    """What the live and the frozen page share."""
    body = page.body
    wanted = request.GET.get("show", "")
    scales = shown_scales(body, wanted)
    if wanted and not scales:
        raise BadRequest(f"There is no scale {wanted!r} here.", field="show")
    measure = request.GET.get("measure") or "cohen_quadratic"
    if measure not in PAIRWISE:
        raise BadRequest(f"There is no measure {measure!r}.", field="measure")
    order = "leverage" if request.GET.get("sort") == "leverage" else "distance"
    worst = sorted(body["disagreements"], key=lambda row: -row[order])
    return {
        "project": project,
        "page": page,
        "facts": body["facts"],
        "sections": SECTIONS,
        "scales": [_scale(page, scale, measure) for scale in scales],
        "scale_names": [(s["name"], s["title"]) for s in body["scales"]],
        "show": wanted,
        "measure": measure,
        "measures": [(name, WORDS[name].name) for name in PAIRWISE],
        "conditions": page.conditions(),
        "worst": [_disagreement(page, row) for row in worst[:PAGE]],
        "may_curate": access.may(request.user, "curate", project),
        "order": order,
        "titles": [scale["title"] for scale in body["scales"]],
        "methods": paper.methods(body),
        "forms": list(FORMS),
        "sees_names": _sees_names(request.user, project),
        "names_on": bool(page.names),
    }


def _scale(page: Page, scale: Any, measure: str) -> dict[str, Any]:
    ordered = scale["is_ordered"] or not measure.startswith("cohen_")
    return {
        "name": scale["name"],
        "title": scale["title"],
        "shared": scale["shared"],
        "few": scale["few"],
        "labels": scale["confusion"]["labels"],
        "headline": page.headline(scale),
        "more": page.more(scale),
        "matrix": page.matrix(scale, measure if ordered else "cohen"),
        "confusion": page.confusion(scale),
        "judges": page.judges(scale),
        "drift": page.drift(scale),
    }


def _disagreement(page: Page, row: Any) -> dict[str, Any]:
    return {
        "item": row["item"],
        "distance": f"{row['distance']:g}",
        "leverage": f"{row['leverage']:+.4f}".replace("-", "−"),
        "judges": [(page.name(v["annotator"]), v["values"]) for v in row["values"]],
    }


def _add_texts(rows: list[dict[str, Any]], found: Source) -> None:
    """What each item says, in a few words."""
    texts = report_cases.titles_of(found, [row["item"] for row in rows])
    for row in rows:
        row["text"] = texts.get(row["item"], "")


def _thresholds(body: Any) -> list[tuple[str, str, list[str], float]]:
    return [
        (scale["name"], scale["title"], scale["labels"], scale["threshold"])
        for scale in body["scales"]
        if scale["threshold"] is not None and len(scale["labels"]) <= 20
    ]


def _sees_names(user: Anybody, project: Project) -> bool:
    return access.may(user, "curate", project)


def _names(
    request: HttpRequest, project: Project, names: dict[str, str]
) -> dict[str, str]:
    """Whom labels stand for: nobody, for viewers and whoever asks for labels."""
    if request.GET.get("names") == "0" or not _sees_names(request.user, project):
        return {}
    return names


def _page(request: HttpRequest, n: int) -> tuple[int, int]:
    last = max(1, -(-n // PAGE))
    page = whole(request.GET.get("page", "1"), 1, last)
    if page is None:
        raise BadRequest(f"There are pages 1 to {last}.", field="page")
    return page, last


def _query_without(request: HttpRequest, name: str) -> str:
    query = request.GET.copy()
    query.pop(name, None)
    return query.urlencode()


def _report_url(slug: str, kind: str, code: str, request: HttpRequest) -> str:
    filters = report_query.filters_of(request.GET)
    return reverse("report", args=[slug, kind, code]) + (filters and f"?{filters}")


def _file(body: Any, form: str, name: str) -> HttpResponse:
    if form not in FORMS:
        raise Http404(f"There is no format {form}.")
    text = {
        "json": lambda: json.dumps(body, ensure_ascii=False, indent=1),
        "csv": lambda: paper.to_csv(paper.table_rows(body)),
        "tex": lambda: paper.latex(body),
        "txt": lambda: "\n\n".join(paper.methods(body)) + "\n",
    }[form]()
    response = HttpResponse(text, content_type=FORMS[form])
    response["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    return response
