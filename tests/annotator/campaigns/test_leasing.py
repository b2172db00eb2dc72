"""Who gets what: places, leases, orders, checks, repeats, batches."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from annotator.models import Batch, Campaign, Item, Judgment, Participant
from annotator.services.campaigns import leases, participants, setup
from tests.annotator.campaigns_cast import (
    HEADER,
    campaign,
    draw,
    judge,
    judges,
    person,
    rows,
)
from tests.cast import Cast


def run_dry(of: Campaign, people: list) -> None:
    """Everybody judges in turn until nobody gets anything."""
    busy = True
    while busy:
        busy = False
        for user in people:
            for judgment in draw(of, user, 3):
                judge(judgment)
                busy = True


def test_every_item_gets_exactly_k_judges(cast: Cast) -> None:
    made = campaign(cast, n=40, people=5, k=3)
    run_dry(made, list(judges(cast, 5)))
    done = Counter(Judgment.objects.counted().values_list("item_id", flat=True))
    assert set(done.values()) == {3}
    assert len(done) == 40
    assert not made.items.exclude(n_done=3, n_taken=3).exists()


def test_a_share_is_judged_by_more(cast: Cast) -> None:
    made = campaign(cast, n=40, people=3, k=1, overlap_k=2, overlap_share=0.25)
    assert Counter(made.items.values_list("need", flat=True)) == {1: 30, 2: 10}
    run_dry(made, list(judges(cast, 3)))
    assert not made.items.exclude(n_done=F("need")).exists()


def test_two_people_see_two_orders(cast: Cast) -> None:
    made = campaign(cast, n=30, people=2, k=2)
    one, two = judges(cast, 2)
    orders = []
    for user in (one, two):
        order = []
        while got := draw(made, user, 1):
            order.append(got[0].item_id)
            judge(got[0])
        orders.append(order)
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1] != sorted(orders[1])


def test_nobody_gets_an_item_twice(cast: Cast) -> None:
    made = campaign(cast, n=20, k=2)
    run_dry(made, [cast.bob])
    assert Judgment.objects.count() == 20


def test_a_reload_gives_the_same_items_again(cast: Cast) -> None:
    made = campaign(cast, n=9)
    who = person(made, cast.bob)
    first = leases.draw(who.pk, want=3, held=[])
    again = leases.draw(who.pk, want=3, held=[])
    assert [j.code for j in first] == [j.code for j in again]
    assert Judgment.objects.count() == 3


def test_a_lease_that_ran_out_goes_to_somebody_else(cast: Cast) -> None:
    made = campaign(cast, n=2, people=2)
    bob, other = judges(cast, 2)
    assert len(draw(made, bob, 2)) == 2
    assert draw(made, other, 2) == []
    assert leases.expire(now=timezone.now() + timedelta(hours=2)) == 2
    assert len(draw(made, other, 2)) == 2


def test_an_answer_that_came_just_in_time_is_not_taken_back(cast: Cast) -> None:
    made = campaign(cast, n=1)
    [judgment] = draw(made, cast.bob)
    judge(judgment)  # after the leases were listed, before this one's turn
    assert not leases._expire_one(judgment.pk, timezone.now() + timedelta(hours=2))
    assert (made.items.get().n_taken, made.items.get().n_done) == (1, 1)
    assert Judgment.objects.get().state == "done"


def test_one_who_comes_back_gets_the_expired_item_again(cast: Cast) -> None:
    made = campaign(cast, n=1)
    [before] = draw(made, cast.bob)
    leases.expire(now=timezone.now() + timedelta(hours=2))
    [after] = draw(made, cast.bob)
    assert (after.pk, after.state) == (before.pk, "leased")
    assert made.items.get().n_taken == 1


def test_the_database_refuses_one_too_many(cast: Cast) -> None:
    made = campaign(cast, n=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        made.items.update(n_taken=2)


def test_a_quota_ends_the_work(cast: Cast) -> None:
    made = campaign(cast, n=20, quota=5)
    run_dry(made, [cast.bob])
    assert Judgment.objects.counted().count() == 5


def test_a_quota_of_ones_own_goes_before_the_campaigns(cast: Cast) -> None:
    made = campaign(cast, n=20, quota=5)
    made.participants.update(quota=3)
    run_dry(made, [cast.bob])
    assert Judgment.objects.counted().count() == 3


def test_checks_come_about_as_often_as_asked(cast: Cast) -> None:
    text = HEADER + rows(60) + rows(10, kind="gold", gold="4")
    made = campaign(cast, text=text, check_every=10)
    run_dry(made, [cast.bob])
    order = list(Judgment.objects.order_by("pk").values_list("item__kind", flat=True))
    assert order.count("gold") in (6, 7)
    assert order.index("gold") < 15


def test_a_check_costs_the_same_queries(cast: Cast, django_assert_num_queries) -> None:
    from django.test.utils import CaptureQueriesContext

    text = HEADER + rows(30) + rows(8, kind="gold", gold="4")
    made = campaign(cast, text=text, check_every=3)
    seen: dict[bool, set[int]] = {True: set(), False: set()}
    who = person(made, cast.bob)
    for _ in range(12):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            [judgment] = leases.draw(who.pk, want=1, held=[])
        kinds = [q for q in queries if "SAVEPOINT" not in q["sql"]]
        seen[judgment.item.kind == "gold"].add(len(kinds))
        judge(judgment)
    assert seen[True]
    assert max(seen[True]) <= max(seen[False])


def test_training_comes_first(cast: Cast) -> None:
    text = HEADER + rows(5) + rows(2, kind="training", gold="4", why="Because.")
    made = campaign(cast, text=text)
    first = draw(made, cast.bob, 4)
    assert [j.item.kind for j in first] == ["training"] * 2
    for judgment in first:
        judge(judgment)
    assert person(made, cast.bob).is_trained
    assert {j.item.kind for j in draw(made, cast.bob, 4)} == {"main"}


@pytest.mark.parametrize("kind", ["training", "gold"])
def test_training_and_checks_that_ran_out_come_again(cast: Cast, kind: str) -> None:
    text = HEADER + rows(30) + rows(1, kind=kind, gold="4", why="Because.")
    made = campaign(cast, text=text, check_every=1, prefetch=20)
    first = {one.item_id for one in draw(made, cast.bob, 20) if one.item.kind == kind}
    assert first
    Judgment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    leases.expire()
    again = {one.item_id for one in draw(made, cast.bob, 20) if one.item.kind == kind}
    assert again == first


def test_repeats_come_back_after_the_gap(cast: Cast) -> None:
    made = campaign(cast, n=30, repeat_every=4, repeat_gap_h=24)
    for _ in range(12):
        for judgment in draw(made, cast.bob):
            judge(judgment)
    assert not Judgment.objects.filter(round=2).exists()
    old = timezone.now() - timedelta(days=2)
    Judgment.objects.update(saved_at=old)
    run_dry(made, [cast.bob])
    again = Judgment.objects.filter(round=2)
    assert again.count() >= 2
    assert not again.filter(fills=True).exists()
    assert person(made, cast.bob).n_repeats == again.count()
    assert not made.items.exclude(n_done=1).exists()


def test_batches_pause_by_themselves(cast: Cast) -> None:
    made = campaign(cast, n=3)
    late = Batch.objects.create(campaign=made, name="Later", position=1)
    moved = list(made.items.order_by("-number")[:1])
    for item in moved:
        item.batch, item.number = late, 0
        item.save()
    Batch.objects.filter(campaign=made, name="Main").update(n_items=2)
    Batch.objects.filter(pk=late.pk).update(n_items=1)
    participants.give_queues(made, made.participants.all())
    made.batches.filter(name="Main").update(is_paused=True)
    assert [j.item.batch_id for j in draw(made, cast.bob, 3)] == [late.pk]
    made.batches.filter(name="Main").update(is_paused=False)
    got = [j.item.batch.name for j in draw(made, cast.bob, 3)]
    assert got == ["Main", "Main"]


def test_batches_go_in_order(cast: Cast) -> None:
    made = campaign(cast, n=6)
    late = Batch.objects.create(campaign=made, name="Later", position=1, n_items=3)
    for number, item in enumerate(made.items.order_by("number")[:3]):
        made.items.filter(pk=item.pk).update(batch=late, number=number)
    for number, item in enumerate(made.items.exclude(batch=late).order_by("number")):
        made.items.filter(pk=item.pk).update(number=number)
    made.batches.filter(name="Main").update(n_items=3)
    participants.give_queues(made, made.participants.all())
    seen = []
    for _ in range(6):
        [judgment] = draw(made, cast.bob)
        seen.append(judge(judgment).item.batch.name)
    assert seen == ["Main"] * 3 + ["Later"] * 3


def test_nothing_new_while_paused(cast: Cast) -> None:
    made = campaign(cast, n=4)
    setup.pause(made, by=cast.ada)
    assert draw(made, cast.bob, 2) == []
    setup.open_campaign(made, by=cast.ada)
    participants.set_participant(person(made, cast.bob), by=cast.ada, state="paused")
    assert draw(made, cast.bob, 2) == []
    participants.set_participant(person(made, cast.bob), by=cast.ada, state="active")
    assert len(draw(made, cast.bob, 2)) == 2


def test_a_paused_campaign_can_be_closed_from_its_page(cast: Cast, client) -> None:
    made = campaign(cast, n=1)
    setup.pause(made, by=cast.ada)
    client.force_login(cast.ada)
    here = [cast.project.slug, made.code]
    assert 'value="close"' in client.get(reverse("campaign", args=here)).text
    client.post(reverse("campaign_act", args=here), {"what": "close"})
    made.refresh_from_db()
    assert made.state == Campaign.State.CLOSED
    assert 'value="close"' not in client.get(reverse("campaign", args=here)).text


def test_the_grid_gives_all_paraphrases_of_a_phrase(cast: Cast) -> None:
    text = HEADER + "".join(
        f"A boat number {i} left.\tboat\tship {j}\tc{j}\t1\t\t\t\t\n"
        for i in range(4)
        for j in range(3)
    )
    made = campaign(cast, text=text, mode="grid")
    got = draw(made, cast.bob, 1)
    assert len(got) == 3
    assert len({j.item.instance_id for j in got}) == 1


def test_a_withdrawn_item_goes_to_nobody(cast: Cast) -> None:
    from annotator.services.campaigns import items

    made = campaign(cast, n=2)
    items.withdraw(made.items.first(), by=cast.ada)
    assert len(draw(made, cast.bob, 2)) == 1


def test_a_restored_item_is_shared_as_before(cast: Cast) -> None:
    from annotator.services.campaigns import items

    made = campaign(cast, n=5, people=2, k=1, overlap_k=2, overlap_share=0.4)
    before = dict(made.items.values_list("pk", "need"))
    for item in made.items.all():
        items.withdraw(item, by=cast.ada)
        item.refresh_from_db()
        items.restore(item, by=cast.ada)
    assert dict(made.items.values_list("pk", "need")) == before


def test_places_of_a_large_batch_are_found_at_the_end(cast: Cast) -> None:
    made = campaign(cast, n=600, people=2)
    last = made.items.order_by("number")[555]
    Item.objects.filter(campaign=made).exclude(pk=last.pk).update(n_taken=1, n_done=1)
    assert [j.item_id for j in draw(made, cast.bob, 3)] == [last.pk]
    assert draw(made, cast.bob, 3) == []
    assert Participant.objects.get(user=cast.bob).queues.get().dry_at is not None


@pytest.mark.service
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks as a whole")
def test_an_item_that_somebody_is_taking_is_passed_over_and_not_lost(
    transactional_db,
) -> None:
    cast = Cast()
    made = campaign(cast, n=12)
    busy = [made.items.get(number=n).pk for n in range(0, 12, 2)]
    other = connection.copy()
    with transaction.atomic(), other.cursor() as cursor:
        cursor.execute("begin")
        lock = "select id from annotator_item where id = any(%s) for update"
        cursor.execute(lock, [busy])
        first = draw(made, cast.bob, 4)
        cursor.execute("rollback")
    other.close()
    assert len({j.item_id for j in first} - set(busy)) == len(first) == 4
    for judgment in first:
        judge(judgment)
    run_dry(made, [cast.bob])
    assert not made.items.exclude(n_done=1).exists()
