"""A rehearsal: a copy of a campaign, judged by invented annotators who err."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import (
    Campaign,
    Credit,
    Item,
    Job,
    Judgment,
    RatingScale,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.campaigns import (
    answers,
    copying,
    leases,
    participants,
    setup,
)
from annotator.services.campaigns.scales import (
    closed_scales,
    scales_for,
    sentences_of,
)
from core.agreement.judgments import open_answers
from core.protocols import Step

MAX_PEOPLE = 50
CHUNK = 1000


@dataclass(frozen=True, slots=True)
class Noise:
    """The errors of simulated annotators: ``bias`` and ``spread`` in points of the
    scale.

    Each has a bias of their own, drawn with standard deviation ``bias``; every answer
    is blurred by ``spread``, and with ``p_slip`` has nothing to do with the item.
    """

    bias: float = 0.3
    spread: float = 0.7
    p_slip: float = 0.02


def rehearse(
    campaign: Campaign,
    *,
    people: int,
    seed: int,
    by: Anybody,
    noise: Noise | None = None,
) -> Generator[Step, None, Campaign]:
    """A simulated copy, judged to its end; yields a Step for every round of answers.

    The true values are the gold ones where there are, else drawn by item and, for its
    conditions, shifted by one drawn for each. Raises NotAllowed and BadRequest.
    """
    access.require(by, "manage", campaign.project)
    if not 1 <= people <= MAX_PEOPLE:
        problem = _("Enter 1 to %(most)s annotators.") % {"most": MAX_PEOPLE}
        raise BadRequest(problem, field="people")
    rng = np.random.default_rng(seed)
    copy = copying.rehearsal_of(campaign, by=by)
    judges = [
        participants.add_participant(copy, label=f"simulated {n + 1}")
        for n in range(people)
    ]
    setup.open_campaign(copy, by=by)
    noise = noise or Noise()
    biases = {one.pk: rng.normal(0, noise.bias) for one in judges}
    truths = _truths(copy, rng)
    ranks = {pk: rank for rank, pk in enumerate(truths)}  # the same in every copy
    total = sum(copy.items.main().values_list("need", flat=True))
    yield Step(total=total)
    at_work = list(judges)
    while at_work:
        for one in list(at_work):
            drawn = leases.draw(one.pk, want=copy.prefetch)
            given = [
                np.random.default_rng([seed, one.seed, ranks[judgment.item_id]])
                for judgment in drawn
            ]
            values = [
                _values(copy, truths[judgment.item_id], biases[one.pk], noise, rng)
                for judgment, rng in zip(drawn, given, strict=True)
            ]
            _choose(copy, drawn, values)
            for judgment, said, of_this in zip(drawn, values, given, strict=True):
                said |= _open_answers(copy, judgment.item, of_this)
            for judgment, said, of_this in zip(drawn, values, given, strict=True):
                pace = of_this.lognormal(0, 0.4)
                active = int(1000 * copy.seconds_per_item * pace)
                seen = judgment.revision
                message = answers.Answer(uuid4(), seen, said, active_ms=active)
                answers.save(judgment, message)
            if drawn:
                yield Step(done=sum(judgment.fills for judgment in drawn))
            else:
                at_work.remove(one)
    setup.close(copy, by=by)
    return copy


def start(campaign: Campaign, *, people: int, by: Anybody) -> Job:
    """The job that rehearses. Raises NotAllowed."""
    access.require(by, "manage", campaign.project)
    return jobs.create(
        campaign.project,
        "rehearse",
        title=f"Simulation of {campaign.name}",
        by=by,
        params={"campaign": campaign.code, "people": people},
        seed=campaign.seed,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any] | None]:
    """The job ``rehearse``: ``params`` name the campaign and how many people."""
    assert job.by is not None
    campaign = job.project.campaigns.get(code=job.params["campaign"])
    people = int(job.params["people"])
    copy = yield from rehearse(campaign, people=people, seed=job.seed, by=job.by)
    return {"campaign": copy.code}


Truths = dict[int, dict[str, float]]


def _truths(campaign: Campaign, rng: np.random.Generator) -> Truths:
    """Item id -> scale -> true value, a place on the scale (0 = the lowest)."""
    shifts = {
        c: rng.normal(0, 0.15) for c in campaign.conditions.values_list("pk", flat=True)
    }
    credits: dict[int, list[float]] = {}
    rows = Credit.objects.filter(item__campaign=campaign).order_by("pk")
    for pk, condition in rows.values_list("item_id", "condition_id"):
        credits.setdefault(pk, []).append(shifts[condition])
    truths: Truths = {}
    for item in campaign.items.order_by("pk"):
        shift = float(np.mean(credits.get(item.pk, [0.0])))
        truths[item.pk] = {
            scale.name: _truth(scale, item, shift, rng)
            for scale in closed_scales(campaign)
        }
    return truths


def _truth(
    scale: RatingScale, item: Item, shift: float, rng: np.random.Generator
) -> float:
    labels = scale.to_core().labels
    drawn = float(np.clip(rng.beta(1.4, 1.0) + shift, 0, 1)) * (len(labels) - 1)
    if scale.name in item.gold:
        return float(labels.index(str(item.gold[scale.name])))
    return drawn


def _values(
    campaign: Campaign,
    truth: dict[str, float],
    bias: float,
    noise: Noise,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """An answer; where the best and the worst are chosen, a place to choose by."""
    values: dict[str, Any] = {}
    for scale in closed_scales(campaign):
        labels = scale.to_core().labels
        unit = (len(labels) - 1) / 4  # noise is in points of a five-point scale
        place = truth[scale.name] + unit * (bias + rng.normal(0, noise.spread))
        if rng.random() < noise.p_slip:
            place = rng.uniform(0, len(labels) - 1)
        if scale.kind == RatingScale.Kind.BEST:
            values[scale.name] = place
            continue
        label = labels[int(np.clip(np.rint(place), 0, len(labels) - 1))]
        values[scale.name] = int(label) if scale.is_ordered else label
    return values


def _open_answers(
    campaign: Campaign, item: Item, rng: np.random.Generator
) -> dict[str, str]:
    """A text that says what it is; one word marked, mostly the same for everyone."""
    said: dict[str, str] = {}
    for scale in scales_for(campaign):
        if scale.kind == RatingScale.Kind.TEXT:
            said[scale.name] = "Simulated answer."
        elif scale.kind == RatingScale.Kind.SPANS:
            words = open_answers.words_of(sentences_of(item))
            known = item.number % len(words)
            at = known if rng.random() < 0.8 else int(rng.integers(len(words)))
            said[scale.name] = open_answers.marks_text([words[at]])
    return said


def _choose(
    campaign: Campaign, drawn: list[Judgment], values: list[dict[str, Any]]
) -> None:
    """The best and the worst of each phrase's paraphrases that were drawn."""
    groups: dict[int, list[int]] = {}
    for at, judgment in enumerate(drawn):
        groups.setdefault(judgment.item.instance_id, []).append(at)
    best = [s.name for s in scales_for(campaign) if s.kind == RatingScale.Kind.BEST]
    for name in best:
        for group in groups.values():
            group.sort(key=lambda at: float(values[at][name]))
            for place, at in enumerate(group):
                is_alone = len(group) == 1
                is_last = place == len(group) - 1
                chosen = 1 if is_last else 0 if place else -1
                values[at][name] = 0 if is_alone else chosen
