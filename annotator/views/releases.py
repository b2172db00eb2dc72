"""Sealed releases of a project."""

from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest, NotAllowed, Refusal
from annotator.http.answers import form_page
from annotator.models import Job, Project
from annotator.pages.site import releases as pages
from annotator.services.releases import kept


@never_cache
@require_http_methods(["GET", "POST"])
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    """Releases; POST requests another or deletes a file."""
    project = access.project_or_404(request.user, slug)
    if not access.may(request.user, "export", project):
        raise NotAllowed(_("Only people who may export can see releases."))
    return form_page(
        request,
        "releases/releases.html",
        lambda: pages.releases(project, by=request.user),
        lambda: _act(request, project),
        refused=_refused,
        catch=BadRequest,
    )


def _refused(error: Refusal, request: HttpRequest) -> dict[str, Any]:
    return {
        "problem": str(error),
        "licence": request.POST.get("licence", ""),
        "chosen": request.POST.getlist("part"),
    }


def _act(request: HttpRequest, project: Project) -> HttpResponse:
    if code := request.POST.get("forget"):
        kept.forget(project, code, by=request.user)
        return redirect("releases", project.slug)
    return redirect("job", project.slug, _start(request, project).code)


def _start(request: HttpRequest, project: Project) -> Job:
    if request.POST.get("what") == "everything":
        return kept.start_everything(project, by=request.user)
    return kept.start(
        project,
        by=request.user,
        with_texts="texts" in request.POST,
        accepts="accepts" in request.POST,
        chosen=request.POST.getlist("part") if "choice" in request.POST else None,
        licence=request.POST.get("licence", ""),
    )


@never_cache
@require_GET
def download(request: HttpRequest, slug: str, code: str) -> FileResponse:
    project = access.project_or_404(request.user, slug)
    path = kept.file_of(project, code, by=request.user)
    if path is None:
        raise Http404("This server does not have this release.")
    name = f"{project.slug}-{code}.zip"
    return FileResponse(path.open("rb"), as_attachment=True, filename=name)
