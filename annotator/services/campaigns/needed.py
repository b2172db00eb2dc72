"""The plan the other way round: from a difference to what has to be judged for it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Campaign, RatingScale
from annotator.services.campaigns.scales import closed_scales
from annotator.services.reports import judged_data
from core.agreement.judgments import sample_size
from core.agreement.judgments.design import (
    DesignCost,
    DesignPart,
    kappa_width,
    plan,
)
from core.agreement.judgments.sample_size import (
    Components,
    DetectableDifference,
    JudgingPlan,
    of_judgments,
    of_shares,
)
from core.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class Guess:
    """The designer's assumptions, until there are answers.

    47 % raw agreement is what Callison-Burch 2008 reports. ``rho``: similarity of items
    within a phrase.
    """

    agreement: float = 0.47
    rho: float = 0.2
    people: int = 0  # 0 = those of the campaign

    @classmethod
    def read(cls, sent: Mapping[str, str]) -> "Guess":
        """From a query; raises BadRequest naming the field."""
        values: dict[str, Any] = {}
        for name in ("agreement", "rho"):
            if sent.get(name):
                values[name] = _number(name, sent[name], 0, 1)
        if sent.get("people"):
            values["people"] = round(_number("people", sent["people"], 0, 500))
        return cls(**values)


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
    people: tuple[str, ...]


def design(campaign: Campaign, guess: Guess) -> Design:
    """The plan of this campaign with its present set-up."""
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
            for scale in closed_scales(campaign)
        },
        coverage=coverage,
        common=min(coverage.values(), default=0),
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


UNITS = ("share", "points")
STEPS = 8  # sizes in the curve of power
LARGEST = 2.0  # the last of them, in sizes that are needed
Kind = RatingScale.Kind
MOST_PILOTS = 40


@dataclass(frozen=True, slots=True)
class Aim:
    """The effect to detect, and the assumed variation of people and items.

    ``difference``: percentage points for ``unit`` share, otherwise points of a scale.
    ``item, annotator, residual``: standard deviations in points; the default values are
    those of simulated annotators. ``base``: the share of one condition that is correct;
    ``within``: the correlation of two judgments of one item. ``likeness``: of the true
    values of two items of one instance. ``pilot``: campaign code and scale name, whose
    components replace the guesses.
    """

    unit: str = "share"
    difference: float = 9.0
    power: float = 0.8
    k: int = 1
    share: float = 0.0
    more: int = 2
    is_paired: bool = True
    conditions: int = 2
    likeness: float = 0.3
    item: float = 1.1
    annotator: float = 0.3
    residual: float = 0.7
    base: float = 0.46
    within: float = 0.6
    pilot: str = ""

    @classmethod
    def read(cls, sent: Mapping[str, str], campaign: Campaign) -> "Aim":
        """From a query, with defaults from the campaign; BadRequest names the field."""
        unit = sent.get("unit") or "share"
        if unit not in UNITS:
            problem = _("unit: one of %(known)s.") % {"known": ", ".join(UNITS)}
            raise BadRequest(problem, field="unit")
        values: dict[str, Any] = {
            "difference": 9.0 if unit == "share" else 0.5,
            "k": campaign.k,
            "share": campaign.overlap_share,
            "more": max(campaign.overlap_k, campaign.k),
            "conditions": max(campaign.conditions.count(), 2),
        }
        for field, (name, low, high) in _NUMBERS.items():
            if sent.get(name):
                values[field] = _number(name, sent[name], low, high)
        for field in ("k", "more", "conditions"):
            values[field] = round(values[field])
        paired = sent.get("paired") or "yes"
        if paired not in ("yes", "no"):
            raise BadRequest(_("paired: yes or no."), field="paired")
        pilot = sent.get("pilot", "")
        return cls(unit=unit, is_paired=paired == "yes", pilot=pilot, **values)


_NUMBERS: dict[str, tuple[str, float, float]] = {
    "difference": ("difference", 0.01, 100),
    "power": ("target", 0.1, 0.999),
    "k": ("k", 1, 50),
    "share": ("share", 0, 1),
    "more": ("more", 1, 50),
    "conditions": ("conditions", 2, 1000),
    "likeness": ("likeness", 0, 1),
    "item": ("item", 0, 1000),
    "annotator": ("annotator", 0, 1000),
    "residual": ("residual", 0, 1000),
    "base": ("base", 0, 1),
    "within": ("within", 0, 1),
}
NAMES = (*(name for name, _low, _high in _NUMBERS.values()), "unit", "paired", "pilot")
"""The parameters of a query that ``Aim.read`` reads."""


def _number(name: str, text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not low <= value <= high:
        problem = _("%(name)s: enter a number from %(low)s to %(high)s.")
        limits = {"name": name, "low": f"{low:g}", "high": f"{high:g}"}
        raise BadRequest(problem % limits, field=name)
    return value


@dataclass(frozen=True, slots=True)
class Pilot:
    """Judgments that components can be measured from: a scale of a campaign."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Needed:
    """``each``: items of each condition; ``curve``: (items of each condition, all
    judgments, power). ``components``: of the two conditions compared, in squared points
    or squared shares. ``now, width``: the power and the width of the difference's 95 %
    interval with the items that are there, None if none.
    """

    aim: Aim
    each: int
    items: int
    instances: int
    judgments: int
    hours: float
    cost: float
    curve: list[tuple[int, int, float]]
    components: tuple[Components, Components]
    now: float | None
    width: float | None


