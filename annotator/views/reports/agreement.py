"""Agreement reports: live, frozen, exported, and the items behind their figures."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown, whole
from annotator.models import Project
from annotator.pages import agreement as pages
from annotator.services.reports import (
    agreement,
    cases,
    jobs,
    layers,
    query,
    rating_sets,
)
from annotator.services.reports.agreement import ReportSource

READ = {*query.FILTERS, *query.VIEW}


@login_required
@require_GET
def index(request: HttpRequest, slug: str) -> HttpResponse:
    """What there is to report on, and what was frozen."""
    project = access.project_or_404(request.user, slug, "report")
    context = {
        "project": project,
        "campaigns": project.campaigns.all(),
        "sets": project.rating_sets.all(),
        "corpora": layers.corpora_with_layers(project),
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
    status = 200
    if request.method == "POST":
        try:
            return _upload(request, project)
        except Refusal as error:
            context |= {"error": str(error).split("\n"), "sent": request.POST}
            status = error.status
    return render(request, "agreement/upload.html", context, status=status)


def _upload(request: HttpRequest, project: Project) -> HttpResponse:
    sent = request.FILES.get("file")
    if sent is None:
        raise BadRequest("Choose a file.", field="file")
    name, form = request.POST.get("name", ""), request.POST.get("format", "")
    made = rating_sets.add(project, sent, name=name, form=form, by=request.user)
    return redirect("report", project.slug, "ratings", made.code)


@login_required
@require_GET
def report(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """The live report."""
    source = _source(request, slug, kind, code)
    refuse_unknown(request.GET, READ)
    asked, filters = query.parse(request.GET), query.filters_of(request.GET)
    if jobs.is_large(source) and request.GET.get("wait") != "1":
        context = pages.large(source, filters=filters, by=request.user)
        return render(request, "agreement/large.html", context)
    view = pages.ReportView.of(request.GET)
    context = pages.live(source, asked, view, filters=filters, by=request.user)
    return render(request, "agreement/report.html", context)


@login_required
@require_GET
def report_cases(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """The items that a figure counts, with everything said of them."""
    source = _source(request, slug, kind, code)
    fields = {*query.FILTERS, *cases.CASE_FIELDS, "page", "names"}
    refuse_unknown(request.GET, fields)
    view = pages.ReportView.of(request.GET)
    context = pages.cases_of(source, request.GET, view, by=request.user)
    return render(request, "agreement/cases.html", context)


@login_required
@require_POST
def freeze(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    source = _source(request, slug, kind, code)
    asked = query.parse(request.GET)
    said = {
        "query": query.filters_of(request.GET),
        "title": request.POST.get("title", ""),
    }
    if jobs.is_large(source):
        job = jobs.start(source, **said, by=request.user)
        return redirect("job", slug, job.code)
    query.check(asked, source.read().data)
    kept = agreement.freeze(source, asked, **said, by=request.user)
    messages.success(request, "Frozen. These figures will not change any more.")
    return redirect("frozen", slug, kept.code)


@login_required
@require_GET
def fresh(request: HttpRequest, slug: str, kind: str, code: str) -> HttpResponse:
    """How many judgments are newer than the report in somebody's browser."""
    source = _source(request, slug, kind, code)
    since = whole(request.GET.get("since", ""), 0, 2**53)
    if since is None:
        raise BadRequest("since: a number is wanted.", field="since")
    return JsonResponse({"newer": agreement.newer(source, since)})


@login_required
@require_GET
def export(
    request: HttpRequest, slug: str, kind: str, code: str, form: str
) -> HttpResponse:
    """The live report as a file."""
    source = _source(request, slug, kind, code)
    refuse_unknown(request.GET, READ)
    asked = query.parse(request.GET)
    query.check(asked, source.read().data)
    body, _ = agreement.report(source, asked)
    return _file(body, form, f"agreement-{source.code}")


@login_required
@require_GET
def frozen(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A report as it was frozen, and whether its data has moved since."""
    project = access.project_or_404(request.user, slug, "report")
    refuse_unknown(request.GET, set(query.VIEW))
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
