"""Jobs: the list, one job with its progress and issues, cancelling."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotator import access
from annotator.models import Job
from annotator.pages import jobs as pages
from annotator.services import jobs as service


@require_GET
def jobs(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    part = "_list" if request.headers.get("HX-Request") else "jobs"
    return render(request, f"jobs/{part}.html", pages.listed(project, by=request.user))


@require_GET
def job(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    job = get_object_or_404(
        Job.objects.visible_to(request.user).select_related("by"),
        project=project,
        code=code,
    )
    job.project = project
    part = "_status" if request.headers.get("HX-Request") else "job"
    shown = pages.shown(job, by=request.user)
    return render(request, f"jobs/{part}.html", shown)


@require_POST
def cancel(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    job = get_object_or_404(
        Job.objects.visible_to(request.user), project=project, code=code
    )
    service.cancel(job, by=request.user)
    return redirect("job", slug, code)
