"""A disk that fills up: it is told, nothing acknowledged is lost, and all goes on."""

import contextlib
import json
import subprocess
import time
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.urls import reverse

from annotator import disk, faults
from annotator.broker import Channel
from annotator.models import Job, Upload
from annotator.services import jobs
from tests.annotator.corpora.test_importing import TSV, bring_in, sent
from tests.annotator.corpora.test_importing import start as start_import
from tests.annotator.durability.test_crash import LEDGER, ask, post
from tests.running import answers, running, wait


@pytest.fixture
def low(settings, monkeypatch) -> None:
    settings.MIN_FREE_MB = 10**9
    monkeypatch.setattr(disk, "_seen", None)


def test_managers_see_that_the_disk_is_nearly_full(cast, low, client) -> None:
    told = "disk of the server is nearly full"
    for who, sees in ((cast.ada, True), (cast.bob, False), (None, False)):
        if who:
            client.force_login(who)
        else:
            client.logout()
        page = client.get(reverse("projects"), follow=True).content.decode()
        assert (told in page) is sees


def test_imports_are_refused_before_the_disk_is_full(cast, low, client) -> None:
    client.force_login(cast.ada)
    file = SimpleUploadedFile("a.tsv", TSV.encode())
    asked = {"files": file, "format": "pairs", "corpus": "News"}
    answer = client.post(f"/api/projects/{cast.project.slug}/imports/", asked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "no_space")
    kept = Upload.objects.count()
    with pytest.raises(faults.NoSpace, match="MB left"):
        sent(cast, TSV)
    assert Upload.objects.count() == kept


def test_jobs_wait_and_go_on(cast, settings, monkeypatch) -> None:
    job = start_import(cast, sent(cast, TSV))
    free = settings.MIN_FREE_MB
    settings.MIN_FREE_MB = 10**9
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
    assert jobs.reap() == 0
    settings.MIN_FREE_MB = free
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 1)


def test_a_job_that_meets_a_full_disk_waits_and_is_not_blamed(
    cast, monkeypatch
) -> None:
    full = OperationalError("database or disk is full")

    def fails(*_, **__):
        raise full

    with monkeypatch.context() as broken:
        broken.setattr("annotator.services.corpora.imports._work", fails)
        job = bring_in(cast, TSV)
    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
    assert "room on the server's disk" in job.note
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE


def test_a_job_that_waited_for_room_says_so_no_more_when_it_runs(
    cast, monkeypatch
) -> None:
    job = jobs.create(cast.project, "index", title="x", by=cast.ada, enqueue=False)
    Job.objects.filter(pk=job.pk).update(note="Waits until there is room.")
    monkeypatch.setattr(jobs, "FLUSH_S", 0.0)
    seen = []
    jobs.run(job.pk, on_step=lambda row: seen.append(row.note))
    job.refresh_from_db()
    assert (job.state, job.note) == (Job.State.DONE, "")
    assert set(seen) <= {""}


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OperationalError("database or disk is full"), 507, "no_space"),
        (OSError(28, "No space left on device"), 507, "no_space"),
        (OperationalError("attempt to write a readonly database"), 503, "not_ready"),
        (OSError(30, "Read-only file system"), 503, "not_ready"),
        (OperationalError("server closed the connection"), 503, "not_ready"),
    ],
)
def test_faults_of_the_machine_have_the_one_shape(
    cast, client, monkeypatch, error, status: int, code: str
) -> None:
    def fails(*_, **__):
        raise error

    client.force_login(cast.bob)
    monkeypatch.setattr("annotator.api.layers.play", fails)
    body = {"uuid": str(uuid4()), "base_rev": 0, "op": "clear", "s": "w0"}
    answer = client.post(
        f"/api/layers/{cast.layer.code}/ops/", json.dumps(body), "application/json"
    )
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code


@pytest.fixture
def channel(tmp_path) -> Channel:
    for name in ("queue", "control"):
        (tmp_path / "broker" / name).mkdir(parents=True)
    made = Channel.__new__(Channel)
    queue = tmp_path / "broker" / "queue"
    made.__dict__ |= {"data_folder_in": queue, "data_folder_out": queue}
    return made


def test_a_broken_message_is_put_away_and_named(channel, tmp_path, caplog) -> None:
    queue = tmp_path / "broker" / "queue"
    (queue / "0_half.celery.msg").write_text('{"body": "W1')
    (queue / "0_none.celery.msg").write_text("")
    channel._put("celery", {"body": "whole"})
    assert channel._get("celery") == {"body": "whole"}
    assert len(list((tmp_path / "broker" / "broken").iterdir())) == 2
    assert "0_half.celery.msg" in caplog.text
    assert not list(queue.iterdir())


def test_a_message_is_never_seen_half_written(channel, tmp_path, monkeypatch) -> None:
    from kombu.exceptions import ChannelError

    def full(self, data):
        with self.open("wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ChannelError, match="No space left"):
        channel._put("celery", {"body": "whole"})
    assert not list((tmp_path / "broker" / "queue").iterdir())


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """40 MB, of a file system of its own."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "none", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no small disk here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> Path:
    """What is left of the disk, to the last byte."""
    ballast = place / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        for size in (2**20, 2**12, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return ballast


@pytest.mark.slow
def test_a_full_disk_ends_nothing(small_disk: Path, tmp_path: Path) -> None:
    with running(small_disk, "--no-sample", GEMEL_MIN_FREE_MB="4") as gemel:
        code = (
            "from tests.cast import Cast; c = Cast(); "
            "from annotator.services import accounts; "
            "made = accounts.make_token(c.bob, name='full', scope='annotate'); "
            "print(made[1], c.layer.code)"
        )
        token, layer = ask(gemel, code).split()
        ops = f"{gemel.base}/api/layers/{layer}/ops/"
        said: list[str] = []
        statuses: set[tuple[int, str]] = set()

        def save(revision: int) -> int:
            body = {"uuid": str(uuid4()), "base_rev": revision, "op": "link",
                    "s": "w0", "t": f"w{revision % 4}"}  # fmt: skip
            new_revision = post(ops, token, body)["revision"]
            said.append(body["uuid"])
            return new_revision

        revision = save(0)
        web = gemel.children("gunicorn")
        ballast = fill(small_disk)
        for _ in range(200):
            try:
                revision = save(revision)
            except urllib.error.HTTPError as error:
                statuses.add((error.code, json.load(error)["error"]["code"]))
        queue = small_disk / "broker" / "queue"
        with contextlib.suppress(OSError):
            (queue / "0_half.celery.msg").write_text("")
        gemel.kill("celery")
        time.sleep(12)
        assert statuses == {(507, "no_space")}
        assert gemel.process.poll() is None
        assert set(web) <= set(gemel.children("gunicorn")), "the web server went on"
        assert answers(f"{gemel.base}/sign-in/")
        ballast.unlink()
        wait(lambda: save_or_none(save, revision), gemel.output)
        (revision, kept) = json.loads(ask(gemel, LEDGER.format(code=layer)))
        assert set(said) <= set(kept)
        assert len(kept) == len(set(kept)) == revision
        wait(lambda: is_fresh(small_disk / "worker.alive"), gemel.output)


def save_or_none(save, revision: int) -> bool:
    with contextlib.suppress(OSError):
        return bool(save(revision))
    return False


def is_fresh(sign: Path) -> bool:
    return sign.exists() and time.time() - sign.stat().st_mtime < 8
