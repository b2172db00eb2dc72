"""The backups of the installation, for anyone who runs it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator import backups as files
from annotator.pages.site import backups as pages


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def backups(request: HttpRequest) -> HttpResponse:
    """What is kept; another can be asked for, or that one is tried again."""
    access.owner_or_404(request.user)
    if request.method == "POST":
        name = request.POST.get("verify", "")
        files.request(_named(name).name if name else files.ALL)
        messages.success(request, _("Requested; the worker starts within seconds."))
        return redirect("backups")
    return render(request, "installation/backups.html", pages.backups())


@never_cache
@login_required
@require_GET
def download(request: HttpRequest, name: str) -> FileResponse:
    access.owner_or_404(request.user)
    path = files.path_of(_named(name).name)
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name)


def _named(name: str) -> files.Backup:
    backup = files.find(name)
    if backup is None:
        raise Http404(_("There is no backup of this name."))
    return backup
