"""What is restored is what was there, in every table, on either database."""

import contextlib
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from uuid import uuid4

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from hypothesis import Phase, given, strategies
from hypothesis import settings as settings_

from annotator.errors import BadRequest
from annotator.services import archives
from annotator.services.installation import archive_files, archive_rows
from tests.annotator.durability import every_table
from tests.running import ROOT, variables


@pytest.fixture
def full(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    every_table.fill()
    return every_table.content()


def test_every_table_has_rows_with_a_value_in_every_column(full) -> None:
    for model in every_table.tables():
        rows = [json.loads(row) for row in full[model._meta.label]]
        assert len(rows) >= 2, model
        for values in zip(*rows, strict=True):
            assert any(one not in (None, "", 0) for one in values), model


def test_whoever_adds_an_app_says_whether_it_is_backed_up() -> None:
    with_tables = {
        one._meta.app_label
        for one in apps.get_models(include_auto_created=True)
        if one._meta.managed
    }
    assert with_tables == set(archive_rows.APPS) | every_table.LEFT_OUT


def test_every_row_of_every_table_comes_back(full, tmp_path) -> None:
    archives.backup(tmp_path / "one.zip")
    archives.restore(tmp_path / "one.zip", replace=True)
    now = every_table.content()
    for table, rows in full.items():
        assert now[table] == rows, table


def test_a_restore_that_is_stopped_at_its_uploads_leaves_the_old_rows(
    full, tmp_path, monkeypatch
) -> None:
    """No row is there before the file that it names."""
    archives.backup(tmp_path / "one.zip")
    User.objects.create_user("since")

    def stopped(archive, manifest) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(archive_files, "unpack", stopped)
    with pytest.raises(KeyboardInterrupt):
        archives.restore(tmp_path / "one.zip", replace=True)
    assert User.objects.filter(username="since").exists()


def test_one_archive_holds_each_table_once(full, tmp_path) -> None:
    counts = archives.backup(tmp_path / "one.zip")
    for model in every_table.tables():
        assert counts[model._meta.label] == len(full[model._meta.label])
    assert archives.restore(tmp_path / "one.zip", replace=True) == counts


def ask(code: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", code],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def manage(env: dict[str, str], *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture
def server_url():
    """An empty database on PostgreSQL, gone afterwards."""
    psycopg = pytest.importorskip("psycopg")
    default = os.environ.get("DATABASE_URL", "")
    base = default if default.startswith("postgres") else "postgres://root@127.0.0.1/"
    base = os.environ.get("GEMEL_TEST_POSTGRES", base).rpartition("/")[0]
    name = f"gemel_restore_{uuid4().hex[:12]}"
    try:
        server = psycopg.connect(
            f"{base}/postgres", autocommit=True, connect_timeout=60
        )
    except psycopg.OperationalError:
        if os.environ.get("CI"):
            raise
        pytest.skip("no PostgreSQL: set GEMEL_TEST_POSTGRES to postgres://user@host/")
    server.execute(f"CREATE DATABASE {name}")
    yield f"{base}/{name}"
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    server.close()


FILL = "from tests.annotator.durability import every_table as t; t.fill()"
CONTENT = """
import json
from tests.annotator.durability import every_table as t
print(json.dumps(t.content()))
"""


FILES = """
from pathlib import Path
from django.conf import settings
from annotator.models import ParaphraseTable
wanted = {"releases/one.zip": b"PK", "models/mine/parser.npz": bytes(range(9))}
for table in ParaphraseTable.objects.all():
    wanted[f"tables/{table.code}/manifest.json"] = b'{"table": "rows"}'
    wanted[f"tables/{table.code}/rows/pairs-0000.parquet"] = b"PAR1"
for name, data in wanted.items():
    path = Path(settings.GEMEL_HOME) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
"""


def files(home: Path) -> dict[str, bytes]:
    """All that lies in the folders of which a backup says that it holds them."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for under in archive_files.ROOTS
        for path in (home / under).rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
@pytest.mark.once
def test_a_backup_moves_between_databases(server_url, tmp_path: Path) -> None:
    """Every row and every file: into a fresh home, to PostgreSQL, and back."""
    homes = [tmp_path / name for name in ("old", "fresh", "server", "back")]
    old, *others = [
        variables(
            home, **({"DATABASE_URL": server_url} if home.name == "server" else {})
        )
        for home in homes
    ]
    manage(old, "migrate", "-v0")
    ask(FILL, old)
    ask(FILES, old)
    rows, whole = json.loads(ask(CONTENT, old)), files(homes[0])
    assert {Path(name).parts[0] for name in whole} == set(archive_files.ROOTS)
    for n, (home, env) in enumerate(zip(homes[1:], others, strict=True)):
        archive = str(tmp_path / f"{n}.zip")
        manage(old, "backup", "--with-tables", archive)
        manage(env, "migrate", "-v0")
        manage(env, "restore", archive)
        here = json.loads(ask(CONTENT, env))
        assert here.keys() == rows.keys()
        for table in rows:
            assert here[table] == rows[table], (home.name, table)
        assert files(home) == whole, home.name
        old = env


@pytest.mark.slow
def test_a_backup_is_tried_before_it_is_needed(full, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(settings, "GEMEL_HOME", tmp_path)  # others backup meanwhile
    counts = archives.backup(tmp_path / "one.zip")
    assert archives.verify(tmp_path / "one.zip") == counts
    assert every_table.content() == full  # nothing here has changed
    assert not list(Path(settings.GEMEL_HOME).glob("scratch-*"))


def rewritten(path: Path, name: str, change) -> Path:
    """The archive with this entry changed, or left out if ``change`` gives None."""
    out = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            data = change(data) if entry == name else data
            if data is not None:
                new.writestr(entry, data)
    return out


LAST = re.compile(rb"[^\n]+\n$")


def without_rows(data: bytes) -> bytes:
    return data.partition(b"\n")[0] + b"\n"


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize(
    ("entry", "change", "says"),
    [
        ("rows/annotator_linkevent", without_rows, "missing or extra rows"),
        ("rows/annotator_linkevent", lambda data: None, "missing or extra rows"),
        ("rows/annotator_sentence", without_rows, "contradict each other"),
        ("rows/annotator_sentence", lambda data: data + data[-30:], "cannot be read"),
        ("rows/annotator_sentence", lambda data: b"x" + data, "columns are unkn"),
        ("rows/auth_user", lambda data: data + LAST.search(data)[0], "contradict"),
        ("manifest.json", lambda data: b"[]", "its manifest belongs to something else"),
        (
            "uploads/2026/01/file1.upload",
            lambda data: data + b"x",
            "differs from what was backed up",
        ),
        (
            "uploads/2026/01/file1.upload",
            lambda data: None,
            "does not contain the upload",
        ),
    ],
)
def test_what_is_wrong_with_a_backup_is_told(
    full, tmp_path, entry: str, change, says: str
) -> None:
    archives.backup(tmp_path / "one.zip")
    bad = rewritten(tmp_path / "one.zip", entry, change)
    with pytest.raises(BadRequest, match=says):
        archives.verify(bad)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "change"),
    [
        ("rows/auth_user", lambda data: data + LAST.search(data)[0]),
        ("rows/annotator_sentence", without_rows),
    ],
)
def test_rows_that_contradict_each_other_are_not_restored(
    full, tmp_path, entry: str, change
) -> None:
    archives.backup(tmp_path / "one.zip")
    bad = rewritten(tmp_path / "one.zip", entry, change)
    with pytest.raises(BadRequest, match="contradict each other"):
        archives.restore(bad, replace=True)
    assert every_table.content() == full


@pytest.mark.slow
@pytest.mark.once
def test_one_bit_that_falls_over_is_seen(full, tmp_path) -> None:
    path, bad = tmp_path / "one.zip", tmp_path / "bad.zip"
    archives.backup(path)
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        content = {one.filename: archive.read(one) for one in entries}

    @settings_(max_examples=15, phases=[Phase.generate])
    @given(data=strategies.data())
    def check(data) -> None:
        entry = data.draw(strategies.sampled_from(entries))
        extra = int.from_bytes(whole[entry.header_offset + 28 :][:2], "little")
        start = entry.header_offset + 30 + len(entry.filename) + extra
        bit = data.draw(strategies.integers(0, 8 * entry.compress_size - 1))
        raw = bytearray(whole)
        raw[start + bit // 8] ^= 1 << bit % 8
        bad.write_bytes(raw)
        with contextlib.suppress(BadRequest):
            archives.verify(bad)
            with zipfile.ZipFile(bad) as archive:  # a bit that says nothing: no harm
                assert archive.read(entry.filename) == content[entry.filename]

    check()


def test_a_backup_that_fails_leaves_nothing_half_written(full, tmp_path) -> None:
    (Path(settings.MEDIA_ROOT) / "gone").mkdir()
    (Path(settings.MEDIA_ROOT) / "gone" / "x").write_bytes(b"x")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            archives.backup(tmp_path / "one.zip")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, old)
    assert not list(tmp_path.glob("one.zip*"))


def test_a_backup_is_its_owners_alone(full, tmp_path) -> None:
    archives.backup(tmp_path / "one.zip")
    assert (tmp_path / "one.zip").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
@pytest.mark.once
def test_the_command_tries_a_backup(full, tmp_path) -> None:
    out = io.StringIO()
    call_command("backup", str(tmp_path / "one.zip"), stdout=out)
    call_command("backup", "--verify", str(tmp_path / "one.zip"), stdout=out)
    assert "one.zip can be restored" in out.getvalue()
    bad = rewritten(tmp_path / "one.zip", "rows/auth_user", lambda data: data + b"{}\n")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("backup", "--verify", str(bad))
