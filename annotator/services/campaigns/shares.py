"""How much one person has done in a campaign, and how much waits for them.

Home, the judging screen and the API all show these numbers. A judge cannot tell checks
and repeats from other items, so they count like them; training does not count. What a
manager set aside was work done, too.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotator.models import Item, Judgment, Participant, Queue
from annotator.services.kept_counts import MANY, kept
from annotator.throughput.prepared import Select, several
from core.data.orders import checks_ahead

CHECKS = (Item.Kind.GOLD, Item.Kind.ATTENTION)
MOST = 12  # people at once
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
    """By primary key, of at most ``MOST`` people; the number of queries does not depend
    on theirs."""
    listed = {person.pk: person for person in people}
    assert len(listed) <= MOST  # the statements have no more places
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


def _of_people(*more: Q) -> "QuerySet[Judgment, Any]":
    rows = Judgment.objects.filter(*more, participant__pk__in=several("people", MOST))
    rows = rows.exclude(item__kind=Item.Kind.TRAINING).order_by()
    return rows.values_list("participant")


_COUNTED = Select(
    lambda: _of_people().annotate(
        done=Count("pk", filter=Q(state__in=(State.DONE, State.ASIDE))),
        held=Count("pk", filter=Q(state=State.LEASED)),
        checks=Count("pk", filter=Q(item__kind__in=CHECKS) & ~Q(state=State.EXPIRED)),
    )
)
_SKIPPED = Select(lambda: _of_people(_is_skipped()).annotate(n=Count("pk")))


def _counts(people: list[int]) -> dict[int, _Counts]:
    counts: dict[int, _Counts] = defaultdict(_Counts)
    for pk, *of_person in _COUNTED.rows(people=people):
        counts[pk] = _Counts(*of_person)
    for pk, n in _SKIPPED.rows(people=people):
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


def _open_rows() -> "QuerySet[Queue, Any]":
    mine = Judgment.objects.filter(
        participant=OuterRef("participant"), item=OuterRef("batch__items"), round=1
    )
    rows = Queue.objects.filter(
        ~Exists(mine.exclude(state=State.EXPIRED)),
        participant__pk__in=several("people", MOST),
        batch__is_paused=False,
        batch__items__n_taken__lt=F("batch__items__need"),
        batch__items__is_withdrawn=False,
    )
    return rows.order_by().values_list("participant").annotate(n=Count("pk"))


_OPEN = Select(_open_rows)


def _open_now(people: list[int]) -> dict[int, int]:
    return dict(_OPEN.rows(people=people)) if people else {}


def _check_rows() -> "QuerySet[Item, Any]":
    rows = Item.objects.filter(
        campaign__pk__in=several("campaigns", MOST), kind__in=CHECKS, is_withdrawn=False
    )
    return rows.order_by().values_list("campaign").annotate(n=Count("pk"))


_CHECKS = Select(_check_rows)


def _checks(campaigns: set[int]) -> dict[int, int]:
    return defaultdict(int, _CHECKS.rows(campaigns=sorted(campaigns)))
