"""Starting, running, watching and cancelling jobs."""

import contextlib
import logging
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F, Model, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access, celery, disk, jobkinds
from annotator.errors import Conflict, Refusal
from annotator.faults import is_full
from annotator.models import Issue, Job, JobChunk, Project
from annotator.models.projects import Anybody
from annotator.monitoring.lines import current, within
from core.errors import GemelError
from core.protocols import Step

M = TypeVar("M", bound=Model)
FLUSH_S = 1.0  # progress is written at most this often
MAX_ATTEMPTS = 3
MAX_ISSUES = 10_000  # a job that fails on every row must not fill the disk
UNINDEXED = "Cancelled while it was indexed: what it made stays, searches index it."
log = logging.getLogger(__name__)
_letting = threading.local()  # ``by``: whether a short job runs within a long one


class _NoRoom(Exception):
    """The disk is nearly full: the job waits."""


class StepAside(Exception):
    """Raised within a job that can go on later: others have their turn now."""


class _Stop(Exception):
    """The job was cancelled, or another worker holds it now."""


def create(
    project: Project,
    kind: str,
    *,
    title: str,
    by: Anybody | None,
    params: dict[str, Any] | None = None,
    seed: int = 0,
    engine: str = "",
    enqueue: bool = True,
) -> Job:
    """A queued job; a worker is woken once the transaction commits.

    The caller has checked that ``by`` may do this. KeyError on an unknown kind.
    """
    jobkinds.KINDS[kind]
    job = Job.objects.create(
        project=project,
        kind=kind,
        title=title[:200],
        params=params or {},
        seed=seed,
        engine=engine,
        request_id=current.get(),
        by_id=by.pk if by is not None else None,
    )
    if enqueue:
        transaction.on_commit(lambda: _wake(kind))
    return job


def start(project: Project, kind: str, *, params: dict[str, Any], **more: Any) -> Job:
    """As ``create``, unless one is at work that does the same (``jobkinds``).

    Raises Conflict.
    """
    declared = jobkinds.KINDS[kind]
    mine = {name: params[name] for name in declared.same}
    text = _("This is already running: %(title)s. Wait until it finishes.")
    with one_after_the_other(project):
        active = Job.objects.active().filter(project=project)
        for job in active.filter(kind__in=(kind, *declared.beside)):
            if mine and mine == {name: job.params.get(name) for name in mine}:
                raise Conflict(text % {"title": job.title})
        return create(project, kind, params=params, **more)


def in_batches(rows: QuerySet[M], size: int) -> Iterator[list[M]]:
    """The rows in the order of their keys, so many at a time, each read when those
    before are dealt with."""
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:size]):
        last = batch[-1].pk
        yield batch


def by_batches(
    left: QuerySet[M], size: int, work: Callable[[list[M]], int]
) -> Generator[Step, None, tuple[int, int]]:
    """Do what is left, a step a batch; how many were done and how many failed.

    ``work`` deals with a batch, and says how many of it are done.
    """
    n_done = n_failed = 0
    for batch in in_batches(left, size):
        n = work(batch)
        n_done, n_failed = n_done + n, n_failed + len(batch) - n
        yield Step(done=n, failed=len(batch) - n)
    return n_done, n_failed


@contextlib.contextmanager
def one_after_the_other(project: Project) -> Iterator[None]:
    """A transaction in which no other request asks for jobs of the project or adds one.

    Code that checks for a running job, and otherwise creates one, does both in here.
    """
    with transaction.atomic():
        # SQLite has one writer anyway; rows that name the project may still be added.
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        yield


def cancel(job: Job, *, by: Anybody) -> Job:
    """Ask the job to stop; one that no one has begun stops at once.

    Finished work is kept. Raises NotAllowed.
    """
    if by.pk != job.by_id:
        access.require(by, "run", job.project)
    now = timezone.now()
    untouched = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED, started_at=None)
    if not untouched.update(state=Job.State.CANCELLED, ended_at=now, cancel_asked=True):
        # Who began it has perhaps left something, which the next undoes.
        Job.objects.active().filter(pk=job.pk).update(cancel_asked=True)
    job.refresh_from_db()
    return job


