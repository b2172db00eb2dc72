"""Curation: all judges of an item side by side, and what a curator decides."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
)

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.forms import number, refuse_unknown, whole
from annotator.models import Campaign, Item
from annotator.pages import curation as pages
from annotator.services.campaigns.curation import (
    Decision,
    decide,
    following,
    judgment_in,
    queue,
    shown,
    value_of,
    withdraw,
)
from annotator.services.campaigns.curation import reopen as give_back

PAGE = 50
MOST = 10**9
SHOWN = {"open": "Undecided", "decided": "Decided", "all": "All with two judges"}


@login_required
@require_GET
def curation(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Items with two judges or more, those that differ most first."""
    campaign = access.campaign_or_404(request.user, slug, code, "curate")
    refuse_unknown(request.GET, {"show", "page"})
    show = request.GET.get("show", "open")
    if show not in SHOWN:
        raise BadRequest(f"There is no list {show!r}.", field="show")
    rows = queue(campaign, show=show)
    last = max(1, -(-len(rows) // PAGE))
    problem = f"There are pages 1 to {last}."
    page = number(request.GET.get("page", "1"), 1, last, field="page", problem=problem)
    context = {
        "project": campaign.project,
        "campaign": campaign,
        "rows": shown(campaign, rows[(page - 1) * PAGE : page * PAGE]),
        "n": len(rows),
        "page": page,
        "last": last,
        "show": show,
        "lists": SHOWN.items(),
    }
    return render(request, "curation/list.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def curate_item(request: HttpRequest, slug: str, code: str, item: str) -> HttpResponse:
    """One item; a decision is added, and nothing is changed."""
    campaign = access.campaign_or_404(request.user, slug, code, "curate")
    found = get_object_or_404(campaign.items.select_related("instance"), code=item)
    context: dict[str, Any] = {}
    status = 200
    if request.method == "POST":
        try:
            _decide(request, campaign, found)
        except Refusal as error:
            context, status = {"error": str(error), "sent": request.POST}, error.status
        else:
            messages.success(request, "Decided. The judgments stay as they are.")
            after = following(campaign, found)
            if request.POST.get("next") and after:
                return redirect("curate_item", slug, code, after)
            return redirect("curate_item", slug, code, item)
    context |= pages.item_page(campaign, found)
    return render(request, "curation/item.html", context, status=status)


@login_required
@require_POST
def reopen(request: HttpRequest, slug: str, code: str, judgment: str) -> HttpResponse:
    """Give one judge the item back."""
    campaign = access.campaign_or_404(request.user, slug, code, "curate")
    found = judgment_in(campaign, judgment)
    give_back(found, by=request.user, uuid=uuid4())
    messages.success(request, f"{found.participant.label} has the item again.")
    return redirect("curate_item", slug, code, found.item.code)


def _decide(request: HttpRequest, campaign: Campaign, item: Item) -> None:
    sent = request.POST
    seen = whole(sent.get("seen", "0"), 0, MOST) or 0
    if sent.get("withdraw"):
        withdraw(item, by=request.user, seen=seen, note=sent.get("note", ""))
        return
    values = {
        scale.name: value_of(scale, sent.get(f"value-{scale.name}", ""))
        for scale in campaign.scales.all()
    }
    decision = Decision(
        {name: value for name, value in values.items() if value is not None},
        sent.get("reason", ""),
        whole(sent.get("confidence", ""), 0, MOST) or 0,
        sent.get("note", ""),
        sent.get("accepts", ""),
        seen,
    )
    if len(decision.values) < len(values):
        raise BadRequest("Choose a value on every scale.", field="values")
    decide(item, decision, by=request.user)
