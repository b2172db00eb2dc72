"""Answers that are set aside count nowhere, others get the items, and it is undone."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.errors import Conflict, NotAllowed
from annotator.models import Campaign, Judgment, JudgmentEvent, Tally
from annotator.services.campaigns import answers, progress, setting_aside, shares
from annotator.services.reports.judged_data import read_campaign
from tests.annotator.campaigns_cast import campaign, draw, judge, judges, person
from tests.cast import Cast


def finished(cast: Cast, *, people: int = 2, n: int = 4) -> Campaign:
    """Bob has judged all items, the others none."""
    made = campaign(cast, n=n, people=people)
    for _ in range(n):
        judge(draw(made, cast.bob)[0])
    return made


def other(cast: Cast):
    return list(judges(cast, 2))[1]


def counters(made: Campaign) -> list[tuple[int, int]]:
    return list(made.items.order_by("pk").values_list("n_taken", "n_done"))


def test_what_is_set_aside_counts_nowhere_and_is_kept(cast: Cast) -> None:
    made = finished(cast)
    bob = person(made, cast.bob)
    assert setting_aside.set_aside(bob, by=cast.ada) == 4
    assert counters(made) == [(0, 0)] * 4
    assert read_campaign(made).data.n == 0
    (row,) = [row for row in progress.of(made).people if row.person == bob]
    assert (row.done, row.aside) == (0, 4)
    assert Judgment.objects.filter(participant=bob).exclude(values={}).count() == 4
    assert progress.of(made).done == 0


def test_the_other_person_gets_the_items_and_their_author_does_not(cast: Cast) -> None:
    made = finished(cast)
    assert draw(made, other(cast)) == []  # nothing is left
    codes = list(person(made, cast.bob).judgments.values_list("code", flat=True))
    setting_aside.set_aside(person(made, cast.bob), codes[:1], by=cast.ada)
    assert draw(made, cast.bob) == []
    (given,) = draw(made, other(cast), want=4)
    assert given.item.judgments.get(participant__user=cast.bob).code == codes[0]
    judge(given)
    assert counters(made) == [(1, 1)] * 4


def test_undoing_restores_every_counter(cast: Cast) -> None:
    made = finished(cast)
    bob = person(made, cast.bob)
    before = counters(made), progress.of(made), shares.of(bob)
    setting_aside.set_aside(bob, by=cast.ada)
    assert shares.of(bob).done == 4  # the work was done
    (one,) = setting_aside.listed(bob)
    assert (one.n, one.by) == (4, "ada")
    assert setting_aside.bring_back(bob, one.code, by=cast.ada) == 4
    assert (counters(made), progress.of(made), shares.of(bob)) == before
    assert Judgment.objects.of(made).counted().count() == 4
    assert setting_aside.listed(bob) == []
    with pytest.raises(Conflict):
        setting_aside.bring_back(bob, one.code, by=cast.ada)


def test_an_answer_whose_place_is_taken_comes_back_next_to_the_other(
    cast: Cast,
) -> None:
    made = finished(cast)
    bob = person(made, cast.bob)
    setting_aside.set_aside(bob, by=cast.ada)
    judge(draw(made, other(cast))[0])
    (one,) = setting_aside.listed(bob)
    setting_aside.bring_back(bob, one.code, by=cast.ada)
    assert counters(made) == [(1, 1)] * 4
    assert Judgment.objects.of(made).answered().count() == 5
    assert Judgment.objects.of(made).counted().count() == 4


def test_after_thirty_days_it_cannot_be_undone(cast: Cast) -> None:
    bob = person(finished(cast), cast.bob)
    setting_aside.set_aside(bob, by=cast.ada)
    (one,) = setting_aside.listed(bob)
    rows = JudgmentEvent.objects.filter(verb="aside")
    rows.update(at=timezone.now() - timedelta(days=31))
    assert setting_aside.listed(bob) == []
    with pytest.raises(Conflict, match="30 days"):
        setting_aside.bring_back(bob, one.code, by=cast.ada)


def test_two_goes_are_undone_apart(cast: Cast) -> None:
    made = finished(cast)
    bob = person(made, cast.bob)
    codes = list(bob.judgments.order_by("pk").values_list("code", flat=True))
    setting_aside.set_aside(bob, codes[:1], by=cast.ada)
    setting_aside.set_aside(bob, by=cast.ada)
    assert [one.n for one in setting_aside.listed(bob)] == [3, 1]
    setting_aside.bring_back(bob, setting_aside.listed(bob)[1].code, by=cast.ada)
    standing = Judgment.objects.of(made).answered()
    assert [one.code for one in standing] == codes[:1]


def test_its_author_can_neither_change_nor_skip_it(cast: Cast) -> None:
    made = finished(cast)
    setting_aside.set_aside(person(made, cast.bob), by=cast.ada)
    one = Judgment.objects.of(made).first()
    for verb, note in (("save", ""), ("skip", "other")):
        message = answers.Answer(uuid=uuid4(), seen=1, values=one.values, note=note)
        with pytest.raises(Conflict, match="set this answer aside"):
            answers.take(one.code, verb, message, campaign=made.code, by=cast.bob)
    assert counters(made) == [(0, 0)] * 4


def test_a_reopened_answer_is_counted_once_when_set_aside(cast: Cast) -> None:
    made = finished(cast, n=1)
    one = Judgment.objects.of(made).get()
    Judgment.objects.filter(pk=one.pk).update(
        saved_at=timezone.now() - timedelta(days=2)
    )
    Tally.objects.update(day=(timezone.now() - timedelta(days=2)).date())
    one.refresh_from_db()
    answers.reopen(one, by=cast.ada, uuid=uuid4())
    judge(Judgment.objects.get(pk=one.pk))
    setting_aside.set_aside(person(made, cast.bob), by=cast.ada)
    assert sum(Tally.objects.values_list("n_done", flat=True)) == 0


def test_only_managers_set_aside(cast: Cast, client: Client) -> None:
    made = finished(cast)
    bob = person(made, cast.bob)
    with pytest.raises(NotAllowed):
        setting_aside.set_aside(bob, by=cast.bob)
    url = reverse("campaign_annotator", args=["windows", made.code, bob.code])
    client.force_login(cast.bob)
    assert client.get(url).status_code == 403
    assert client.post(url, {"all": "yes"}).status_code == 403
    assert Judgment.objects.of(made).answered().count() == 4


def test_the_page_shows_the_person_and_sets_aside_one_and_all(
    cast: Cast, client: Client
) -> None:
    made = finished(cast)
    bob = person(made, cast.bob)
    url = reverse("campaign_annotator", args=["windows", made.code, bob.code])
    client.force_login(cast.ada)
    page = client.get(url)
    assert page.status_code == 200
    assert "4 of 4 under 2 s" in page.text
    code = Judgment.objects.of(made).first().code
    assert code in page.text
    client.post(url, {"judgment": code})
    assert Judgment.objects.of(made).answered().count() == 3
    assert client.post(url, {}).status_code == 302  # nothing chosen: nothing happens
    assert Judgment.objects.of(made).answered().count() == 3
    client.post(url, {"all": "yes"})
    assert Judgment.objects.of(made).answered().count() == 0
    page = client.get(f"{url}?show=aside")
    assert [row.judgment.code for row in page.context["answers"]][-1] == code
    for one in page.context["set_aside"]:
        client.post(url, {"restore": one.code})
    assert counters(made) == [(1, 1)] * 4


def test_the_lists_of_answers_hold_what_their_names_say(
    cast: Cast, client: Client
) -> None:
    made = campaign(cast, n=3, people=2, k=2)
    for user, values in (
        (cast.bob, {"meaning": 5, "grammar": 5}),
        (other(cast), {"meaning": 1, "grammar": 5}),
    ):
        for _ in range(3):
            judge(draw(made, user)[0], values)
    bob = person(made, cast.bob)
    slow = bob.judgments.order_by("pk").first()
    Judgment.objects.filter(pk=slow.pk).update(active_ms=9000)
    url = reverse("campaign_annotator", args=["windows", made.code, bob.code])
    client.force_login(cast.ada)
    lists = {name: n for name, _title, n in client.get(url).context["lists"]}
    assert lists == {"all": 3, "fast": 2, "apart": 3, "checks": 0, "aside": 0}
    rows = client.get(f"{url}?show=fast").context["answers"]
    assert slow.code not in [row.judgment.code for row in rows]
    assert rows[0].cells == [(5, 1.0), (5, 5.0)]


def test_programs_set_aside_and_restore(cast: Cast, client: Client) -> None:
    made = finished(cast)
    bob = person(made, cast.bob)
    url = f"/api/campaigns/{made.code}/aside/"
    sent = {"person": bob.code}
    client.force_login(cast.bob)
    json = "application/json"
    assert client.post(url, sent, content_type=json).status_code == 404
    client.force_login(cast.ada)
    told = client.post(url, sent, content_type=json).json()
    assert told["n"] == 4
    sent["restore"] = told["restorable"][0]["code"]
    assert client.post(url, sent, content_type=json).json() == {
        "n": 4,
        "restorable": [],
    }
    assert client.post(url, sent, content_type=json).status_code == 409
