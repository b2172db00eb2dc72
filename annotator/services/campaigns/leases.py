"""Handing out items: who gets what next, for how long, and never too many.

An item has ``need`` places. A lease takes one (``n_taken``), an answer fills it
(``n_done``), a lease that runs out or is skipped gives it back. Everyone goes through
a batch in an order of their own (``core.data.orders.nth``), so a draw looks at a few
places of that order and at the index of open items; its cost does not grow with the
campaign. Locks are taken as participant, items, judgments.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, F, OuterRef, QuerySet
from django.utils import timezone

from annotator.models import (
    Batch,
    Campaign,
    Item,
    Judgment,
    JudgmentEvent,
    Participant,
    Queue,
    Tally,
)
from annotator.throughput.prepared import Select, Slot, Update, add, several, slots
from annotator.throughput.writing import write
from core.data.orders import CHECK, REPEAT, before_the_end, is_due, mix, nth

WINDOWS = (16, 256)  # places of one's own order looked at before the open index
REAP_S = 5.0  # leases are looked over at most this often
REAPED = 100  # leases undone in one go
SHOWN = (  # the columns of what a judge sees
    *("code", "revision", "values", "comment", "flag", "state", "fills"),
    *("participant_id", "item__paraphrase", "item__kind", "item__batch_id"),
    *("item__is_withdrawn", "item__instance__sentence", "item__instance__start"),
    *("item__instance__end", "item__instance__phrase"),
)
_last_reap: dict[int, float] = {}


def _candidates(person: Participant | Slot, batch: Batch | Slot) -> QuerySet[Item]:
    """Open items that this person has not had; a lease that ran out does not count."""
    mine = Judgment.objects.filter(participant=person, item=OuterRef("pk"), round=1)
    had = mine.exclude(state=Judgment.State.EXPIRED)
    return Item.objects.open_in(batch).filter(~Exists(had), is_withdrawn=False)


def _unlocked() -> QuerySet[Item, tuple[int]]:
    """Those of up to 16 items that have a free place."""
    rows = Item.objects.filter(pk__in=several("ids", WINDOWS[0]))
    return rows.filter(n_taken__lt=F("need")).order_by("pk").values_list("pk")


_PERSON = Select(
    lambda: (
        Participant.objects.select_for_update(of=("self",))
        .select_related("campaign")
        .filter(pk=Slot("pk"))
    )
)
_HELD = Select(
    lambda: Judgment.objects.filter(
        participant=Slot("person"), state=Judgment.State.LEASED
    ).values_list("code")
)
_SHOWN = Select(
    lambda: (
        Judgment.objects.filter(
            participant=Slot("person"),
            state=Judgment.State.LEASED,
            lease_until=Slot("end", DateTimeField()),
        )
        .select_related("item__instance")
        .only(*SHOWN)
        .order_by("pk")
    )
)
_QUEUES = Select(
    lambda: (
        Queue.objects.filter(participant=Slot("person"), batch__is_paused=False)
        .select_related("batch")
        .order_by("batch__position")
    )
)
_WINDOW = Select(
    lambda: (
        _candidates(Slot("person"), Slot("batch"))
        .filter(number__in=several("numbers", WINDOWS[0]))
        .values_list("number", "pk")
    )
)
_LOCK_FREE = Select(lambda: _unlocked().select_for_update(skip_locked=True))
_LOCK_IN_TURN = Select(lambda: _unlocked().select_for_update())
_MOVED = Update(
    lambda: Queue.objects.filter(pk=Slot("pk")), **slots(Queue, "cursor", "dry_at")
)
_TAKEN = Update(
    lambda: Item.objects.filter(pk__in=several("ids", WINDOWS[0])),
    n_taken=F("n_taken") + 1,
)
_SERVED = Update(
    lambda: Participant.objects.filter(pk=Slot("pk")),
    **slots(Participant, "n_served", "n_taken", "repeat_cursor"),
)


@dataclass
class _Draw:
    """One hand-out as it grows: ``main`` take a place, ``free`` do not."""

    person: Participant
    campaign: Campaign
    main: list[int]
    free: list[int]
    again: list[int]


def draw(participant_id: int, *, want: int, held: Iterable[str] = ()) -> list[Judgment]:
    """Up to ``want`` judgments to make, with item and instance, in the order to show.

    First those leased before whose code is not in ``held`` (the browser lost them),
    then new ones. Nothing new while campaign, batch or participant pauses.
    """
    _reap_now_and_then()
    with write():
        person: Participant = _PERSON.models(pk=participant_id)[0]
        if not _may_draw(person):
            return []
        end = until(person.campaign)
        lost = {code for (code,) in _HELD.rows(person=person.pk)} - set(held)
        if lost:
            person.judgments.filter(code__in=lost).update(lease_until=end)
        missing = min(want, person.campaign.prefetch) - len(lost)
        if missing > 0:
            _lease(_fresh(person, missing), end)
    return _SHOWN.models(person=person.pk, end=end)


def _may_draw(person: Participant) -> bool:
    return person.campaign.is_open and person.state == Participant.State.ACTIVE


def until(campaign: Campaign) -> datetime:
    return timezone.now() + timedelta(seconds=campaign.lease_s)


def _fresh(person: Participant, want: int) -> _Draw:
    """What to lease: training first, else by schedule items, checks and repeats."""
    got = _Draw(person, person.campaign, [], [], [])
    if not person.is_trained:
        got.free = _unseen(person, (Item.Kind.TRAINING,), want)
    else:
        _by_schedule(got, want)
    return got


def _by_schedule(got: _Draw, want: int) -> None:
    """Fill ``got`` with ``want`` items as the person's own schedule says.

    The same questions are asked of the database whatever the schedule says, so that
    a check takes as long as any other item.
    """
    campaign, person = got.campaign, got.person
    first = person.n_served
    slots = range(first, first + want)
    is_check = [is_due(person.seed, CHECK, campaign.check_every, s) for s in slots]
    is_repeat = [is_due(person.seed, REPEAT, campaign.repeat_every, s) for s in slots]
    if campaign.has_checks:
        kinds = (Item.Kind.GOLD, Item.Kind.ATTENTION)
        got.free = _unseen(person, kinds, sum(is_check))
    if campaign.repeat_every:
        got.again = _to_repeat(person)[: sum(is_repeat)]
    rest = want - len(got.free) - len(got.again)
    if person.quota is not None:
        rest = min(rest, person.quota - person.n_taken)
    elif campaign.quota is not None:
        rest = min(rest, campaign.quota - person.n_taken)
    if rest > 0:
        got.main = _open_items(person, rest)
    counts = {"checks": len(got.free), "repeats": len(got.again)}
    n_free, n_again = before_the_end(is_check, is_repeat, items=len(got.main), **counts)
    got.free, got.again = got.free[:n_free], got.again[:n_again]
    if campaign.mode == Campaign.Mode.GRID:
        _add_siblings(got)


def _unseen(person: Participant, kinds: Sequence[str], n: int) -> list[int]:
    """Checks or training items this person has not had, in an order of their own; a
    lease that ran out does not count."""
    mine = Judgment.objects.filter(participant=person, item=OuterRef("pk"))
    had = mine.exclude(state=Judgment.State.EXPIRED)
    rows = Item.objects.filter(
        ~Exists(had), campaign=person.campaign, kind__in=kinds, is_withdrawn=False
    )
    ids = list(rows.values_list("pk", flat=True)[:1000])
    return sorted(ids, key=lambda pk: mix(person.seed, pk))[:n]


def _to_repeat(person: Participant) -> list[int]:
    """The next of one's own answers that is old enough to be repeated."""
    before = timezone.now() - timedelta(hours=person.campaign.repeat_gap_h)
    rows = Judgment.objects.counted().filter(
        participant=person, pk__gt=person.repeat_cursor, saved_at__lte=before
    )
    skip = mix(person.seed, REPEAT, person.n_served) % 4
    candidates = list(rows.order_by("pk").values_list("pk", "item_id")[: skip + 1])
    if not candidates:
        return []
    person.repeat_cursor = candidates[-1][0]
    return [candidates[-1][1]]


