"""Decisions about items: a separate layer over the judgments, which never change."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Subquery
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, StaleEdit
from annotator.models import Adjudication, Campaign, Item, Judgment, RatingScale
from annotator.models.codes import new_code
from annotator.models.projects import Anybody
from annotator.services.campaigns.scales import check_values, closed_scales
from annotator.services.projects import log
from annotator.services.reports import judged_data
from core.agreement.judgments.dataset import Selection
from core.agreement.judgments.items import distance

MAX_NOTE = 2000


@dataclass(frozen=True, slots=True)
class Decision:
    """``accepts``: the judge whose values were taken as they stood, by label.

    ``seen``: the number of the last decision that the curator saw, 0 = none.
    """

    values: Mapping[str, Any]
    reason: str
    confidence: int
    note: str = ""
    accepts: str = ""
    seen: int = 0


@dataclass(frozen=True, slots=True)
class QueueRow:
    """An item that two judges or more have judged; ``distance`` in points."""

    code: str
    distance: float
    is_decided: bool


def queue(campaign: Campaign, *, show: str = "open") -> list[QueueRow]:
    """The items with two judges or more, those that differ most first.

    ``show``: open (no decision yet), decided, or all.
    """
    data = judged_data.read_campaign(campaign).data.select(Selection(max_rank=0))
    far = np.zeros(len(data.items))
    shared = np.zeros(len(data.items), bool)
    for place in range(len(data.questions)):
        ratings = data.ratings(place)
        far = np.maximum(far, distance(ratings))
        shared |= ratings.counts().sum(1) >= 2
    for place in range(len(data.open)):
        judges = np.bincount(data.item[data.answered(place)], minlength=len(far))
        shared |= judges >= 2
    known = campaign.items.filter(pk__in=_decided(campaign))
    decided = np.isin(data.items, list(known.values_list("code", flat=True)))
    keep = shared & (decided if show == "decided" else True)
    if show == "open":
        keep &= ~decided
    order = np.argsort(-far, kind="stable")
    return [
        QueueRow(data.items[i], float(far[i]), bool(decided[i]))
        for i in order
        if keep[i]
    ]


def shown(campaign: Campaign, rows: list[QueueRow]) -> list[tuple[QueueRow, Item]]:
    """The rows with their items, in one query."""
    items = campaign.items.filter(code__in=[row.code for row in rows])
    by_code = {item.code: item for item in items.select_related("instance")}
    return [(row, by_code[row.code]) for row in rows if row.code in by_code]


def next_item(campaign: Campaign, item: Item) -> str:
    """The next undecided item after this one, or ""."""
    codes = [row.code for row in queue(campaign)]
    at = codes.index(item.code) + 1 if item.code in codes else 0
    return codes[at] if at < len(codes) and codes[at] != item.code else ""


def judgment_in(campaign: Campaign, code: str) -> Judgment:
    """The judgment of this code in the campaign; raises Http404."""
    rows = Judgment.objects.of(campaign).select_related(
        "participant__campaign__project", "item"
    )
    return get_object_or_404(rows, code=code)


def value_of(scale: RatingScale, text: str | None) -> Any:
    """A form's value as stored; None if missing, or not on the scale. What is open is
    checked when it is stored."""
    if scale.is_open:
        return text
    return next((value for value in scale.values() if str(value) == text), None)


def label_of(item: Item, code: str) -> str:
    """Whose judgment of the item this is, by label; "" if it is none of them."""
    rows = item.judgments.filter(code=code)
    return rows.values_list("participant__label", flat=True).first() or ""


def judgments_of(item: Item) -> list[Judgment]:
    """Everything that was said of the item, each judge's looks together."""
    rows = item.judgments.select_related("participant__user")
    held = rows.filter(state__in=[Judgment.State.DONE, Judgment.State.LEASED])
    return [
        row
        for row in held.order_by("participant__label", "round")
        if row.values or row.state == Judgment.State.LEASED
    ]


def history(item: Item) -> list[Adjudication]:
    """Every decision on the item, the newest first."""
    return list(item.adjudications.select_related("by").order_by("-number"))


