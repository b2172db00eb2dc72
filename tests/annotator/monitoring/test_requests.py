"""Ids of requests: in the answer, the log and the jobs; and nothing private there."""

import json
import logging
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Job
from annotator.monitoring.lines import JsonLines, Numbered, current, within
from annotator.services import jobs
from tests.cast import Cast

pytestmark = pytest.mark.django_db
GIVEN = "proxy-0123.abc_DEF"


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.addFilter(Numbered())
        self.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def lines() -> Iterator[list[str]]:
    handler = _Lines()
    logging.getLogger().addHandler(handler)
    yield handler.lines
    logging.getLogger().removeHandler(handler)


def test_an_id_of_a_proxy_is_kept_and_others_are_made(client: Client) -> None:
    assert (
        client.get("/health", headers={"X-Request-ID": GIVEN})["X-Request-ID"] == GIVEN
    )
    own = client.get("/health")["X-Request-ID"]
    assert len(own) == 32
    assert client.get("/health")["X-Request-ID"] != own


@pytest.mark.parametrize(
    "bad", ["short", "x" * 65, "a b c d e f g", "äääääääää", "<b>12345678"]
)
def test_what_is_no_id_is_not_passed_on(client: Client, bad: str) -> None:
    answer = client.get("/health", headers={"X-Request-ID": bad})
    assert len(answer["X-Request-ID"]) == 32


def test_a_request_is_a_line_without_anything_private(
    cast: Cast, settings, lines: list[str]
) -> None:
    settings.LOG_REQUESTS = True
    client = Client()
    client.force_login(cast.ada)
    client.get(
        f"/p/{cast.project.slug}/", {"secret": "hush"}, headers={"X-Request-ID": GIVEN}
    )
    rows = [json.loads(line) for line in lines]
    (row,) = [row for row in rows if row["logger"] == "gemel.requests"]
    assert row["request_id"] == GIVEN
    assert (row["route"], row["method"], row["status"]) == ("project", "GET", 200)
    assert row["user"] == cast.ada.pk
    assert row["ms"] > 0
    assert "hush" not in str(row)
    assert cast.project.slug not in str(row)
    assert cast.ada.username not in str(row)


def test_a_desk_writes_no_line_for_a_request(client: Client, lines: list[str]) -> None:
    client.get("/health")
    assert not lines


def test_a_line_break_makes_no_second_line(lines: list[str]) -> None:
    forged = 'x\n{"level": "INFO", "message": "all is well"}'
    logging.getLogger("gemel.test").warning("path %s", forged)
    (line,) = lines
    assert "\n" not in line
    assert json.loads(line)["message"] == f"path {forged}"


def test_a_traceback_is_part_of_its_line(lines: list[str]) -> None:
    with within("0123456789"):
        try:
            raise ValueError("no such thing")
        except ValueError:
            logging.getLogger("gemel.test").exception("it failed")
    row = json.loads(lines[0])
    assert row["request_id"] == "0123456789"
    assert "ValueError: no such thing" in row["error"]
    assert current.get() == ""


def test_a_job_knows_its_request_and_logs_under_it(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, lines: list[str]
) -> None:
    with within(GIVEN):
        job = jobs.create(cast.project, "score", title="Scores", by=cast.ada)
    assert job.request_id == GIVEN

    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(jobs, "_drive", broken)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    failed = [json.loads(line) for line in lines if "failed" in line]
    assert failed[0]["request_id"] == GIVEN
    client = Client()
    url = reverse("job", args=[cast.project.slug, job.code])
    for person, is_shown in ((cast.ada, True), (cast.bob, False)):
        client.force_login(person)
        page = client.get(url).content.decode()
        assert (GIVEN in page) is is_shown
