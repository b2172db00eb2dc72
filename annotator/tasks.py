"""The two things a worker does."""

from annotator.celery import REAP, RUN_JOB, app
from annotator.services import jobs


@app.task(name=RUN_JOB)
def run_job(job_id: int) -> None:
    jobs.run(job_id)


@app.task(name=REAP)
def reap_stale_jobs() -> None:
    jobs.reap()
