"""Which item comes next, exactly: one's own order, repeats, and the ends of batches."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.models import Batch, Judgment
from annotator.services.campaigns import leases, participants
from core.data.orders import mix, nth
from tests.annotator.campaigns_cast import (
    HEADER,
    campaign,
    draw,
    judge,
    person,
    rows,
)
from tests.cast import Cast

N = 40


@pytest.mark.parametrize("want", [1, 3])
def test_items_come_in_an_order_of_ones_own(cast: Cast, want: int) -> None:
    made = campaign(cast, n=N)
    who, batch = person(made, cast.bob), made.batches.get()
    seed = mix(who.seed, batch.position)
    numbers: list[int] = []
    while got := draw(made, cast.bob, want):
        numbers += [judge(one).item.number for one in got]
    assert numbers == [nth(place, N, seed) for place in range(N)]


def test_a_batch_without_items_gives_nothing_and_harms_nobody(cast: Cast) -> None:
    made = campaign(cast, n=1)
    Batch.objects.create(campaign=made, name="Empty", position=1)
    participants.give_queues(made, made.participants.all())
    assert len(draw(made, cast.bob, 3)) == 1
    assert draw(made, cast.bob, 3) == []


@pytest.mark.parametrize("n_answers", [1, 6])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_asked_again_is_one_of_the_next_four_answers(
    cast: Cast, seed: int, n_answers: int
) -> None:
    made = campaign(cast, n=8, repeat_every=1, repeat_gap_h=1)
    made.participants.update(seed=seed)
    for _ in range(n_answers):
        judge(draw(made, cast.bob)[0])
    Judgment.objects.update(saved_at=timezone.now() - timedelta(hours=2))
    answers = list(Judgment.objects.order_by("pk").values_list("pk", "item_id"))
    skip = mix(seed, leases.REPEAT, n_answers) % 4
    pk, item = answers[min(skip, n_answers - 1)]
    [again] = draw(made, cast.bob)
    assert (again.item_id, again.participant.repeat_cursor) == (item, pk)
    assert Judgment.objects.get(pk=again.pk).round == 2


def test_the_order_holds_where_others_have_taken_what_came_first(cast: Cast) -> None:
    """The next open item is further on than the first places that are looked at."""
    n, first, last = 300, 3 * leases.WINDOWS[0], leases.WINDOWS[1] - 10
    made = campaign(cast, n=n)
    who, batch = person(made, cast.bob), made.batches.get()
    order = [nth(place, n, mix(who.seed, batch.position)) for place in range(n)]
    made.items.exclude(number__in=order[first:last]).update(n_taken=1, n_done=1)
    numbers = [judge(draw(made, cast.bob)[0]).item.number for _ in range(10)]
    assert numbers == order[first : first + 10]


def test_as_many_checks_as_are_due_come_at_once(cast: Cast) -> None:
    text = HEADER + rows(20) + rows(9, kind="gold", gold="4")
    made = campaign(cast, text=text, check_every=2, prefetch=8)
    kinds = [one.item.kind for one in draw(made, cast.bob, 8)]
    assert (kinds.count("gold"), kinds.count("main")) == (4, 4)


def test_leases_that_ran_out_use_up_no_quota(cast: Cast) -> None:
    made = campaign(cast, n=6, quota=2)
    assert len(draw(made, cast.bob, 4)) == 2
    assert draw(made, cast.bob, 4) == []
    leases.expire(now=timezone.now() + timedelta(hours=2))
    assert person(made, cast.bob).n_taken == 0
    assert len(draw(made, cast.bob, 4)) == 2


def test_leases_are_looked_over_now_and_then_and_not_with_every_item(
    cast: Cast,
) -> None:
    made = campaign(cast, n=6)
    leases._last_reap.clear()
    [over] = draw(made, cast.bob)  # looks them over
    past = timezone.now() - timedelta(minutes=1)
    Judgment.objects.filter(pk=over.pk).update(lease_until=past)
    draw(made, cast.bob)
    assert Judgment.objects.get(pk=over.pk).state == Judgment.State.LEASED
    leases._last_reap[0] -= leases.REAP_S
    draw(made, cast.bob)
    over.refresh_from_db()
    assert over.state == Judgment.State.EXPIRED


def test_a_lease_is_not_taken_back_before_its_time(cast: Cast) -> None:
    made = campaign(cast, n=2)
    [held] = draw(made, cast.bob)
    until = held.lease_until
    assert leases.expire() == 0
    held.refresh_from_db()
    assert (held.state, held.lease_until) == (Judgment.State.LEASED, until)
