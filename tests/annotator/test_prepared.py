"""Prepared statements do what the ordinary querysets do."""

from datetime import UTC, datetime
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from annotator.models import Item, Judgment, JudgmentEvent
from annotator.throughput.prepared import Select, Slot, Update, add, several, slots
from tests.annotator.campaigns_cast import campaign, person
from tests.cast import Cast

pytestmark = pytest.mark.django_db
BY_CODE = Select(
    lambda: (
        Judgment.objects.filter(code=Slot("code"))
        .select_related("item__instance")
        .only("code", "values", "lease_until", "item__gold", "item__instance__phrase")
    )
)
AMONG = Select(
    lambda: (
        Item.objects.filter(number__in=several("numbers", 4))
        .order_by("number")
        .values_list("number", "paraphrase")
    )
)
ANSWER = Update(
    lambda: Judgment.objects.filter(pk=Slot("pk"), revision=Slot("seen")),
    revision=F("revision") + Slot("more"),
    **slots(Judgment, "values", "saved_at", "fills"),
)


@pytest.fixture
def judgments() -> list[Judgment]:
    people = Cast()
    made = campaign(people, n=6)
    mine = person(made, people.bob)
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    return [
        Judgment.objects.create(item=item, participant=mine, lease_until=now)
        for item in made.items.all()[:3]
    ]


def test_rows_come_with_what_they_name(judgments: list[Judgment]) -> None:
    for wanted in judgments:
        (row,) = BY_CODE.models(code=wanted.code)
        assert (row, row.lease_until) == (wanted, wanted.lease_until)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert row.item.instance.phrase
            assert row.values == {}
        assert len(asked) == 0
        assert row.comment == ""  # left out by only(), fetched when asked for
    assert BY_CODE.models(code="nobody") == []


def test_a_short_list_fills_the_places_of_a_longer_one(
    judgments: list[Judgment],
) -> None:
    for numbers in ([0], [1, 3], [0, 1, 2, 3]):
        rows = Item.objects.filter(number__in=numbers).order_by("number")
        assert AMONG.rows(numbers=numbers) == list(
            rows.values_list("number", "paraphrase")
        )


@pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL keeps plans")
def test_a_statement_met_often_keeps_its_plan(judgments: list[Judgment]) -> None:
    kept = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s"
    with connection.cursor() as cursor:
        for times in range(8):
            for wanted in judgments:
                assert BY_CODE.models(code=wanted.code) == [wanted]
            cursor.execute(kept, ['%"annotator_judgment"."code" = ($1)%'])
            assert (cursor.fetchone()[0] > 0) == (times > 0)


def test_an_update_sets_json_and_dates_and_counts_rows(
    judgments: list[Judgment],
) -> None:
    one, other, _ = judgments
    at = datetime(2026, 3, 1, 13, 30, 0, 250, tzinfo=UTC)
    said: dict[str, Any] = {"values": {"meaning": 4}, "saved_at": at, "fills": False}
    assert ANSWER.run(pk=one.pk, seen=0, more=2, **said) == 1
    assert ANSWER.run(pk=one.pk, seen=0, more=2, **said) == 0
    one.refresh_from_db()
    assert (one.revision, one.values, one.saved_at) == (2, {"meaning": 4}, at)
    other.refresh_from_db()
    assert (other.revision, other.values, other.saved_at) == (0, {}, None)


def test_rows_are_added_or_renewed(judgments: list[Judgment]) -> None:
    one, *_ = judgments
    later = datetime(2026, 3, 2, tzinfo=UTC)
    items = [one.item_id, Item.objects.exclude(judgments__gt=0).first().pk]
    rows = [
        Judgment(item_id=pk, participant=one.participant, lease_until=later, fills=True)
        for pk in items
    ]
    key = ("item", "participant", "round")
    add(rows, unique=key, renew=("lease_until",))
    stored = Judgment.objects.filter(item__in=items).order_by("pk")
    assert list(stored.values_list("lease_until", "fills")) == [
        (later, False),
        (later, True),
    ]
    with pytest.raises(IntegrityError):
        add(rows)


def test_a_row_added_is_the_row_created(judgments: list[Judgment]) -> None:
    events = [
        JudgmentEvent(
            judgment=judgments[0],
            uuid=uuid4(),
            verb="save",
            revision=1,
            values={"a": 1},
        )
        for _ in range(2)
    ]
    add(events[:1])
    events[1].save()
    first, second = JudgmentEvent.objects.order_by("pk")
    columns = ("judgment_id", "verb", "revision", "values", "note", "by_id", "mode")
    assert [getattr(first, name) for name in columns] == [
        getattr(second, name) for name in columns
    ]
    assert (first.uuid, first.at) == (events[0].uuid, events[0].at)


@pytest.mark.django_db(transaction=True)
def test_what_one_thread_compiled_serves_all(
    judgments: list[Judgment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BY_CODE, "_kept", None)
    rows = []

    def look() -> None:
        rows.extend(BY_CODE.models(code=judgments[0].code))
        connection.close()

    for together in (1, 3):  # the first has ended when the others begin
        threads = [Thread(target=look) for _ in range(together)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert rows == [judgments[0]] * 4
    assert [one.lease_until for one in rows] == [judgments[0].lease_until] * 4
