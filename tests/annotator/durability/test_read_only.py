"""What cannot be written any more, as disks and databases turn after a fault: it is
told, reading goes on, and so does all the rest when it can be written again."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotator.models import Job, Upload
from annotator.services import jobs
from tests.annotator.corpora.test_importing import TSV, sent, start
from tests.annotator.durability.servers import missing
from tests.cast import Cast


@contextmanager
def read_only_database() -> Iterator[None]:
    """The database itself refuses to write: each has a switch for it, and says what it
    says on a disk, or a standby, that it may not write."""
    sql = {
        "sqlite": ("PRAGMA query_only = ON", "PRAGMA query_only = OFF"),
        "postgresql": (
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        ),
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(sql[0])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(sql[1])


def link(client: Client, cast: Cast, revision: int) -> Any:
    body = {"uuid": str(uuid4()), "base_rev": revision, "op": "link"}
    where = f"/api/layers/{cast.layer.code}/ops/"
    return client.post(
        where, json.dumps(body | {"s": "w0", "t": "w1"}), "application/json"
    )


@pytest.mark.django_db(transaction=True)
def test_a_database_that_cannot_be_written_is_told_and_goes_on_after() -> None:
    cast, client = Cast(), Client(raise_request_exception=False)
    client.force_login(cast.ada)
    bob = Client(raise_request_exception=False)
    bob.force_login(cast.bob)
    slug = cast.project.slug
    with read_only_database():
        answer = link(bob, cast, 0)
        assert (answer.status_code, answer.json()["error"]["code"]) == (
            503,
            "not_ready",
        )
        assert "read-only" in answer.json()["error"]["message"]
        page = client.post(
            reverse("project_new"), {"name": "Doors"}, HTTP_ACCEPT="text/html"
        )
        assert page.status_code == 503
        assert "read-only" in page.content.decode()
        assert client.get(reverse("project", args=[slug])).status_code == 200
    assert link(bob, cast, 0).status_code == 200
    cast.layer.refresh_from_db()
    assert (cast.layer.revision, cast.layer.events.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_a_job_on_a_database_that_cannot_be_written_waits(settings, tmp_path) -> None:
    settings.MEDIA_ROOT = tmp_path
    cast = Cast()
    job = start(cast, sent(cast, TSV))
    with read_only_database(), pytest.raises(Exception, match=r"read-?only"):
        jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 1)


@pytest.fixture
def uploads(settings, tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, which root cannot write either when it is read-only."""
    place = tmp_path / "uploads"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        missing(f"no file system of one's own here: {done.stderr.strip()}")
    settings.MEDIA_ROOT = place
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_uploads_that_cannot_be_written_are_told_and_go_on_after(
    cast: Cast, client: Client, uploads: Path
) -> None:
    client.force_login(cast.ada)

    def sends() -> Any:
        file = SimpleUploadedFile("a.tsv", TSV.encode())
        asked = {"files": file, "format": "pairs", "corpus": "News"}
        return client.post(f"/api/projects/{cast.project.slug}/imports/", asked)

    subprocess.run(["mount", "-o", "remount,ro", str(uploads)], check=True)
    answer = sends()
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "not_ready")
    assert "read-only" in answer.json()["error"]["message"]
    assert not Upload.objects.exists()
    assert not Job.objects.exists()
    subprocess.run(["mount", "-o", "remount,rw", str(uploads)], check=True)
    assert sends().status_code in (201, 202)
