"""Jobs: claimed once, counted, cancelled, resumed, failed loudly."""

import time
from collections.abc import Callable, Generator
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone

from annotator import celery, jobkinds, tasks
from annotator.errors import NotAllowed
from annotator.models import Issue, Job, Project
from annotator.services import jobs
from core.errors import Unavailable
from core.protocols import Step

Body = Callable[[Job], Generator[Step, None, dict[str, Any] | None]]


@pytest.fixture
def start(cast, monkeypatch):
    """A queued job whose work is the given generator function."""

    def started(body: Body) -> Job:
        monkeypatch.setitem(jobkinds.KINDS, "trial", jobkinds.JobKind("none"))
        monkeypatch.setattr(jobkinds, "runner", lambda kind: body)
        monkeypatch.setattr(jobs, "FLUSH_S", 0.0)
        return jobs.create(
            cast.project, "trial", title="A trial", by=cast.ada, enqueue=False
        )

    return started


def counting(n: int) -> Body:
    def body(job: Job) -> Generator[Step, None, dict[str, Any]]:
        yield Step(total=n)
        for i in range(n):
            yield Step(done=1, note=f"item {i}")
        return {"items": n}

    return body


def test_a_job_counts_what_its_generator_yields(start) -> None:
    job = start(counting(3))
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (Job.State.DONE, 3, 3)
    assert (job.result, job.note, job.attempts) == ({"items": 3}, "item 2", 1)


def test_a_job_runs_once_though_woken_twice(start) -> None:
    job = start(counting(2))
    jobs.run(job.pk)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.done, job.attempts) == (2, 1)


def test_cancel_stops_at_the_next_step_and_keeps_what_was_done(start, cast) -> None:
    def body(job: Job) -> Generator[Step, None, None]:
        yield Step(done=1)
        jobs.cancel(job, by=cast.ada)
        yield Step(done=1)
        raise AssertionError("went on after cancel")

    job = start(body)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done) == (Job.State.CANCELLED, 2)


@pytest.mark.django_db(transaction=True)
def test_a_short_job_of_another_project_does_not_wait_for_a_long_one(
    start, cast, monkeypatch
) -> None:
    long, order = start(counting(5)), []
    other = Project.objects.create(name="Other", slug="other")
    short = jobs.create(other, "trial", title="Short", by=cast.ada, enqueue=False)
    same = jobs.create(cast.project, "trial", title="Next", by=cast.ada, enqueue=False)

    def runner(kind: str) -> Body:
        def body(job: Job) -> Generator[Step, None, dict[str, Any]]:
            yield from counting(5 if job.pk == long.pk else 1)(job)
            order.append(job.pk)
            return {}

        return body

    monkeypatch.setattr(jobkinds, "runner", runner)
    jobs.run(long.pk)
    assert order == [short.pk, long.pk]
    states = [Job.objects.get(pk=one.pk).state for one in (short, long, same)]
    assert states == [Job.State.DONE, Job.State.DONE, Job.State.QUEUED]


def test_who_cancels_when_all_is_done_is_too_late(start, cast) -> None:
    def body(job: Job) -> Generator[Step, None, dict[str, Any]]:
        yield Step(done=1)
        jobs.cancel(job, by=cast.ada)
        return {"items": 1}

    job = start(body)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"items": 1})


def test_one_that_waits_for_room_takes_back_what_it_added_when_cancelled(
    start, cast, monkeypatch
) -> None:
    """Its next worker does: nothing it left is forgotten."""
    taken_back = []

    def body(job: Job) -> Generator[Step, None, None]:
        try:
            yield Step(done=1)
            raise AssertionError("went on")
        except GeneratorExit:
            taken_back.append(Job.objects.get(pk=job.pk).cancel_asked)
            raise

    job = start(body)
    with monkeypatch.context() as full:
        full.setattr(jobs.disk, "is_low", iter([False, True]).__next__)
        jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
    assert jobs.cancel(job, by=cast.ada).state == Job.State.QUEUED
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, taken_back) == (Job.State.CANCELLED, [False, True])


