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
one.start("sleeper", ["sh", "-c", "echo born $$; exec sleep 60"])
one.keep(ready=lambda: True, lines=["up"])
print("waits", len(waits))
"""


@pytest.fixture
def crew() -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", CREW], stdout=subprocess.PIPE, text=True
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
