"""The judgment screen. It carries no item: the desk brings them (``api.judging``)."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET

from annotator import access
from annotator.models import Campaign
from annotator.models.projects import id_of
from annotator.pages import judge
from annotator.services.campaigns import desk
from annotator.services.campaigns.answers import SKIP_REASONS
from annotator.services.campaigns.preferences import COMMANDS
from annotator.services.campaigns.scales import scales_for

__all__ = ["choose", "screen"]


@login_required
@require_GET
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """The campaigns this person judges in; straight to it if there is one."""
    project = access.project_or_404(request.user, slug)
    mine = project.campaigns.filter(participants__user_id=id_of(request.user))
    rows = list(mine.exclude(state=Campaign.State.DRAFT))
    if len(rows) == 1:
        return redirect("judge", slug, rows[0].code)
    return render(request, "judge/choose.html", {"project": project, "campaigns": rows})


@never_cache
@ensure_csrf_cookie
@login_required
@require_GET
def screen(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "annotate")
    person = desk.participant_of(code, request.user)
    scales = scales_for(person.campaign)
    context = {
        "project": project,
        "name": person.campaign.name,
        "mode": person.campaign.mode,
        "scales": scales,
        "reasons": SKIP_REASONS,
        "commands": [(name, *COMMANDS[name]) for name in COMMANDS],
        "config": judge.config(code, request.user, scales),
    }
    return render(request, "judge/screen.html", context)
