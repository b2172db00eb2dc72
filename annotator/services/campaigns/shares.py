"""How much one person has done in a campaign, and how much waits for them.

Home, the judging screen and the API all show these numbers. A judge cannot tell checks
and repeats from other items, so they count like them; training does not count. What a
manager set aside was work done, too.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from django.db.models import Count, Exists, F, OuterRef, Q

from annotator.models import Item, Judgment, Participant, Queue
from annotator.services.kept_counts import MANY, kept
from core.data.orders import checks_ahead

CHECKS = (Item.Kind.GOLD, Item.Kind.ATTENTION)
State = Judgment.State


@dataclass(frozen=True, slots=True)
class JudgeShare:
    """``left``: items that wait for this person now, ``skipped`` of them skipped ones
    that no one has taken since. Others may take some first, so it is the most."""

    done: int
    left: int
    skipped: int

    @property
    def all(self) -> int:
        return self.done + self.left


@dataclass(slots=True)
class _Counts:
    """Judgments of one person: ``held`` without repeats; ``checks`` had so far."""

    done: int = 0
    held: int = 0
    checks: int = 0
    skipped: int = 0


def of(person: Participant) -> JudgeShare:
    """The share of one person."""
    return of_many([person])[person.pk]


def of_many(people: Iterable[Participant]) -> dict[int, JudgeShare]:
    """By primary key; the number of queries does not depend on the number of people."""
    listed = {person.pk: person for person in people}
    counts, n_open = _counts(list(listed)), _open(list(listed.values()))
    n_checks = _checks({person.campaign_id for person in listed.values()})
    return {
        pk: _share(person, counts[pk], n_open[pk], n_checks[person.campaign_id])
        for pk, person in listed.items()
    }


def skipped(person: Participant) -> Q:
    """The judgments that this person skipped and may still answer."""
    return Q(participant=person) & _is_skipped()


def _share(person: Participant, of: _Counts, n_open: int, n_checks: int) -> JudgeShare:
    campaign = person.campaign
    quota = person.quota or campaign.quota
    if quota is not None:
        n_open = min(n_open, max(quota - person.n_taken, 0))
    unseen = max(n_checks - of.checks, 0) if campaign.has_checks else 0
    n_checks_left = checks_ahead(
        person.seed,
        campaign.check_every,
        person.n_served,
        items=n_open,
        unseen=unseen,
    )
    left = n_open + n_checks_left + of.held + of.skipped
    return JudgeShare(of.done, left, of.skipped)


def _is_skipped() -> Q:
    free = Item.objects.filter(
        pk=OuterRef("item_id"), n_taken__lt=F("need"), is_withdrawn=False
    )
    return Q(Exists(free), state=State.SKIPPED)


def _counts(people: list[int]) -> dict[int, _Counts]:
    rows = Judgment.objects.filter(participant__in=people)
    rows = rows.exclude(item__kind=Item.Kind.TRAINING).order_by()
    had = Q(item__kind__in=CHECKS) & ~Q(state=State.EXPIRED)
    grouped = rows.values("participant").annotate(
        done=Count("pk", filter=Q(state__in=(State.DONE, State.ASIDE))),
        held=Count("pk", filter=Q(state=State.LEASED)),
        checks=Count("pk", filter=had),
    )
    counts: dict[int, _Counts] = defaultdict(_Counts)
    for row in grouped:
        counts[row["participant"]] = _Counts(row["done"], row["held"], row["checks"])
    again = rows.filter(_is_skipped()).values("participant").annotate(n=Count("pk"))
    for pk, n in again.values_list("participant", "n"):
        counts[pk].skipped = n
    return counts


def _open(people: list[Participant]) -> dict[int, int]:
    """Items with a free place that each has not had; of very large campaigns as they
    were a moment ago."""
    small = [one for one in people if one.campaign.n_items <= MANY]
    counts = defaultdict(int, _open_now([one.pk for one in small]))
    for one in people:
        if one.campaign.n_items > MANY:
            key, n = f"open-{one.pk}", one.campaign.n_items
            found = kept(key, n, partial(_open_now, [one.pk]))
            counts[one.pk] = found.get(one.pk, 0)
    return counts


def _open_now(people: list[int]) -> dict[int, int]:
    mine = Judgment.objects.filter(
        participant=OuterRef("participant"), item=OuterRef("batch__items"), round=1
    )
    rows = Queue.objects.filter(
        ~Exists(mine.exclude(state=State.EXPIRED)),
        participant__in=people,
        batch__is_paused=False,
        batch__items__n_taken__lt=F("batch__items__need"),
        batch__items__is_withdrawn=False,
    )
    grouped = rows.order_by().values("participant").annotate(n=Count("pk"))
    return dict(grouped.values_list("participant", "n"))


def _checks(campaigns: set[int]) -> dict[int, int]:
    rows = Item.objects.filter(campaign__in=campaigns, kind__in=CHECKS)
    rows = rows.filter(is_withdrawn=False).order_by()
    grouped = rows.values("campaign").annotate(n=Count("pk"))
    return defaultdict(int, grouped.values_list("campaign", "n"))
