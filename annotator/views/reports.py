"""Reports of agreement: on judgments, on uploaded ratings, on links."""

import json
from collections.abc import Mapping
from typing import Any, BinaryIO, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, URLResolver, include, path, reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.exchange import download
from annotator.forms import number, refuse_unknown, whole
from annotator.http import converters  # noqa: F401  before any address is made
from annotator.http.answers import form_page
from annotator.models import Corpus, Project
from annotator.pages.agreement import layers as layer_pages
from annotator.pages.agreement import ratings as rating_pages
from annotator.pages.agreement import views as pages
from annotator.pages.agreement.pictures import DOWNLOADS, ReportChart
from annotator.services.reports import (
    agreement,
    cases,
    layers,
    rating_tables,
)
from annotator.services.reports.agreement import ReportSource
from annotator.services.reports.layers import LayerReport
from core.errors import InvalidValue

FORMATS = {
    rating_tables.TABLE: gettext_lazy(
        "any table, or another tool's export: read on the next page"
    ),
    **{
        name: format_lazy(gettext_lazy("{name}, unchanged"), name=name)
        for name in rating_tables.FIXED
    },
}
READ = {*agreement.FILTERS, *agreement.VIEW}


@require_GET
def index(request: HttpRequest, slug: str) -> HttpResponse:
    """Sources of reports, and frozen reports."""
    project = access.project_or_404(request.user, slug, "report")
    page = pages.index(project, by=request.user)
    return render(request, "agreement/index.html", page)


@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Ratings that were collected elsewhere."""
    project = access.project_or_404(request.user, slug, "import")
    page = {"project": project, "formats": FORMATS, "tools": rating_pages.TOOLS}
    return form_page(
        request,
        "agreement/upload.html",
        lambda: page,
        lambda: _upload(request, project),
        refused=_in_lines,
    )


def _in_lines(error: Refusal, request: HttpRequest) -> dict[str, Any]:
    return {"problem": str(error).split("\n"), "sent": request.POST}


def _upload(request: HttpRequest, project: Project) -> HttpResponse:
    sent = request.FILES.get("file")
    if sent is None:
        raise BadRequest(_("Choose a file."), field="file")
    name, form = request.POST.get("name", ""), request.POST.get("format", "")
    if form == rating_tables.TABLE:
        file = cast(BinaryIO, sent)
        kept = rating_tables.keep(project, sent.name or "r", file, by=request.user)
        url = reverse("agreement_check", args=[project.slug, kept.code])
        return redirect(f"{url}?{urlencode({'name': name})}")
    made = rating_tables.add_as(form, project, sent, name=name, by=request.user)
    return redirect("report", project.slug, "ratings", made.code)


@require_http_methods(["GET", "POST"])
def check(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The content of a table of ratings with the form's settings; "take" imports it."""
    project = access.project_or_404(request.user, slug, "import")
    upload = get_object_or_404(project.uploads, code=code)
    name = request.POST.get("name", request.GET.get("name", ""))
    try:
        reading = rating_pages.reading_of(request.POST)
        if request.POST.get("what") == "take":
            by = request.user
            made = rating_tables.add(project, upload, reading, name=name, by=by)
            return redirect("report", slug, "ratings", made.code)
        page, status = rating_pages.check(project, upload, reading, name), 200
    except (Refusal, InvalidValue) as error:
        page = rating_pages.refused(project, upload, request.POST, name, error)
        status = getattr(error, "status", 400)
    return render(request, "agreement/check.html", page, status=status)