def test_a_waiting_job_is_cancelled_at_once(start, cast) -> None:
    job = start(counting(1))
    assert jobs.cancel(job, by=cast.ada).state == Job.State.CANCELLED
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.attempts == 0


def test_an_annotator_cannot_cancel_the_managers_job(start, cast) -> None:
    with pytest.raises(NotAllowed):
        jobs.cancel(start(counting(1)), by=cast.bob)


def test_a_known_error_fails_the_job_in_one_sentence(start) -> None:
    def body(job: Job) -> Generator[Step, None, None]:
        yield Step(done=1)
        raise Unavailable("No thesaurus: install wordnet-base.")

    job = start(body)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.FAILED, "")
    assert job.note == "No thesaurus: install wordnet-base."


def test_a_bug_fails_the_job_with_its_traceback(start) -> None:
    def body(job: Job) -> Generator[Step, None, None]:
        yield Step()
        raise ZeroDivisionError("a bug")

    job = start(body)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "ZeroDivisionError: a bug" in job.error


def test_a_database_fault_is_tried_again_three_times(start, monkeypatch) -> None:
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)

    def body(job: Job) -> Generator[Step, None, None]:
        yield Step()
        raise OperationalError("away")

    job = start(body)
    states = []
    for _ in range(3):
        jobs.run(job.pk)
        job.refresh_from_db()
        states.append(job.state)
    assert states == [Job.State.QUEUED, Job.State.QUEUED, Job.State.FAILED]


def stale(job: Job, **changes: Any) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.RUNNING, heartbeat_at=long_ago, claim="dead", **changes
    )


def test_a_job_whose_worker_died_is_taken_up_again(start, monkeypatch) -> None:
    woken: list[str] = []
    monkeypatch.setattr(jobs, "_wake", woken.append)
    job = start(counting(2))
    stale(job, attempts=1, done=1)
    jobs.report_issue(job, "from the first attempt")
    assert jobs.reap() == 1
    assert woken == [job.kind]
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.attempts) == (Job.State.DONE, 2, 2)
    assert not Issue.objects.exists()


def test_a_job_that_killed_three_workers_fails(start, monkeypatch) -> None:
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    job = start(counting(1))
    stale(job, attempts=3)
    assert jobs.reap() == 0
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "died 3 times" in job.note


def test_a_worker_that_lost_its_claim_writes_nothing_more(start) -> None:
    def body(job: Job) -> Generator[Step, None, None]:
        yield Step(done=1)
        Job.objects.filter(pk=job.pk).update(claim="another worker")
        yield Step(done=1)
        raise AssertionError("went on without its claim")

    job = start(body)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.claim) == (Job.State.RUNNING, 1, "another worker")


def test_a_job_that_fails_on_every_row_stores_so_many_issues(
    start, monkeypatch
) -> None:
    def body(job: Job) -> Generator[Step, None, None]:
        for i in range(5):
            jobs.report_issue(job, f"row {i}")
            yield Step(failed=1)

    monkeypatch.setattr(jobs, "MAX_ISSUES", 3)
    job = start(body)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.failed, job.issues.count()) == (Job.State.DONE, 5, 3)


@pytest.mark.django_db(transaction=True)
def test_a_long_step_shows_that_its_worker_lives(start, monkeypatch) -> None:
    monkeypatch.setattr(jobs, "HEARTBEAT_S", 0.02)
    before = timezone.now() - timedelta(hours=1)

    def body(job: Job) -> Generator[Step, None, None]:
        yield Step()
        Job.objects.filter(pk=job.pk).update(heartbeat_at=before)
        limit = time.monotonic() + 600
        while Job.objects.get(pk=job.pk).heartbeat_at == before:
            assert time.monotonic() < limit
            time.sleep(0.01)

    job = start(body)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error


