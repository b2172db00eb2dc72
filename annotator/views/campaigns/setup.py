"""The steps of setting up a campaign: scales, guidelines, rules, people."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import refuse_unknown
from annotator.forms.projects import batches_of, scales_of
from annotator.http.answers import form_page
from annotator.models import Campaign
from annotator.pages.campaigns import overview as pages
from annotator.pages.campaigns import rules as rules_page
from annotator.pages.site.documents import rendered
from annotator.pages.site.settings import invitations
from annotator.services.campaigns import participants, setup
from annotator.services.campaigns.scales import set_scales
from annotator.views.projects import change_links


@require_http_methods(["GET", "POST"])
def scales(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Titles, questions, anchors, values, thresholds."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")

    def act() -> HttpResponse:
        set_scales(campaign, scales_of(request.POST), by=request.user)
        messages.success(request, _("The scales are saved."))
        return redirect("campaign", slug, code)

    name = "campaigns/scales.html"
    return form_page(request, name, lambda: pages.scales(campaign), act)


@require_http_methods(["GET", "POST"])
def guideline(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    if request.method == "POST":
        text = request.POST.get("text", "")
        made = setup.write_guideline(campaign, text, by=request.user)
        message = _("Judges now see version %(n)s of the guidelines.") % {
            "n": made.number
        }
        messages.success(request, message)
        return redirect("campaign", slug, code)
    versions = list(campaign.guidelines.select_related("by"))
    html = rendered(versions[0].text) if versions else ""
    context = {"project": campaign.project, "campaign": campaign, "versions": versions}
    context["html"] = html
    return render(request, "campaigns/guideline.html", context)


@require_http_methods(["GET", "POST"])
def rules(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Overlap, checks, leases, cost."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    if request.method == "GET":
        return render(request, "campaigns/rules.html", rules_page.rules(campaign))
    sent = request.POST.dict()
    wanted, problems = rules_page.read(campaign, sent)
    try:
        if problems:
            raise BadRequest(_("Nothing is stored yet. Check the fields below."))
        setup.change(campaign, wanted, by=request.user)
    except Refusal as error:
        page = rules_page.refused(campaign, sent, problems, error)
        return render(request, "campaigns/rules.html", page, status=error.status)
    messages.success(request, _("The rules are saved."))
    return redirect("campaign_design", slug, code)


@require_http_methods(["GET", "POST"])
def people(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Choose among the members who judges, and which batches; links for others."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    refuse_unknown(request.GET, {"q", "members", "judges"})
    page = {}
    if is_link := request.POST.get("what") in ("invite", "revoke", "forget"):
        page = change_links(request, campaign.project, campaign)
    if request.method == "POST" and not is_link:
        return _choose(request, campaign)
    page |= pages.people(campaign, request.GET.dict())
    page |= invitations(campaign.project, campaign)
    return render(request, "campaigns/people.html", page)


def _choose(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    slug, code = campaign.project.slug, campaign.code
    names, batches = (request.POST.getlist(name) for name in ("person", "batch"))
    try:
        made = participants.add_members(campaign, names, batches, by=request.user)
    except Refusal as error:
        messages.error(request, str(error))
        return redirect("campaign_people", slug, code)
    n = len(made)
    message = ngettext("%(n)s annotator added.", "%(n)s annotators added.", n) % {
        "n": n
    }
    messages.success(request, message)
    return redirect("campaign", slug, code)


@require_POST
def batches(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Who judges which batches: a list of batches for every person. The query is that
    of the form's page, which comes next."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    wanted = batches_of(request.POST, campaign.participants.all())
    try:
        participants.share_batches(campaign, wanted, by=request.user)
    except Refusal as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Saved: everyone gets the batches ticked here."))
    here = reverse("campaign_people", args=[slug, code])
    return redirect(f"{here}?{request.GET.urlencode()}" if request.GET else here)
