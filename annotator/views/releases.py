"""Sealed releases of a project."""

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.errors import BadRequest, NotAllowed
from annotator.models import Job, Project
from annotator.services.releases import kept, making


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    """What was released; another is asked for, or a file taken away."""
    project = access.project_or_404(request.user, slug)
    if not access.may(request.user, "export", project):
        raise NotAllowed(_("Releases are for those who may export."))
    error = None
    if request.method == "POST":
        if code := request.POST.get("forget"):
            kept.forget(project, code, by=request.user)
            return redirect("releases", slug)
        try:
            return redirect("job", slug, _start(request, project).code)
        except BadRequest as refused:
            error = refused
    context = {
        "project": project,
        "error": error,
        "warnings": making.warnings_of(project),
        "kept": kept.kept(project, by=request.user),
        "may_make": access.may(request.user, "manage", project),
    }
    status = 400 if error else 200
    return render(request, "releases/releases.html", context, status=status)


def _start(request: HttpRequest, project: Project) -> Job:
    if request.POST.get("what") == "everything":
        return kept.start_everything(project, by=request.user)
    return kept.start(
        project,
        by=request.user,
        with_texts="texts" in request.POST,
        accepts="accepts" in request.POST,
    )


@never_cache
@login_required
@require_GET
def download(request: HttpRequest, slug: str, code: str) -> FileResponse:
    project = access.project_or_404(request.user, slug)
    path = kept.file_of(project, code, by=request.user)
    if path is None:
        raise Http404("This release is not kept here.")
    name = f"{project.slug}-{code}.zip"
    return FileResponse(path.open("rb"), as_attachment=True, filename=name)
