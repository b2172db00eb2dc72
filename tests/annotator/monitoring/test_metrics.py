"""Figures for Prometheus: closed without a token, added up over processes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from annotator.monitoring import metrics
from annotator.services import chunks, jobs
from annotator.services.queries import index
from tests.cast import Cast

pytestmark = pytest.mark.django_db
TOKEN = "0123456789abcdefghij-metrics"
ENTER = {"Authorization": f"Bearer {TOKEN}"}


def _figures(client: Client) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    answer = client.get("/metrics", headers=ENTER)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    # Imported only now: the server decides where it counts.
    from prometheus_client.parser import text_string_to_metric_families

    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def _of(figures: object, name: str, **labels: str) -> float:
    assert isinstance(figures, dict)
    return float(figures.get((name, frozenset(labels.items())), 0.0))


@pytest.fixture
def watched(settings, client: Client) -> Client:
    settings.METRICS_TOKEN = TOKEN
    return client


def test_without_a_token_there_is_no_such_page(client: Client) -> None:
    assert client.get("/metrics", headers=ENTER).status_code == 404
    assert "prometheus_client.metrics" not in _modules_of_a_request()


def _modules_of_a_request() -> str:
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'annotator.settings';"
        "import django; django.setup(); from django.test import Client;"
        "client = Client(headers={'host': 'localhost'});"
        "print(client.get('/health').status_code, *sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert told.stdout.startswith("200"), told.stderr
    return told.stdout


@pytest.mark.parametrize(
    "given",
    ["", "Bearer", f"Basic {TOKEN}", "Bearer wrong", f"Bearer {TOKEN} x", "Bearer ä"],
)
def test_the_wrong_token_is_refused(watched: Client, given: str) -> None:
    answer = watched.get("/metrics", headers={"Authorization": given})
    assert answer.status_code == 401
    assert b"gemel_" not in answer.content


def test_requests_are_counted_by_route_and_status(watched: Client, cast: Cast) -> None:
    before = _figures(watched)
    ada = Client()
    ada.force_login(cast.ada)
    assert ada.get(f"/p/{cast.project.slug}/").status_code == 200
    ada.get("/no/such/page/")
    after = _figures(watched)

    def more(name: str, **labels: str) -> float:
        return _of(after, name, **labels) - _of(before, name, **labels)

    page = {"route": "project", "method": "GET", "status": "200"}
    assert more("gemel_requests_total", **page) == 1
    missing = {"route": "none", "method": "GET", "status": "404"}
    assert more("gemel_requests_total", **missing) == 1
    assert more("gemel_request_seconds_count", route="project") == 1
    assert more("gemel_request_seconds_sum", route="project") > 0
    names = {dict(labels).get("route", "") for _, labels in after}
    assert not any(cast.project.slug in name for name in names)


def test_processes_are_added_up(watched: Client) -> None:
    labels = {"route": "other", "method": "GET", "status": "200"}
    metrics.count_request("other", "GET", 200, 0.2)
    before = _of(_figures(watched), "gemel_requests_total", **labels)
    code = (
        "import os; os.environ['PROMETHEUS_MULTIPROC_DIR'] = os.sys.argv[1];"
        "from prometheus_client import Counter;"
        "Counter('gemel_requests', 'x', ['route', 'method', 'status'])"
        ".labels('other', 'GET', '200').inc(4)"
    )
    words = [sys.executable, "-c", code.replace("os.sys", "__import__('sys')")]
    subprocess.run([*words, str(metrics.folder())], check=True)
    after = _of(_figures(watched), "gemel_requests_total", **labels)
    assert after == before + 4


def test_what_dead_processes_counted_is_forgotten(settings, tmp_path: Path) -> None:
    settings.GEMEL_HOME = tmp_path
    metrics.forget()  # where there is nothing yet
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "counter_17.db").write_bytes(b"")
    metrics.forget()
    assert not list(metrics.folder().iterdir())


def test_jobs_and_the_installation_are_told(watched: Client, cast: Cast) -> None:
    before = _figures(watched)
    jobs.create(cast.project, "score", title="Scores", by=cast.ada)
    after = _figures(watched)
    waiting = {"kind": "score", "state": "queued"}
    assert (
        _of(after, "gemel_jobs", **waiting) == _of(before, "gemel_jobs", **waiting) + 1
    )
    assert _of(after, "gemel_jobs_oldest_waiting_seconds") > 0
    assert _of(after, "gemel_disk_free_bytes") > 0
    assert ("gemel_backup_age_seconds", frozenset()) in after
    assert ("gemel_worker_silent_seconds", frozenset()) in after


def test_chunks_at_work_and_what_searches_lack_are_told(
    watched: Client, cast: Cast
) -> None:
    job = jobs.create(cast.project, "parse", title="Parse", by=cast.ada)
    chunks.split(job, "english", range(chunks.SIZE + 1), found=7)
    job.chunks.filter(number=1).update(state="running")
    figures = _figures(watched)
    for state, n in (("running", 1), ("waiting", 1), ("done", 1)):
        assert _of(figures, "gemel_chunks", kind="parse", state=state) == n
    assert _of(figures, "gemel_index_waiting") == index.waiting() > 0


def test_ended_jobs_tell_what_they_took(watched: Client, cast: Cast) -> None:
    job = jobs.create(cast.project, "score", title="Scores", by=cast.ada)
    type(job).objects.filter(pk=job.pk).update(
        state="done",
        done=30,
        started_at="2026-01-01T00:00:00Z",
        ended_at="2026-01-01T00:00:07Z",
    )
    figures = _figures(watched)
    assert _of(figures, "gemel_jobs_seconds", kind="score") == 7
    assert _of(figures, "gemel_jobs_items", kind="score") == 30


@pytest.mark.parametrize("weak", ["short", "a" * 40])
def test_a_weak_token_stops_the_start(weak: str) -> None:
    words = [sys.executable, "manage.py", "check"]
    environment = {"GEMEL_METRICS_TOKEN": weak, "PATH": "/usr/bin:/bin"}
    told = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert told.returncode != 0
    assert re.search("GEMEL_METRICS_TOKEN is too easy to guess", told.stderr)


def test_methods_that_strangers_invent_are_one(watched: Client) -> None:
    before = _figures(watched)
    for method in ("GET", "PURGE", "X-1", "X-2"):
        watched.generic(method, "/sign-in/")
    after = _figures(watched)
    new = {
        dict(labels)["method"]
        for name, labels in set(after) - set(before)
        if name == "gemel_requests_total"
    }
    assert new <= {"GET", "other"}
    methods = {dict(labels).get("method", "GET") for _, labels in after}
    assert "other" in methods
    assert not methods & {"PURGE", "X-1", "X-2"}
