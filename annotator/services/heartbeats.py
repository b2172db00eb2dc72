"""The sign of life of anyone who holds a job, or a chunk of one."""

import contextlib
import threading
from collections.abc import Iterator

from django.db import OperationalError, connection
from django.utils import timezone

from annotator.models import Job, JobChunk

HEARTBEAT_S = 4.0


@contextlib.contextmanager
def heartbeat(job: Job, claim: str) -> Iterator[None]:
    """Keep ``heartbeat_at`` fresh while one step takes long: of the job, and of the
    chunk of it, that are held by this claim."""
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
