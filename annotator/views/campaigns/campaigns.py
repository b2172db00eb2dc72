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
from annotator.forms import number, refuse_unknown
from annotator.models import Campaign
from annotator.pages.campaigns import overview as pages
from annotator.services.campaigns import design as plans
from annotator.services.campaigns import exports, items, setup, simulation
from annotator.services.campaigns.scales import TEMPLATES

__all__ = ["act", "campaign", "campaigns", "design", "flags", "new", "table"]


@login_required
@require_GET
def campaigns(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    page = pages.listed(project, by=request.user)
    return render(request, "campaigns/campaigns.html", page)


@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "manage")
    context: dict[str, Any] = {"project": project, "templates": TEMPLATES}
    if request.method == "GET":
        return render(request, "campaigns/new.html", context)
    name, template = (request.POST.get(n, "") for n in ("name", "template"))
    try:
        made = setup.create(
            project, name, by=request.user, template=template or "substitution"
        )
    except Refusal as error:
        context |= {"problem": str(error), "name": name}
        return render(request, "campaigns/new.html", context, status=error.status)
    return redirect("campaign_items", slug, made.code)


@login_required
@require_GET
def campaign(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One campaign: what it still lacks, or how far it is."""
    found = access.campaign_or_404(request.user, slug, code, "see_others")
    page = pages.overview(found, by=request.user)
    return render(request, "campaigns/campaign.html", page)


@login_required
@require_GET
def design(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What the set-up costs and what it can show, before anybody judges."""
    found = access.campaign_or_404(request.user, slug, code, "see_others")
    names = ("agreement", "p", "q", "correlation", "rho", "people")
    refuse_unknown(request.GET, set(names))
    guess = plans.Guess.read(request.GET.dict())
    context = {
        "project": found.project,
        "campaign": found,
        "guess": guess,
        "design": plans.design(found, guess),
        "may_manage": access.may(request.user, "manage", found.project),
    }
    return render(request, "campaigns/design.html", context)


@login_required
@require_GET
def flags(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What judges say is wrong with items, and what they skipped."""
    found = access.campaign_or_404(request.user, slug, code, "see_others")
    context = {
        "project": found.project,
        "campaign": found,
        "flagged": exports.flagged(found),
        "may_manage": access.may(request.user, "manage", found.project),
    }
    return render(request, "campaigns/flags.html", context)


@login_required
@require_GET
def table(request: HttpRequest, slug: str, code: str) -> StreamingHttpResponse:
    """All judgments as a TSV, streamed."""
    found = access.campaign_or_404(request.user, slug, code, "see_others")
    lines = exports.rows(found, by=request.user)
    response = StreamingHttpResponse(
        lines, content_type="text/tab-separated-values; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="judgments-{code}.tsv"'
    return response


@login_required
@require_POST
def act(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Open, pause, close; pause a batch; change a participant; rehearse."""
    found = access.campaign_or_404(request.user, slug, code, "see_others")
    what = request.POST.get("what", "")
    if what not in ACTIONS:
        raise BadRequest(f"There is no action {what!r}.", field="what")
    try:
        messages.success(request, ACTIONS[what](request, found))
    except Refusal as error:
        messages.error(request, str(error))
    is_designing = request.POST.get("back") == "design"
    return redirect("campaign_design" if is_designing else "campaign", slug, code)


def _open(request: HttpRequest, found: Campaign) -> str:
    setup.open_campaign(found, by=request.user)
    return "Open: people can judge now."


def _pause(request: HttpRequest, found: Campaign) -> str:
    setup.pause(found, by=request.user)
    return "Paused: nothing more is given out; answers under way are still stored."


def _close(request: HttpRequest, found: Campaign) -> str:
    setup.close(found, by=request.user)
    return "Closed."


def _batch(request: HttpRequest, found: Campaign) -> str:
    batch = get_object_or_404(found.batches, code=request.POST.get("batch", ""))
    setup.set_batch_paused(batch, paused=not batch.is_paused, by=request.user)
    return f"{batch.name} {'pauses' if batch.is_paused else 'goes on'}."


def _person(request: HttpRequest, found: Campaign) -> str:
    people = found.participants.select_related("campaign__project", "user")
    person = get_object_or_404(people, code=request.POST.get("person", ""))
    setup.set_participant(
        person,
        by=request.user,
        state=request.POST.get("state", ""),
        quota=request.POST.get("quota", ""),
    )
    return f"{person}: {person.get_state_display().lower()}."


def _baseline(request: HttpRequest, found: Campaign) -> str:
    name = request.POST.get("condition", "")
    condition = get_object_or_404(found.conditions, name=name)
    setup.set_baseline(condition, by=request.user)
    return f"Conditions are compared with {condition.name}."


def _withdraw(request: HttpRequest, found: Campaign) -> str:
    rows = found.items.select_related("campaign__project")
    item = get_object_or_404(rows, code=request.POST.get("item", ""))
    items.withdraw(item, by=request.user)
    return "Withdrawn: nobody gets that item any more; its answers stay."


def _rehearse(request: HttpRequest, found: Campaign) -> str:
    most, sent = simulation.MAX_PEOPLE, request.POST.get("people", "3")
    problem = f"From 1 to {most} annotators, please."
    people = number(sent, 1, most, field="people", problem=problem)
    simulation.start(found, people=people, by=request.user)
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
