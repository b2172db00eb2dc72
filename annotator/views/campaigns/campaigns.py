"""Campaigns for their managers: the list, one with its progress, its actions."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.exchange.written import FORMS
from annotator.forms import number, refuse_unknown
from annotator.http.answers import form_page
from annotator.models import Campaign, Judgment, Participant
from annotator.pages.campaigns import annotator as annotators
from annotator.pages.campaigns import overview as pages
from annotator.pages.campaigns import plan
from annotator.services.campaigns import (
    items,
    machines,
    participants,
    setting_aside,
    setup,
    sharing,
    simulation,
)
from annotator.services.campaigns import messages as notes
from annotator.services.campaigns.answers import SKIP_REASONS
from annotator.services.campaigns.scales import templates
from annotator.services.reports import exports


@require_GET
def campaigns(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug)
    page = pages.listed(project, by=request.user)
    return render(request, "campaigns/campaigns.html", page)


@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.project_or_404(request.user, slug, "manage")
    name = request.POST.get("name", "")
    titles = {code: _(one.title) for code, one in templates().items()}
    page = {"project": project, "templates": titles, "name": name}

    def act() -> HttpResponse:
        template = request.POST.get("template", "") or "substitution"
        made = items.begin(project, name, template, by=request.user)
        return redirect("campaign_items", slug, made.code)

    return form_page(request, "campaigns/new.html", lambda: page, act)


@require_GET
def campaign(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One campaign: what is missing, or its progress."""
    campaign = access.campaign_or_404(request.user, slug, code, "see_others")
    refuse_unknown(request.GET, {"people"})
    page = pages.overview(campaign, by=request.user, page=request.GET.get("people", ""))
    return render(request, "campaigns/campaign.html", page)