def _open_items(person: Participant, want: int) -> list[int]:
    """Ids of items with a free place, locked, over the batches in their order."""
    got: list[int] = []
    for queue in _QUEUES.models(person=person.pk):
        if queue.cursor < queue.batch.n_items or queue.dry_at != queue.batch.n_returned:
            _from_queue(person, queue, want, got)
        if len(got) >= want:
            break
    return got


def _from_queue(person: Participant, queue: Queue, want: int, got: list[int]) -> None:
    """Add to ``got`` until ``want`` are there or this batch has no more."""
    batch, before = queue.batch, (queue.cursor, queue.dry_at)
    for width in WINDOWS:
        if len(got) < want and queue.cursor < batch.n_items:
            got += _from_window(person, queue, want - len(got), width, got)
    if len(got) < want and not _from_index(person, batch, want, got):
        queue.dry_at, queue.cursor = batch.n_returned, batch.n_items
    if before != (queue.cursor, queue.dry_at):
        _MOVED.run(pk=queue.pk, cursor=queue.cursor, dry_at=queue.dry_at)


def _from_window(
    person: Participant, queue: Queue, want: int, width: int, had: list[int]
) -> list[int]:
    """Open items among the next ``width`` places of one's own order.

    The cursor stops at an item that someone else is just taking: it may come free.
    """
    n, seed = queue.batch.n_items, mix(person.seed, queue.batch.position)
    places = range(queue.cursor, min(queue.cursor + width, n))
    order = {nth(place, n, seed): place for place in places}
    rows = _numbered(person, queue.batch, list(order))
    there = [row for row in rows if row[1] not in had]  # taken: the cursor may lag
    chosen = sorted(there, key=lambda row: order[row[0]])[:want]
    locked = _lock([pk for _, pk in chosen])
    missed = [order[number] for number, pk in chosen if pk not in locked]
    end = order[chosen[-1][0]] + 1 if len(chosen) == want else places.stop
    queue.cursor = min([*missed, end])
    return [pk for _, pk in chosen if pk in locked]


