"""Agreement reports: live, frozen, exported, and the items behind their figures."""

from typing import Any, BinaryIO, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
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
from annotator.forms import refuse_unknown, whole
from annotator.http.answers import form_page
from annotator.models import Project
from annotator.pages.agreement import ratings as rating_pages
from annotator.pages.agreement import views as pages
from annotator.services.reports import agreement, cases, rating_sets, rating_tables
from annotator.services.reports.agreement import ReportSource
from core.errors import InvalidValue

FORMATS = {
    rating_tables.TABLE: gettext_lazy(
        "any table, or another tool's export: read on the next page"
    ),
    **{
        name: format_lazy(gettext_lazy("{name}, unchanged"), name=name)
        for name in rating_sets.FORMATS
    },
}
READ = {*agreement.FILTERS, *agreement.VIEW}


@login_required
@require_GET
def index(request: HttpRequest, slug: str) -> HttpResponse:
    """What there is to report on, and what was frozen."""
    project = access.project_or_404(request.user, slug, "report")
    page = pages.index(project, by=request.user)
    return render(request, "agreement/index.html", page)


@login_required
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
    made = rating_sets.add(project, sent, name=name, form=form, by=request.user)
    return redirect("report", project.slug, "ratings", made.code)


@login_required
@require_http_methods(["GET", "POST"])
def check(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What a table of ratings holds, read as the form says; "take" stores it."""
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


@login_required
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


@login_required
@require_GET
def report_cases(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """The items that a figure counts, with everything said of them."""
    source = _source(request, slug, kind, code)
    fields = {*agreement.FILTERS, *cases.CASE_FIELDS, "page", "names"}
    refuse_unknown(request.GET, fields)
    view = pages.ReportView.of(request.GET)
    context = pages.cases_of(source, request.GET, view, by=request.user)
    return render(request, "agreement/cases.html", context)


@login_required
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


@login_required
@require_GET
def fresh(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """How many judgments are newer than the report in someone's browser."""
    source = _source(request, slug, kind, code)
    since = whole(request.GET.get("since", ""), 0, 2**53)
    if since is None:
        raise BadRequest(_("since must be a number."), field="since")
    return JsonResponse({"newer": agreement.newer(source, since)})


@login_required
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


@login_required
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


@login_required
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