def pilots(campaign: Campaign) -> list[Pilot]:
    """Ordered scales of the project's campaigns that have begun, the latest first;
    rehearsals are among them."""
    rows = RatingScale.objects.filter(campaign__project_id=campaign.project_id)
    rows = rows.exclude(campaign__state=Campaign.State.DRAFT)
    rows = rows.exclude(kind__in=(Kind.NOMINAL, Kind.TEXT, Kind.SPANS)).select_related(
        "campaign"
    )
    rows = rows.order_by("-campaign__pk", "position")
    return [
        Pilot(f"{row.campaign.code}:{row.name}", f"{row.campaign.name}: {row.title}")
        for row in rows[:MOST_PILOTS]
    ]


def needed(
    campaign: Campaign, aim: Aim, *, people: int, rho: float, common: int
) -> Needed:
    """The judgments that this campaign needs to reach the aim.

    ``people``: annotators; fewer than an item's judges means unknown. ``rho``:
    similarity within a phrase; ``common``: items that each condition has now. ``aim``
    is returned with the pilot's measurements. Raises BadRequest where the aim cannot be
    reached or measured.
    """
    strict = 0.0
    if aim.pilot:
        aim, strict = _measured(campaign, aim)
    try:
        one, other = _components(aim, strict)
        plan = _plan(campaign, aim, people, rho)
        wanted = DetectableDifference(_difference(aim), aim.power)
        each = sample_size.items_needed(wanted, one, other, plan)
    except InvalidValue as error:
        raise BadRequest(f"{error}."[:1].upper() + f"{error}."[1:]) from error
    of = (wanted, one, other, plan)
    sizes = _sizes(each)
    judged = [
        sample_size.judgments(n, plan, conditions=aim.conditions)
        for n in (each, *sizes)
    ]
    hours = judged[0] * campaign.seconds_per_item / 3600
    return Needed(
        aim=aim,
        each=each,
        items=each * aim.conditions,
        instances=each if aim.is_paired else each * aim.conditions,
        judgments=judged[0],
        hours=hours,
        cost=hours * campaign.cost_per_hour,
        curve=list(zip(sizes, judged[1:], sample_size.curve(sizes, *of), strict=True)),
        components=(one, other),
        now=sample_size.power_at(common, *of) if common >= 2 else None,
        width=sample_size.width(common, *of[1:]) if common >= 2 else None,
    )


def _sizes(each: int) -> list[int]:
    """Sizes for the curve, evenly to twice what is needed, which is one of them."""
    return sorted({max(2, round(each * LARGEST * n / STEPS)) for n in range(1, 9)})


def _difference(aim: Aim) -> float:
    return aim.difference / 100 if aim.unit == "share" else aim.difference


