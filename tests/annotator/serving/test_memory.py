"""A process has a ceiling of memory: a request or a job cannot take the machine."""

import http.client
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotator import env
from annotator.faults import refusal_of
from annotator.models import Job
from annotator.services import jobs
from annotator.serving import memory
from tests.annotator.test_webserver import answered, serving, workers

CEILING_MB = 700


def status_kb(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def take(port: int, mb: int) -> int:
    """The status of a request that fills so much memory."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    line.request("GET", f"/take/{mb}/")
    return line.getresponse().status


class Reader:
    """Somebody who reads all the while, on a connection that is kept."""

    def __init__(self, port: int) -> None:
        self.port, self.statuses, self.stopping = port, set[int](), False
        self.slowest = 0.0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        while not self.stopping:
            began = time.monotonic()
            try:
                line.request("GET", "/sign-in/")
                answer = line.getresponse()
                answer.read()
                self.statuses.add(answer.status)
            except (OSError, http.client.HTTPException):
                line.close()  # a browser, too, asks again where a kept one was closed
                continue
            self.slowest = max(self.slowest, time.monotonic() - began)
            time.sleep(0.02)

    def stop(self) -> None:
        self.stopping = True
        self.thread.join()


@pytest.mark.slow
@pytest.mark.once
def test_one_request_does_not_pass_the_ceiling_and_others_go_on(
    tmp_path: Path,
) -> None:
    settings = {"GEMEL_WEB_MEMORY_MB": str(CEILING_MB)}
    hungry = "tests.annotator.serving.hungry:application"
    with serving(tmp_path, application=hungry, **settings) as port:
        reader, before = Reader(port), set(workers(port))
        assert take(port, 5 * CEILING_MB) == 500
        peaks = [status_kb(pid, "VmHWM") // 1024 for pid in workers(port)]
        assert max(peaks) < CEILING_MB + 200  # what is shared comes on top
        deadline = time.monotonic() + 600
        while before <= set(workers(port)):  # what is kept is given back by replacing
            assert time.monotonic() < deadline
            time.sleep(0.1)
        while len(workers(port)) < 2 or answered(port) is None:
            time.sleep(0.1)
        reader.stop()
        assert reader.statuses == {200}
        assert max(status_kb(pid, "VmRSS") // 1024 for pid in workers(port)) < 400


@pytest.mark.slow
def test_a_process_of_the_worker_has_a_ceiling() -> None:
    code = (
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'annotator.settings';"
        "os.environ['GEMEL_WORKER_MEMORY_MB'] = '600'; from annotator import celery;"
        "celery._set_up_memory(); print('ready', flush=True);"
        "there = [bytearray(2**20) for _ in range(3000)]"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert told.stdout == "ready\n"
    assert "MemoryError" in told.stderr


@pytest.mark.django_db
def test_a_job_that_needs_too_much_memory_says_so(cast, monkeypatch) -> None:
    def hungry(job: Job) -> None:
        raise MemoryError

    monkeypatch.setattr(jobs, "_own_work", lambda job, on_step: hungry(job))
    job = jobs.create(cast.project, "index", title="Hungry", by=cast.ada, enqueue=False)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "GEMEL_WORKER_MEMORY_MB" in job.note


def test_too_little_memory_is_told_in_words() -> None:
    refusal = refusal_of(MemoryError())
    assert refusal is not None
    assert (refusal.status, refusal.code) == (503, "not_ready")


def test_a_ceiling_leaves_room_for_the_program(monkeypatch) -> None:
    monkeypatch.setenv("GEMEL_X", "100")
    with pytest.raises(ImproperlyConfigured, match="512"):
        env.env_memory("GEMEL_X", default=1)


def test_a_container_counts_as_the_machine(tmp_path: Path, monkeypatch) -> None:
    machine = memory.machine_mb()
    for text, wanted in (("max\n", machine), (f"{1024 * 2**20}\n", 1024)):
        (tmp_path / "memory.max").write_text(text)
        monkeypatch.setattr(memory, "CONTAINER", tmp_path / "memory.max")
        assert memory.machine_mb() == min(machine, wanted)
    assert (memory.of_web(), memory.of_worker()) == (512, 768)
    assert memory.of_engine() == memory.LEAST_ENGINE_MB