def in_turn(project: Project | None = None) -> int | None:
    """The next job of the kinds that this worker runs; None if none waits. ``project``:
    of another project than this one."""
    if disk.is_low():
        return None
    jobs = Job.objects.in_turn([jobkinds.kinds_of(name) for name in settings.QUEUES])
    if project is not None:
        jobs = jobs.exclude(project=project)
    return jobs.values_list("pk", flat=True).first()


def run(job_id: int, *, on_step: Callable[[Job], None] | None = None) -> None:
    """Claim the job and run it to its end; nothing if someone else has it.

    ``on_step`` is called with the fresh row whenever progress is written.
    """
    job = None if disk.is_low() else _claim(job_id)
    if job is not None:
        with within(job.request_id):
            _run(job, on_step)


def _run(job: Job, on_step: Callable[[Job], None] | None) -> None:
    try:
        with heartbeat(job, job.claim):
            result = _own_work(job, on_step)
            note = _index(job, result, on_step)
    except _Stop:
        _end(job, Job.State.CANCELLED)
    except _NoRoom:
        _wait_for_room(job)
    except StepAside:
        if _wait(job, "Others have their turn; it goes on by itself."):
            _wake(job.kind)
    except OperationalError as error:
        log.exception("job %s: the database failed", job.code)
        if is_full(error):
            _wait_for_room(job)
        else:
            _give_back(job)
    except (GemelError, Refusal) as error:
        _end(job, Job.State.FAILED, note=str(error))
    except MemoryError:
        log.exception("job %s: too little memory", job.code)
        most = settings.WORKER_MEMORY_MB
        note = f"A worker may take {most} MB (GEMEL_WORKER_MEMORY_MB); it needs more."
        _end(job, Job.State.FAILED, note=note)
    except Exception as error:
        log.exception("job %s failed", job.code)
        if is_full(error):
            _wait_for_room(job)
            return
        note = "A bug stopped this job; the details are below."
        _end(job, Job.State.FAILED, note=note, error=traceback.format_exc())
    else:
        _end(job, Job.State.DONE, result=result, note=note)


def report_issue(
    job: Job,
    reason: str,
    *,
    file: str = "",
    line: int = 0,
    column: int = 0,
    remedy: str = "",
    excerpt: str = "",
) -> None:
    """Record one thing the job could not do. The job continues."""
    if Issue.objects.filter(job=job).count() >= MAX_ISSUES:
        return
    Issue.objects.create(
        job=job,
        file=file[:255],
        line=line,
        column=column,
        reason=reason,
        remedy=remedy,
        excerpt=excerpt[:200],
    )


def reap() -> int:
    """Put jobs whose worker died back in the queue; wake each queue where jobs wait.

    Returns how many queues were woken: one message each, since messages pile up behind
    a long job. A job that lost three workers fails: it is probably what kills them.
    """
    if disk.is_low():  # nothing is started, and no one is blamed
        return 0
    now = timezone.now()
    limit = now - timedelta(seconds=settings.JOB_STALE_S)
    # Signs from the future: the clock was set back. They count from now.
    Job.objects.active().filter(heartbeat_at__gt=now).update(heartbeat_at=now)
    dead = Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__lt=limit)
    dead.filter(attempts__gte=MAX_ATTEMPTS).update(
        state=Job.State.FAILED,
        ended_at=now,
        note=f"Its worker died {MAX_ATTEMPTS} times. Is there enough memory?",
    )
    dead.update(state=Job.State.QUEUED, claim="")
    waiting = Job.objects.filter(state=Job.State.QUEUED).order_by()
    kinds = waiting.values_list("kind", flat=True).distinct()
    woken = {jobkinds.queue_of(kind): kind for kind in kinds}
    for kind in woken.values():
        _wake(kind)
    return len(woken)


