"""What needs a manager and has to be measured first: low agreement, people who drift.

Apart from ``needs``, as it reads every judgment: pages ask for it once they are there.
"""

from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from annotator.models import Campaign, Membership, Project, Role, Tally
from annotator.models.projects import Anybody, id_of
from annotator.numbers import as_number
from annotator.pages.campaigns.care import words
from annotator.pages.site.figures import agreement_line
from annotator.pages.site.needs import Need
from annotator.services.reports import care
from annotator.throughput.prepared import Select, Slot

MEASURED = 8  # campaigns at most, the newest


_MEASURED = Select(
    lambda: _judged(Slot("user"), None).order_by().values_list("project").distinct()
)


def is_measured(user: Anybody, project: Project | None = None) -> bool:
    """Whether there is anything that could be measured."""
    return any(
        project is None or project.pk == one
        for (one,) in _MEASURED.rows(user=id_of(user))
    )


def of_agreement(user: Anybody, project: Project | None = None) -> Iterator[Need]:
    """Open campaigns whose agreement is slight at best, certainly, and annotators of
    theirs whose ratings move next to the others."""
    rows = _judged(id_of(user), project).select_related("project").order_by("-pk")
    for campaign in rows[:MEASURED]:
        line = agreement_line(campaign)
        for scale in line["scales"]:
            yield from _of_scale(campaign, scale)
        if not line["is_large"]:
            yield from _careless(campaign)


def _judged(user: Any, project: Project | None) -> "QuerySet[Campaign]":
    """``user``: the person's key."""
    mine = Membership.objects.filter(user_id=user, role=Role.MANAGER)
    if project is not None:
        mine = mine.filter(project=project)
    tallies = Tally.objects.filter(participant__campaign=OuterRef("pk"))
    return Campaign.objects.filter(
        Exists(tallies),
        project__in=mine.values("project"),
        state=Campaign.State.OPEN,
        is_simulated=False,
    )


def _careless(campaign: Campaign) -> Iterator[Need]:
    """People whose answers show signs of careless work; failed checks are listed
    separately, since they stop a person."""
    here = [campaign.project.slug, campaign.code]
    for row in care.of(campaign):
        told = [words(rule) for rule in row.flags if rule.name != "checks"]
        if told:
            values = {"who": row.person, "campaign": campaign, "what": "; ".join(told)}
            text = _("%(who)s in %(campaign)s: %(what)s.") % values
            page = reverse("campaign_annotator", args=[*here, row.person.code])
            about = (campaign.project.name, page, _("View"))
            yield Need(_("Quality"), "warn", text, *about, str(campaign.code))


def _of_scale(campaign: Campaign, scale: dict[str, Any]) -> Iterator[Need]:
    report = reverse("report", args=[campaign.project.slug, "campaign", campaign.code])
    about = (campaign.project.name, report, _("Open the report"), str(campaign.code))
    if scale["is_low"]:
        text = _("Agreement on %(scale)s in %(campaign)s is low: alpha %(value)s.") % {
            "scale": scale["title"],
            "campaign": campaign,
            "value": as_number(scale["value"]),
        }
        yield Need(_("Agreement"), "warn", text, *about)
    name, url, *more = about
    for sentence in scale["drifting"]:
        text = f"{campaign}: {sentence}"
        yield Need(_("Drift"), "warn", text, name, f"{url}#judges", *more)
