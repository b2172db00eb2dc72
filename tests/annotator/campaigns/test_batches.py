"""Who judges which batch of a campaign."""

from typing import Any

import pytest
from django.test import Client

from annotator.errors import BadRequest, NotAllowed
from annotator.models import Batch, Campaign, Judgment
from annotator.services.campaigns import items, judging, participants, setup
from tests.annotator.campaigns_cast import campaign, draw, judge, person, upload
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def table(*batches: str) -> str:
    """Two items for each batch named."""
    lines = [
        f"Cook {batch} {i} peeled it.\tpeeled\tskinned {batch}\tA\t{batch}\n"
        for batch in batches
        for i in range(2)
    ]
    return "sentence\tphrase\tparaphrase\tcondition\tbatch\n" + "".join(lines)


@pytest.fixture
def made(cast: Cast) -> Campaign:
    return campaign(cast, people=2, text=table("north", "south"), is_open=False, k=2)


def batch(made: Campaign, name: str) -> Batch:
    return made.batches.get(name=name)


def drawn(made: Campaign, who: Any) -> set[str]:
    """The batches of everything that somebody gets, judged to the end."""
    names: set[str] = set()
    while got := draw(made, who, 4):
        names |= {one.item.batch.name for one in got if one.item.batch}
        for one in got:
            judge(Judgment.objects.get(pk=one.pk))
    return names


def test_a_choice_made_before_opening_outlives_it(made: Campaign, cast: Cast) -> None:
    bob = person(made, cast.bob)
    participants.set_batches(bob, [batch(made, "north")], by=cast.ada)
    setup.open_campaign(made, by=cast.ada)
    other = made.participants.exclude(pk=bob.pk).get()
    assert drawn(made, cast.bob) == {"north"}
    assert drawn(made, other.user) == {"north", "south"}


def test_people_added_with_batches_get_those_alone(cast: Cast) -> None:
    made = campaign(cast, text=table("north", "south"), is_open=False)
    made.participants.all().delete()
    participants.add_people(
        made, [cast.bob], by=cast.ada, batches=[batch(made, "south")]
    )
    setup.open_campaign(made, by=cast.ada)
    assert drawn(made, cast.bob) == {"south"}
    status = judging.status(person(made, cast.bob), is_empty=True)
    assert (status["state"], status["done"], status["expected"]) == ("finished", 2, 2)


def test_later_batches_go_to_those_who_have_all(made: Campaign, cast: Cast) -> None:
    bob = person(made, cast.bob)
    participants.set_batches(bob, [batch(made, "north")], by=cast.ada)
    setup.open_campaign(made, by=cast.ada)
    kept = upload(made, cast.ada, table("west"))
    list(items.load(made, kept, by=cast.ada))
    other = made.participants.exclude(pk=bob.pk).get()
    assert bob.queues.count() == 1
    assert other.queues.count() == 3
    participants.set_batches(bob, None, by=cast.ada)
    assert drawn(made, cast.bob) == {"north", "south", "west"}


def test_a_batch_taken_away_keeps_what_was_answered(made: Campaign, cast: Cast) -> None:
    setup.open_campaign(made, by=cast.ada)
    bob = person(made, cast.bob)
    (held,) = draw(made, cast.bob)
    name = held.item.batch.name
    left = made.batches.exclude(name=name).get()
    participants.set_batches(bob, [left], by=cast.ada)
    judge(Judgment.objects.get(pk=held.pk))
    assert drawn(made, cast.bob) == {left.name}
    assert bob.judgments.answered().count() == 3


def test_choices_that_make_no_sense_are_refused(made: Campaign, cast: Cast) -> None:
    bob = person(made, cast.bob)
    foreign = campaign(cast, n=1, is_open=False).batches.get()
    with pytest.raises(BadRequest, match="a batch, or pause them"):
        participants.set_batches(bob, [], by=cast.ada)
    with pytest.raises(BadRequest, match="another campaign"):
        participants.set_batches(bob, [foreign], by=cast.ada)
    with pytest.raises(NotAllowed):
        participants.set_batches(bob, None, by=cast.bob)
    wanted = {bob.code: [batch(made, "north").code], "0" * 16: []}
    with pytest.raises(BadRequest, match="There is no"):
        participants.share_batches(made, wanted, by=cast.ada)
    assert bob.queues.count() == 2


def test_the_page_stores_what_is_ticked(
    client: Client, made: Campaign, cast: Cast
) -> None:
    client.force_login(cast.ada)
    path = f"/p/{cast.project.slug}/campaign/{made.code}/"
    bob, north = person(made, cast.bob), batch(made, "north")
    page = client.get(f"{path}people/").content.decode()
    assert page.count(f'name="of-{bob.code}"') == 2
    sent = {f"seen-{bob.code}": "1", f"of-{bob.code}": [north.code]}
    answer = client.post(f"{path}batches/", sent, follow=True)
    assert "Saved: everyone gets" in answer.content.decode()
    assert [queue.batch for queue in bob.queues.all()] == [north]
    answer = client.post(f"{path}batches/", {f"seen-{bob.code}": "1"}, follow=True)
    assert "a batch, or pause them" in answer.content.decode()
    client.force_login(cast.bob)
    assert client.post(f"{path}batches/", sent).status_code == 403


def test_the_api_shares_batches_out(client: Client, made: Campaign, cast: Cast) -> None:
    client.force_login(cast.ada)
    path = f"/api/campaigns/{made.code}/people/"
    bob, north = person(made, cast.bob), batch(made, "north")
    body = {"batches": {bob.code: [north.code]}}
    told = client.put(path, body, content_type="application/json").json()
    mine = next(one for one in told["people"] if one["code"] == bob.code)
    assert (mine["batches"], mine["all"]) == ([north.code], False)
    body["batches"][bob.code] = [one["code"] for one in told["batches"]]
    told = client.put(path, body, content_type="application/json").json()
    assert all(one["all"] for one in told["people"])
    client.force_login(cast.bob)
    assert client.get(path).status_code == 404
