"""The Celery app, and the function that wakes a worker."""

import gc
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_process_init, worker_ready
from kombu.exceptions import KombuError
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
# Django's checks import every page; up has run ours, and no worker shows a page.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

TRANSPORT_ALIASES["filesystem"] = "annotator.broker:Transport"
app = Celery("gemel")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotator"])

RUN_NEXT_JOB = "annotator.run_next_job"
HELP = "annotator.help_with_chunks"
REAP = "annotator.reap_stale_jobs"
NOTIFY = "annotator.send_notices"
SIGN_S = 5.0  # a worker shows itself this often
REAP_EVERY = 2  # signs
GARBAGE = 50_000  # new objects before the collector looks
NOTIFY_EVERY = 360  # signs
WAKE_S = 3600  # no older message wakes anyone: waiting jobs are woken again and again
log = logging.getLogger(__name__)


def wake(queue: str) -> None:
    """Wake a worker of this queue. The rows are the truth: a lost message only delays.

    Raises ConnectionError if the broker is away.
    """
    _send(RUN_NEXT_JOB, queue=queue, expires=WAKE_S)


def ask_for_help(queue: str, *, workers: int) -> None:
    """Wake this many workers for chunks, if they become free within seconds.

    Raises ConnectionError if the broker is away.
    """
    for _ in range(workers):
        _send(HELP, expires=SIGN_S * REAP_EVERY, queue=queue)


def broker_fault() -> str:
    """Why no job can be handed to a worker now; "": one can."""
    try:
        with app.connection_for_write(connect_timeout=2) as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
    except (KombuError, OSError) as error:
        return f"does not answer ({type(error).__name__})"
    return ""


def _send(task: str, **options: Any) -> None:
    try:
        app.send_task(task, ignore_result=True, **options)
    except (KombuError, OSError) as error:
        raise ConnectionError(f"the broker cannot be reached: {error}") from error


@worker_process_init.connect
def _set_up_memory(**_: object) -> None:
    """Each process that does jobs has a ceiling of memory, and collects garbage less
    often: jobs make many small objects and few circles."""
    from django.conf import settings

    from annotator.serving import memory

    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 20)
    memory.keep_below(settings.WORKER_MEMORY_MB)


@worker_ready.connect
def _keep_watch(**_: object) -> None:
    """Show that a worker is running, and reap now and then, in a separate thread."""
    from annotator import disk

    threading.Thread(
        target=_watch, args=(disk.shared() / "worker.alive",), daemon=True
    ).start()


def _watch(sign: Path) -> None:
    rounds, child, fault = 0, None, ""
    while True:
        if rounds % REAP_EVERY == 0:
            fault = _call(REAP, expires=SIGN_S * REAP_EVERY)
        if rounds % NOTIFY_EVERY == NOTIFY_EVERY - 1:
            _call(NOTIFY, expires=SIGN_S * NOTIFY_EVERY)
        _show(sign, fault)
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


def _call(task: str, *, expires: float) -> str:
    """Have something done within that time; why that was not possible, "" if it was."""
    try:
        _send(task, expires=expires)
    except ConnectionError as error:
        log.warning("the watch goes on: %s", error)
        return str(error)
    return ""


def _show(sign: Path, fault: str) -> None:
    """One sign of life, with what is wrong with the broker. A disk that cannot be
    written must not end the thread."""
    try:
        sign.write_text(fault)
    except OSError as error:
        log.warning("no sign of life: %s", error)
