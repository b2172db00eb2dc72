"""How many people judge each item: decided when a campaign opens, raised later."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Value
from django.db.models.functions import Greatest

from annotator.models import Batch, Campaign, Item
from annotator.services.campaigns.scales import closed_scales
from core.agreement.judgments.design import kappa_width
from core.data.orders import mix, nth

WITHIN_PHRASE = 0.2  # similarity of items of one phrase, as the plan assumes
AT_ONCE = 5000  # items in one statement
RAW_AGREEMENT = 0.47  # Callison-Burch 2008; what the plan assumes too
CHOICES = (  # k, share judged by more, by how many
    (1, 0.0, 2),
    (1, 0.2, 2),
    (2, 0.0, 2),
    (3, 0.0, 3),
)


@dataclass(frozen=True, slots=True)
class JudgesChoice:
    """One answer to "How many people judge each item?".

    ``precision``: half the 95 % interval of agreement expected (K with uniform chance,
    the widest of all scales); None if it cannot be measured.
    """

    k: int
    share: float
    overlap_k: int
    judgments: int
    shared: int
    hours: float
    precision: float | None

    @property
    def key(self) -> str:
        """The value that a form sends."""
        return f"{self.k}-{self.share:g}-{self.overlap_k}"

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "k": self.k,
            "overlap_share": self.share,
            "overlap_k": max(self.overlap_k, self.k),
        }


def choices(campaign: Campaign) -> list[JudgesChoice]:
    """The usual answers, including the present setting."""
    now = _settled(campaign.k, campaign.overlap_share, campaign.overlap_k)
    listed = CHOICES if now in CHOICES else (*CHOICES, now)
    return [_choice(campaign, *one) for one in listed]


def chosen(campaign: Campaign) -> JudgesChoice:
    """The present setting."""
    return _choice(
        campaign, *_settled(campaign.k, campaign.overlap_share, campaign.overlap_k)
    )


def _settled(k: int, share: float, overlap_k: int) -> tuple[int, float, int]:
    """One way to write each setting: no share where no one judges more than ``k``."""
    if overlap_k <= k or not share:
        return k, 0.0, max(k, 2)
    return k, share, overlap_k


def _choice(campaign: Campaign, k: int, share: float, overlap_k: int) -> JudgesChoice:
    needs: Counter[int] = Counter()
    for n in campaign.batches.values_list("n_items", flat=True):
        more = round(share * n)
        needs[k] += n - more
        needs[overlap_k] += more
    judgments = sum(m * n for m, n in needs.items())
    shared = sum(n for m, n in needs.items() if m > 1)
    hours = judgments * campaign.seconds_per_item / 3600
    n_phrases = campaign.items.main().values("instance_id").distinct().count()
    widths = [
        kappa_width(
            shared,
            agreement=RAW_AGREEMENT,
            categories=len(scale.values()),
            cluster=campaign.n_items / max(n_phrases, 1),
            rho=WITHIN_PHRASE,
        )
        for scale in closed_scales(campaign)
        if len(scale.values()) > 1
    ]
    known = [width / 2 for width in widths if width is not None]
    precision = max(known, default=None)
    return JudgesChoice(k, share, overlap_k, judgments, shared, hours, precision)


def share_out(campaign: Campaign, batch: Batch) -> None:
    """Set ``need``: ``overlap_k`` for a seeded share of the items, ``k`` for the rest.

    Items added to an open batch are shared out by the same rule.
    """
    fresh = Item.objects.main().filter(batch=batch, need=0, is_withdrawn=False)
    numbers = list(fresh.order_by("number").values_list("number", flat=True))
    n_shared = round(campaign.overlap_share * len(numbers))
    seed = mix(campaign.seed, batch.position)
    shared = [numbers[nth(i, len(numbers), seed)] for i in range(n_shared)]
    rows = Item.objects.filter(batch=batch)
    for part in _parts(shared):
        rows.filter(number__in=part).update(need=max(campaign.overlap_k, campaign.k))
    fresh.update(need=campaign.k)
    _offer_again(batch)


def share_again(campaign: Campaign, batch: Batch, *, before: int) -> None:
    """Fit what is given out already to new numbers of judges: items get places for
    more, or lose those that no one has taken. Answers and leases stay.

    ``before``: judges of an item that was not shared. Shared items stay so first.
    """
    rows = Item.objects.main().filter(batch=batch, is_withdrawn=False, need__gt=0)
    known = list(rows.order_by("number").values_list("pk", "need", "n_extra"))
    seed = mix(campaign.seed, batch.position)
    order = [known[nth(i, len(known), seed)] for i in range(len(known))]
    order.sort(key=lambda row: row[1] - row[2] <= before)
    n_shared = round(campaign.overlap_share * len(order))
    places = (
        (max(campaign.overlap_k, campaign.k), order[:n_shared]),
        (campaign.k, order[n_shared:]),
    )
    for n, of in places:
        for part in _parts([pk for pk, *_ in of]):
            _set_need(part, n)
    _offer_again(batch)


def _set_need(ids: list[int], n: int) -> None:
    """``n`` judges, those who were sent as two differed apart; never below the places
    that are taken. On PostgreSQL the rows are locked by the update itself."""
    wanted = Value(n) + F("n_extra")
    Item.objects.filter(pk__in=ids).update(need=Greatest(wanted, F("n_taken")))


def _parts(of: list[int]) -> Iterable[list[int]]:
    return (of[at : at + AT_ONCE] for at in range(0, len(of), AT_ONCE))


def _offer_again(batch: Batch) -> None:
    """Anyone who found nothing left in the batch looks again."""
    Batch.objects.filter(pk=batch.pk).update(n_returned=F("n_returned") + 1)
