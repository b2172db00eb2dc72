"""What runs here: backups, for who owns it; its state, for programs that watch."""

from hmac import compare_digest

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from annotator import access
from annotator import backups as files
from annotator.monitoring import metrics, readiness
from annotator.pages.site import backups as pages


@never_cache
@require_http_methods(["GET", "POST"])
def backups(request: HttpRequest) -> HttpResponse:
    """Stored backups; POST requests one or verifies one again."""
    access.owner_or_404(request.user)
    if request.method == "POST":
        name = request.POST.get("verify", "")
        files.request(_named(name).name if name else files.ALL)
        messages.success(request, _("Requested; the worker starts within seconds."))
        return redirect("backups")
    return render(request, "installation/backups.html", pages.backups())


@never_cache
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


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """This process answers; nothing else is checked."""
    return JsonResponse({"state": "alive"})


@login_not_required
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """The requirements for serving people; 503 if something is missing."""
    states = readiness.states()
    is_ready = all(state.is_good for state in states)
    body = {
        "state": "ready" if is_ready else "not ready",
        "checks": {state.name: state.detail or "good" for state in states},
    }
    return JsonResponse(body, status=200 if is_ready else 503)


@login_not_required
@require_safe
def metrics_text(request: HttpRequest) -> HttpResponse:
    """For holders of the token; without a configured token the page does not exist."""
    if not metrics.is_on():
        raise Http404
    given = request.headers.get("Authorization", "")
    if not compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode()):
        answer = HttpResponse("Send the metrics token.\n", status=401)
        answer["WWW-Authenticate"] = "Bearer"
        return answer
    text, media_type = metrics.text()
    return HttpResponse(text, content_type=media_type)
