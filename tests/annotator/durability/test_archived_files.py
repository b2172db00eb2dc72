"""What lies beside the rows: parallel text in every backup, tables of paraphrases on
wish, all of it verified by hash."""

import io
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotator.errors import BadRequest
from annotator.management import database
from annotator.models import Bitext, Job, ParaphraseTable
from annotator.services import archives
from annotator.services.installation import archive_files
from annotator.services.paraphrases import tables
from tests.annotator.durability.test_archives_whole import rewritten
from tests.annotator.paraphrases.test_tables import bitexts, made
from tests.cast import Cast
from tests.running import ROOT

__all__ = ["bitexts"]  # a fixture


@pytest.fixture
def table(cast: Cast, bitexts, settings, tmp_path: Path) -> ParaphraseTable:
    settings.GEMEL_HOME = tmp_path / "home"
    settings.MEDIA_ROOT = tmp_path / "home" / "uploads"
    settings.MEDIA_ROOT.mkdir(parents=True)
    (tmp_path / "bitexts").rename(settings.MEDIA_ROOT / "bitexts")
    return made(cast, bitexts)


def elsewhere(settings, tmp_path: Path) -> None:
    settings.GEMEL_HOME = tmp_path / "new"
    settings.MEDIA_ROOT = tmp_path / "new" / "uploads"
    settings.MEDIA_ROOT.mkdir(parents=True)


def content(folder: Path) -> dict[str, bytes]:
    files = [one for one in folder.rglob("*") if one.is_file()]
    return {str(one.relative_to(folder)): one.read_bytes() for one in files}


def paraphrases(row: ParaphraseTable) -> list[tuple[str, float]]:
    with tables.opened(row) as there:
        return [(one.text, one.p) for one in there.table.lookup("old")]


def test_a_backup_with_tables_brings_them_back(table, settings, tmp_path) -> None:
    before, text = paraphrases(table), content(settings.MEDIA_ROOT)
    assert before
    archives.backup(tmp_path / "one.zip", with_tables=True)
    archives.verify(tmp_path / "one.zip")
    elsewhere(settings, tmp_path)
    archives.restore(tmp_path / "one.zip", replace=True)
    assert archives.lacking(tmp_path / "one.zip") == []
    assert paraphrases(ParaphraseTable.objects.get()) == before
    assert content(settings.MEDIA_ROOT) == text


@pytest.mark.slow
def test_a_backup_names_the_tables_it_does_not_hold_and_they_are_made_anew(
    cast: Cast, table, settings, tmp_path
) -> None:
    before = paraphrases(table)
    archives.backup(tmp_path / "one.zip")
    assert archives.lacking(tmp_path / "one.zip") == []  # they are here
    elsewhere(settings, tmp_path)
    out = io.StringIO()
    call_command("restore", "--replace", str(tmp_path / "one.zip"), stdout=out)
    assert "The table of paraphrases Sea of project windows is not in" in out.getvalue()
    assert "out of sea.de, sea.fr" in out.getvalue()
    again = made(cast, list(Bitext.objects.order_by("name")))
    assert (again.pk, again.job.state) == (table.pk, Job.State.DONE)
    assert paraphrases(again) == before


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("of", ["uploads/bitexts/", "tables/"])
def test_a_file_that_is_not_what_was_backed_up_is_refused(
    table, settings, tmp_path, of: str
) -> None:
    archives.backup(tmp_path / "one.zip", with_tables=True)
    with archives.zipfile.ZipFile(tmp_path / "one.zip") as archive:
        name = next(one for one in archive.namelist() if one.startswith(of))
    bad = rewritten(tmp_path / "one.zip", name, lambda data: data[:-1] + b"?")
    ParaphraseTable.objects.update(name="Later")
    elsewhere(settings, tmp_path)
    for act in (archives.verify, lambda path: archives.restore(path, replace=True)):
        with pytest.raises(BadRequest, match="differs from what was backed up"):
            act(bad)
    assert ParaphraseTable.objects.get().name == "Later"


@pytest.mark.slow
@pytest.mark.once
def test_a_file_that_a_job_takes_away_meanwhile_ends_no_backup(
    table, settings, tmp_path, monkeypatch
) -> None:
    gone = settings.MEDIA_ROOT / "part-00000.parquet"
    gone.write_bytes(b"x")
    copied = archive_files._copied

    def copies(*words):
        gone.unlink(missing_ok=True)
        return copied(*words)

    monkeypatch.setattr(archive_files, "_copied", copies)
    archives.backup(tmp_path / "one.zip")
    archives.verify(tmp_path / "one.zip")
    with archives.zipfile.ZipFile(tmp_path / "one.zip") as archive:
        names = archive.namelist()
    assert any(one.startswith("uploads/") for one in names)
    assert not any(one.endswith(gone.name) for one in names)


@pytest.mark.slow
@pytest.mark.once
def test_releases_and_models_come_back_with_their_bytes(
    cast: Cast, settings, tmp_path: Path
) -> None:
    settings.GEMEL_HOME = settings.SHARED = tmp_path / "home"
    settings.MEDIA_ROOT = tmp_path / "home" / "uploads"
    settings.MODELS_DIR = tmp_path / "home" / "models"
    settings.MEDIA_ROOT.mkdir(parents=True)
    files = {
        "releases/0123456789abcdef.zip": b"sealed",
        "models/projects/fedcba9876543210/own/manifest.json": b"{}",
        "models/shared/grammar.npz": bytes(range(256)),
    }
    for name, data in files.items():
        path = tmp_path / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    archives.backup(tmp_path / "one.zip")
    archives.verify(tmp_path / "one.zip")
    elsewhere(settings, tmp_path)
    settings.SHARED, settings.MODELS_DIR = tmp_path / "new", tmp_path / "new" / "models"
    archives.restore(tmp_path / "one.zip", replace=True)
    there = content(tmp_path / "new")
    assert {name: there.get(name) for name in files} == files


def test_each_place_of_an_installation_is_in_backups_or_left_out_for_a_reason() -> None:
    """A new kind of file must be thought of."""
    named = re.compile(
        r"(?:disk\.shared\(\)|GEMEL_HOME\)?|MEDIA_ROOT\)?) / \"([\w.-]+)\""
    )
    sources = (ROOT / "annotator").rglob("*.py")
    places = {name for path in sources for name in named.findall(path.read_text())}
    known = {*archive_files.ROOTS, *archive_files.LEFT_OUT, "bitexts"}
    assert places - known == set()
    assert "releases" in places


def test_nothing_is_restored_while_a_server_or_a_worker_runs(
    settings, tmp_path: Path, db
) -> None:
    archives.backup(tmp_path / "one.zip")
    for part in database.PARTS:
        held = database.take(settings.GEMEL_HOME, part)
        with pytest.raises(CommandError, match="Another Gemel is running"):
            call_command("restore", tmp_path / "one.zip", replace=True)
        held.close()
