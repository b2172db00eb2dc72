"""Campaigns for those who run them: the list, one with its progress, its actions."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown, whole
from annotator.models import Campaign, Participant, Project
from annotator.models.projects import id_of
from annotator.services import (
    campaign_export,
    campaign_items,
    designing,
    jobs,
    progress,
)
from annotator.services import campaigns as service
from annotator.services.scales import TEMPLATES

__all__ = ["act", "campaign", "campaigns", "design", "flags", "new", "table"]


@login_required
@require_GET
def campaigns(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    mine = project.campaigns.filter(participants__user_id=id_of(request.user))
    may_see = access.may(request.user, "see_others", project)
    context = {
        "project": project,
        "campaigns": project.campaigns.all() if may_see else [],
        "mine": list(mine.exclude(state=Campaign.State.DRAFT)),
        "may_manage": access.may(request.user, "manage", project),
        "may_see": may_see,
    }
    return render(request, "campaigns/campaigns.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "manage")
    context: dict[str, Any] = {"project": project, "templates": TEMPLATES}
    if request.method == "POST":
        try:
            made = service.create(
                project,
                request.POST.get("name", ""),
                by=request.user,
                template=request.POST.get("template", "substitution"),
            )
        except Refusal as error:
            context |= {"problem": str(error), "name": request.POST.get("name", "")}
            return render(request, "campaigns/new.html", context, status=error.status)
        return redirect("campaign_items", slug, made.code)
    return render(request, "campaigns/new.html", context)


@login_required
@require_GET
def campaign(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One campaign: what it still lacks, or how far it is."""
    project, found = _campaign(request, slug, code)
    context = {
        "project": project,
        "campaign": found,
        "progress": progress.of(found),
        "scales": found.scales.all(),
        "may_manage": access.may(request.user, "manage", project),
        "may_curate": access.may(request.user, "curate", project),
        "may_export": access.may(request.user, "export", project),
        "is_judge": found.participants.filter(user_id=id_of(request.user)).exists(),
        "states": [Participant.State.ACTIVE, Participant.State.PAUSED],
    }
    return render(request, "campaigns/campaign.html", context)


@login_required
@require_GET
def design(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What the set-up costs and what it can show, before anybody judges."""
    project, found = _campaign(request, slug, code)
    names = ("agreement", "p", "q", "correlation", "rho", "people")
    refuse_unknown(request.GET, set(names))
    guess = designing.Guess.read(request.GET.dict())
    context = {
        "project": project,
        "campaign": found,
        "guess": guess,
        "design": designing.design(found, guess),
        "may_manage": access.may(request.user, "manage", project),
    }
    return render(request, "campaigns/design.html", context)


@login_required
@require_GET
def flags(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What judges say is wrong with items, and what they skipped."""
    project, found = _campaign(request, slug, code)
    context = {
        "project": project,
        "campaign": found,
        "flagged": campaign_export.flagged(found),
        "may_manage": access.may(request.user, "manage", project),
    }
    return render(request, "campaigns/flags.html", context)


@login_required
@require_GET
def table(request: HttpRequest, slug: str, code: str) -> StreamingHttpResponse:
    """All judgments as a TSV, streamed."""
    _, found = _campaign(request, slug, code)
    lines = campaign_export.rows(found, by=request.user)
    response = StreamingHttpResponse(
        lines, content_type="text/tab-separated-values; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="judgments-{code}.tsv"'
    return response


@login_required
@require_POST
def act(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Open, pause, close; pause a batch; change a participant; rehearse."""
    _, found = _campaign(request, slug, code)
    what = request.POST.get("what", "")
    if what not in ACTIONS:
        raise BadRequest(f"There is no action {what!r}.", field="what")
    try:
        done = ACTIONS[what](request, found)
    except Refusal as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect(
        (request.POST.get("back") == "design" and "campaign_design") or "campaign",
        slug,
        code,
    )


def _open(request: HttpRequest, found: Campaign) -> str:
    service.open_campaign(found, by=request.user)
    return "Open: people can judge now."


def _pause(request: HttpRequest, found: Campaign) -> str:
    service.pause(found, by=request.user)
    return "Paused: nothing more is given out; answers under way are still stored."


def _close(request: HttpRequest, found: Campaign) -> str:
    service.close(found, by=request.user)
    return "Closed."


def _batch(request: HttpRequest, found: Campaign) -> str:
    batch = get_object_or_404(found.batches, code=request.POST.get("batch", ""))
    service.set_batch_paused(batch, paused=not batch.is_paused, by=request.user)
    return f"{batch.name} {'pauses' if batch.is_paused else 'goes on'}."


def _person(request: HttpRequest, found: Campaign) -> str:
    people = found.participants.select_related("campaign__project", "user")
    person = get_object_or_404(people, code=request.POST.get("person", ""))
    service.set_participant(
        person,
        by=request.user,
        state=request.POST.get("state", ""),
        quota=request.POST.get("quota", ""),
    )
    return f"{person}: {person.get_state_display().lower()}."


def _baseline(request: HttpRequest, found: Campaign) -> str:
    name = request.POST.get("condition", "")
    condition = get_object_or_404(found.conditions, name=name)
    service.set_baseline(condition, by=request.user)
    return f"Conditions are compared with {condition.name}."


def _withdraw(request: HttpRequest, found: Campaign) -> str:
    items = found.items.select_related("campaign__project")
    item = get_object_or_404(items, code=request.POST.get("item", ""))
    campaign_items.withdraw(item, by=request.user)
    return "Withdrawn: nobody gets that item any more; its answers stay."


def _rehearse(request: HttpRequest, found: Campaign) -> str:
    access.require(request.user, "manage", found.project)
    people = whole(request.POST.get("people", "3"), 1, 50)
    if people is None:
        raise BadRequest("From 1 to 50 annotators, please.", field="people")
    jobs.create(
        found.project,
        "rehearse",
        title=f"Rehearsal of {found.name}",
        by=request.user,
        params={"campaign": found.code, "people": people},
        seed=found.seed,
    )
    return "The rehearsal has begun; it appears among the campaigns, see Jobs."


ACTIONS = {
    "open": _open,
    "pause": _pause,
    "close": _close,
    "batch": _batch,
    "person": _person,
    "baseline": _baseline,
    "rehearse": _rehearse,
    "withdraw": _withdraw,
}


def _campaign(request: HttpRequest, slug: str, code: str) -> tuple[Project, Campaign]:
    project = access.project_or_404(request.user, slug, "see_others")
    rows = project.campaigns.select_related("project")
    return project, get_object_or_404(rows, code=code)
