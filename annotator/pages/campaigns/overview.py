"""Pages of campaigns for those who run them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from annotator import access
from annotator.exchange.written import FORMS
from annotator.models import (
    Campaign,
    Membership,
    Participant,
    Project,
    RatingScale,
    Tally,
)
from annotator.models.projects import Anybody, id_of
from annotator.pages.campaigns import care, how_many
from annotator.pages.campaigns import setup as campaign_setup
from annotator.pages.site.needs import needs
from annotator.pages.site.settings import at_once, named, page_of, typed
from annotator.services.campaigns import messages, progress
from annotator.services.reports import agreement
from annotator.services.reports.agreement import ReportSource
from annotator.serving import language_model


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """A campaign with the answers given and needed."""

    campaign: Campaign
    done: int
    need: int


def listed(project: Project, *, by: Anybody) -> dict[str, Any]:
    """The campaigns of a project: all of them, and those this person judges in."""
    mine = project.campaigns.filter(participants__user_id=id_of(by))
    may_see = access.may(by, "see_others", project)
    rows = list(project.campaigns.filter(archived_at=None)) if may_see else []
    counts = progress.done_and_needed(rows)
    return {
        "project": project,
        "campaigns": [CampaignRow(one, *counts.get(one.pk, (0, 0))) for one in rows],
        "archived": project.campaigns.exclude(archived_at=None) if may_see else [],
        "mine": list(mine.exclude(state=Campaign.State.DRAFT)),
        "may_manage": access.may(by, "manage", project),
        "may_see": may_see,
    }


def overview(campaign: Campaign, *, by: Anybody, page: str = "") -> dict[str, Any]:
    """One campaign: what is missing, or its progress, with one ``page`` of its
    people."""
    project = campaign.project
    how_far = progress.of(campaign)
    n_links = campaign.invitations.open().count()
    scales = campaign.scales.all()
    steps = campaign_setup.steps(campaign, scales, len(how_far.people), n_links)
    lacking = campaign_setup.lacking(steps)
    mine = [need for need in needs(by, project) if need.campaign == campaign.code]
    return {
        "project": project,
        "campaign": campaign,
        "progress": how_far,
        "people": page_of(how_far.people, page),
        "steps": steps,
        "lacking": lacking,
        "lacking_words": campaign_setup.in_words(lacking),
        "needs": mine,
        "how_many": how_many.options(campaign),
        "may_manage": access.may(by, "manage", project),
        "may_see_names": access.may(by, "see_names", project),
        "may_curate": access.may(by, "curate", project),
        "may_export": access.may(by, "export", project),
        "exports": _exports(
            is_manager=access.may(by, "manage", project),
            has_machines=campaign.machines.exists(),
        ),
        "machines": campaign.machines.annotate(n=Count("judgments")),
        "endpoint": language_model.host(),
        "export_forms": [(form, one.label) for form, one in FORMS.items()],
        "is_judge": campaign.participants.filter(user_id=id_of(by)).exists(),
        "states": [Participant.State.ACTIVE, Participant.State.PAUSED],
    }


def _exports(*, is_manager: bool, has_machines: bool) -> list[tuple[str, str, str]]:
    """Title, name of the route and query of each table that can be exported."""
    judgments, sheet, machines = [], [], []
    if has_machines:
        machines = [(_("Judgments of machines"), "campaign_machines_table", "")]
    if is_manager:
        judgments = [(_("Judgments with names"), "campaign_table", "?names=yes")]
        sheet = [
            (_("Time sheet"), "campaign_timesheet", ""),
            (_("Payment by person"), "campaign_participants", ""),
        ]
    return [
        (_("Judgments"), "campaign_table", ""),
        *judgments,
        *machines,
        (_("Items"), "campaign_items_table", ""),
        (_("Decisions"), "campaign_decisions", ""),
        *sheet,
    ]


def scales(campaign: Campaign) -> dict[str, Any]:
    """The scales as they are, and which kinds there are."""
    return {
        "project": campaign.project,
        "campaign": campaign,
        "scales": campaign.scales.all(),
        "kinds": RatingScale.Kind.choices,
    }


def people(campaign: Campaign, sent: Mapping[str, str]) -> dict[str, Any]:
    """People who could judge, who judge, and the batches of each.

    ``sent``: ``q``, a part of a name; ``members``, ``judges``: the page of each list.
    """
    text, batches = typed(sent), list(campaign.batches.all())
    rows = campaign.participants.select_related("user").prefetch_related("queues")
    size = at_once(1 + len(batches))
    judges = page_of(
        named(rows, text, label="label"), sent.get("judges", ""), size=size
    )
    members = page_of(named(_others(campaign), text), sent.get("members", ""))
    return {
        "project": campaign.project,
        "campaign": campaign,
        "q": text,
        "is_long": text or members.has_other_pages() or judges.has_other_pages(),
        "members": members,
        "how_many": how_many.options(campaign),
        "n_others": _others(campaign).count(),
        "batches": batches,
        "n_present": rows.count(),
        "judges": judges,
        "sent": messages.sent(campaign),
        **_care(campaign),
        "shares": [(one, {q.batch_id for q in one.queues.all()}) for one in judges],
    }


def _care(campaign: Campaign) -> dict[str, Any]:
    """Signs of careless work; nothing where no one has judged, or too much was judged
    to be read while someone waits."""
    source = ReportSource(campaign.project, "campaign", campaign)
    judged = Tally.objects.filter(participant__campaign=campaign)
    if not judged.exists() or agreement.is_large(source):
        return {}
    return {"care_heads": care.heads(campaign), "care_rows": care.rows(campaign)}


def _others(campaign: Campaign) -> QuerySet[Membership]:
    """The members who may annotate and do not judge here."""
    project = campaign.project
    members = project.memberships.filter(role__in=access.VERBS["annotate"])
    present = campaign.participants.filter(user__isnull=False).values("user")
    others = members.exclude(user__in=present).select_related("user")
    return others.order_by("user__username")
