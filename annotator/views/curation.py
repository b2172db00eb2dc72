"""Curation: all judges of an item side by side, and what a curator decides."""

import json
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
from annotator.forms import refuse_unknown, whole
from annotator.models import Adjudication, Campaign, Item, Project
from annotator.services import curating

PAGE = 50
SHOWN = {"open": "Undecided", "decided": "Decided", "all": "All with two judges"}


@login_required
@require_GET
def curation(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Items with two judges or more, those that differ most first."""
    project, campaign = _campaign(request, slug, code)
    refuse_unknown(request.GET, {"show", "page"})
    show = request.GET.get("show", "open")
    if show not in SHOWN:
        raise BadRequest(f"There is no list {show!r}.", field="show")
    rows = curating.queue(campaign, show=show)
    last = max(1, -(-len(rows) // PAGE))
    page = whole(request.GET.get("page", "1"), 1, last)
    if page is None:
        raise BadRequest(f"There are pages 1 to {last}.", field="page")
    context = {
        "project": project,
        "campaign": campaign,
        "rows": curating.shown(campaign, rows[(page - 1) * PAGE : page * PAGE]),
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
    project, campaign = _campaign(request, slug, code)
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
            following = curating.following(campaign, found)
            if request.POST.get("next") and following:
                return redirect("curate_item", slug, code, following)
            return redirect("curate_item", slug, code, item)
    context |= _item(project, campaign, found)
    return render(request, "curation/item.html", context, status=status)


@login_required
@require_POST
def reopen(request: HttpRequest, slug: str, code: str, judgment: str) -> HttpResponse:
    """Give one judge the item back."""
    _, campaign = _campaign(request, slug, code)
    found = curating.judgment_in(campaign, judgment)
    curating.reopen(found, by=request.user, uuid=uuid4())
    messages.success(request, f"{found.participant.label} has the item again.")
    return redirect("curate_item", slug, code, found.item.code)


def _campaign(request: HttpRequest, slug: str, code: str) -> tuple[Project, Campaign]:
    project = access.project_or_404(request.user, slug, "curate")
    return project, get_object_or_404(project.campaigns, code=code)


def _decide(request: HttpRequest, campaign: Campaign, item: Item) -> None:
    sent = request.POST
    seen = sent.get("seen", "0")
    if sent.get("withdraw"):
        curating.withdraw(
            item, by=request.user, seen=_number(seen), note=sent.get("note", "")
        )
        return
    values = {
        scale.name: curating.value_of(scale, sent.get(f"value-{scale.name}", ""))
        for scale in campaign.scales.all()
    }
    decision = curating.Decision(
        {name: value for name, value in values.items() if value is not None},
        sent.get("reason", ""),
        _number(sent.get("confidence", "")),
        sent.get("note", ""),
        sent.get("accepts", ""),
        _number(seen),
    )
    if len(decision.values) < len(values):
        raise BadRequest("Choose a value on every scale.", field="values")
    curating.decide(item, decision, by=request.user)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _item(project: Project, campaign: Campaign, item: Item) -> dict[str, Any]:
    scales = list(campaign.scales.all())
    history = curating.history(item)
    last = history[0] if history and history[0].values else None
    rows = [
        {
            "judgment": row,
            "name": row.participant.user or row.participant.label,
            "label": row.participant.label,
            "taken": json.dumps({k: str(v) for k, v in row.values.items()}),
            "values": [(scale, row.values.get(scale.name, "")) for scale in scales],
        }
        for row in curating.judgments_of(item)
    ]
    return {
        "project": project,
        "campaign": campaign,
        "item": item,
        "instance": item.instance,
        "scales": [
            (scale, scale.values(), last.values.get(scale.name) if last else None)
            for scale in scales
        ],
        "rows": rows,
        "history": [
            (row, [(scale.title, row.values.get(scale.name)) for scale in scales])
            for row in history
        ],
        "last": last,
        "seen": history[0].number if history else 0,
        "reasons": Adjudication.Reason.choices,
        "levels": Adjudication.Confidence.choices,
        "credits": item.credits.select_related("condition"),
        "following": curating.following(campaign, item),
    }
