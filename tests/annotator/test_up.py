"""One command starts everything, keeps it alive, and stops it."""

import http.client
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.annotator.durability.test_crash import ask
from tests.running import (
    ROOT,
    WAIT_S,
    Running,
    answers,
    running,
    variables,
    wait,
)

pytestmark = [pytest.mark.slow, pytest.mark.once]


def test_it_serves_works_and_stops(tmp_path: Path) -> None:
    with running(tmp_path) as gemel:
        assert answers(gemel.owner_link())
        assert answers(f"{gemel.base}/static/css/gemel.css")
        wait((tmp_path / "worker.alive").exists, gemel.output)
        assert gemel.stop() == 0
        assert gemel.children("gunicorn") == gemel.children("celery") == []
        assert "Stopped." in gemel.output()


def test_the_second_start_loads_nothing_and_shows_no_stale_link(tmp_path: Path) -> None:
    with running(tmp_path):
        pass
    (tmp_path / "up.log").unlink()
    with running(tmp_path) as gemel:
        assert "Loading the sample" not in gemel.output()
        assert answers(f"{gemel.base}/sign-in/")


def test_a_dead_worker_is_started_again(tmp_path: Path) -> None:
    with running(tmp_path, "--no-sample") as gemel:
        wait((tmp_path / "worker.alive").exists, gemel.output)
        before = set(gemel.children("celery"))
        gemel.kill("celery")
        wait(lambda: set(gemel.children("celery")) - before, gemel.output)
        assert "The worker ended" in gemel.output()


def test_web_and_worker_apart_share_a_folder(tmp_path: Path) -> None:
    with running(tmp_path, "--only=web", "--no-sample") as web:
        assert web.children("gunicorn")
        assert not web.children("celery")
        assert answers(f"{web.base}/ready")
        worker = Running(tmp_path, "--only=worker")
        try:
            wait((tmp_path / "worker.alive").exists, web.output)
            assert not worker.children("gunicorn")
            second = Running(tmp_path, "--only=worker")
            assert second.process.wait(WAIT_S) != 0
            assert "Another Gemel is running" in web.output()
        finally:
            assert worker.stop() == 0


def test_a_busy_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "manage.py", "up", f"--port={port}"],
            cwd=ROOT,
            env=variables(tmp_path),
            capture_output=True,
            text=True,
            timeout=WAIT_S,
        )
    assert done.returncode != 0
    assert f"Port {port}" in done.stderr
    assert f"make run PORT={port + 1}" in done.stderr


def test_a_start_that_fails_leaves_no_web_server(tmp_path: Path) -> None:
    (tmp_path / "gemel.sqlite3").write_text("This is no database, and stays as it is.")
    gemel = Running(tmp_path)
    below: set[int] = set()

    def has_ended() -> bool:
        below.update(gemel.children("gunicorn"))
        return gemel.process.poll() is not None

    wait(has_ended, gemel.output)
    assert gemel.process.returncode != 0
    assert "file is not a database" in gemel.output()
    wait(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))


def test_a_read_only_folder_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env=variables(Path("/proc/gemel")),  # nobody writes there, not even root
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert "is not writable" in done.stderr


def test_a_terminated_supervisor_leaves_nothing_behind(tmp_path: Path) -> None:
    with running(tmp_path, "--no-sample") as gemel:
        children = gemel.children("gunicorn") + gemel.children("celery")
        assert children
        gemel.process.send_signal(signal.SIGTERM)
        assert gemel.process.wait(WAIT_S) == 0
        wait(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))


def test_a_kept_connection_is_answered_after_a_pause(tmp_path: Path) -> None:
    with running(tmp_path, "--no-sample") as gemel:
        lines = [http.client.HTTPConnection("127.0.0.1", gemel.port) for _ in range(5)]
        for line in lines:
            line.request("GET", "/sign-in/")
            line.getresponse().read()
        kept = [line.sock for line in lines]
        time.sleep(4)  # a person reads
        for line, sock in zip(lines, kept, strict=True):
            line.request("GET", "/sign-in/")
            assert line.getresponse().read()
            assert line.sock is sock


PARSE = """
from django.contrib.auth.models import User
from annotator.models import Corpus, Sentence
from annotator.services.parses import parsers
corpus = Corpus.objects.filter(project__is_sample=True, source_language="en").first()
words = "A window of the house was open when rain fell on the roof ."
Sentence.objects.create(corpus=corpus, key="0" * 32, text=words, n_tokens=14,
                        tokens=words.replace(" ", chr(10)))
owner = User.objects.get(is_superuser=True)
print(parsers.start(corpus, "english", n=1, by=owner).code)
"""


def memory_mb(gemel: Running) -> float:
    """PSS of all its processes: what it takes from the machine."""
    total = 0
    for pid in gemel.children(""):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def test_at_rest_it_is_small_and_after_a_parse_it_is_small_again(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as gemel:
        assert answers(f"{gemel.base}/sign-in/")
        wait((tmp_path / "worker.alive").exists, gemel.output)
        wait(lambda: not gemel.children("compile_kernels"), gemel.output)
        assert memory_mb(gemel) < 210
        before = set(gemel.children("celery"))
        code = ask(gemel, PARSE)
        ended = f"SELECT state FROM annotator_job WHERE code = '{code}'"
        wait(lambda: gemel.select(ended) == "done", gemel.output)
        wait(lambda: set(gemel.children("celery")) - before, gemel.output)
        wait(lambda: memory_mb(gemel) < 300, gemel.output)
