"""A job in chunks: many workers take them, each is done once, whoever dies."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from celery.worker.consumer.control import Control
from django.utils import timezone

from annotator import celery, jobkinds
from annotator.models import Corpus, Job, JobChunk, Parse
from annotator.services import chunks, jobs
from annotator.services.parses import offered, parsers
from annotator.services.projects import members
from core.errors import Unavailable
from tests import cast
from tests.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_parser")]
TEXTS = ("the dog met John", "a cat saw the dog", "Mary slept", "she saw a garden")


@pytest.fixture(autouse=True)
def one_row_a_chunk(monkeypatch) -> None:
    monkeypatch.setattr(chunks, "SIZE", 1)
    monkeypatch.setattr(chunks, "PAUSE_S", 0.0)
    monkeypatch.setattr(jobs, "FLUSH_S", 0.0)
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    monkeypatch.setattr(chunks, "ask_for_help", lambda workers=1: None)
    monkeypatch.setattr(chunks, "_unable", set())


@pytest.fixture
def corpus() -> Corpus:
    team = Cast()
    team.pair.delete()
    team.corpus.sentences.all().delete()
    for text in TEXTS:
        cast.sentence(team.corpus, text)
    return Corpus.objects.select_related("project").get(pk=team.corpus.pk)


def begun(corpus: Corpus) -> Job:
    by = corpus.project.memberships.get(role="manager").user
    return parsers.start(corpus, "small", n=1, by=by, enqueue=False)


def split(job: Job) -> None:
    """As the worker that holds the job does first."""
    ids = (
        job.project.corpora.get().sentences.order_by("pk").values_list("pk", flat=True)
    )
    chunks.split(job, "small", ids, found=0)


def help_all() -> int:
    """As workers do that find no job whose turn it is in between."""
    return sum(iter(chunks.help_out, 0))


def per_sentence(corpus: Corpus) -> list[int]:
    rows = [
        s.parses.filter(kind=Parse.Kind.CONSTITUENCY) for s in corpus.sentences.all()
    ]
    return [one.count() for one in rows]


def ended(job: Job) -> tuple[str, int, int, int | None]:
    job.refresh_from_db()
    return job.state, job.done, job.failed, job.total


DONE = (Job.State.DONE, 4, 0, 4)


def test_what_others_did_is_counted_once(corpus: Corpus) -> None:
    job, n = begun(corpus), 0

    def help_once(seen: Job) -> None:
        nonlocal n
        if seen.done and not n:
            n += chunks.help_out()

    jobs.run(job.pk, on_step=help_once)
    assert n == 3
    assert ended(job) == DONE
    assert job.result["parsed"] == 4
    assert per_sentence(corpus) == [1, 1, 1, 1]
    assert not JobChunk.objects.exists(), "they are there while their job is"


def test_what_others_could_not_parse_is_told_once(corpus: Corpus) -> None:
    cast.sentence(corpus, "xyzzy")
    job = begun(corpus)
    split(job)
    assert help_all() == 5
    jobs.run(job.pk)
    assert ended(job) == (Job.State.DONE, 4, 1, 5)
    assert job.issues.count() == 1


def silent(chunk: JobChunk, *, attempts: int = 1) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    JobChunk.objects.filter(pk=chunk.pk).update(
        state=JobChunk.State.RUNNING, claim="dead", attempts=attempts, done=1,
        heartbeat_at=long_ago,
    )  # fmt: skip


def test_the_chunk_of_a_lost_worker_is_taken_over(corpus: Corpus) -> None:
    job = begun(corpus)
    split(job)
    silent(job.chunks.get(number=2))
    jobs.run(job.pk)
    assert ended(job) == DONE
    assert per_sentence(corpus) == [1, 1, 1, 1]


def test_one_that_others_work_on_is_waited_for(corpus: Corpus, monkeypatch) -> None:
    job = begun(corpus)
    split(job)
    held = job.chunks.filter(number=2)
    held.update(
        state=JobChunk.State.RUNNING, claim="alive", heartbeat_at=timezone.now()
    )
    monkeypatch.setattr(chunks.time, "sleep", lambda _s: silent(held.get()))
    jobs.run(job.pk)
    assert ended(job) == DONE


def test_who_lost_a_chunk_writes_nothing_more(corpus: Corpus) -> None:
    job = begun(corpus)
    split(job)
    chunk = chunks._fairest()
    assert chunk is not None
    JobChunk.objects.filter(pk=chunk.pk).update(claim="another worker")
    with pytest.raises(chunks.Lost):
        chunks.note(chunk, done=1)
    with pytest.raises(chunks.Lost):
        chunks.close(chunk, [])
    chunk.refresh_from_db()
    assert (chunk.state, chunk.done) == (JobChunk.State.RUNNING, 0)


def test_a_chunk_that_killed_three_workers_fails_the_job(corpus: Corpus) -> None:
    job = begun(corpus)
    split(job)
    silent(job.chunks.get(number=2), attempts=3)
    assert help_all() == 3
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "stopped 3 times" in job.note


def test_deaths_with_work_done_in_between_are_forgiven(corpus: Corpus) -> None:
    job = begun(corpus)
    Job.objects.filter(pk=job.pk).update(attempts=2)
    jobs.run(job.pk)
    assert ended(job) == DONE
    assert job.attempts == 1


def test_nobody_helps_with_what_was_cancelled(corpus: Corpus) -> None:
    job = begun(corpus)
    split(job)
    Job.objects.filter(pk=job.pk).update(cancel_asked=True)
    assert chunks.help_out() == 0


def test_one_that_is_cancelled_at_work_ends(corpus: Corpus) -> None:
    job = begun(corpus)

    def stop(seen: Job) -> None:
        if seen.done:
            jobs.cancel(seen, by=job.by)

    jobs.run(job.pk, on_step=stop)
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED
    assert sum(per_sentence(corpus)) == job.done == 1


def test_what_cannot_be_done_here_is_left_to_others(
    corpus: Corpus, monkeypatch
) -> None:
    def load(name: str, project: object) -> object:
        raise Unavailable("no such parser on this machine")

    job = begun(corpus)
    split(job)
    with monkeypatch.context() as here:
        here.setattr(offered, "load", load)
        assert chunks.help_out() == 0
    waiting = {"state": JobChunk.State.WAITING, "attempts": 0, "claim": ""}
    assert job.chunks.filter(**waiting).count() == 4
    jobs.run(job.pk)
    assert ended(job) == DONE


def other_project(corpus: Corpus) -> Job:
    by = corpus.project.memberships.get(role="manager").user
    return jobs.create(
        members.create("Other", by=by), "parse", title="x", by=by, enqueue=False
    )


def test_long_work_lets_another_project_begin_and_goes_on(
    corpus: Corpus, monkeypatch
) -> None:
    monkeypatch.setattr(chunks, "TURN_S", -1.0)
    job, other = begun(corpus), other_project(corpus)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.attempts) == (Job.State.QUEUED, 1, 0)
    assert jobs.in_turn() == other.pk, "it has waited longer"
    Job.objects.filter(pk=other.pk).update(state=Job.State.DONE)
    jobs.run(job.pk)
    assert ended(job) == DONE
    assert per_sentence(corpus) == [1, 1, 1, 1]


def test_the_first_queue_goes_first_then_the_project_with_least_at_work(
    corpus: Corpus, settings
) -> None:
    first, other = begun(corpus), other_project(corpus)
    assert jobs.in_turn() == first.pk
    by = first.by
    jobs.create(corpus.project, "score", title="x", by=by, enqueue=False)
    Job.objects.filter(pk=first.pk).update(state=Job.State.RUNNING)
    assert jobs.in_turn() == other.pk
    urgent = jobs.create(corpus.project, "import", title="x", by=by, enqueue=False)
    assert jobs.in_turn() == urgent.pk
    settings.QUEUES = ("train",)
    assert jobs.in_turn() is None


def test_workers_of_one_host_need_no_queue_of_their_own() -> None:
    """RabbitMQ gives a queue that is named by the host to the first of them alone."""
    consumer = SimpleNamespace(
        app=celery.app,
        conninfo=SimpleNamespace(supports_exchange_type=lambda kind: True),
    )
    assert not Control.include_if(None, consumer)


def test_every_kind_waits_in_one_queue_that_there_is(settings) -> None:
    assert {jobkinds.queue_of(kind) for kind in jobkinds.KINDS} == set(settings.QUEUES)
    for kind, declared in jobkinds.KINDS.items():
        assert not declared.chunk or callable(jobkinds.chunk_runner(kind, "small"))
