"""The steps of setting a campaign up: scales, guideline, rules, people."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.models import RatingScale
from annotator.pages.campaigns import overview as pages
from annotator.pages.campaigns import rules as rules_page
from annotator.pages.site.settings import invitations
from annotator.services.campaigns import participants, setup
from annotator.services.campaigns.scales import set_scales
from annotator.views.projects import change_links

__all__ = ["batches", "guideline", "people", "rules", "scales"]


@login_required
@require_http_methods(["GET", "POST"])
def scales(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Titles, questions, anchors, values, thresholds."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    context: dict[str, Any] = {"project": campaign.project, "campaign": campaign}
    status = 200
    if request.method == "POST":
        try:
            set_scales(campaign, _scales_of(request.POST), by=request.user)
        except Refusal as error:
            context["problem"], status = str(error), error.status
        else:
            messages.success(request, _("The scales are stored."))
            return redirect("campaign", slug, code)
    context["scales"] = campaign.scales.all()
    context["kinds"] = RatingScale.Kind.choices
    return render(request, "campaigns/scales.html", context, status=status)


def _scales_of(sent: QueryDict) -> list[dict[str, Any]]:
    """The scales a form sends: one line a point, ``value | label | anchor``."""
    scales = []
    for n in sent.getlist("scale"):
        if not n.isdigit() or sent.get(f"drop-{n}"):
            continue
        names = ("name", "title", "question", "kind", "low", "high", "threshold")
        scale: dict[str, Any] = {name: sent.get(f"{name}-{n}", "") for name in names}
        if not scale["title"].strip():
            continue
        lines = sent.get(f"points-{n}", "").splitlines()
        scale["points"] = [_point(line) for line in lines if line.strip()]
        scales.append(scale)
    return scales


def _point(line: str) -> dict[str, str]:
    """``value | anchor``, or ``value | label | anchor``."""
    value, *words = (cell.strip() for cell in line.split("|", 2))
    label = words[0] if len(words) == 2 else value
    return {"value": value, "label": label, "anchor": words[-1] if words else ""}


@login_required
@require_http_methods(["GET", "POST"])
def guideline(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    if request.method == "POST":
        made = setup.write_guideline(
            campaign, request.POST.get("text", ""), by=request.user
        )
        message = _("Guideline %(n)s is what judges see now.") % {"n": made.number}
        messages.success(request, message)
        return redirect("campaign", slug, code)
    versions = list(campaign.guidelines.select_related("by"))
    context = {"project": campaign.project, "campaign": campaign, "versions": versions}
    return render(request, "campaigns/guideline.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def rules(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Who judges how much, checks, leases, money."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    if request.method == "GET":
        return render(request, "campaigns/rules.html", rules_page.rules(campaign))
    sent = request.POST.dict()
    wanted, problems = rules_page.read(campaign, sent)
    try:
        if problems:
            raise BadRequest(_("Nothing is stored yet: look at the fields below."))
        setup.change(campaign, wanted, by=request.user)
    except Refusal as error:
        campaign.refresh_from_db()
        context = rules_page.rules(campaign, sent, problems) | {"problem": str(error)}
        return render(request, "campaigns/rules.html", context, status=error.status)
    messages.success(request, _("The rules are stored."))
    return redirect("campaign_design", slug, code)


@login_required
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Choose among the members who judges, and which batches; links for others."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    context: dict[str, Any] = {}
    if request.POST.get("what") in ("invite", "revoke"):
        context = change_links(request, campaign.project, campaign)
    if request.method == "GET" or context or request.POST.get("what") == "revoke":
        context |= pages.people(campaign) | invitations(campaign.project, campaign)
        return render(request, "campaigns/people.html", context)
    names, batches = (request.POST.getlist(name) for name in ("person", "batch"))
    try:
        made = participants.add_members(campaign, names, batches, by=request.user)
    except Refusal as error:
        messages.error(request, str(error))
        return redirect("campaign_people", slug, code)
    n = len(made)
    message = ngettext("%(n)s more judges now.", "%(n)s more judge now.", n) % {"n": n}
    messages.success(request, message)
    return redirect("campaign", slug, code)


@login_required
@require_POST
def batches(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Who judges which batches: a list of batches for every person."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    wanted = {
        person.code: request.POST.getlist(f"of-{person.code}")
        for person in campaign.participants.all()
        if f"seen-{person.code}" in request.POST
    }
    try:
        participants.share_batches(campaign, wanted, by=request.user)
    except Refusal as error:
        messages.error(request, str(error))
    else:
        message = _("Stored: everybody gets the batches ticked here.")
        messages.success(request, message)
    return redirect("campaign_people", slug, code)