@require_GET
def report(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """The live report."""
    source = _source(request, slug, kind, code)
    refuse_unknown(request.GET, READ)
    spec, filters = agreement.parse(request.GET), agreement.filters_of(request.GET)
    if agreement.is_large(source) and request.GET.get("wait") != "1":
        context = pages.large(source, filters=filters, by=request.user)
        return render(request, "agreement/large.html", context)
    view = pages.ReportView.of(request.GET)
    context = pages.live(source, spec, view, filters=filters, by=request.user)
    return render(request, "agreement/report.html", context)


@require_GET
def report_cases(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """The items that a figure counts, with everything said of them."""
    source = _source(request, slug, kind, code)
    fields = {*agreement.FILTERS, *cases.CASE_FIELDS, "page", "names"}
    refuse_unknown(request.GET, fields)
    view = pages.ReportView.of(request.GET)
    context = pages.cases_of(source, request.GET, view, by=request.user)
    return render(request, "agreement/cases.html", context)


@require_POST
def freeze(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    source = _source(request, slug, kind, code)
    spec = agreement.parse(request.GET)
    filters, title = agreement.filters_of(request.GET), request.POST.get("title", "")
    titled = {"query": filters, "title": title}
    if agreement.is_large(source):
        job = agreement.start(source, **titled, by=request.user)
        return redirect("job", slug, job.code)
    agreement.check(spec, source.read().data)
    kept = agreement.freeze(source, spec, **titled, by=request.user)
    messages.success(request, _("Frozen. These figures will not change."))
    return redirect("frozen", slug, kept.code)


@require_GET
def fresh(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """How many judgments are newer than the report in a browser."""
    source = _source(request, slug, kind, code)
    since = whole(request.GET.get("since", ""), 0, 2**53)
    if since is None:
        raise BadRequest(_("since must be a number."), field="since")
    return JsonResponse({"newer": agreement.newer(source, since)})


@require_GET
def export(
    request: HttpRequest, slug: str, kind: str, code: str, form: str
) -> HttpResponse:
    """The live report as a file."""
    source = _source(request, slug, kind, code)
    refuse_unknown(request.GET, READ)
    spec = agreement.parse(request.GET)
    agreement.check(spec, source.read().data)
    body = agreement.report(source, spec)[0]
    return _file(body, form, f"agreement-{source.code}")


@require_GET
def chart(
    request: HttpRequest, slug: str, kind: str, code: str, name: str, form: str
) -> HttpResponse:
    """A picture of the live report, or its figures, as a file."""
    source = _source(request, slug, kind, code)
    refuse_unknown(request.GET, READ)
    spec, filters = agreement.parse(request.GET), agreement.filters_of(request.GET)
    view = pages.ReportView.of(request.GET)
    shown = pages.live(source, spec, view, filters=filters, by=request.user)
    return _picture(shown, name, form)


@require_GET
def frozen_chart(
    request: HttpRequest, slug: str, code: str, name: str, form: str
) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "report")
    refuse_unknown(request.GET, set(agreement.VIEW))
    kept = get_object_or_404(project.reports.filter(corpus=None), code=code)
    view = pages.ReportView.of(request.GET)
    return _picture(pages.frozen(kept, project, view, by=request.user), name, form)


def _picture(shown: Mapping[str, Any], name: str, form: str) -> HttpResponse:
    return _chart(pages.picture(dict(shown), name), name, form)


def _chart(found: ReportChart | None, name: str, form: str) -> HttpResponse:
    if found is None or form not in DOWNLOADS:
        raise Http404(f"There is no picture {name}.{form}.")
    body, media = found.written(form)
    return download.figure(body, f"{name}.{form}", media, "attachment")


@require_GET
def frozen(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A report as it was frozen, and whether its data has moved since."""
    project = access.project_or_404(request.user, slug, "report")
    refuse_unknown(request.GET, set(agreement.VIEW))
    rows = project.reports.select_related("created_by", "corpus")
    kept = get_object_or_404(rows, code=code)
    if kept.corpus is not None:
        return redirect("layer_frozen", slug, kept.corpus.code, code)
    view = pages.ReportView.of(request.GET)
    context = pages.frozen(kept, project, view, by=request.user)
    return render(request, "agreement/frozen.html", context)


@require_GET
def frozen_export(
    request: HttpRequest, slug: str, code: str, form: str
) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "report")
    kept = get_object_or_404(project.reports.filter(corpus=None), code=code)
    return _file(kept.body, form, f"agreement-{kept.code}")


def _source(request: HttpRequest, slug: str, kind: str, code: str) -> ReportSource:
    project = access.project_or_404(request.user, slug, "report")
    known = kind in agreement.KINDS
    source = agreement.source(project, kind, code) if known else None
    if source is None:
        raise Http404("There is no such campaign or set of ratings.")
    return source


def _file(body: Any, form: str, name: str) -> HttpResponse:
    if form not in pages.FORMS:
        raise Http404(f"There is no format {form}.")
    response = HttpResponse(pages.written(body, form), content_type=pages.FORMS[form])
    response["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    return response


MAX_PLACE = 10**6
MAX_SEED = 10**9 - 1


@require_GET
def layer_report(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Recall and precision as in the paper, the human row, F1, AER, kappa of nodes."""
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    refuse_unknown(request.GET, {"seed", "names", "format"})
    seed = _seed(request)
    report = layers.report(corpus, seed=seed)
    if request.GET.get("format") == "json":
        return _json(report, f"alignment-agreement-{corpus.code}")
    page = layer_pages.live(report, corpus, seed, **_options(request))
    return render(request, "agreement/layers.html", page)


@require_GET
def layer_chart(
    request: HttpRequest, slug: str, code: str, name: str, form: str
) -> HttpResponse:
    """A picture of the report, today's or a frozen one, or its figures, as a file."""
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    refuse_unknown(request.GET, {"seed", "names", "frozen"})
    report = _report(request, corpus)
    charts = layer_pages.charts_of(report, corpus, **_options(request))
    return _chart(charts.get(name), name, form)


@require_POST
def freeze_layers(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    title, seed = request.POST.get("title", ""), _seed(request)
    kept = layers.freeze(corpus, seed=seed, title=title, by=request.user)
    messages.success(request, _("Frozen. These figures will not change."))
    return redirect("layer_frozen", slug, code, kept.code)


@require_GET
def frozen_layers(
    request: HttpRequest, slug: str, code: str, report: str
) -> HttpResponse:
    """A report as it was frozen, and whether what it read has moved since."""
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    refuse_unknown(request.GET, {"names", "format"})
    kept = get_object_or_404(corpus.reports.select_related("created_by"), code=report)
    then = layers.thawed(kept)
    if request.GET.get("format") == "json":
        return _json(then, f"alignment-agreement-{kept.code}")
    page = layer_pages.frozen(then, kept, corpus, **_options(request))
    return render(request, "agreement/layers.html", page)


@require_GET
def layer_cases(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The pairs behind a figure: ``of`` names its table, the rest its place there."""
    corpus = access.corpus_or_404(request.user, slug, code, "report")
    sent = request.GET
    refuse_unknown(sent, {"of", "at", "x", "y", "seed", "names", "frozen"})
    report = _report(request, corpus)
    cell = (_place(request, "x"), _place(request, "y")) if sent.get("x") else None
    table, at = sent.get("of", ""), _place(request, "at")
    codes = layer_pages.behind(report.body, table, at, cell)
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


of_layers = [
    path("", layer_report, name="layer_report"),
    path("cases/", layer_cases, name="layer_cases"),
    path("chart/<slug:name>.<slug:form>", layer_chart, name="layer_chart"),
    path("freeze/", freeze_layers, name="layer_freeze"),
    path("frozen/<code:report>/", frozen_layers, name="layer_frozen"),
]
of_ratings = [
    path("", report, name="report"),
    path("cases/", report_cases, name="report_cases"),
    path("freeze/", freeze, name="report_freeze"),
    path("fresh/", fresh, name="report_fresh"),
    path("export/<slug:form>/", export, name="report_export"),
    path("chart/<slug:name>.<slug:form>", chart, name="report_chart"),
]
report_urls: list[URLPattern | URLResolver] = [
    path("", index, name="agreement"),
    path("upload/", upload, name="agreement_upload"),
    path("upload/<code:code>/", check, name="agreement_check"),
    path("corpus/<code:code>/", include(of_layers)),
    path("frozen/<code:code>/", frozen, name="frozen"),
    path("frozen/<code:code>/export/<slug:form>/", frozen_export, name="frozen_export"),
    path(
        "frozen/<code:code>/chart/<slug:name>.<slug:form>",
        frozen_chart,
        name="frozen_chart",
    ),
    path("<slug:kind>/<code:code>/", include(of_ratings)),
]
