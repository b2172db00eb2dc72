"""kill -9 of everything while everyone works: a round of ``lab.bench.crash``."""

import json
import os
import signal
import subprocess
import sys

import pytest
from django.contrib.auth.models import User

from annotator.services import jobs
from annotator.services.projects import members
from lab.bench import crash, crash_data
from tests.running import ROOT


@pytest.mark.slow
def test_kill_nine_loses_nothing_and_leaves_nothing_half_written() -> None:
    """On SQLite, or the servers that DATABASE_URL and CELERY_BROKER_URL name."""
    words = [sys.executable, "-m", "lab.bench.crash", "--quick", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=ROOT, start_new_session=True, **pipes) as process:
        try:
            told, errors = process.communicate(timeout=1800)
        except subprocess.TimeoutExpired:  # it would leave all its servers behind
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, told + errors
    report = json.loads(told)
    assert report["faults"] == 0
    for attack in crash.PEOPLE:
        row = report["attacks"][attack]
        assert row["acknowledged"] > 0
        assert (row["web"], row["both"]) == (1, 1)
    for attack in crash.JOBS:
        assert report["attacks"][attack]["acknowledged"] > 0
    met = [report["attacks"][attack] for attack in crash.JOBS]
    assert sum(row["worker"] + row["both"] for row in met) > 0


def test_what_is_lost_or_miscounted_is_seen(db) -> None:
    owner = User.objects.create_user("owner")
    project = members.create("Bench", by=owner)
    job = crash_data._import(project, "One", 3, by=owner, enqueue=False)
    jobs.run(job.pk)
    whole = {"acknowledged": 3, "lost": 0, "doubled": 0, "wrong": 0}
    assert crash_data.outcome("import", job, n=3) == whole
    project.corpora.get().pairs.first().delete()
    assert crash_data.outcome("import", job, n=3) == whole | {"lost": 1}
    project.corpora.update(n_pairs=2)
    assert crash_data.outcome("import", job, n=3) == whole | {"lost": 1, "wrong": 1}
