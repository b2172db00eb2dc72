"""Pages of campaigns for those who run them."""

from typing import Any

from django.core.paginator import Paginator

from annotator import access
from annotator.models import Campaign, Participant, Project, RatingScale
from annotator.models.projects import Anybody, id_of
from annotator.pages.campaigns import setup as campaign_setup
from annotator.pages.site.needs import needs
from annotator.services.campaigns import progress

__all__ = ["listed", "overview", "people", "scales"]

PEOPLE = 100  # of a page


def listed(project: Project, *, by: Anybody) -> dict[str, Any]:
    """The campaigns of a project: all of them, and those this person judges in."""
    mine = project.campaigns.filter(participants__user_id=id_of(by))
    may_see = access.may(by, "see_others", project)
    return {
        "project": project,
        "campaigns": project.campaigns.filter(archived_at=None) if may_see else [],
        "archived": project.campaigns.exclude(archived_at=None) if may_see else [],
        "mine": list(mine.exclude(state=Campaign.State.DRAFT)),
        "may_manage": access.may(by, "manage", project),
        "may_see": may_see,
    }


def overview(campaign: Campaign, *, by: Anybody, page: str = "") -> dict[str, Any]:
    """One campaign: what it still lacks, or how far it is, with one ``page`` of its
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
        "people": Paginator(how_far.people, PEOPLE).get_page(page),
        "steps": steps,
        "lacking": lacking,
        "lacking_words": campaign_setup.in_words(lacking),
        "needs": mine,
        "may_manage": access.may(by, "manage", project),
        "may_curate": access.may(by, "curate", project),
        "may_export": access.may(by, "export", project),
        "is_judge": campaign.participants.filter(user_id=id_of(by)).exists(),
        "states": [Participant.State.ACTIVE, Participant.State.PAUSED],
    }


def scales(campaign: Campaign) -> dict[str, Any]:
    """The scales as they are, and which kinds there are."""
    return {
        "project": campaign.project,
        "campaign": campaign,
        "scales": campaign.scales.all(),
        "kinds": RatingScale.Kind.choices,
    }


def people(campaign: Campaign) -> dict[str, Any]:
    """Who could still judge, who judges, and which batches each of them gets."""
    project = campaign.project
    members = project.memberships.filter(role__in=access.VERBS["annotate"])
    rows = campaign.participants.select_related("user").prefetch_related("queues")
    judges = list(rows)
    present = [one.user_id for one in judges if one.user_id is not None]
    return {
        "project": project,
        "campaign": campaign,
        "members": members.exclude(user_id__in=present)
        .select_related("user")
        .order_by("user__username"),
        "batches": campaign.batches.all(),
        "n_present": len(judges),
        "judges": [(one, {q.batch_id for q in one.queues.all()}) for one in judges],
    }