def _components(aim: Aim, strict: float) -> tuple[Components, Components]:
    if aim.unit == "points":
        made = Components(aim.item**2, aim.annotator**2, aim.residual**2)
        return made, made
    gap = _difference(aim)
    other = aim.base + gap if aim.base + gap <= 1 else aim.base - gap
    if other < 0:
        raise InvalidValue(
            f"a condition at {aim.base:.0%} cannot differ by {gap:.0%}: shares are"
            " from 0 to 1"
        )
    one, two = (
        of_shares(p, within=aim.within, strict=strict) for p in (aim.base, other)
    )
    return one, two


def _plan(campaign: Campaign, aim: Aim, people: int, rho: float) -> JudgingPlan:
    instances = campaign.instances.filter(items__kind="main").distinct()
    phrases = {
        phrase.casefold() for phrase in instances.values_list("phrase", flat=True)
    }
    size = instances.count() / max(len(phrases), 1)
    most = max(aim.k, aim.more) if aim.share else aim.k
    return JudgingPlan(
        k=aim.k,
        share=aim.share,
        more=aim.more,
        people=people if people >= most else 0,
        is_paired=aim.is_paired,
        likeness=aim.likeness,
        design_effect=1 + max(size - 1, 0.0) * rho,
    )


def _measured(campaign: Campaign, aim: Aim) -> tuple[Aim, float]:
    """The aim with the components of its pilot, and the annotators' share of them.

    Raises BadRequest if there is no such pilot, or its data do not suffice.
    """
    code, _colon, name = aim.pilot.partition(":")
    pilot = campaign.project.campaigns.filter(code=code).first()
    data = judged_data.read_campaign(pilot).data if pilot else None
    names = [question.scale.name for question in data.questions] if data else []
    if data is None or name not in names:
        problem = _("There are no such judgments in this project.")
        raise BadRequest(problem, field="pilot")
    at = names.index(name)
    question = data.questions[at]
    if not question.scale.is_ordered:
        problem = _("A scale without order has no points.")
        raise BadRequest(problem, field="pilot")
    if aim.unit == "share" and question.threshold is None:
        problem = _("%(scale)s has no threshold.") % {"scale": question.title}
        raise BadRequest(problem, field="pilot")
    rows = (data.values[:, at] >= 0) & (data.round == 1) & ~data.is_check[data.item]
    rows &= ~data.is_extra
    values = np.array(question.scale.points, np.float64)[data.values[rows, at]]
    if aim.unit == "share":
        values = (values >= question.threshold).astype(np.float64)
    item = data.item[rows]
    split = of_judgments(
        values,
        item=item,
        annotator=data.annotator[rows],
        instance=data.instance[item],
        condition=_makers(data)[item],
    )
    if split is None:
        raise BadRequest(
            _(
                "Too few judgments: two people who share items are needed to "
                "tell items from annotators."
            ),
            field="pilot",
        )
    return _with(aim, float(values.mean()), *split)


def _with(
    aim: Aim, mean: float, made: Components, likeness: float
) -> tuple[Aim, float]:
    if aim.unit == "points":
        deviations: dict[str, Any] = {
            name: round(float(np.sqrt(getattr(made, name))), 3)
            for name in ("item", "annotator", "residual")
        }
        return replace(aim, likeness=round(likeness, 3), **deviations), 0.0
    whole = made.item + made.annotator + made.residual
    within, strict = (
        (made.item / whole, made.annotator / whole) if whole else (0.0, 0.0)
    )
    shares: dict[str, Any] = {"base": round(mean, 3), "within": round(within, 3)}
    return replace(aim, likeness=round(likeness, 3), **shares), round(strict, 3)


def _makers(data: Any) -> Any:
    """By item a number for the set of conditions that made it: int32 ``(items,)``."""
    made: dict[int, frozenset[int]] = {}
    for condition, item, _rank in data.credit:
        made[int(item)] = made.get(int(item), frozenset()) | {int(condition)}
    numbers: dict[frozenset[int], int] = {}
    sets = (made.get(at, frozenset()) for at in range(len(data.items)))
    return np.array([numbers.setdefault(one, len(numbers)) for one in sets], np.int32)
