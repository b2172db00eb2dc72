"""Deciding many items at once where most judges agree, and taking that back."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Subquery

from annotator import access
from annotator.models import Adjudication, Campaign, Item, Judgment
from annotator.models.codes import new_code
from annotator.models.projects import Anybody
from annotator.services.projects import log

MOST = 2000  # decisions of one go
SHOWN = 5  # batches


@dataclass(frozen=True, slots=True)
class DecisionBatch:
    """Decisions made together: ``n`` of them still stand."""

    code: str
    n: int
    by: str


def proposals(campaign: Campaign) -> dict[int, tuple[dict[str, Any], bool]]:
    """Item key -> values that more than half of two judges or more gave on every scale,
    and whether all of them did; undecided main items only: what gold, attention and
    training items should get is known."""
    judgments = Judgment.objects.of(campaign).answered()
    judgments = judgments.filter(item__kind=Item.Kind.MAIN, item__is_withdrawn=False)
    last: dict[int, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    rows = judgments.order_by("round", "pk").values_list(
        "item", "participant", "values"
    )
    for item, judge, values in rows.iterator(2000):
        last[item][judge] = values
    done = _decided(campaign)
    scales = list(campaign.scales.values_list("name", flat=True))
    answers = {
        item: _majority(list(of.values()), scales)
        for item, of in last.items()
        if item not in done and len(of) > 1
    }
    return {item: answer for item, answer in answers.items() if answer is not None}


def _majority(
    answers: list[Mapping[str, Any]], scales: list[str]
) -> tuple[dict[str, Any], bool] | None:
    values, is_unanimous = {}, True
    for scale in scales:
        given = [one[scale] for one in answers if one.get(scale) is not None]
        ((value, n),) = Counter(given).most_common(1) or [(None, 0)]
        if n < 2 or 2 * n <= len(given):
            return None
        values[scale] = value
        is_unanimous &= n == len(answers)
    return values, is_unanimous


@transaction.atomic
def take(campaign: Campaign, *, by: Anybody) -> DecisionBatch:
    """Decide so, at most ``MOST`` items. Raises NotAllowed.

    Anyone who decides about one of them meanwhile is not overruled.
    """
    access.require(by, "curate", campaign.project)
    agreed = dict(list(proposals(campaign).items())[:MOST])
    code, numbers = new_code(), _numbers(campaign)
    reason, levels = Adjudication.Reason, Adjudication.Confidence
    rows = [
        Adjudication(
            item_id=item,
            number=numbers.get(item, 0) + 1,
            values=values,
            reason=reason.AGREED if is_unanimous else reason.MAJORITY,
            confidence=levels.HIGH if is_unanimous else levels.MEDIUM,
            batch=code,
            by_id=by.pk,
        )
        for item, (values, is_unanimous) in agreed.items()
    ]
    Adjudication.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    n = Adjudication.objects.filter(batch=code).count()
    name = f"{n} items of {campaign.name}"
    log.note(campaign.project, by, "decided by majority", "items", name)
    return DecisionBatch(code, n, str(by))


@transaction.atomic
def take_back(campaign: Campaign, batch: str, *, by: Anybody) -> int:
    """Withdraw what of the batch still stands; how many. Raises NotAllowed.

    Items that someone has decided about since stay as they are.
    """
    access.require(by, "curate", campaign.project)
    standing = _standing(campaign).filter(batch=batch)
    rows = [
        Adjudication(
            item_id=item,
            number=number + 1,
            reason=Adjudication.Reason.OTHER,
            confidence=Adjudication.Confidence.LOW,
            note="Taken back with the others that were decided by majority.",
            by_id=by.pk,
        )
        for item, number in standing.values_list("item", "number")
    ]
    Adjudication.objects.bulk_create(rows, batch_size=500)
    if rows:
        name = f"{len(rows)} items of {campaign.name}"
        log.note(campaign.project, by, "took back majority of", "items", name)
    return len(rows)


def batches(campaign: Campaign) -> list[DecisionBatch]:
    """The last goes of which something still stands, the newest first."""
    rows = _standing(campaign).exclude(batch="").order_by("-pk")
    who: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for code, name in rows.values_list("batch", "by__username"):
        who.setdefault(code, name or "")
        counts[code] += 1
    return [DecisionBatch(code, counts[code], name) for code, name in who.items()][
        :SHOWN
    ]


def _standing(campaign: Campaign) -> Any:
    """The decisions that count: the last of each item."""
    rows = Adjudication.objects.filter(item__campaign=campaign)
    last = Adjudication.objects.filter(item=OuterRef("item")).order_by("-number")
    return rows.filter(number=Subquery(last.values("number")[:1]))


def _decided(campaign: Campaign) -> set[int]:
    rows = _standing(campaign).values_list("item", "values")
    return {item for item, values in rows if values}


def _numbers(campaign: Campaign) -> dict[int, int]:
    return dict(_standing(campaign).values_list("item", "number"))
