"""The four tasks of a worker."""

from django.conf import settings

from annotator.celery import HELP, NOTIFY, REAP, RUN_NEXT_JOB, app
from annotator.services import chunks, jobs


@app.task(name=RUN_NEXT_JOB)
def run_next_job() -> None:
    """The message only wakes a worker; the rows say which job is next."""
    if job_id := jobs.in_turn():
        jobs.run(job_id)
        jobs.wake_next(job_id)


@app.task(name=HELP)
def help_with_chunks() -> None:
    chunks.help_out()


@app.task(name=REAP)
def reap_stale_jobs() -> None:
    jobs.reap()
    chunks.ask_for_help()


@app.task(name=NOTIFY)
def send_notices() -> None:
    if settings.EMAIL_HOST:
        from annotator.pages.site import mailing  # reports: not for who sends no mail

        mailing.send_due()
