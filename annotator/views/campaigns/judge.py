"""The judgment screen. It contains no item: its script fetches them
(``api.judging``)."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import AnonymousUser
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_http_methods

from annotator import access
from annotator.models import Campaign
from annotator.models.projects import id_of
from annotator.pages import judge
from annotator.services.campaigns import judging
from annotator.services.campaigns.messages import mark_read
from annotator.services.campaigns.messages import of as list_of


@require_GET
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """The campaigns this person judges in; straight to it if there is one."""
    project = access.project_or_404(request.user, slug)
    mine = project.campaigns.filter(participants__user_id=id_of(request.user))
    rows = list(mine.exclude(state=Campaign.State.DRAFT))
    if len(rows) == 1:
        return redirect("judge", slug, rows[0].code)
    return render(request, "judge/choose.html", {"project": project, "campaigns": rows})


@require_http_methods(["GET", "POST"])
def messages(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What the managers wrote to this person; POST marks it as read."""
    project = access.project_or_404(request.user, slug, "annotate")
    person = judging.participant_of(code, request.user)
    if request.method == "POST":
        mark_read(person, request.POST.get("message", ""))
        is_home = request.POST.get("back") == "home"
        return (
            redirect("projects") if is_home else redirect("judge_messages", slug, code)
        )
    page = {
        "project": project,
        "campaign": person.campaign,
        "shown": list_of(request.user, person.campaign),
    }
    return render(request, "judge/messages.html", page)


@never_cache
@ensure_csrf_cookie
@require_GET
def screen(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "annotate")
    person = judging.participant_of(code, request.user)
    page = judge.screen(person.campaign, request.user) | {"project": project}
    return render(request, "judge/screen.html", page)


@never_cache
@require_GET
def shell(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The same screen as a browser keeps it for a time without network: it names no
    one, and holds no token and no message."""
    project = access.project_or_404(request.user, slug, "annotate")
    person = judging.participant_of(code, request.user)
    request.user = AnonymousUser()
    page = judge.screen(person.campaign, request.user) | {"project": project}
    page |= {"shell": True, "messages": (), "csrf_token": ""}
    page["config"]["shell"] = ""
    return render(request, "judge/screen.html", page)


@login_not_required
@require_GET
def worker(_request: HttpRequest) -> FileResponse:
    """The service worker. Its address, at the root, lets it serve the judging path."""
    script = settings.WEB_DIR / "static" / "js" / "judge" / "worker.js"
    headers = {"Cache-Control": "no-cache"}
    return FileResponse(
        script.open("rb"), content_type="text/javascript", headers=headers
    )