def _numbered(
    person: Participant, batch: Batch, numbers: list[int]
) -> list[tuple[int, int]]:
    """Number and id of the open items among these."""
    if len(numbers) <= WINDOWS[0]:
        return _WINDOW.rows(person=person.pk, batch=batch.pk, numbers=numbers)
    rows = _candidates(person, batch).filter(number__in=numbers)
    return list(rows.values_list("number", "pk"))


def _from_index(person: Participant, batch: Batch, want: int, got: list[int]) -> bool:
    """Add open items from a place of one's own on; False if there is none at all."""
    start = mix(person.seed, person.n_served) % max(batch.n_items, 1)
    is_taken = False
    for part in ({"number__gte": start}, {"number__lt": start}):
        rows = _candidates(person, batch).filter(**part).exclude(pk__in=got)
        ids = list(rows.order_by("number").values_list("pk", flat=True)[: want * 4])
        is_taken = is_taken or bool(ids)
        # holding no item yet, this may wait for one; else it takes what is free now
        locked = _lock(ids, wait=not got)
        got += [pk for pk in ids if pk in locked][: max(want - len(got), 0)]
        if len(got) >= want:
            break
    return is_taken


def _lock(ids: list[int], *, wait: bool = False) -> set[int]:
    """Those still open once locked. SQLite has locked the whole file already."""
    if not connection.features.has_select_for_update:
        return set(ids)
    statement = _LOCK_IN_TURN if wait else _LOCK_FREE
    locked: set[int] = set()
    ids = sorted(ids)  # the order in which everyone locks
    for first in range(0, len(ids), WINDOWS[0]):
        rows = statement.rows(ids=ids[first : first + WINDOWS[0]])
        locked |= {pk for (pk,) in rows}
    return locked


def _add_siblings(got: _Draw) -> None:
    """For the grid: all other paraphrases of the phrases drawn, checks among them."""
    drawn = Item.objects.filter(pk__in=[*got.main, *got.free])
    siblings = Item.objects.filter(instance__in=drawn.values("instance"))
    mine = Judgment.objects.filter(participant=got.person, item=OuterRef("pk"), round=1)
    siblings = siblings.filter(~Exists(mine), is_withdrawn=False)
    rows = siblings.exclude(pk__in=[*got.main, *got.free]).order_by("pk")
    kinds = list(rows.exclude(kind=Item.Kind.TRAINING).values_list("pk", "kind"))
    locked = _lock([pk for pk, kind in kinds if kind == Item.Kind.MAIN])
    got.main += sorted(locked)
    got.free += [pk for pk, kind in kinds if kind != Item.Kind.MAIN]


