"""The three things a worker does."""

from django.conf import settings

from annotator.celery import NOTIFY, REAP, RUN_JOB, app
from annotator.services import jobs


@app.task(name=RUN_JOB)
def run_job(job_id: int) -> None:
    jobs.run(job_id)


@app.task(name=REAP)
def reap_stale_jobs() -> None:
    jobs.reap()


@app.task(name=NOTIFY)
def send_notices() -> None:
    if settings.EMAIL_HOST:
        from annotator.pages.site import mailing  # reports: not for who sends no mail

        mailing.send_due()
