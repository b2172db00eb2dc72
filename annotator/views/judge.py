"""The judgment screen. It carries no item: the desk brings them (``api.judging``)."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET

from annotator import access
from annotator.models import Campaign, RatingScale
from annotator.models.projects import id_of
from annotator.services import desk
from annotator.services.judging import SKIP_REASONS
from annotator.services.preferring import COMMANDS
from annotator.services.scales import scales_for

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
        "config": _config(request, code, scales),
    }
    return render(request, "judge/screen.html", context)


def _config(
    request: HttpRequest, code: str, scales: tuple[RatingScale, ...]
) -> dict[str, Any]:
    """What the scripts need to begin."""
    return {
        "desk": reverse("api_desk", args=[code]),
        "answers": reverse("api_answers", args=[code]),
        "preferences": reverse("api_judge_preference"),
        "signIn": reverse("sign_in"),
        "campaign": code,
        "user": request.user.get_username(),
        "scales": [
            {
                "name": s.name,
                "title": s.title,
                "kind": s.kind,
                "low": s.low,
                "high": s.high,
            }
            for s in scales
        ],
        "keys": {name: key for name, (key, _) in COMMANDS.items()},
        "preference": desk.preference(request.user),
    }