@require_GET
def design(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The cost of the set-up and what it can detect, before anyone judges."""
    campaign = access.campaign_or_404(request.user, slug, code, "see_others")
    refuse_unknown(request.GET, set(plan.READ))
    page = plan.plan(campaign, request.GET.dict(), by=request.user)
    status = 400 if page["problem"] else 200
    return render(request, "campaigns/design.html", page, status=status)


@require_GET
def flags(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Items that judges flagged or skipped."""
    campaign = access.campaign_or_404(request.user, slug, code, "see_others")
    flagged = exports.flagged(campaign)
    answers = notes.threads(flagged)
    context = {
        "project": campaign.project,
        "campaign": campaign,
        "flagged": [
            (one, answers[one.pk], SKIP_REASONS.get(one.skip_reason, one.skip_reason))
            for one in flagged
        ],
        "may_see_names": access.may(request.user, "see_names", campaign.project),
        "may_manage": access.may(request.user, "manage", campaign.project),
    }
    return render(request, "campaigns/flags.html", context)


@require_http_methods(["GET", "POST"])
def annotator(request: HttpRequest, slug: str, code: str, person: str) -> HttpResponse:
    """One annotator: speed, checks, agreement, answers; POST sets answers aside."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    refuse_unknown(request.GET, {"show", "page"})
    people = campaign.participants.select_related("campaign__project", "user")
    row = get_object_or_404(people, code=person)
    if request.method == "GET":
        page = annotators.annotator(campaign, row, request.GET.dict())
        return render(request, "campaigns/annotator.html", page)
    try:
        messages.success(request, _moved(request, row))
    except Refusal as error:
        messages.error(request, str(error))
    here = reverse("campaign_annotator", args=[slug, code, person])
    return redirect(f"{here}?{request.GET.urlencode()}" if request.GET else here)


def _moved(request: HttpRequest, person: Participant) -> str:
    if batch := request.POST.get("restore", ""):
        n = setting_aside.bring_back(person, batch, by=request.user)
        return ngettext(
            "%(n)s answer counts again.", "%(n)s answers count again.", n
        ) % {"n": n}
    one = request.POST.get("judgment", "")
    if not one and request.POST.get("all") != "yes":
        raise BadRequest(_("Choose the answers to set aside."), field="judgment")
    n = setting_aside.set_aside(person, [one] if one else None, by=request.user)
    return ngettext(
        "%(n)s answer was set aside. Other people get the item.",
        "%(n)s answers were set aside. Other people get the items.",
        n,
    ) % {"n": n}


@require_GET
def export(
    request: HttpRequest, slug: str, code: str, form: str, what: str
) -> StreamingHttpResponse:
    """A table of the campaign as a file, streamed. ``what``: see ``exports.TABLES``."""
    campaign = access.campaign_or_404(request.user, slug, code, "see_others")
    refuse_unknown(request.GET, {"names"} if what == "judgments" else set())
    if form not in FORMS:
        raise Http404
    more = {"names": True} if request.GET.get("names") == "yes" else {}
    table = exports.TABLES[what](campaign, by=request.user, **more)
    file = FORMS[form]
    response = StreamingHttpResponse(file.write(table), content_type=file.media)
    name = f"{what}-{code}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_POST
def act(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Open, pause, close; pause a batch; change a participant; rehearse."""
    campaign = access.campaign_or_404(request.user, slug, code, "see_others")
    what = request.POST.get("what", "")
    if what not in ACTIONS:
        problem = _("There is no action %(name)s.") % {"name": repr(what)}
        raise BadRequest(problem, field="what")
    try:
        messages.success(request, ACTIONS[what](request, campaign))
    except Refusal as error:
        messages.error(request, str(error))
    back = request.POST.get("back", "")
    if back == "annotator":
        return redirect("campaign_annotator", slug, code, request.POST["person"])
    return redirect(BACK.get(back, "campaign"), slug, code)


def _open(request: HttpRequest, campaign: Campaign) -> str:
    if "judges" in request.POST:
        by_key = {one.key: one for one in sharing.choices(campaign)}
        if (chosen := by_key.get(request.POST["judges"])) is None:
            problem = _("Choose how many people judge each item.")
            raise BadRequest(problem, field="judges")
        setup.change(campaign, chosen.settings, by=request.user)
    setup.open_campaign(campaign, by=request.user)
    return _("Open: people can judge now.")


def _pause(request: HttpRequest, campaign: Campaign) -> str:
    setup.pause(campaign, by=request.user)
    return _(
        "Paused: no more items are assigned; answers in progress are still stored."
    )


def _close(request: HttpRequest, campaign: Campaign) -> str:
    setup.close(campaign, by=request.user)
    return _("Closed.")


def _batch(request: HttpRequest, campaign: Campaign) -> str:
    batch = get_object_or_404(campaign.batches, code=request.POST.get("batch", ""))
    setup.set_batch_paused(batch, paused=not batch.is_paused, by=request.user)
    message = (
        _("%(name)s was paused.") if batch.is_paused else _("%(name)s was resumed.")
    )
    return message % {"name": batch.name}


def _person(request: HttpRequest, campaign: Campaign) -> str:
    people = campaign.participants.select_related("campaign__project", "user")
    person = get_object_or_404(people, code=request.POST.get("person", ""))
    state, quota = (request.POST.get(name, "") for name in ("state", "quota"))
    participants.set_participant(person, by=request.user, state=state, quota=quota)
    shown = person.get_state_display()
    shown = shown.lower() if get_language() == "en" else shown
    return _("%(name)s: %(state)s.") % {"name": person, "state": shown}


def _baseline(request: HttpRequest, campaign: Campaign) -> str:
    name = request.POST.get("condition", "")
    condition = get_object_or_404(campaign.conditions, name=name)
    setup.set_baseline(condition, by=request.user)
    return _("Conditions are compared with %(name)s.") % {"name": condition.name}


def _withdraw(request: HttpRequest, campaign: Campaign) -> str:
    rows = campaign.items.select_related("campaign__project")
    item = get_object_or_404(rows, code=request.POST.get("item", ""))
    items.withdraw(item, by=request.user)
    return _("Withdrawn: no one gets this item any more; its answers are kept.")


def _message(request: HttpRequest, campaign: Campaign) -> str:
    code, text = (request.POST.get(name, "") for name in ("person", "text"))
    people = campaign.participants.select_related("user")
    person = get_object_or_404(people, code=code) if code else None
    notes.send(campaign, text, by=request.user, to=person)
    who = {"name": person}
    return _("Sent to %(name)s.") % who if person else _("Sent to everyone.")


def _answer(request: HttpRequest, campaign: Campaign) -> str:
    rows = Judgment.objects.of(campaign).select_related(
        "participant__campaign__project"
    )
    judgment = get_object_or_404(rows, code=request.POST.get("judgment", ""))
    is_resolved = request.POST.get("flag") == "resolve"
    text = request.POST.get("text", "")
    notes.answer_flag(judgment, text, by=request.user, is_resolved=is_resolved)
    return _("The flag is resolved.") if is_resolved else _("The flag is open.")


def _rehearse(request: HttpRequest, campaign: Campaign) -> str:
    most, sent = simulation.MAX_PEOPLE, request.POST.get("people", "3")
    problem = _("Enter 1 to %(most)s annotators.") % {"most": most}
    people = number(sent, 1, most, field="people", problem=problem)
    simulation.start(campaign, people=people, by=request.user)
    return _(
        "The simulation has started. It will appear among the campaigns; see Jobs."
    )


BACK = {
    "design": "campaign_design",
    "flags": "campaign_flags",
    "people": "campaign_people",
}


def _machine(request: HttpRequest, campaign: Campaign) -> str:
    """A machine judges; ``go_on`` and ``delete`` name one that is there."""
    for name, act, said in (
        ("go_on", machines.go_on, _("%(name)s continues; see Jobs.")),
        ("delete", machines.delete, _("%(name)s and its judgments were deleted.")),
    ):
        if code := request.POST.get(name, ""):
            rows = campaign.machines.select_related("campaign__project")
            machine = get_object_or_404(rows, code=code)
            act(machine, by=request.user)
            return said % {"name": machine}
    price_in, price_out = (_price(request, f"price_{way}") for way in ("in", "out"))
    problem = _("The seed must be a whole number, 0 or more.")
    seed = request.POST.get("seed", "") or "0"
    machines.start(
        campaign,
        request.POST.get("model", ""),
        by=request.user,
        seed=number(seed, 0, machines.MAX_SEED - 1, field="seed", problem=problem),
        price_in=price_in,
        price_out=price_out,
    )
    return _("The machine judges in the background; see Jobs.")


def _price(request: HttpRequest, name: str) -> float | None:
    text = request.POST.get(name, "").strip().replace(",", ".")
    try:
        return float(text) if text else None
    except ValueError:
        raise BadRequest(_("A price is a number, 0 or more."), field=name) from None


ACTIONS = {
    "machine": _machine,
    "open": _open,
    "pause": _pause,
    "close": _close,
    "batch": _batch,
    "person": _person,
    "baseline": _baseline,
    "rehearse": _rehearse,
    "message": _message,
    "answer": _answer,
    "withdraw": _withdraw,
}
