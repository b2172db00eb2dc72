"""Deciding about items: a layer of its own over the judgments, which never change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import IntegrityError, transaction
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, StaleEdit
from annotator.models import Adjudication, Campaign, Item, Judgment, RatingScale
from annotator.models.projects import Anybody
from annotator.services.campaigns import answers
from annotator.services.campaigns.scales import check_values
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
    decided = np.asarray((data.adjudicated >= 0).any(1))
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


def value_of(scale: RatingScale, text: str) -> Any:
    """What a form sent, as it is stored; None if nothing, or nothing of the scale."""
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
    values = check_values(campaign, decision.values) if decision.values else {}
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


def reopen(judgment: Judgment, *, by: Anybody, uuid: UUID) -> Judgment:
    """Give one judge the item back. Raises NotAllowed, or Conflict if unanswered."""
    return answers.reopen(judgment, by=by, uuid=uuid)


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
