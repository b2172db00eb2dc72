"""The Celery app, and the one way a job gets to a worker."""

import os
import threading
import time
from pathlib import Path

from celery import Celery
from celery.signals import worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")

app = Celery("gemel")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotator"])

RUN_JOB = "annotator.run_job"
REAP = "annotator.reap_stale_jobs"
SIGN_S = 5.0  # a worker shows itself this often
REAP_EVERY = 2  # signs


def enqueue(job_id: int) -> None:
    """Wake a worker for this job. The row is the truth: a lost message only delays."""
    app.send_task(RUN_JOB, args=[job_id], ignore_result=True)


@worker_ready.connect
def _keep_watch(**_: object) -> None:
    """Show that a worker is there, and reap now and then, in a thread of its own."""
    from django.conf import settings

    threading.Thread(
        target=_watch, args=(settings.GEMEL_HOME / "worker.alive",), daemon=True
    ).start()


def _watch(sign: Path) -> None:
    rounds = 0
    while True:
        sign.touch()
        if rounds % REAP_EVERY == 0:
            app.send_task(REAP, ignore_result=True, expires=SIGN_S * REAP_EVERY)
        rounds += 1
        time.sleep(SIGN_S)
