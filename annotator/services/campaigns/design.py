"""The overlap designer: what a campaign will cost and what it can show."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Campaign
from annotator.services.campaigns.scales import scales_for
from core.agreement.judgments.design import (
    DesignCost,
    DesignPart,
    difference_width,
    kappa_width,
    plan,
    power,
)


@dataclass(frozen=True, slots=True)
class Guess:
    """What the designer takes for granted, until there are answers.

    The first values are those that Callison-Burch 2008 reports: 47 % raw agreement,
    and two conditions at 46 % and 55 % correct.
    """

    agreement: float = 0.47
    p: float = 0.46
    q: float = 0.55
    correlation: float = 0.3
    rho: float = 0.2
    people: int = 0  # 0 = those of the campaign

    @classmethod
    def read(cls, sent: Mapping[str, str]) -> "Guess":
        """From a query; raises BadRequest naming the field."""
        values: dict[str, Any] = {}
        for name in ("agreement", "p", "q", "correlation", "rho"):
            if sent.get(name):
                values[name] = _share(name, sent[name])
        if sent.get("people"):
            values["people"] = round(_share("people", sent["people"], most=500))
        return cls(**values)


def _share(name: str, text: str, *, most: float = 1) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= most:
        limits = {"name": name, "most": f"{most:g}"}
        problem = _("%(name)s: enter a number from 0 to %(most)s.") % limits
        raise BadRequest(problem, field=name)
    return value


@dataclass(frozen=True, slots=True)
class Design:
    """``kappa``: scale title -> width of the interval of K, None without overlap.

    ``coverage``: condition -> its items; ``common``: items of the smallest condition,
    on which a difference is tested.
    """

    plan: DesignCost
    kappa: dict[str, float | None]
    coverage: dict[str, int]
    common: int
    difference: float | None
    power: float | None
    people: tuple[str, ...]


def design(campaign: Campaign, guess: Guess) -> Design:
    """The plan of this campaign as it is set up now."""
    people = tuple(str(person) for person in campaign.participants.all())
    if guess.people:
        people = tuple(_("annotator %(n)s") % {"n": n + 1} for n in range(guess.people))
    parts = _parts(campaign, people, is_guess=bool(guess.people))
    made = plan(
        parts,
        seconds_per_item=campaign.seconds_per_item,
        cost_per_hour=campaign.cost_per_hour,
    )
    instances = campaign.items.main().values("instance_id").distinct().count()
    cluster = campaign.n_items / max(instances, 1)
    coverage = _coverage(campaign)
    common = min(coverage.values(), default=0)
    shares = {"p": guess.p, "q": guess.q, "correlation": guess.correlation}
    return Design(
        plan=made,
        kappa={
            scale.title: kappa_width(
                made.overlapping,
                agreement=guess.agreement,
                categories=len(scale.values()),
                cluster=cluster,
                rho=guess.rho,
            )
            for scale in scales_for(campaign)
        },
        coverage=coverage,
        common=common,
        difference=difference_width(common, **shares),
        power=power(common, **shares),
        people=people,
    )


def _parts(
    campaign: Campaign, people: tuple[str, ...], *, is_guess: bool
) -> list[DesignPart]:
    """One part a batch, with those who have it in their queue."""
    parts = []
    for batch in campaign.batches.all():
        here = people
        if not is_guess and campaign.state != Campaign.State.DRAFT:
            queues = batch.queues.select_related("participant__user")
            here = tuple(str(queue.participant) for queue in queues)
        parts.append(DesignPart(batch.name, _needs(campaign, batch), here))
    return parts


def _needs(campaign: Campaign, batch: Any) -> dict[int, int]:
    """How many items want how many judges: as shared out, or as they will be."""
    if campaign.state != Campaign.State.DRAFT:
        rows = campaign.items.main().filter(batch=batch).values_list("need", flat=True)
        return dict(Counter(rows))
    shared = round(campaign.overlap_share * batch.n_items)
    needs = Counter({campaign.k: batch.n_items - shared})
    needs[max(campaign.overlap_k, campaign.k)] += shared
    return dict(needs)


def _coverage(campaign: Campaign) -> dict[str, int]:
    rows = campaign.conditions.filter(credits__item__kind="main")
    counts = Counter(rows.values_list("name", flat=True))
    return {name: counts[name] for name in sorted(counts, key=lambda n: -counts[n])}
