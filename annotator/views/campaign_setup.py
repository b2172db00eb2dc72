"""The steps of setting a campaign up: items, scales, guideline, rules, people."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotator import access
from annotator.errors import BadRequest, Refusal, TooLarge
from annotator.models import Campaign, Participant, Project, RatingScale, Upload
from annotator.services import campaign_items, jobs
from annotator.services import campaigns as service
from annotator.services import scales as scale_service

__all__ = ["batches", "guideline", "items", "items_check", "people", "rules", "scales"]

WORDS = ("mode", "contact", "currency")


@login_required
@require_http_methods(["GET", "POST"])
def items(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Send a file of items; what it holds is shown before anything is stored."""
    project, campaign = _campaign(request, slug, code)
    context: dict[str, Any] = {"project": project, "campaign": campaign}
    if request.method == "POST":
        try:
            upload = _keep(request, campaign)
        except Refusal as error:
            context["problem"] = str(error)
            return render(request, "campaigns/items.html", context, status=error.status)
        return redirect("campaign_items_check", slug, code, upload.code)
    return render(request, "campaigns/items.html", context)


def _keep(request: HttpRequest, campaign: Campaign) -> Upload:
    file = request.FILES.get("file")
    text = request.POST.get("text", "")
    if file is None and not text.strip():
        raise BadRequest("Choose a file, or paste a table.", field="file")
    if file is not None and (file.size or 0) > settings.MAX_UPLOAD_MB * 2**20:
        raise TooLarge(f"At most {settings.MAX_UPLOAD_MB} MB are taken.")
    name = (file.name or "items.tsv") if file is not None else "pasted.tsv"
    content = file.read() if file is not None else text.encode("utf-8", "replace")
    return campaign_items.keep(campaign, name, content, by=request.user)


@login_required
@require_http_methods(["GET", "POST"])
def items_check(
    request: HttpRequest, slug: str, code: str, upload: str
) -> HttpResponse:
    """The dry run of a file; POST takes its good rows in."""
    project, campaign = _campaign(request, slug, code)
    kept = get_object_or_404(project.uploads, code=upload)
    found = campaign_items.dry_run(campaign, kept)
    if request.method == "POST" and found.n_rows:
        return _take_in(request, campaign, kept, found.n_rows)
    context = {
        "project": project,
        "campaign": campaign,
        "upload": kept,
        "found": found,
        "shown": campaign_items.SHOWN,
    }
    return render(request, "campaigns/items_check.html", context)


def _take_in(
    request: HttpRequest, campaign: Campaign, upload: Upload, n: int
) -> HttpResponse:
    """At once when it is quick, else as a job."""
    slug = campaign.project.slug
    if n > campaign_items.INLINE:
        job = jobs.create(
            campaign.project,
            "campaign_items",
            title=f"Items of {campaign.name}",
            by=request.user,
            params={"campaign": campaign.code, "upload": upload.code},
        )
        return redirect("job", slug, job.code)
    for _ in campaign_items.load(campaign, upload, by=request.user):
        pass
    messages.success(request, f"{campaign.n_items} items are in the campaign.")
    step = "campaign" if campaign.participants.exists() else "campaign_people"
    return redirect(step, slug, campaign.code)


