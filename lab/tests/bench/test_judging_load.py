"""Many annotators over real HTTP, and kill -9 half-way: each item exactly k, none lost.

The driver and what it checks are ``lab.bench.judging``; this runs it small.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import free_port

ROOT = Path(__file__).resolve().parents[3]
PG = "postgres://root@127.0.0.1:5432/"
pytestmark = [pytest.mark.service, pytest.mark.slow]


def run(tmp_path: Path, url: str, *more: str) -> dict:
    port = str(free_port())
    command = [sys.executable, "-m", "lab.bench.judging", "exact", "--port", port]
    command += ["--clients", "10", "--items", "120", "--seconds", "240", *more]
    env = os.environ | {"GEMEL_HOME": str(tmp_path), "DATABASE_URL": url}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.stdout, done.stderr[-3000:]
    assert "database is locked" not in done.stderr
    report = json.loads(done.stdout)
    assert done.returncode == 0, report
    return report


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """A fresh SQLite file, or a fresh database of the server in GEMEL_TEST_POSTGRES."""
    if request.param == "sqlite":
        yield ""
        return
    psycopg = pytest.importorskip("psycopg")
    server = os.environ.get("GEMEL_TEST_POSTGRES", PG)
    name = f"judging_load_{os.getpid()}"
    try:
        admin = psycopg.connect(server + "postgres", autocommit=True)
    except psycopg.OperationalError:
        pytest.skip("no PostgreSQL: set GEMEL_TEST_POSTGRES to postgres://user@host/")
    with admin:
        admin.execute(f"create database {name}")
        yield server + name
        admin.execute(f"drop database {name} with (force)")


def test_every_item_gets_exactly_k_answers(tmp_path, url: str) -> None:
    report = run(tmp_path, url)
    assert report["clients_10"]["judgments"] == 360
    assert set(report["clients_10"]["statuses"]) == {"200"}


def test_kill_9_half_way_loses_no_acknowledged_answer(tmp_path, url: str) -> None:
    report = run(tmp_path, url, "--kill", "--kill-after", "100")
    assert report["clients_10"]["connections_lost"] > 0
    assert all(report["right"].values())
