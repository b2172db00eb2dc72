"""What was acknowledged is on the disk: a power cut a moment later takes nothing."""

import itertools
import json
import random
import subprocess
import sys
import threading
import time

import pytest
from django.core.checks import run_checks
from django.db import connection
from hypothesis import given, settings, strategies

from annotator.throughput.durability import Group
from tests.running import ROOT, variables

ON_POSTGRES = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="of PostgreSQL's settings"
)


@pytest.mark.slow
@pytest.mark.once
def test_what_is_acknowledged_outlives_a_power_cut(tmp_path) -> None:
    env = variables(tmp_path)
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=env, check=True
    )
    code = "from tests.annotator.durability import power_cut; power_cut.main()"
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", code],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    statuses, left, refused, told = json.loads(done.stdout)
    assert statuses == [200] * 4
    assert left == [1, 2, 3, 4]
    assert (refused, told["error"]["code"]) == (507, "no_space")


@settings(max_examples=20)
@given(strategies.lists(strategies.integers(0, 8), min_size=1, max_size=12))
def test_who_waits_sees_a_whole_run_and_many_share_one(starts: list[int]) -> None:
    runs: list[tuple[float, float]] = []

    def work() -> None:
        begun = time.perf_counter()
        time.sleep(0.004)
        runs.append((begun, time.perf_counter()))

    group = Group(work)
    waits: list[tuple[float, float]] = []

    def one(ms: int) -> None:
        time.sleep(ms / 1000)
        came = time.perf_counter()
        group.wait()
        waits.append((came, time.perf_counter()))

    threads = [threading.Thread(target=one, args=(ms,)) for ms in starts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert len(waits) == len(starts)
    for came, went in waits:
        assert any(came <= begun and ended <= went for begun, ended in runs)
    assert len(runs) <= len(starts)


def test_all_that_share_a_run_that_failed_are_told() -> None:
    gate, told = threading.Event(), []

    def work() -> None:
        gate.wait(600)
        raise OSError(5, "Input/output error")

    group = Group(work)

    def one() -> None:
        try:
            group.wait()
        except OSError:
            told.append(True)

    threads = [threading.Thread(target=one) for _ in range(5)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    gate.set()
    for thread in threads:
        thread.join(600)
    assert len(told) == 5


def test_each_of_many_waiters_hears_of_its_own_run() -> None:
    """Each caller's change is on the disk if a run that began later says so."""
    clock, good, draw = itertools.count(), [], random.Random(3)

    def work() -> None:
        begun = next(clock)
        time.sleep(0)  # others take the interpreter
        if draw.random() < 0.4:
            raise OSError(5, "Input/output error")
        good.append((begun, next(clock)))

    group, lies = Group(work), []

    def one() -> None:
        for _ in range(150):
            came = next(clock)
            try:
                group.wait()
            except OSError:
                continue
            went = next(clock)
            if not any(came < begun and ended < went for begun, ended in list(good)):
                lies.append(came)

    threads = [threading.Thread(target=one) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert lies == []


@ON_POSTGRES
def test_a_server_that_does_not_wait_for_its_disk_is_named(db) -> None:
    assert not run_checks(tags=["database"], databases=["default"])
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    problems = run_checks(tags=["database"], databases=["default"])
    assert "gemel.W004" in [one.id for one in problems]
