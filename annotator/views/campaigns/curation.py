"""Curation: all judges of an item side by side, and what a curator decides."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest
from annotator.forms import refuse_unknown, whole
from annotator.http.answers import form_page
from annotator.models import Campaign, Item
from annotator.pages import curation as pages
from annotator.services.campaigns.answers import reopen as give_back
from annotator.services.campaigns.curation import (
    Decision,
    decide,
    judgment_in,
    label_of,
    next_item,
    take,
    take_back,
    value_of,
    withdraw,
)

MOST = 10**9


@require_GET
def curation(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Items with two judges or more, those that differ most first."""
    campaign = access.campaign_or_404(request.user, slug, code, "curate")
    refuse_unknown(request.GET, {"show", "page"})
    show, page = request.GET.get("show", "open"), request.GET.get("page", "1")
    place = whole(page, 1, MOST) or 0
    return render(request, "curation/list.html", pages.queue(campaign, show, place))


@require_http_methods(["GET", "POST"])
def curate_item(request: HttpRequest, slug: str, code: str, item: str) -> HttpResponse:
    """One item; a decision is added, and nothing is changed."""
    campaign = access.campaign_or_404(request.user, slug, code, "curate")
    row = get_object_or_404(campaign.items.select_related("instance"), code=item)
    return form_page(
        request,
        "curation/item.html",
        lambda: pages.item_page(campaign, row),
        lambda: _decide(request, campaign, row),
    )


@require_POST
def by_majority(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Decide all items on which most agree, or take such decisions back."""
    campaign = access.campaign_or_404(request.user, slug, code, "curate")
    if request.POST.get("what") == "undo":
        batch = request.POST.get("batch", "")
        n = take_back(campaign, batch, by=request.user)
        message = ngettext(
            "%(n)s decision was undone.", "%(n)s decisions were undone.", n
        )
    else:
        n = take(campaign, by=request.user).n
        message = _("%(n)s decided. The judgments stay as they are.")
    messages.success(request, message % {"n": n})
    return redirect("curation", slug, code)


@require_POST
def reopen(request: HttpRequest, slug: str, code: str, judgment: str) -> HttpResponse:
    """Give one judge the item back."""
    campaign = access.campaign_or_404(request.user, slug, code, "curate")
    answer = judgment_in(campaign, judgment)
    give_back(answer, by=request.user, uuid=uuid4())
    message = _("The judge has the item again.")
    if not campaign.is_curation_blind:
        message = _("%(name)s has been assigned the item again.") % {
            "name": answer.participant.label
        }
    messages.success(request, message)
    return redirect("curate_item", slug, code, answer.item.code)


def _decide(request: HttpRequest, campaign: Campaign, item: Item) -> HttpResponse:
    """Store the decision, and continue on request; raises Refusal."""
    sent = request.POST
    if sent.get("withdraw"):
        seen, note = whole(sent.get("seen", "0"), 0, MOST) or 0, sent.get("note", "")
        withdraw(item, by=request.user, seen=seen, note=note)
    else:
        decide(item, _decision(campaign, item, sent), by=request.user)
    messages.success(request, _("Decided. The judgments stay as they are."))
    after = next_item(campaign, item) if sent.get("next") else None
    slug = campaign.project.slug
    return redirect("curate_item", slug, campaign.code, after or item.code)


def _decision(campaign: Campaign, item: Item, sent: QueryDict) -> Decision:
    return Decision(
        _values(campaign, sent),
        sent.get("reason", ""),
        whole(sent.get("confidence", ""), 0, MOST) or 0,
        sent.get("note", ""),
        label_of(item, sent.get("accepts", "")),
        whole(sent.get("seen", "0"), 0, MOST) or 0,
    )


def _values(campaign: Campaign, sent: QueryDict) -> dict[str, Any]:
    values = {
        scale.name: value_of(scale, sent.get(f"value-{scale.name}"))
        for scale in campaign.scales.all()
    }
    if None in values.values():
        raise BadRequest(_("Choose a value on every scale."), field="values")
    return {name: value for name, value in values.items() if value is not None}