def wake_next(after: int) -> None:
    """Wake a worker for the next job: its message may be lost, and the reaper sends one
    for a whole queue. Not if it is the one just tried."""
    left = in_turn()
    if left is not None and left != after:
        _wake(Job.objects.values_list("kind", flat=True).get(pk=left))


def is_worker_alive() -> bool:
    """Whether a worker has shown itself lately; reads its sign of life on disk."""
    sign = disk.shared() / "worker.alive"
    try:
        return abs(time.time() - sign.stat().st_mtime) < settings.JOB_STALE_S
    except OSError:
        return False


def is_queue_away() -> bool:
    """Whether the worker says that it cannot reach the broker, as it looks every few
    seconds. What waits is begun when the broker is back."""
    sign = disk.shared() / "worker.alive"
    try:
        return is_worker_alive() and bool(sign.read_text())
    except OSError:
        return False


def _wake(kind: str) -> None:
    try:
        celery.wake(jobkinds.queue_of(kind))
    except (
        OSError
    ) as error:  # the broker cannot be reached: the reaper will wake it later
        log.warning("a job waits (%s): %s", kind, error)


def _claim(job_id: int) -> Job | None:
    now, claim = timezone.now(), uuid4().hex
    counts = {} if _is_indexing(job_id) else {"done": 0, "failed": 0}
    won = Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(
        state=Job.State.RUNNING,
        claim=claim,
        attempts=F("attempts") + 1,
        started_at=now,
        heartbeat_at=now,
        note="",
        **counts,
    )
    if not won:
        return None
    if not JobChunk.objects.filter(job_id=job_id).exists():  # they keep theirs
        Issue.objects.filter(job_id=job_id).delete()  # a second run finds them again
    return Job.objects.get(pk=job_id, claim=claim)


def _own_work(job: Job, on_step: Callable[[Job], None] | None) -> dict[str, Any]:
    """What the job says of itself; not done again where only the index was left."""
    if job.kind != "index" and _is_indexing(job.pk):
        return dict(job.result)
    return _drive(job, jobkinds.runner(job.kind)(job), on_step)


def _index(
    job: Job, result: dict[str, Any], on_step: Callable[[Job], None] | None
) -> str:
    """Make the search index of what the job has brought; the note it ends with. What
    fails there, or is cancelled, is noted still: work that is done stays done."""
    note = job.note
    try:
        if job.kind != "index":
            _drive(job, jobkinds.follower()(job, result), on_step)
    except (OperationalError, StepAside, _NoRoom):
        raise
    except _Stop:
        return UNINDEXED
    except Exception:
        log.exception("job %s: its trees are not indexed yet", job.code)
    return note


def _is_indexing(job_id: int) -> bool:
    """Whether its own work is done, so that its result and counts stay."""
    parts = JobChunk.objects.filter(job_id=job_id, part__in=jobkinds.INDEX_PARTS)
    return parts.exists()


def _drive(
    job: Job,
    steps: Generator[Step, None, dict[str, Any] | None],
    on_step: Callable[[Job], None] | None,
) -> dict[str, Any]:
    """Count what the generator yields, write it at most once a second."""
    pending, last = Step(), 0.0
    try:
        while True:
            pending = _add(pending, next(steps))
            if time.monotonic() - last >= FLUSH_S:
                _flush(job, pending)
                _let_short_ones_by(job)
                pending, last = Step(), time.monotonic()
                if on_step:
                    on_step(job)
    except StopIteration as end:
        _write(job, pending)  # who cancels now is too late
        return dict(end.value or {})
    finally:
        steps.close()