@pytest.fixture
def no_broker(monkeypatch) -> None:
    """A broker that nobody answers for: port 1 is never served."""
    monkeypatch.delenv("CELERY_BROKER_URL", raising=False)  # it would win
    away = Celery("away", broker="redis://127.0.0.1:1/0")
    away.conf.task_publish_retry = False
    monkeypatch.setattr(celery, "app", away)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_job_is_kept_while_the_broker_is_away(cast, no_broker) -> None:
    job = jobs.create(cast.project, "parse", title="Later", by=cast.ada)
    job.refresh_from_db()
    assert job.state == Job.State.QUEUED
    assert jobs.reap() == 1  # tried again, and again without harm


@pytest.mark.django_db
def test_a_message_names_no_job_and_starts_the_one_whose_turn_it_is(
    cast, monkeypatch
) -> None:
    started: list[int] = []
    monkeypatch.setattr(jobs, "run", started.append)
    tasks.run_next_job()
    assert not started
    first = jobs.create(cast.project, "parse", title="1", by=cast.ada, enqueue=False)
    jobs.create(cast.project, "parse", title="2", by=cast.ada, enqueue=False)
    tasks.run_next_job()
    assert started == [first.pk]


@pytest.mark.slow
def test_a_worker_shows_itself_while_the_broker_is_away(no_broker, tmp_path) -> None:
    with pytest.raises(ConnectionError, match="broker cannot be reached"):
        celery.wake("parse")
    celery._show(tmp_path / "alive", celery._call(celery.REAP, expires=10))
    assert "broker cannot be reached" in (tmp_path / "alive").read_text()


@pytest.mark.parametrize(("fault", "is_away"), [("", False), ("it is away", True)])
def test_a_waiting_job_says_that_the_queue_cannot_be_reached(
    cast, client, settings, tmp_path, fault: str, is_away
) -> None:
    settings.GEMEL_HOME = tmp_path
    (tmp_path / "worker.alive").write_text(fault)
    job = jobs.create(cast.project, "parse", title="x", by=cast.ada, enqueue=False)
    client.force_login(cast.ada)
    slug = cast.project.slug
    for page in (reverse("job", args=[slug, job.code]), reverse("jobs", args=[slug])):
        text = " ".join(client.get(page).content.decode().split())
        assert ("The job queue cannot be reached" in text) is is_away


def test_unknown_kinds_are_refused_before_anything_is_stored(cast) -> None:
    with pytest.raises(KeyError):
        jobs.create(cast.project, "nonsense", title="", by=cast.ada)
    assert not Job.objects.exists()


def test_every_kind_names_a_function_that_is_there() -> None:
    for kind in jobkinds.KINDS:
        assert callable(jobkinds.runner(kind)), kind


def test_every_queue_with_waiting_jobs_is_woken_once(cast, monkeypatch) -> None:
    woken: list[str] = []
    monkeypatch.setattr(celery, "wake", woken.append)
    for kind, n in (("parse", 120), ("align", 3), ("train_parser", 1), ("report", 2)):
        for _ in range(n):
            jobs.create(cast.project, kind, title="T", by=cast.ada, enqueue=False)
    assert jobs.reap() == 3
    assert sorted(woken) == ["interactive", "parse", "train"]


def test_after_a_job_the_next_one_is_woken_though_its_message_is_lost(
    cast, monkeypatch
) -> None:
    woken: list[str] = []
    monkeypatch.setattr(celery, "wake", woken.append)
    first, _second = (
        jobs.create(cast.project, "report", title="T", by=cast.ada, enqueue=False)
        for _ in range(2)
    )
    monkeypatch.setattr(jobs, "_own_work", lambda job, on_step: {})
    tasks.run_next_job()
    assert woken == [jobkinds.queue_of("report")]
    first.refresh_from_db()
    assert first.state == "done"
    tasks.run_next_job()
    assert len(woken) == 1
