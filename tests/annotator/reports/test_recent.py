"""Reports of a moment ago, while others judge."""

import threading
from collections.abc import Iterator

import pytest
from django.http import QueryDict

from annotator.errors import BadRequest
from annotator.pages.site.figures import agreement_line
from annotator.services.reports import agreement, recent
from annotator.services.reports.agreement import parse
from tests.annotator.judged import Judged, judged, save_again

EVERYTHING = parse(QueryDict(""))


@pytest.fixture
def campaign(cast) -> Iterator[Judged]:
    recent.forget()
    yield judged(cast)
    recent.forget()


@pytest.fixture
def slow(monkeypatch) -> None:
    """Whatever is computed counts as dear, and serves for ever."""
    monkeypatch.setattr(recent, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(recent, "SHARE", 1e9)


def source_of(made: Judged) -> agreement.ReportSource:
    return agreement.ReportSource(made.campaign.project, "campaign", made.campaign)


def report(made: Judged) -> recent.RecentReport:
    return recent.report(source_of(made), EVERYTHING)


def judge_again(made: Judged) -> None:
    save_again(made.items[0].judgments.order_by("pk")[0], meaning=1, grammar=1)


def test_what_is_quick_is_computed_anew_for_everybody(campaign, monkeypatch) -> None:
    monkeypatch.setattr(recent, "AT_ONCE_S", 1e9)
    before = report(campaign)
    judge_again(campaign)
    after = report(campaign)
    assert after.at > before.at
    assert after.body["facts"]["last_event"] > before.body["facts"]["last_event"]


def test_what_is_dear_serves_for_a_while(campaign, slow) -> None:
    before = report(campaign)
    judge_again(campaign)
    assert report(campaign) is before


def test_it_serves_so_long_as_it_took_times_twenty(campaign, slow, monkeypatch) -> None:
    monkeypatch.setattr(recent, "SHARE", 0)
    before = report(campaign)
    judge_again(campaign)
    assert report(campaign).at > before.at


def test_what_managers_and_askers_change_counts_at_once(campaign, slow) -> None:
    before = report(campaign)
    campaign.campaign.revision += 1
    assert report(campaign) is not before
    other = recent.report(source_of(campaign), parse(QueryDict("seed=7")))
    assert other is not before


def test_what_is_kept_is_what_is_there_now(campaign, slow, cast) -> None:
    before = report(campaign)
    judge_again(campaign)
    kept = agreement.freeze(
        source_of(campaign), EVERYTHING, query="", title="Now", by=cast.ada
    )
    assert kept.body["facts"]["last_event"] > before.body["facts"]["last_event"]


def test_a_refusal_is_not_kept(campaign, slow) -> None:
    spec = parse(QueryDict("annotator=nobody"))
    for _ in range(2):
        with pytest.raises(BadRequest):
            recent.report(source_of(campaign), spec)


def test_who_asks_meanwhile_gets_the_last_one(slow, monkeypatch) -> None:
    recent.forget()
    monkeypatch.setattr(recent, "SHARE", 0)  # the first is old at once
    assert recent.of_moment("key", lambda: 1) == 1
    begun, go_on, answers = threading.Event(), threading.Event(), []

    def compute() -> int:
        begun.set()
        go_on.wait(600)
        return 2

    def ask() -> None:
        answers.append(recent.of_moment("key", compute))

    one = threading.Thread(target=ask)
    one.start()
    assert begun.wait(600)
    assert recent.of_moment("key", lambda: 3) == 1
    go_on.set()
    one.join(600)
    assert answers == [2]
    recent.forget()


def test_the_first_is_waited_for_and_computed_once(slow) -> None:
    recent.forget()
    begun, go_on, answers, computed = threading.Event(), threading.Event(), [], []

    def compute() -> int:
        begun.set()
        go_on.wait(600)
        computed.append(1)
        return len(computed)

    threads = [
        threading.Thread(target=lambda: answers.append(recent.of_moment("k", compute)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    assert begun.wait(600)
    go_on.set()
    for thread in threads:
        thread.join(600)
    assert answers == [1, 1, 1]
    recent.forget()


def test_the_line_of_a_campaign_is_of_a_moment_ago_too(campaign, slow) -> None:
    before = agreement_line(campaign.campaign)["scales"]
    judge_again(campaign)
    assert agreement_line(campaign.campaign)["scales"] is before


def test_the_page_says_when_it_was_computed(campaign, slow, cast, client) -> None:
    client.force_login(cast.ada)
    url = f"/p/windows/agreement/campaign/{campaign.campaign.code}/"
    campaign.campaign.refresh_from_db()
    at = report(campaign).at
    text = client.get(url).content.decode()
    assert f"computed at {at.day} {at:%b %Y %H:%M}" in " ".join(text.split())
