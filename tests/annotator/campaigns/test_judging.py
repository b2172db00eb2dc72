"""Answers: stored once, never lost, counted where a place is free, all logged."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.http import Http404
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.errors import BadRequest, Conflict, NotAllowed, StaleEdit
from annotator.models import Campaign, Judgment, JudgmentEvent, Tally
from annotator.services.campaigns import (
    answers,
    checks,
    items,
    judging,
    leases,
    participants,
    setup,
)
from tests.annotator.campaigns_cast import (
    GOOD,
    HEADER,
    answer,
    campaign,
    draw,
    judge,
    judges,
    person,
    rows,
)
from tests.cast import Cast


def take(judgment: Judgment, said: answers.Answer, verb: str = "save") -> Judgment:
    who = judgment.participant
    return answers.take(
        judgment.code, verb, said, campaign=who.campaign.code, by=who.user
    )


def test_an_answer_is_stored_with_its_event_and_counters(cast: Cast) -> None:
    made = campaign(cast, n=2)
    setup.write_guideline(made, "Read twice.", by=cast.ada)
    [judgment] = draw(made, cast.bob)
    take(judgment, answer(active_ms=1500, note="odd"))
    judgment.refresh_from_db()
    event = judgment.events.get()
    assert (judgment.state, judgment.values, judgment.revision) == ("done", GOOD, 1)
    assert (judgment.guideline, judgment.mode, judgment.comment) == (1, "single", "odd")
    assert (event.verb, event.values, event.note) == ("save", GOOD, "odd")
    tally = Tally.objects.get()
    assert (tally.n_done, tally.active_ms) == (1, 1500)


def test_the_same_message_twice_is_stored_once(cast: Cast) -> None:
    made = campaign(cast)
    [judgment] = draw(made, cast.bob)
    said = answer()
    for _ in range(3):
        assert take(judgment, said).revision == 1
    assert JudgmentEvent.objects.count() == 1
    assert Tally.objects.get().n_done == 1


def test_a_replay_after_a_later_change_changes_nothing(cast: Cast) -> None:
    made = campaign(cast)
    [judgment] = draw(made, cast.bob)
    first = answer()
    take(judgment, first)
    take(judgment, answer({"meaning": 1, "grammar": 1}, seen=1))
    assert take(judgment, first).values == {"meaning": 1, "grammar": 1}
    assert JudgmentEvent.objects.count() == 2


def test_a_stale_answer_learns_what_is_stored(cast: Cast) -> None:
    made = campaign(cast)
    [judgment] = draw(made, cast.bob)
    take(judgment, answer())
    with pytest.raises(StaleEdit) as refused:
        take(judgment, answer({"meaning": 2, "grammar": 2}))
    assert refused.value.facts["values"] == GOOD
    assert refused.value.facts["revision"] == 1


def test_a_uuid_of_another_message_is_refused(cast: Cast) -> None:
    made = campaign(cast)
    one, two = draw(made, cast.bob, 2)
    said = answer()
    take(one, said)
    with pytest.raises(BadRequest):
        take(two, said)
    two.refresh_from_db()
    assert two.state == "leased"


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"meaning": 4},
        {"meaning": 6, "grammar": 1},
        {"meaning": True, "grammar": 1},
        {"meaning": "4", "grammar": 4},
        {"meaning": 4, "grammar": 4, "colour": 1},
    ],
)
def test_values_off_the_scales_are_refused(cast: Cast, values: dict) -> None:
    made = campaign(cast)
    [judgment] = draw(made, cast.bob)
    with pytest.raises(BadRequest):
        take(judgment, answer(values))
    assert not JudgmentEvent.objects.exists()


def test_a_late_answer_fills_its_place_if_that_is_still_free(cast: Cast) -> None:
    made = campaign(cast, n=1)
    [judgment] = draw(made, cast.bob)
    leases.expire(now=timezone.now() + timedelta(hours=1))
    Judgment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    stored = take(judgment, answer())
    item = made.items.get()
    assert (stored.is_late, stored.fills, item.n_done, item.n_taken) == (
        True,
        True,
        1,
        1,
    )


def test_a_late_answer_is_kept_but_never_overfills(cast: Cast) -> None:
    made = campaign(cast, n=1, people=2)
    bob, other = judges(cast, 2)
    [mine] = draw(made, bob)
    leases.expire(now=timezone.now() + timedelta(hours=1))
    [theirs] = draw(made, other)
    judge(theirs)
    stored = take(mine, answer())
    stored.refresh_from_db()
    item = made.items.get()
    assert (stored.state, stored.fills, stored.values) == ("done", False, GOOD)
    assert (item.n_done, item.n_taken, item.need) == (1, 1, 1)
    assert Judgment.objects.counted().count() == 1


def test_a_lease_over_time_but_not_taken_back_counts_as_late(cast: Cast) -> None:
    made = campaign(cast, n=1)
    [judgment] = draw(made, cast.bob)
    Judgment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    stored = take(judgment, answer())
    assert stored.is_late
    assert made.items.get().n_done == 1


def test_an_answer_is_stored_while_the_campaign_pauses(cast: Cast) -> None:
    made = campaign(cast)
    [judgment] = draw(made, cast.bob)
    setup.pause(made, by=cast.ada)
    assert take(judgment, answer()).state == "done"


def test_an_answer_to_a_withdrawn_item_is_stored(cast: Cast) -> None:
    made = campaign(cast, n=1)
    [judgment] = draw(made, cast.bob)
    items.withdraw(made.items.get(), by=cast.ada)
    assert take(judgment, answer()).item.is_withdrawn
    assert JudgmentEvent.objects.count() == 1


def test_a_skipped_item_is_free_again_and_may_still_be_answered(cast: Cast) -> None:
    made = campaign(cast, n=1, people=2)
    bob, other = judges(cast, 2)
    [mine] = draw(made, bob)
    take(mine, answer({}, note="unclear"), "skip")
    assert made.items.get().n_taken == 0
    assert draw(made, bob) == []
    [theirs] = draw(made, other)
    take(theirs, answer({}, note="other"), "skip")
    assert take(mine, answer(seen=1)).fills
    assert made.items.get().n_done == 1


def test_skipping_needs_a_known_reason_and_an_open_item(cast: Cast) -> None:
    made = campaign(cast)
    [judgment] = draw(made, cast.bob)
    with pytest.raises(BadRequest):
        take(judgment, answer({}, note="bored"), "skip")
    take(judgment, answer())
    with pytest.raises(Conflict):
        take(judgment, answer({}, seen=1, note="unclear"), "skip")


def test_a_flag_is_noted_and_changes_no_answer(cast: Cast) -> None:
    made = campaign(cast)
    [judgment] = draw(made, cast.bob)
    take(judgment, answer({}, note="typo in the sentence"), "flag")
    stored = take(judgment, answer(seen=1))
    assert (stored.flag, stored.values) == ("typo in the sentence", GOOD)


def test_another_persons_item_is_not_found(cast: Cast) -> None:
    made = campaign(cast, people=2)
    _, other = judges(cast, 2)
    [mine] = draw(made, cast.bob)
    for who in (other, cast.cyd, cast.ada):
        with pytest.raises(Http404):
            answers.take(mine.code, "save", answer(), campaign=made.code, by=who)


def test_one_who_annotates_no_longer_has_no_desk(cast: Cast) -> None:
    made = campaign(cast)
    [mine] = draw(made, cast.bob)
    cast.project.memberships.filter(user=cast.bob).update(role="viewer")
    with pytest.raises(NotAllowed, match="no longer work in this campaign"):
        answers.take(mine.code, "save", answer(), campaign=made.code, by=cast.bob)
    with pytest.raises(Http404):
        judging.participant_of(made.code, cast.bob)


def test_failed_checks_stop_a_judge_until_reinstated(cast: Cast) -> None:
    text = HEADER + rows(30) + rows(8, kind="gold", gold="5")
    made = campaign(cast, text=text, check_every=2, check_min=3, check_fail_share=0.5)
    while got := draw(made, cast.bob):
        judge(got[0], {"meaning": 1, "grammar": 1})
    who = person(made, cast.bob)
    assert (who.state, who.n_checks, who.n_checks_failed) == ("blocked", 3, 3)
    participants.set_participant(who, by=cast.ada, state="active")
    for judgment in draw(made, cast.bob, 4):
        judge(judgment, {"meaning": 5, "grammar": 5})
    assert person(made, cast.bob).state == "active"


def test_a_changed_check_counts_by_its_last_answer(cast: Cast) -> None:
    text = HEADER + rows(9) + rows(4, kind="gold", gold="5")
    made = campaign(cast, text=text, check_every=1)
    [judgment] = draw(made, cast.bob)
    judge(judgment, {"meaning": 1, "grammar": 1})
    assert person(made, cast.bob).n_checks_failed == 1
    judgment.refresh_from_db()
    judge(judgment, {"meaning": 4, "grammar": 5})
    who = person(made, cast.bob)
    assert (who.n_checks, who.n_checks_failed) == (1, 0)


def test_training_tells_the_right_answer_and_nothing_else_does(cast: Cast) -> None:
    text = HEADER + rows(3) + rows(1, kind="training", gold="5", why="All is kept.")
    made = campaign(cast, text=text)
    [judgment] = draw(made, cast.bob)
    stored = judge(judgment, {"meaning": 3, "grammar": 5})
    told = checks.feedback(stored)
    assert told == {
        "passed": False,
        "expected": {"meaning": 5, "grammar": 5},
        "why": "All is kept.",
        "again": False,
    }
    [judgment] = draw(made, cast.bob)
    assert checks.feedback(judge(judgment)) is None


WRONG = {"meaning": 1, "grammar": 1}


def failing(cast: Cast, tries: int) -> Campaign:
    """Bob has failed the training once."""
    text = HEADER + rows(3) + rows(2, kind="training", gold="5")
    made = campaign(cast, text=text, training_pass_share=0.6, training_tries=tries)
    first, last = draw(made, cast.bob, 2)
    assert checks.feedback(judge(first, WRONG))["again"] is False
    assert checks.feedback(judge(last, WRONG))["again"] is (tries > 1)
    return made


def test_one_who_fails_training_is_stopped(cast: Cast) -> None:
    made = failing(cast, 1)
    assert person(made, cast.bob).state == "blocked"


def test_failed_training_is_tried_again_from_the_start(cast: Cast) -> None:
    made = failing(cast, 2)
    assert person(made, cast.bob).state == "active"
    again = draw(made, cast.bob, 4)
    assert [one.item.kind for one in again] == ["training"] * 2
    assert [one.values for one in again] == [{}] * 2  # the first answers are not shown
    for judgment in again:
        judge(judgment, GOOD)
    assert person(made, cast.bob).is_trained
    assert [one.item.kind for one in draw(made, cast.bob, 4)] == ["main"] * 3


def test_training_failed_at_the_last_attempt_stops_the_person(cast: Cast) -> None:
    made = failing(cast, 2)
    for judgment in draw(made, cast.bob, 2):
        judge(judgment, WRONG)
    assert person(made, cast.bob).state == "blocked"
    assert draw(made, cast.bob, 2) == []


def test_guidelines_are_new_until_the_judge_has_read_this_version(
    cast: Cast, client: Client
) -> None:
    made = campaign(cast, n=2)
    setup.write_guideline(made, "# Rate\n\n<b>meaning</b> *first*", by=cast.ada)
    client.force_login(cast.bob)
    desk = reverse("api_desk", args=[made.code])
    told = client.get(desk).json()["guideline"]
    assert (told["number"], told["seen"]) == (1, 0)
    assert "<h3>Rate</h3>" in told["html"]
    assert "<em>first</em>" in told["html"]
    assert "<b>" not in told["html"]
    url = reverse("api_guideline", args=[made.code])
    for number in (1, 7, 0):  # no one has read what is not written
        sent = client.post(url, {"number": number}, content_type="application/json")
        assert sent.status_code == 204
        assert client.get(desk).json()["guideline"]["seen"] == 1
    setup.write_guideline(made, "Rate grammar first.", by=cast.ada)
    status = client.post(desk, {"want": 0}, content_type="application/json").json()
    assert status["status"]["guideline"] == 2
    told = client.get(desk).json()["guideline"]
    assert (told["number"], told["seen"]) == (2, 1)


@pytest.mark.parametrize(
    ("second", "need"),
    [
        ({"meaning": 5, "grammar": 5}, 2),  # one point, both above the thresholds
        ({"meaning": 2, "grammar": 5}, 3),  # two points
        ({"meaning": 4, "grammar": 3}, 3),  # astride the threshold of grammar
    ],
)
def test_a_third_judge_where_two_are_apart(cast: Cast, second: dict, need: int) -> None:
    made = campaign(
        cast, n=1, people=3, k=2, overlap_k=2, is_adaptive=True, adaptive_gap=2
    )
    people = list(judges(cast, 3))
    first = {"meaning": 4, "grammar": 4}
    for user, values in zip(people, (first, second), strict=False):
        [judgment] = draw(made, user)
        judge(judgment, values)
    assert made.items.get().need == need
    assert len(draw(made, people[2])) == need - 2


def test_a_curator_reopens_one_persons_item(cast: Cast) -> None:
    made = campaign(cast, n=1)
    [judgment] = draw(made, cast.bob)
    judgment = judge(judgment)
    with pytest.raises(NotAllowed):
        answers.reopen(judgment, by=cast.bob, uuid=uuid4())
    answers.reopen(judgment, by=cast.ada, uuid=uuid4())
    assert (made.items.get().n_done, made.items.get().n_taken) == (0, 1)
    [again] = leases.draw(person(made, cast.bob).pk, want=1, held=[])
    assert (again.pk, again.values) == (judgment.pk, GOOD)
    judge(again, {"meaning": 2, "grammar": 2})
    assert made.items.get().n_done == 1
    assert Tally.objects.get().n_done == 1
    assert [e.verb for e in judgment.events.all()] == ["save", "reopen", "save"]


def test_a_reopened_answer_that_no_one_changes_counts_again(cast: Cast) -> None:
    made = campaign(cast, n=1, people=2)
    bob, other = judges(cast, 2)
    [judgment] = draw(made, bob)
    answers.reopen(judge(judgment), by=cast.ada, uuid=uuid4())
    leases.expire(now=timezone.now() + timedelta(hours=1))
    stored = Judgment.objects.counted().get()
    assert (stored.values, stored.revision) == (GOOD, 2)
    assert draw(made, other) == []
    assert (made.items.get().n_done, Tally.objects.get().n_done) == (1, 1)
    assert judge(stored, {"meaning": 2, "grammar": 2}).values["meaning"] == 2
    assert (made.items.get().n_done, Tally.objects.get().n_done) == (1, 1)


def test_a_reopened_check_is_counted_once(cast: Cast) -> None:
    text = HEADER + rows(3) + rows(1, kind="gold", gold="1")
    made = campaign(cast, text=text, check_every=1)
    check = next(one for one in draw(made, cast.bob, 4) if one.item.kind == "gold")
    answers.reopen(judge(check), by=cast.ada, uuid=uuid4())
    check.refresh_from_db()
    judge(check, {"meaning": 1, "grammar": 1})
    bob = person(made, cast.bob)
    assert (bob.n_checks, bob.n_checks_failed) == (1, 0)


def test_an_answer_that_filled_no_place_frees_none_when_reopened(cast: Cast) -> None:
    made = campaign(cast, n=1, people=2)
    bob, other = judges(cast, 2)
    [mine] = draw(made, bob)
    leases.expire(now=timezone.now() + timedelta(hours=1))
    [theirs] = draw(made, other)
    judge(theirs)
    kept = take(mine, answer())
    answers.reopen(kept, by=cast.ada, uuid=uuid4())
    item = made.items.get()
    assert (item.n_done, item.n_taken) == (1, 1)


def test_an_item_for_three_gets_no_fourth_judge(cast: Cast) -> None:
    made = campaign(
        cast, n=1, people=3, k=3, overlap_k=3, is_adaptive=True, adaptive_gap=2
    )
    for user, value in zip(judges(cast, 3), (1, 5, 3), strict=True):
        [judgment] = draw(made, user)
        judge(judgment, {"meaning": value, "grammar": 4})
    assert made.items.get().need == 3


def test_time_is_never_negative_and_half_an_hour_at_most(cast: Cast) -> None:
    made = campaign(cast, n=2)
    longest, negative = draw(made, cast.bob, 2)
    assert take(longest, answer(active_ms=10**12)).active_ms == 30 * 60_000
    assert take(negative, answer(active_ms=-5)).active_ms == 0
    assert Tally.objects.get().active_ms == 30 * 60_000


def test_a_lease_that_runs_out_while_the_answer_is_stored_is_noticed(
    cast: Cast,
) -> None:
    made = campaign(cast, n=1)
    [given] = draw(made, cast.bob)
    read = answers.find(given.code, campaign=made.code, by=cast.bob)
    leases.expire(now=timezone.now() + timedelta(hours=1))
    with pytest.raises(StaleEdit):  # ``take`` then reads it anew, as late
        answers.save(read, answer())
    assert (made.items.get().n_taken, made.items.get().n_done) == (0, 0)


def test_a_skip_carries_a_comment_that_the_manager_reads(cast: Cast) -> None:
    made = campaign(cast, n=2)
    [judgment] = draw(made, cast.bob)
    said = answer(note="broken")
    take(judgment, replace(said, comment=" The end is cut off. "), "skip")
    judgment.refresh_from_db()
    assert (judgment.skip_reason, judgment.comment) == ("broken", "The end is cut off.")
    assert judgment.events.get().note == "broken: The end is cut off."
    client = Client()
    client.force_login(cast.ada)
    page = reverse("campaign_flags", args=[cast.project.slug, made.code])
    assert "The end is cut off." in client.get(page).content.decode()


@pytest.mark.parametrize(
    ("n", "people", "ahead"),
    [(200, 1, 50), (60, 1, 50), (20, 1, 20), (60, 3, 20), (6, 3, 4)],
)
def test_up_to_50_items_are_kept_ahead_but_no_more_than_an_even_part(
    cast: Cast, n: int, people: int, ahead: int
) -> None:
    made = campaign(cast, n=n, people=people)
    told = judging.of(person(made, cast.bob))
    assert told["status"]["ahead"] == ahead
    draw(made, cast.bob, 4)  # what one holds does not make one's part smaller
    told = judging.status(person(made, cast.bob), is_empty=False)
    assert told["ahead"] == ahead


def test_a_pace_is_told_once_ten_items_are_answered(cast: Cast) -> None:
    made = campaign(cast, n=30, prefetch=15)
    for n, judgment in enumerate(draw(made, cast.bob, 11)):
        told = judging.status(person(made, cast.bob), is_empty=False)
        assert told["pace_s"] == (None if n < 10 else 5.5)
        take(judgment, answer(active_ms=1000 * (n + 1)))


def test_the_answers_of_a_day_count_over_all_campaigns(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.bob)
    since = timezone.now() - timedelta(hours=1)
    for n in (2, 3):
        made = campaign(
            cast, n=4, text=HEADER + rows(3) + rows(1, kind="gold", gold="4")
        )
        for judgment in draw(made, cast.bob, n):
            judge(judgment)
    body = {"want": 0, "since": since.isoformat()}
    url = reverse("api_desk", args=[made.code])
    answered = client.post(url, body, content_type="application/json").json()
    assert answered["status"]["today"] == 5
    body["since"] = timezone.now().isoformat()
    answered = client.post(url, body, content_type="application/json").json()
    assert answered["status"]["today"] == 0


def test_a_daily_goal_is_ones_own_and_kept(cast: Cast) -> None:
    client, url = Client(), reverse("api_judge_preference")
    client.force_login(cast.bob)
    assert client.get(url).json()["daily_goal"] == 0
    sent = client.put(url, {"daily_goal": 40}, content_type="application/json")
    assert (sent.status_code, client.get(url).json()["daily_goal"]) == (200, 40)
    sent = client.put(url, {"daily_goal": -1}, content_type="application/json")
    assert sent.status_code == 400
    client.force_login(cast.ada)
    assert client.get(url).json()["daily_goal"] == 0


def test_the_shell_for_a_time_without_network_names_no_one(cast: Cast) -> None:
    made = campaign(cast)
    client = Client()
    url = reverse("judge_shell", args=[cast.project.slug, made.code])
    client.force_login(cast.bob)
    page = client.get(url)
    assert page.headers["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert "bob" not in page.content.decode()
    assert "csrfmiddlewaretoken" not in page.content.decode()
    client.force_login(cast.cyd)
    assert client.get(url).status_code == 404


def test_the_worker_may_serve_the_judging_path_alone(cast: Cast) -> None:
    """Its address allows every path of the site; the page that starts it names one."""
    told = Client().get(reverse("judge_worker"))
    assert told.headers["Content-Type"] == "text/javascript"
    assert "worker-src 'self'" in told.headers["Content-Security-Policy"]
    assert b"gemel-judging" in b"".join(told.streaming_content)
