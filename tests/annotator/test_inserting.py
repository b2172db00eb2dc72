"""Rows inserted by one statement are those that instances would make."""

import pytest
from django.db import IntegrityError, transaction

from annotator.models import Item
from annotator.throughput import inserting
from tests.annotator.campaigns_cast import campaign
from tests.cast import Cast

COLUMNS = ("campaign_id", "batch_id", "number", "instance_id", "paraphrase", "gold")
GOLD = {"meaning": 4, "odd": ["é", None, "'; --"]}


def row(item: Item, number: int, text: str) -> tuple:
    at = (item.campaign_id, item.batch_id, number, item.instance_id)
    return (*at, text, GOLD)


def test_what_is_not_named_gets_its_default_and_a_code_of_its_own(cast: Cast) -> None:
    item = campaign(cast, n=1).items.first()
    inserting.insert(Item, COLUMNS, [row(item, 90, "a"), row(item, 91, "b '%s' ?")])
    a, b = Item.objects.filter(number__gte=90).order_by("number")
    assert (b.paraphrase, b.gold, b.kind, b.need) == ("b '%s' ?", GOLD, "main", 0)
    assert b.is_withdrawn is False
    assert len({a.code, b.code, item.code}) == 3
    made = Item.objects.create(**dict(zip(COLUMNS, row(item, 92, "c"), strict=True)))
    kept = {name for name in vars(made) if name not in ("_state", "id", "code")}
    differing = {name for name in kept if getattr(made, name) != getattr(b, name)}
    assert differing == {"number", "paraphrase"}


def test_a_row_that_is_there_is_an_error_or_left_as_it_is(cast: Cast) -> None:
    item = campaign(cast, n=1).items.first()
    again = [row(item, 90, item.paraphrase), row(item, 91, "new")]
    with pytest.raises(IntegrityError), transaction.atomic():
        inserting.insert(Item, COLUMNS, again)
    inserting.insert(Item, COLUMNS, again, skip_present=True)
    assert [one.number for one in Item.objects.filter(number__gte=90)] == [91]
    item.refresh_from_db()
    assert item.gold != GOLD


def test_no_rows_are_no_statement(cast: Cast, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        inserting.insert(Item, COLUMNS, [])


def test_instances_get_the_keys_of_their_rows(cast: Cast) -> None:
    item = campaign(cast, n=1).items.first()
    made = [
        Item(**dict(zip(COLUMNS, row(item, n, str(n)), strict=True))) for n in (91, 90)
    ]
    inserting.insert_keyed(Item, made)
    there = {one.number: one for one in Item.objects.filter(number__gte=90)}
    assert [one.pk for one in made] == [there[91].pk, there[90].pk]
    assert [one.code for one in made] == [there[91].code, there[90].code]
    made[0].paraphrase = "changed"
    made[0].save()
    assert Item.objects.get(pk=made[0].pk).paraphrase == "changed"
