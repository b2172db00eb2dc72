"""A job split into chunks that many workers take; each is done once.

The worker that holds the job splits it and goes through its chunks; others, woken by a
message, take some, too. A chunk is claimed by compare-and-set; that of a worker that
fell silent is taken over. What a chunk brought is written when it is closed, by anyone
who still holds it, and only the holder of the job adds up.
"""

import logging
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import uuid4

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import Count, F, QuerySet, Sum
from django.utils import timezone

from annotator import celery, disk, jobkinds
from annotator.errors import Conflict
from annotator.models import Issue, Job, JobChunk
from annotator.models.jobs import JobChunkQuerySet
from annotator.monitoring.lines import within
from annotator.services import jobs
from annotator.services.jobs import heartbeat
from core.protocols import Step

SIZE = 512  # rows of a chunk
HELPERS = 16  # workers asked at once
PAUSE_S = 0.5  # of a holder that only waits for others
TURN_S = 60.0  # after so long it lets other projects begin
log = logging.getLogger(__name__)
_unable: set[int] = set()  # jobs that this process cannot help with


class Lost(Exception):
    """The chunk, or its job, now belongs to another worker."""


class Counts(NamedTuple):
    found: int
    done: int
    failed: int


def split(job: Job, part: str, ids: Iterable[int], *, found: int) -> None:
    """Chunks of this many rows in key order; once for each part.

    ``found``: rows of this part that need no work, counted as done.
    """
    keys = list(ids)
    pieces = [keys[k : k + SIZE] for k in range(0, len(keys), SIZE)]
    first = JobChunk(
        job=job, part=part, number=0, first=0, last=0, n=found, found=found,
        state=JobChunk.State.DONE,
    )  # fmt: skip
    rows = [
        JobChunk(
            job=job, part=part, number=k, first=piece[0], last=piece[-1], n=len(piece)
        )
        for k, piece in enumerate(pieces, 1)
    ]
    with transaction.atomic():
        JobChunk.objects.bulk_create([first, *rows], batch_size=500)


def work(job: Job, part: str) -> Generator[Step, None, Counts]:
    """Go through the chunks of a part until all are done, anyone who did them.

    The counts are what this run of the job did. Raises Conflict at a chunk that lost
    three workers, StepAside when another project has waited for a while.
    """
    of_part = JobChunk.objects.filter(job=job, part=part)
    runner = jobkinds.chunk_runner(job.kind, part)
    began, has_asked = time.monotonic(), False
    while of_part.exclude(state=JobChunk.State.DONE).exists():
        _refuse_deadly(of_part)
        chunk = _claim(of_part, job.claim)
        if chunk is None:
            yield _counted(job, part)
            time.sleep(PAUSE_S)
            continue
        if not has_asked:
            ask_for_help()
            has_asked = True
        with closing(_held(runner, job, chunk)) as steps:
            for _step in steps:
                yield _counted(job, part)
        yield _counted(job, part)  # also where it was lost: is the job to stop?
        Job.objects.filter(pk=job.pk, claim=job.claim).update(attempts=1)
        if time.monotonic() - began > TURN_S and jobs.in_turn(job.project):
            raise jobs.StepAside
    yield _counted(job, part)
    return _sums(of_part)


def help_out() -> int:
    """Work on chunks of others' jobs until none waits or this worker's own job does;
    return how many were closed. Chunks that this worker cannot do are left to the job's
    owner."""
    n = 0
    while not disk.is_low() and (chunk := _fairest()) is not None:
        job, claim = chunk.job, chunk.claim
        try:
            with within(job.request_id), heartbeat(job, claim):
                runner = jobkinds.chunk_runner(job.kind, chunk.part)
                list(_held(runner, job, chunk))
            n += 1
        except OperationalError:
            log.exception("job %s: the database failed", job.code)
            break
        except Exception:
            log.exception("job %s: chunk %s is left to others", job.code, chunk)
            _unable.add(job.pk)
        jobs.reap()
        if jobs.in_turn():
            ask_for_help(workers=1)
            break
    return n


def ask_for_help(workers: int = HELPERS) -> None:
    """Wake workers for the chunks that wait, at most so many."""
    for name in jobkinds.QUEUES:
        kinds = jobkinds.kinds_of(name)
        of_queue = JobChunk.objects.filter(job__in=_going(kinds))
        waiting = of_queue.to_take(_limit()).count()
        try:
            celery.ask_for_help(name, workers=min(waiting, workers))
        except OSError as error:  # the job's owner continues alone
            log.warning("nobody is asked for help: %s", error)


