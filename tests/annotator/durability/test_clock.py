"""A clock that is set back: nothing is lost or given out twice, and nobody waits for
it to catch up."""

import os
import time
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.models import Item, Job, Judgment
from annotator.services import accounts, jobs
from annotator.services.campaigns import leases
from tests.annotator import campaigns_cast
from tests.annotator.security.test_throttling import attempt
from tests.cast import PASSWORD, Cast

HOUR = timedelta(hours=1)


@pytest.fixture
def set_back(monkeypatch):
    """Moves the clock of the program back by an hour, or forward again."""
    real_now, real_time = timezone.now, time.time

    def moved(by: timedelta = HOUR) -> None:
        def now() -> datetime:
            return real_now() - by

        monkeypatch.setattr(timezone, "now", now)
        for module in ("attempts", "handlers.proxy"):
            monkeypatch.setattr(f"axes.{module}.now", now)
        monkeypatch.setattr(time, "time", lambda: real_time() - by.total_seconds())

    return moved


def test_held_items_are_judged_and_no_place_is_given_twice(cast: Cast, set_back):
    made = campaigns_cast.campaign(cast, n=6, people=2, k=1)
    held = campaigns_cast.draw(made, cast.bob, 3)
    set_back()
    for judgment in held:
        campaigns_cast.judge(judgment)
    other = list(campaigns_cast.judges(cast, 2))[1]
    drawn = campaigns_cast.draw(made, other, 6)
    assert not {one.item_id for one in drawn} & {one.item_id for one in held}
    assert max(Item.objects.values_list("n_taken", flat=True)) == 1
    assert Judgment.objects.filter(state="done").count() == 3


def test_leases_end_after_their_time_by_the_new_clock(cast: Cast, set_back) -> None:
    made = campaigns_cast.campaign(cast, n=6)
    held = campaigns_cast.draw(made, cast.bob, 3)
    set_back()
    assert leases.expire() == 0
    ends = Judgment.objects.filter(state="leased").values_list("lease_until", flat=True)
    assert max(ends) <= leases.until(made)
    after = timezone.now() + timedelta(seconds=made.lease_s + 1)
    assert leases.expire(now=after) == len(held)


def test_a_job_whose_worker_is_gone_is_taken_up(cast: Cast, set_back, monkeypatch):
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    job = Job.objects.create(
        project=cast.project, kind="parse", title="x", by=cast.ada,
        state=Job.State.RUNNING, attempts=1, heartbeat_at=timezone.now(),
    )  # fmt: skip
    set_back()
    jobs.reap()
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING, "its worker has time to show itself"
    set_back(HOUR - timedelta(minutes=1))  # a minute later
    jobs.reap()
    job.refresh_from_db()
    assert job.state == Job.State.QUEUED


def test_a_worker_of_the_future_is_not_there(settings, tmp_path) -> None:
    settings.GEMEL_HOME = tmp_path
    sign = tmp_path / "worker.alive"
    sign.touch()
    assert jobs.is_worker_alive()
    later = time.time() + HOUR.total_seconds()
    os.utime(sign, (later, later))
    assert not jobs.is_worker_alive()


def test_wrong_tries_lock_nobody_until_the_clock_has_caught_up(
    cast: Cast, set_back
) -> None:
    client = Client()
    for _ in range(9):
        attempt(client, "ada")
    assert attempt(client, "ada", PASSWORD) == 429
    set_back()
    assert attempt(client, "ada", PASSWORD) == 302


def test_guessing_is_stopped_on_the_new_clock_too(cast: Cast, set_back) -> None:
    set_back()
    assert [attempt(Client(), "ada") for _ in range(9)][-1] == 429


def test_the_limit_of_calls_holds_and_ends(cast: Cast, set_back, settings) -> None:
    settings.API_RATE = 2
    client = Client()
    client.force_login(cast.bob)
    assert [client.get("/api/formats/").status_code for _ in range(3)][-1] == 429
    set_back()
    answers = [client.get("/api/formats/") for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60


def test_a_token_works_on_and_a_revoked_one_does_not_come_back(
    cast: Cast, set_back
) -> None:
    _, kept = accounts.make_token(cast.bob, name="kept", scope="read")
    row, gone = accounts.make_token(cast.bob, name="gone", scope="read")
    row.delete()
    set_back()
    answers = [
        Client().get("/api/formats/", headers={"Authorization": f"Token {one}"})
        for one in (kept, gone)
    ]
    assert [one.status_code for one in answers] == [200, 401]
