"""The five things a worker does."""

from typing import Any

from django.conf import settings

from annotator.celery import HELP, NOTIFY, PIECES, REAP, RUN_JOB, app
from annotator.services import chunks, jobs
from annotator.services.corpora import spreading


@app.task(name=RUN_JOB)
def run_job(job_id: int) -> None:
    """The message wakes; whose turn it is, the rows say."""
    jobs.run(jobs.in_turn() or job_id)


@app.task(name=HELP)
def help_with_chunks() -> None:
    chunks.help_out()


@app.task(name=PIECES)
def corpus_pieces(order: dict[str, Any], keys: list[str]) -> None:
    spreading.do(order, keys)


@app.task(name=REAP)
def reap_stale_jobs() -> None:
    jobs.reap()
    chunks.ask_for_help()


@app.task(name=NOTIFY)
def send_notices() -> None:
    if settings.EMAIL_HOST:
        from annotator.pages.site import mailing  # reports: not for who sends no mail

        mailing.send_due()