def note(chunk: JobChunk, *, found: int = 0, done: int = 0, failed: int = 0) -> None:
    """Count; raises Lost if the chunk was taken over or its job is to stop."""
    if not _going().filter(pk=chunk.job_id).exists():
        raise Lost
    changed = _mine(chunk).update(
        found=F("found") + found,
        done=F("done") + done,
        failed=F("failed") + failed,
        heartbeat_at=timezone.now(),
    )
    if not changed:
        raise Lost


@transaction.atomic
def close(chunk: JobChunk, issues: list[Issue]) -> None:
    """Mark the chunk as done and store its issues: both or neither. Raises Lost."""
    if not _mine(chunk).update(state=JobChunk.State.DONE):
        raise Lost
    room = jobs.MAX_ISSUES - Issue.objects.filter(job=chunk.job_id).count()
    Issue.objects.bulk_create(issues[: max(0, room)])


def _held(
    runner: jobkinds.ChunkRunner, job: Job, chunk: JobChunk
) -> Generator[Step, None, None]:
    """The work on a chunk; given back where it does not come to its end."""
    try:
        yield from runner(job, chunk)
    except Lost:
        pass
    finally:
        # Nothing if it was closed, or is another's by now.
        _mine(chunk).update(
            state=JobChunk.State.WAITING, claim="", attempts=F("attempts") - 1
        )


def _going(kinds: Sequence[str] = tuple(jobkinds.KINDS)) -> QuerySet[Job]:
    """Jobs that chunks may be worked on for; of one that lost its holder, too."""
    return Job.objects.active().filter(cancel_asked=False, kind__in=kinds)


def _mine(chunk: JobChunk) -> JobChunkQuerySet:
    return JobChunk.objects.filter(
        pk=chunk.pk, claim=chunk.claim, state=JobChunk.State.RUNNING
    )


def _claim(chunks: JobChunkQuerySet, claim: str) -> JobChunk | None:
    """The first that no one works on, if there is one: ours now."""
    now = timezone.now()
    # Signs from the future: the clock was set back. They count from now.
    chunks.filter(heartbeat_at__gt=now).update(heartbeat_at=now)
    for chunk in chunks.to_take(_limit())[:HELPERS]:
        won = JobChunk.objects.filter(
            pk=chunk.pk, claim=chunk.claim, state=chunk.state, attempts=chunk.attempts
        ).update(
            state=JobChunk.State.RUNNING, claim=claim, attempts=F("attempts") + 1,
            heartbeat_at=now, found=0, done=0, failed=0,
        )  # fmt: skip
        if won:
            return JobChunk.objects.select_related("job__project").get(pk=chunk.pk)
    return None


def _fairest() -> JobChunk | None:
    """Of the project with the fewest chunks at work, one that waits: ours now."""
    kinds = [kind for name in settings.QUEUES for kind in jobkinds.kinds_of(name)]
    going = JobChunk.objects.filter(job__in=_going(kinds))
    counts = going.filter(state=JobChunk.State.RUNNING).order_by()
    busy = dict(counts.values_list("job__project").annotate(n=Count("pk")))
    waiting = going.exclude(job__in=_unable).to_take(_limit())
    waiting = waiting.filter(attempts__lt=jobs.MAX_ATTEMPTS)
    pairs = waiting.order_by().values_list("job", "job__project").distinct()
    for job, _project in sorted(pairs, key=lambda one: (busy.get(one[1], 0), one[0])):
        if chunk := _claim(waiting.filter(job=job), uuid4().hex):
            return chunk
    return None


def _refuse_deadly(chunks: JobChunkQuerySet) -> None:
    silent = chunks.silent(_limit())
    if silent.filter(attempts__gte=jobs.MAX_ATTEMPTS).exists():
        raise Conflict(
            f"Its workers stopped {jobs.MAX_ATTEMPTS} times at the same point. There "
            "may be too little memory."
        )


def _counted(job: Job, part: str) -> Step:
    """Write the total of all chunks of the job, so nothing is left to add. Indexing the
    job's results is not part of its count: a note reports it."""
    if part in jobkinds.INDEX_PARTS and job.kind != "index":
        rows = JobChunk.objects.filter(job=job, part=part)
        n = rows.order_by().aggregate(n=Sum("n"))["n"]
        sums = _sums(rows)
        return Step(note=f"For searches, {part}: {sums.found + sums.done} of {n}")
    sums = _sums(JobChunk.objects.filter(job=job))
    Job.objects.filter(pk=job.pk, claim=job.claim).update(
        done=sums.found + sums.done, failed=sums.failed
    )
    return Step()


def _sums(chunks: JobChunkQuerySet) -> Counts:
    sums = chunks.order_by().aggregate(Sum("found"), Sum("done"), Sum("failed"))
    return Counts(*(sums[f"{name}__sum"] or 0 for name in Counts._fields))


def _limit() -> datetime:
    return timezone.now() - timedelta(seconds=settings.JOB_STALE_S)
