"""The Celery app, and the one way a job gets to a worker."""

import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_ready
from kombu.exceptions import KombuError
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")

TRANSPORT_ALIASES["filesystem"] = "annotator.broker:Transport"
app = Celery("gemel")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotator"])

RUN_JOB = "annotator.run_job"
REAP = "annotator.reap_stale_jobs"
SIGN_S = 5.0  # a worker shows itself this often
REAP_EVERY = 2  # signs
log = logging.getLogger(__name__)


def enqueue(job_id: int) -> None:
    """Wake a worker for this job. The row is the truth: a lost message only delays.

    Raises ConnectionError if the broker is away.
    """
    _send(RUN_JOB, args=[job_id])


def _send(task: str, **options: Any) -> None:
    try:
        app.send_task(task, ignore_result=True, **options)
    except (KombuError, OSError) as error:
        raise ConnectionError(f"the broker is away: {error}") from error


@worker_ready.connect
def _keep_watch(**_: object) -> None:
    """Show that a worker is there, and reap now and then, in a thread of its own."""
    from django.conf import settings

    threading.Thread(
        target=_watch, args=(settings.GEMEL_HOME / "worker.alive",), daemon=True
    ).start()


def _watch(sign: Path) -> None:
    rounds, child = 0, None
    while True:
        _show(sign, rounds)
        child = _back_up(child)
        rounds += 1
        time.sleep(SIGN_S)


def _back_up(child: "subprocess.Popen[bytes] | None") -> Any:
    """Backups are made by a process of their own: no long job is in their way."""
    from annotator import backups

    try:
        if (child is None or child.poll() is not None) and backups.is_wanted():
            words = [sys.executable, "-m", "annotator", "backup", "--automatic"]
            return subprocess.Popen(words, start_new_session=True)  # noqa: S603
    except OSError as error:
        log.warning("no backup is made: %s", error)
    return child


def _show(sign: Path, rounds: int) -> None:
    """One sign of life. A broker that is away must not end the thread."""
    try:
        sign.touch()
        if rounds % REAP_EVERY == 0:
            _send(REAP, expires=SIGN_S * REAP_EVERY)
    except OSError as error:
        log.warning("the watch goes on: %s", error)
