"""What a report says of machine annotators: each against people, next to how far people
agree with each other."""

from typing import Any

import numpy as np

from annotator.models import Campaign, MachineJudge
from core.agreement.figures import Estimate, as_json
from core.agreement.judgments.dataset import Dataset, Selection
from core.agreement.judgments.people import against_gold, beyond_chance, bias_of

REPLICATES = 1000
LEAST = 10  # items that a person shares with others, to be compared with


def of(campaign: Campaign, data: Dataset) -> list[dict[str, Any]]:
    """A row for each machine. ``data``: with the judgments of all of them."""
    machines = list(campaign.machines.all())
    labels = {machine.label for machine in machines}
    people = tuple(name for name in data.annotators if name not in labels)
    return [_machine(machine, data, people) for machine in machines]


def _machine(
    machine: MachineJudge, data: Dataset, people: tuple[str, ...]
) -> dict[str, Any]:
    def only(*annotators: str) -> Dataset:
        return data.select(Selection(annotators, with_checks=data.with_checks))

    own = data.annotators.index(machine.label)
    mine, theirs = only(*people, machine.label), only(*people, "")  # () would be all
    return {
        "label": machine.label,
        "model": machine.model,
        "guideline": machine.guideline,
        "seed": machine.seed,
        "items": int((data.annotator == own).sum()),
        "tokens_in": machine.tokens_in,
        "tokens_out": machine.tokens_out,
        "cost": None if machine.cost is None else round(machine.cost, 4),
        "currency": machine.campaign.currency,
        "scales": [
            _scale(mine, theirs, place, own) for place in range(len(data.questions))
        ],
    }


def _scale(mine: Dataset, theirs: Dataset, place: int, own: int) -> dict[str, Any]:
    """On one scale: agreement beyond chance with all people, and the lowest and highest
    that a person reaches with the other people."""
    ratings = mine.ratings(place)
    known = [
        one.value
        for one in beyond_chance(theirs.ratings(place))
        if isinstance(one, Estimate) and one.n >= LEAST and np.isfinite(one.value)
    ]
    gold = against_gold(mine.ratings(place, checks=True), mine.gold[:, place])
    return {
        "title": mine.questions[place].title,
        "agreement": as_json(beyond_chance(ratings, [own], replicates=REPLICATES)[0]),
        "bias": as_json(bias_of(ratings)[own]),
        "gold": as_json(gold["raw"][own]),
        "people": [round(min(known), 4), round(max(known), 4)] if known else None,
    }