def _in_order(got: _Draw) -> list[int]:
    """The main items as drawn, the others at places among them that tell nothing."""
    order = list(got.main)
    for pk in (*got.free, *got.again):
        order.insert(mix(got.person.seed, pk) % (len(order) + 1), pk)
    return order


def _lease(got: _Draw, end: datetime) -> None:
    """Write the leases; one of one's own that ran out is taken up again."""
    person = got.person
    rows = [
        Judgment(
            item_id=pk,
            participant=person,
            lease_until=end,
            fills=pk in got.main,
            round=2 if pk in got.again else 1,
        )
        for pk in _in_order(got)
    ]
    if not rows:
        return
    for first in range(0, len(got.main), WINDOWS[0]):
        _TAKEN.run(ids=got.main[first : first + WINDOWS[0]])
    key, renew = ("item", "participant", "round"), ("state", "lease_until", "fills")
    add(rows, unique=key, renew=renew)
    _SERVED.run(
        pk=person.pk,
        n_served=person.n_served + len(rows),
        n_taken=person.n_taken + len(got.main),
        repeat_cursor=person.repeat_cursor,
    )


def _reap_now_and_then() -> None:
    now = time.monotonic()
    if now - _last_reap.get(0, -REAP_S) >= REAP_S:
        _last_reap[0] = now
        expire()


def expire(*, now: datetime | None = None) -> int:
    """Release expired leases, each separately; return how many."""
    now = now or timezone.now()
    _shorten(now)
    rows = Judgment.objects.filter(state=Judgment.State.LEASED, lease_until__lt=now)
    over = rows.order_by("lease_until").values_list("pk", flat=True)[:REAPED]
    return sum(_expire_one(pk, now) for pk in list(over))


def _shorten(now: datetime) -> None:
    """No lease lasts longer than its campaign gives: else a clock that was set back
    would keep items from others for as long as it was set back."""
    held = Judgment.objects.filter(state=Judgment.State.LEASED)
    for campaign in Campaign.objects.filter(state=Campaign.State.OPEN):
        end = now + timedelta(seconds=campaign.lease_s)
        too_long = held.filter(item__campaign=campaign, lease_until__gt=end)
        too_long.update(lease_until=end)


@transaction.atomic
def _expire_one(pk: int, now: datetime) -> bool:
    rows = Judgment.objects.filter(
        pk=pk, state=Judgment.State.LEASED, lease_until__lt=now
    )
    judgment = rows.select_for_update(skip_locked=True).first()
    if judgment is None:
        return False
    held = judgment.fills
    if judgment.values:  # reopened: the answer that was there counts again
        _count_again(judgment)
        return True
    rows.update(state=Judgment.State.EXPIRED, fills=False)
    if held:
        give_back(judgment)
    return True


def _count_again(judgment: Judgment) -> None:
    """The answer of before is in force; its judge may still change it."""
    Judgment.objects.filter(pk=judgment.pk).update(state=Judgment.State.DONE)
    if judgment.fills:
        item, at = judgment.item_id, judgment.saved_at or timezone.now()
        Item.objects.filter(pk=item).update(n_done=F("n_done") + 1)
        tallies = Tally.objects.filter(participant=judgment.participant_id)
        of_day = tallies.filter(batch__items=item, day=at.date())
        of_day.update(n_done=F("n_done") + 1)
    JudgmentEvent.objects.create(
        judgment=judgment,
        uuid=uuid4(),
        verb=JudgmentEvent.Verb.BACK,
        revision=judgment.revision,
        values=judgment.values,
    )


def give_back(judgment: Judgment) -> None:
    """Free the place that this lease held, for anyone to take."""
    Participant.objects.filter(pk=judgment.participant_id).update(
        n_taken=F("n_taken") - 1
    )
    Item.objects.filter(pk=judgment.item_id).update(n_taken=F("n_taken") - 1)
    returned(judgment.item_id)


def returned(item_id: int) -> None:
    """Let everyone who found the batch empty look again."""
    Batch.objects.filter(items=item_id).update(n_returned=F("n_returned") + 1)
