"""The items of a campaign: listed, uploaded, added, corrected, withdrawn."""

import io
from typing import Any, BinaryIO, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.http.answers import form_page
from annotator.models import Campaign, Item, Upload
from annotator.pages.campaigns import items as pages
from annotator.services.campaigns import item_files
from annotator.services.campaigns import items as services


@require_http_methods(["GET", "POST"])
def items(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The list; POST keeps a file, whose check is shown before anything is stored."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")

    def act() -> HttpResponse:
        upload = _keep(request, campaign)
        return redirect("campaign_items_check", slug, code, upload.code)

    def page() -> dict[str, Any]:
        return pages.listed(campaign, request.GET)

    return form_page(request, "campaigns/items.html", page, act)


def _keep(request: HttpRequest, campaign: Campaign) -> Upload:
    file = request.FILES.get("file")
    text = request.POST.get("text", "")
    if file is None and not text.strip():
        raise BadRequest(_("Choose a file, or paste a table."), field="file")
    if file is None:
        content = io.BytesIO(text.encode("utf-8", "replace"))
        return item_files.keep(campaign, "the pasted table", content, by=request.user)
    name = file.name or "items"
    return item_files.keep(campaign, name, cast(BinaryIO, file), by=request.user)


@require_http_methods(["GET", "POST"])
def check(request: HttpRequest, slug: str, code: str, upload: str) -> HttpResponse:
    """A file's content with the chosen columns; POST imports its good rows."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    kept = get_object_or_404(campaign.project.uploads, code=upload)
    try:
        reading = pages.reading_of(request.POST or request.GET)
        trial = item_files.dry_run(campaign, kept, reading)
    except Refusal as error:
        messages.error(request, str(error))
        return redirect("campaign_items", slug, code)
    if request.method == "POST" and trial.n_rows:
        job = services.take_in(campaign, kept, reading, trial.n_rows, by=request.user)
        return redirect("job", slug, job.code) if job else _taken(request, campaign)
    context = pages.check(campaign, kept, reading, trial)
    return render(request, "campaigns/items_check.html", context)


def _taken(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """On to what the campaign needs next."""
    n = campaign.n_items + campaign.n_checks + campaign.n_training
    text = ngettext(
        "%(n)s item is in the campaign.", "%(n)s items are in the campaign.", n
    )
    messages.success(request, text % {"n": n})
    step = "campaign" if campaign.participants.exists() else "campaign_people"
    return redirect(step, campaign.project.slug, campaign.code)


@require_GET
def sample(request: HttpRequest, slug: str, code: str, form: str) -> HttpResponse:
    """A sample file with the columns that this campaign reads."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    if form not in pages.SAMPLES:
        raise Http404
    content = pages.sample(campaign, form)
    response = HttpResponse(content, content_type=pages.SAMPLES[form])
    response["Content-Disposition"] = f'attachment; filename="items.{form}"'
    return response


@require_POST
def add(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """One item, written into a form."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    cells = pages.cells_of(campaign, request.POST)
    try:
        services.add(campaign, cells, by=request.user)
    except Refusal as error:
        page = pages.listed(campaign, request.GET)
        page |= {"refused": str(error), "cells": cells}
        return render(request, "campaigns/items.html", page, status=error.status)
    messages.success(request, _("The item is in the campaign."))
    return redirect("campaign_items", slug, code)


@require_POST
def act(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Withdraw an item, give it out again, or correct its paraphrase."""
    campaign = access.campaign_or_404(request.user, slug, code, "manage")
    rows = campaign.items.select_related("campaign__project", "instance")
    item = get_object_or_404(rows, code=request.POST.get("item", ""))
    try:
        messages.success(request, _done(request, item))
    except Refusal as error:
        messages.error(request, str(error))
    search = QueryDict(request.POST.get("back", "")).urlencode()
    page = reverse("campaign_items", args=[slug, code])
    return redirect(f"{page}?{search}" if search else page)


def _done(request: HttpRequest, item: Item) -> str:
    match request.POST.get("do"):
        case "withdraw":
            services.withdraw(item, by=request.user)
            return _("Withdrawn: no one gets this item any more; its answers are kept.")
        case "restore":
            services.restore(item, by=request.user)
            return _("The item is assigned again.")
        case "correct":
            text = request.POST.get("paraphrase", "")
            services.correct(item, text, by=request.user)
            return _("The paraphrase is corrected.")
    raise BadRequest(_("Withdraw, restore or correct."), field="do")
