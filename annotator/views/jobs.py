"""Jobs: the list, one job with its progress and issues, cancelling."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotator import access
from annotator.models import Job
from annotator.services import jobs as service

SHOWN = 100
LINKED = {"run", "report", "campaign"}  # codes in a result


@login_required
@require_GET
def jobs(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    rows = list(project.jobs.select_related("by")[:SHOWN])
    context = {
        "project": project,
        "jobs": rows,
        "waiting": any(row.state == Job.State.QUEUED for row in rows),
        "worker": service.is_worker_alive(),
    }
    part = "_list" if request.headers.get("HX-Request") else "jobs"
    return render(request, f"jobs/{part}.html", context)


@login_required
@require_GET
def job(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    found = get_object_or_404(project.jobs.select_related("by"), code=code)
    context = {
        "project": project,
        "job": found,
        "told": _told(found.result),
        "issues": found.issues.all()[:SHOWN],
        "n_issues": found.issues.count(),
        "ahead": Job.objects.active().filter(pk__lt=found.pk).count(),
        "worker": service.is_worker_alive(),
        "may_cancel": found.by_id == request.user.pk
        or access.may(request.user, "run", project),
    }
    part = "_status" if request.headers.get("HX-Request") else "job"
    return render(request, f"jobs/{part}.html", context)


def _told(result: dict[str, Any]) -> list[tuple[str, str]]:
    """What a job found out, for people; codes are links elsewhere on the page."""
    shown = {k: v for k, v in result.items() if k not in LINKED}
    return [(k.replace("_", " ").capitalize(), _plain(v)) for k, v in shown.items()]


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{_plain(v)} {k.replace('_', ' ')}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return str(value)


@login_required
@require_POST
def cancel(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    found = get_object_or_404(project.jobs, code=code)
    service.cancel(found, by=request.user)
    return redirect("job", slug, code)