@login_required
@require_http_methods(["GET", "POST"])
def scales(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Titles, questions, anchors, values, thresholds."""
    project, campaign = _campaign(request, slug, code)
    context: dict[str, Any] = {"project": project, "campaign": campaign}
    status = 200
    if request.method == "POST":
        try:
            scale_service.set_scales(campaign, _sent_scales(request), by=request.user)
        except Refusal as error:
            context["problem"], status = str(error), error.status
        else:
            messages.success(request, "The scales are stored.")
            return redirect("campaign", slug, code)
    context["scales"] = campaign.scales.all()
    context["kinds"] = RatingScale.Kind.choices
    return render(request, "campaigns/scales.html", context, status=status)


def _sent_scales(request: HttpRequest) -> list[dict[str, Any]]:
    """The scales of the form: one line a point, ``value | label | anchor``."""
    sent = request.POST
    found = []
    for n in sent.getlist("scale"):
        if not n.isdigit() or sent.get(f"drop-{n}"):
            continue
        names = ("name", "title", "question", "kind", "low", "high", "threshold")
        scale: dict[str, Any] = {name: sent.get(f"{name}-{n}", "") for name in names}
        if not scale["title"].strip():
            continue
        lines = sent.get(f"points-{n}", "").splitlines()
        scale["points"] = [_point(line) for line in lines if line.strip()]
        found.append(scale)
    return found


def _point(line: str) -> dict[str, str]:
    """``value | anchor``, or ``value | label | anchor``."""
    value, *words = (cell.strip() for cell in line.split("|", 2))
    label = words[0] if len(words) == 2 else value
    return {"value": value, "label": label, "anchor": words[-1] if words else ""}


@login_required
@require_http_methods(["GET", "POST"])
def guideline(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    project, campaign = _campaign(request, slug, code)
    if request.method == "POST":
        made = service.write_guideline(
            campaign, request.POST.get("text", ""), by=request.user
        )
        messages.success(request, f"Guideline {made.number} is what judges see now.")
        return redirect("campaign", slug, code)
    versions = list(campaign.guidelines.select_related("by"))
    context = {"project": project, "campaign": campaign, "versions": versions}
    return render(request, "campaigns/guideline.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def rules(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Who judges how much, checks, leases, money."""
    project, campaign = _campaign(request, slug, code)
    context: dict[str, Any] = {"project": project, "campaign": campaign}
    status = 200
    if request.method == "POST":
        sent = {
            n: request.POST[n] for n in [*service.SETTINGS, *WORDS] if n in request.POST
        }
        wanted: dict[str, Any] = {**sent, "is_adaptive": "is_adaptive" in request.POST}
        try:
            service.change(campaign, wanted, by=request.user)
        except Refusal as error:
            context |= {"problem": str(error), "sent": request.POST}
            status = error.status
            campaign.refresh_from_db()
        else:
            messages.success(request, "The rules are stored.")
            return redirect("campaign_design", slug, code)
    return render(request, "campaigns/rules.html", context, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Choose among the members who judges, and which batches they get."""
    project, campaign = _campaign(request, slug, code)
    if request.method == "POST":
        names = request.POST.getlist("person")
        chosen = User.objects.filter(
            username__in=names, memberships__project=project
        ).distinct()
        codes = request.POST.getlist("batch")
        batches = list(campaign.batches.filter(code__in=codes)) if codes else None
        try:
            made = service.add_people(
                campaign, list(chosen), by=request.user, batches=batches
            )
        except Refusal as error:
            messages.error(request, str(error))
            return redirect("campaign_people", slug, code)
        messages.success(request, f"{len(made)} more judge now.")
        return redirect("campaign", slug, code)
    roles = access.VERBS["annotate"]
    present = set(campaign.participants.values_list("user_id", flat=True))
    members = project.memberships.filter(role__in=roles).exclude(user__in=present)
    context = {
        "project": project,
        "campaign": campaign,
        "members": members.select_related("user").order_by("user__username"),
        "batches": campaign.batches.all(),
        "n_present": campaign.participants.count(),
        "judges": _judges(campaign),
    }
    return render(request, "campaigns/people.html", context)


@login_required
@require_POST
def batches(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Who judges which batches: a list of batches for every person."""
    _, campaign = _campaign(request, slug, code)
    wanted = {
        person.code: request.POST.getlist(f"of-{person.code}")
        for person in campaign.participants.all()
        if f"seen-{person.code}" in request.POST
    }
    try:
        service.share_batches(campaign, wanted, by=request.user)
    except Refusal as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Stored: everybody gets the batches ticked here.")
    return redirect("campaign_people", slug, code)


def _judges(campaign: Campaign) -> list[tuple[Participant, set[int]]]:
    """Every participant with the batches they get."""
    people = campaign.participants.select_related("user").prefetch_related("queues")
    return [(one, {queue.batch_id for queue in one.queues.all()}) for one in people]


def _campaign(request: HttpRequest, slug: str, code: str) -> tuple[Project, Campaign]:
    project = access.project_or_404(request.user, slug, "manage")
    rows = project.campaigns.select_related("project")
    return project, get_object_or_404(rows, code=code)
