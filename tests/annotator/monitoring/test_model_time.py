"""The time of models is told by the page of figures, whichever process took it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from annotator.monitoring import metrics
from annotator.services import jobs
from annotator.services.alignments import words
from core import instrumentation
from core.instrumentation import ModelCall
from core.parsing import registry
from tests import cast as people
from tests.annotator.monitoring.test_metrics import TOKEN, _figures, _of
from tests.cast import Cast

pytestmark = pytest.mark.django_db
CALL = ModelCall(registry.DEFAULT, "encoding", 0.5, 3)
MINE = {"task": "encoding", "model": registry.DEFAULT}
OTHER = """
import os, signal, sys
import django
django.setup()
from core.instrumentation import timed
with timed(sys.argv[1], "encoding", sentences=3):
    pass
print("counted", flush=True)
if sys.argv[2] == "wait":
    sys.stdin.read()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def watched(settings, client: Client, tmp_path: Path, monkeypatch):
    settings.METRICS_TOKEN = TOKEN
    settings.SHARED = tmp_path
    monkeypatch.setattr(metrics, "_mine", (0, None))
    metrics.listen()
    yield client
    instrumentation.listeners.remove(metrics.count)


def other(home: Path, *, until: str = "dead") -> "subprocess.Popen[str]":
    """A process that counts three sentences, as a worker's does, and is killed."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "annotator.settings",
        "GEMEL_METRICS_TOKEN": TOKEN,
        "GEMEL_SHARED": str(home),
    }
    words = [sys.executable, "-c", OTHER, registry.DEFAULT, until]
    made = subprocess.Popen(
        words, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert made.stdout is not None
    assert made.stdout.readline() == "counted\n"
    return made


def end(process: "subprocess.Popen[str]") -> None:
    process.communicate("")
    assert process.returncode == -signal.SIGKILL


def test_seconds_and_sentences_are_told_by_task_and_model(watched: Client) -> None:
    for _ in range(2):
        metrics.count(CALL)
    figures = _figures(watched)
    assert _of(figures, "gemel_model_seconds_total", **MINE) == 1.0
    assert _of(figures, "gemel_model_sentences_total", **MINE) == 6


def test_a_job_adds_to_them(watched: Client, cast: Cast) -> None:
    people.pair(cast.corpus, "(S (NN doors))", "(S (NN gates))")
    job = words.start(cast.corpus, "", many=False, by=cast.ada, enqueue=False)
    jobs.run(job.pk)
    labels = {"task": "word alignment", "model": "word-aligner"}
    figures = _figures(watched)
    n = 2 * cast.corpus.pairs.count()
    assert _of(figures, "gemel_model_sentences_total", **labels) == n
    assert _of(figures, "gemel_model_seconds_total", **labels) > 0


def test_what_other_processes_counted_is_added_and_outlives_them(
    watched: Client, tmp_path: Path
) -> None:
    metrics.count(CALL)
    at_once = [other(tmp_path, until="wait") for _ in range(2)]
    for n in (9, 9):  # while they live, and once they were killed
        figures = _figures(watched)
        assert _of(figures, "gemel_model_sentences_total", **MINE) == n
        for one in at_once:
            end(one)
        at_once = []
    end(other(tmp_path))
    assert _of(_figures(watched), "gemel_model_sentences_total", **MINE) == 12
    assert len(list(metrics.models_folder().glob("*.db"))) == 3, (
        "taken over, not one more"
    )


def test_a_web_server_that_starts_anew_forgets_none_of_it(
    watched: Client, settings, tmp_path: Path
) -> None:
    _figures(watched)  # requests are counted where they were
    settings.GEMEL_HOME, settings.SHARED = tmp_path, None
    metrics.count(CALL)
    metrics.forget()
    figures = _figures(watched)
    assert _of(figures, "gemel_model_sentences_total", **MINE) == 3


def test_the_name_of_a_projects_own_parser_is_not_told(watched: Client) -> None:
    metrics.count(ModelCall("secret-houses-1", "decoding", 1.0, 1))
    page = watched.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert b"secret-houses" not in page.content
    labels = {"task": "decoding", "model": "a project's own"}
    assert _of(_figures(watched), "gemel_model_seconds_total", **labels) == 1


def test_without_a_token_nothing_is_counted(
    settings, watched: Client, tmp_path: Path
) -> None:
    settings.METRICS_TOKEN = ""
    metrics.count(CALL)
    assert not (tmp_path / "metrics").exists()


def test_where_nothing_can_be_written_work_goes_on(
    watched: Client, settings, tmp_path: Path, caplog
) -> None:
    settings.SHARED = tmp_path / "file"
    settings.SHARED.write_text("no folder")
    for _ in range(2):
        metrics.count(CALL)
    assert caplog.text.count("the time of models is not counted") == 1
