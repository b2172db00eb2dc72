"""What needs the manager of a project: six questions, one query each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator.models import (
    Adjudication,
    Campaign,
    Invitation,
    Job,
    Judgment,
    Membership,
    Participant,
    Project,
    Role,
)
from annotator.models.projects import Anybody, id_of
from annotator.services.campaigns import messages
from annotator.throughput.prepared import Select, Slot

SHOWN = 8  # of each kind
DAYS = 7  # that a failed job is shown for
STALE = timedelta(hours=1)  # past the time for which an item is kept for someone


@dataclass(frozen=True, slots=True)
class Need:
    """``tone``: bad (something stopped), warn (look here) or "" (good to know).

    ``campaign``: the code of the one it is about, "" if it is about none.
    """

    chip: str
    tone: str
    text: str
    project: str
    url: str
    label: str
    campaign: str = ""


_MANAGED = Select(
    lambda: Membership.objects.filter(
        user_id=Slot("user"), role=Role.MANAGER
    ).values_list("project_id")
)


def needs(user: Anybody, project: Project | None = None) -> list[Need]:
    """In one project or all that the person manages, the most severe first."""
    mine = [one for (one,) in _MANAGED.rows(user=id_of(user))]
    managed = [one for one in mine if project is None or one == project.pk]
    if not managed:
        return []
    kinds = (_stopped, _failed, _without_people, _flagged, _stale, _invited)
    return [need for kind in kinds for need in kind(managed)]


def _stopped(projects: list[int]) -> Iterator[Need]:
    rows = Participant.objects.filter(
        campaign__project__in=projects,
        campaign__state=Campaign.State.OPEN,
        state=Participant.State.BLOCKED,
        is_simulated=False,
    ).select_related("user", "campaign__project")
    for one in rows.order_by("-pk")[:SHOWN]:
        campaign = one.campaign
        text = _(
            "%(who)s failed %(n)s of %(all)s checks in %(campaign)s and is stopped."
        ) % {
            "who": one,
            "n": one.n_checks_failed,
            "all": one.n_checks,
            "campaign": campaign,
        }
        yield _need(_("Stopped"), "bad", text, campaign, "campaign", _("Review"))


def _failed(projects: list[int]) -> Iterator[Need]:
    since = timezone.now() - timedelta(days=DAYS)
    again = Job.objects.filter(
        project=OuterRef("project"), kind=OuterRef("kind"), title=OuterRef("title")
    )
    rows = Job.objects.filter(
        ~Exists(again.filter(pk__gt=OuterRef("pk"))),
        project__in=projects,
        state=Job.State.FAILED,
        created_at__gte=since,
    ).select_related("project")
    for job in rows.order_by("-pk")[:SHOWN]:
        url = reverse("job", args=[job.project.slug, job.code])
        text = _("%(job)s did not finish.") % {"job": job.title}
        yield Need(_("Failed"), "bad", text, job.project.name, url, _("View error"))


def _without_people(projects: list[int]) -> Iterator[Need]:
    active = Q(participants__state=Participant.State.ACTIVE)
    rows = Campaign.objects.filter(
        project__in=projects,
        state__in=[Campaign.State.DRAFT, Campaign.State.OPEN],
        n_items__gt=0,
        is_simulated=False,
    ).annotate(n=Count("participants", filter=active))
    for campaign in rows.filter(n=0).select_related("project")[:SHOWN]:
        text = _("No annotators in %(campaign)s yet.") % {"campaign": campaign}
        page, label = "campaign_people", _("Add annotators")
        yield _need(_("Campaign"), "warn", text, campaign, page, label)


def _flagged(projects: list[int]) -> Iterator[Need]:
    """Items with open flags, which no one withdrew or decided."""
    decided = Adjudication.objects.filter(item=OuterRef("item"))
    rows = messages.open_flags().filter(
        ~Exists(decided),
        item__campaign__project__in=projects,
        item__campaign__state=Campaign.State.OPEN,
        item__is_withdrawn=False,
    )
    counted = rows.order_by().values("item__campaign")
    items = dict(
        counted.annotate(n=Count("item", distinct=True)).values_list(
            "item__campaign", "n"
        )
    )
    campaigns = Campaign.objects.filter(pk__in=items).select_related("project")
    for campaign in campaigns[:SHOWN]:
        n = items[campaign.pk]
        text = ngettext(
            "%(n)s flagged item in %(campaign)s.",
            "%(n)s flagged items in %(campaign)s.",
            n,
        ) % {"n": n, "campaign": campaign}
        page, label = "campaign_flags", _("View flags")
        yield _need(_("Flags"), "warn", text, campaign, page, label)


def _stale(projects: list[int]) -> Iterator[Need]:
    """Campaigns in which items are reserved for people far beyond their time. The next
    judge would release them, so these campaigns are idle."""
    over = Judgment.objects.filter(
        state=Judgment.State.LEASED,
        lease_until__lt=timezone.now() - STALE,
        item__campaign__project__in=projects,
        item__campaign__state=Campaign.State.OPEN,
    )
    counted = over.order_by().values("item__campaign").annotate(n=Count("pk"))
    held = dict(counted.values_list("item__campaign", "n"))
    campaigns = Campaign.objects.filter(pk__in=held).select_related("project")
    for campaign in campaigns[:SHOWN]:
        n = held[campaign.pk]
        text = ngettext(
            "%(n)s item in %(campaign)s was assigned but not judged in time.",
            "%(n)s items in %(campaign)s were assigned but not judged in time.",
            n,
        ) % {"n": n, "campaign": campaign}
        yield _need(_("Overdue"), "warn", text, campaign, "campaign", _("View people"))


def _invited(projects: list[int]) -> Iterator[Need]:
    pending = Q(invitation__in=Invitation.objects.open())
    rows = Project.objects.filter(pk__in=projects).annotate(
        n=Count("invitation", filter=pending)
    )
    for project in rows.filter(n__gt=0)[:SHOWN]:
        text = ngettext(
            "%(n)s open invitation.",
            "%(n)s open invitations.",
            project.n,
        ) % {"n": project.n}
        url = reverse("people", args=[project.slug])
        yield Need(_("Invited"), "", text, project.name, url, _("Open people"))


def _need(
    chip: str, tone: str, text: str, campaign: Campaign, page: str, label: str
) -> Need:
    url = reverse(page, args=[campaign.project.slug, campaign.code])
    return Need(chip, tone, text, campaign.project.name, url, label, str(campaign.code))