@transaction.atomic
def decide(item: Item, decision: Decision, *, by: Anybody) -> Adjudication:
    """Add a decision. Raises NotAllowed, BadRequest, or StaleEdit if there is a newer
    one than the curator saw; earlier decisions and all judgments stay."""
    campaign = item.campaign
    access.require(by, "curate", campaign.project)
    values = check_values(campaign, decision.values, item) if decision.values else {}
    if not decision.values and not decision.seen:
        raise BadRequest(_("Choose a value on every scale."), field="values")
    if decision.reason not in Adjudication.Reason.values:
        raise BadRequest(_("Choose a reason."), field="reason")
    if decision.confidence not in Adjudication.Confidence.values:
        raise BadRequest(_("Choose your confidence."), field="confidence")
    if decision.accepts:
        _require_equal(item, decision.accepts, values)
    last = item.adjudications.order_by("-number").first()
    if (last.number if last else 0) != decision.seen:
        _stale(last)
    try:
        with transaction.atomic():
            return Adjudication.objects.create(
                item=item,
                number=decision.seen + 1,
                values=values,
                accepts=decision.accepts,
                reason=decision.reason,
                confidence=decision.confidence,
                note=decision.note.strip()[:MAX_NOTE],
                by_id=by.pk,
            )
    except IntegrityError:
        _stale(item.adjudications.order_by("-number").first())
        raise


def withdraw(item: Item, *, by: Anybody, seen: int, note: str = "") -> Adjudication:
    """Take the decision back: the item is undecided again, and the ledger says so."""
    taken_back = Decision({}, Adjudication.Reason.OTHER, 1, note=note, seen=seen)
    return decide(item, taken_back, by=by)


def _require_equal(item: Item, label: str, values: Mapping[str, Any]) -> None:
    """Accepting a judge means their values, not others."""
    theirs = item.judgments.filter(participant__label=label, state="done")
    if not any(row.values == values for row in theirs):
        raise BadRequest(
            _("These are not the values of %(name)s: decide without accepting them.")
            % {"name": label},
            field="accepts",
        )


def _stale(last: Adjudication | None) -> None:
    raise StaleEdit(
        _("Someone decided this item in the meantime. Check it again."),
        revision=last.number if last else 0,
        values=last.values if last else {},
    )


MOST = 2000  # decisions of one go
SHOWN = 5  # batches


@dataclass(frozen=True, slots=True)
class DecisionBatch:
    """Decisions made together; ``n`` of them are still in force."""

    code: str
    n: int
    by: str


def proposals(campaign: Campaign) -> dict[int, tuple[dict[str, Any], bool]]:
    """Item key -> values that more than half of two judges or more gave on every scale,
    and whether all of them did; undecided main items only: what gold, attention and
    training items should get is known. Open answers have no majority."""
    judgments = Judgment.objects.of(campaign).answered()
    judgments = judgments.filter(item__kind=Item.Kind.MAIN, item__is_withdrawn=False)
    last: dict[int, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    rows = judgments.order_by("round", "pk").values_list(
        "item", "participant", "values"
    )
    for item, judge, values in rows.iterator(2000):
        last[item][judge] = values
    done = _decided(campaign)
    scales = [scale.name for scale in closed_scales(campaign)]
    answers = {
        item: _majority(list(of.values()), scales)
        for item, of in last.items()
        if item not in done and len(of) > 1
    }
    return {item: answer for item, answer in answers.items() if answer is not None}


def _majority(
    answers: list[Mapping[str, Any]], scales: list[str]
) -> tuple[dict[str, Any], bool] | None:
    values: dict[str, Any] = {}
    is_unanimous = True
    for scale in scales:
        given = [one[scale] for one in answers if one.get(scale) is not None]
        ((value, n),) = Counter(given).most_common(1) or [(None, 0)]
        if n < 2 or 2 * n <= len(given):
            return None
        values[scale] = value
        is_unanimous &= n == len(answers)
    return (values, is_unanimous) if values else None


@transaction.atomic
def take(campaign: Campaign, *, by: Anybody) -> DecisionBatch:
    """Decide so, at most ``MOST`` items. Raises NotAllowed.

    Decisions made by someone else meanwhile are not overruled.
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
    """Withdraw the batch's remaining decisions; return how many. Raises NotAllowed.

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
    """The last batches with decisions in force, newest first."""
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
