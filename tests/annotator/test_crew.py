"""The process that keeps the others alive sleeps while nothing happens."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

CREW = """
from functools import partial
from annotator.management import crew
print = partial(print, flush=True)
waits, real = [], crew.select.select
def counted(*args):
    waits.append(1)
    return real(*args)
crew.select.select, crew.QUICK_DEATH_S = counted, 0.0
one = crew.Crew(".")
BEGIN
one.keep(ready=lambda: True, lines=["up"])
print("waits", len(waits))
"""


SLEEPER = ["sh", "-c", "echo born $$; exec sleep 3600"]
STARTED = f"one.start('sleeper', {SLEEPER})"
ADOPTED = f"""
import os
reading, writing = os.pipe()
if not (pid := os.fork()):
    os.setsid()
    os.dup2(reading, 0)
    os.closerange(3, 256)
    os.execvp("sh", ["sh", "-c", "read told; echo born $$; exec sleep 3600"])
os.close(reading)
one.adopt("sleeper", {SLEEPER}, pid, writing)
"""


@pytest.fixture(params=[STARTED, ADOPTED], ids=["started", "adopted"])
def crew(request) -> Iterator["subprocess.Popen[str]"]:
    code = CREW.replace("BEGIN", request.param)
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    )
    yield process
    process.terminate()
    process.communicate(timeout=600)


def _read(crew: "subprocess.Popen[str]", *wanted: str) -> dict[str, str]:
    """Lines by their first word, until all of these have come."""
    assert crew.stdout is not None
    lines: dict[str, str] = {}
    while not set(wanted) <= set(lines):
        line = crew.stdout.readline()
        assert line, f"the crew ended after {lines}"
        word, _, rest = line.strip().partition(" ")
        lines[word] = rest
    return lines


def test_an_idle_crew_does_not_wake_and_stops_at_once(crew) -> None:
    _read(crew, "up", "born")
    time.sleep(1.5)  # who polls is counted
    crew.send_signal(signal.SIGTERM)
    assert _read(crew, "waits")["waits"] == "1"


def test_a_child_that_ends_is_started_again_at_once(crew) -> None:
    born = _read(crew, "up", "born")["born"]
    os.kill(int(born), signal.SIGKILL)
    lines = _read(crew, "The", "born")
    assert "starting it again in 0 s" in lines["The"]
    assert lines["born"] != born


def test_a_crew_that_stops_ends_its_children(crew) -> None:
    born = int(_read(crew, "up", "born")["born"])
    crew.send_signal(signal.SIGTERM)
    _read(crew, "Stopped.")
    with pytest.raises(ProcessLookupError):
        os.kill(born, 0)