def _let_short_ones_by(job: Job) -> None:
    """Run a short job of another project between two steps of a long one.

    With one worker a short job would wait for hours. A job that was let through lets no
    others through; nothing is open in the database between two steps.
    """
    if getattr(_letting, "by", False) or connection.in_atomic_block:
        return
    kinds = jobkinds.kinds_of(jobkinds.INTERACTIVE)
    waiting = Job.objects.in_turn([kinds]).exclude(project_id=job.project_id)
    if jobkinds.INTERACTIVE not in settings.QUEUES or not waiting.exists():
        return
    _letting.by = True
    try:
        run(waiting.values_list("pk", flat=True)[0])
    finally:
        _letting.by = False


def _add(a: Step, b: Step) -> Step:
    total = a.total if b.total is None else b.total
    return Step(a.done + b.done, a.failed + b.failed, b.note or a.note, total)


def _flush(job: Job, step: Step) -> None:
    """Write progress; raises _Stop if the job was cancelled or taken away."""
    _write(job, step)
    if job.cancel_asked:
        raise _Stop
    if disk.is_low():
        raise _NoRoom


def _write(job: Job, step: Step) -> None:
    """Raises _Stop if the job was taken away."""
    changes: dict[str, Any] = {
        "done": F("done") + step.done,
        "failed": F("failed") + step.failed,
        "heartbeat_at": timezone.now(),
    }
    if step.note:
        changes["note"] = step.note[:300]
    if step.total is not None:
        changes["total"] = step.total
    held = Job.objects.filter(pk=job.pk, claim=job.claim, state=Job.State.RUNNING)
    if not held.update(**changes):
        raise _Stop
    job.refresh_from_db()


def _end(
    job: Job,
    state: str,
    *,
    note: str = "",
    error: str = "",
    result: dict[str, Any] | None = None,
) -> None:
    changes: dict[str, Any] = {"state": state, "ended_at": timezone.now()}
    if note:
        changes["note"] = note[:300]
    if error:
        changes["error"] = error
    if result is not None:
        changes["result"] = result
    if Job.objects.filter(pk=job.pk, claim=job.claim).update(**changes):
        JobChunk.objects.filter(job=job).delete()


def _give_back(job: Job) -> None:
    """Queue the job again after a passing fault, until its attempts are spent."""
    if job.attempts >= MAX_ATTEMPTS:
        _end(job, Job.State.FAILED, note="The database failed again and again.")
        return
    held = Job.objects.filter(pk=job.pk, claim=job.claim)
    if held.update(state=Job.State.QUEUED, claim=""):
        _wake(job.kind)


def _wait_for_room(job: Job) -> None:
    """Queue the job again; ``reap`` wakes it.

    If even this cannot be written, the job counts as one whose worker died.
    """
    with contextlib.suppress(OperationalError):
        _wait(job, "Waits until there is room on the server's disk.")


def _wait(job: Job, note: str) -> int:
    """Queue the job again, as if it had not been tried."""
    return Job.objects.filter(pk=job.pk, claim=job.claim).update(
        state=Job.State.QUEUED,
        claim="",
        attempts=max(0, job.attempts - 1),
        note=note,
    )


HEARTBEAT_S = 4.0


@contextlib.contextmanager
def heartbeat(job: Job, claim: str) -> Iterator[None]:
    """Keep ``heartbeat_at`` fresh while one step takes long: of the job, and of the
    chunk of it, that are held by this claim. Within a transaction there is none: on
    SQLite the thread would wait for its end, and this one at the end for the thread."""
    if connection.in_atomic_block:
        yield
        return
    over = threading.Event()

    def beat() -> None:
        while not over.wait(HEARTBEAT_S):
            with contextlib.suppress(OperationalError):
                now = timezone.now()
                Job.objects.filter(pk=job.pk, claim=claim).update(heartbeat_at=now)
                held = JobChunk.objects.filter(job=job.pk, claim=claim)
                held.filter(state=JobChunk.State.RUNNING).update(heartbeat_at=now)
            connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
