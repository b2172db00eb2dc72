"""Backup and restore: the same rows, the same uploads, no key."""

import io
import json
import random
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from annotator.errors import BadRequest, Conflict
from annotator.models import Corpus, LinkEvent, Project, Sentence
from annotator.services import archives
from tests.annotator.corpora.test_importing import BRACKETS, bring_in


@pytest.fixture
def filled(cast, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    bring_in(cast, BRACKETS, kind="ptb", name="doc.ptb")
    LinkEvent.objects.create(layer=cast.layer, revision=1, op="link", by=cast.bob)
    return cast


def rows(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        names = [one for one in archive.namelist() if one.startswith("rows/")]
        return [f"{one}: {row!r}" for one in names for row in archive.open(one)]


def test_what_is_restored_is_what_was_backed_up(filled, settings, tmp_path) -> None:
    archives.backup(tmp_path / "one.zip")
    kept = {f.name: f.read_bytes() for f in settings.MEDIA_ROOT.rglob("*.upload")}
    assert len(kept) == 1
    settings.MEDIA_ROOT = tmp_path / "new"
    Project.objects.filter(pk=filled.project.pk).update(name="changed since")
    archives.restore(tmp_path / "one.zip", replace=True)
    assert Project.objects.get(slug="windows").name == "Windows"
    archives.backup(tmp_path / "two.zip")
    assert rows(tmp_path / "one.zip") == rows(tmp_path / "two.zip")
    new = {f.name: f.read_bytes() for f in settings.MEDIA_ROOT.rglob("*.upload")}
    assert new == kept


def test_line_separators_of_unicode_end_no_row(filled, tmp_path) -> None:
    odd = "a\u2028b\u2029c\x85d\x0be\x1cf\tg\nh\r\\ni\\N\\\\"
    Sentence.objects.filter(pk=filled.pair.source_id).update(text=odd)
    archives.backup(tmp_path / "b.zip")
    archives.restore(tmp_path / "b.zip", replace=True)
    assert Sentence.objects.filter(text=odd).count() == 1


def test_new_rows_after_a_restore_get_new_numbers(filled, tmp_path) -> None:
    archives.backup(tmp_path / "one.zip")
    archives.restore(tmp_path / "one.zip", replace=True)
    made = Corpus.objects.create(project=Project.objects.get(), name="later")
    assert Corpus.objects.filter(pk=made.pk).count() == 1


def test_the_archive_holds_no_key_and_a_manifest(filled, settings, tmp_path) -> None:
    archives.backup(tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert settings.SECRET_KEY.encode() not in everything
    assert manifest["rows"]["annotator.LinkEvent"] == 1
    assert "MAX_UPLOAD_MB" in manifest["settings"]


def test_rows_are_not_lost_by_mistake(filled, tmp_path) -> None:
    archives.backup(tmp_path / "one.zip")
    with pytest.raises(Conflict, match="--replace"):
        archives.restore(tmp_path / "one.zip")
    with pytest.raises(Conflict, match="already"):
        archives.backup(tmp_path / "one.zip")


def changed(path: Path, name: str, content: bytes) -> Path:
    """The archive with one entry more, or another one of this name."""
    out = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
        new.writestr(name, content)
    return out


@pytest.mark.parametrize(
    "name", ["uploads/../../evil", "/etc/evil", "uploads/..\\evil"]
)
def test_no_entry_leaves_the_folder_of_uploads(filled, tmp_path, name: str) -> None:
    archives.backup(tmp_path / "one.zip")
    bad = changed(tmp_path / "one.zip", name, b"x")
    with pytest.raises(BadRequest, match="a forbidden path"):
        archives.restore(bad, replace=True)
    assert not (tmp_path / "evil").exists()


def test_a_broken_archive_changes_nothing(filled, tmp_path) -> None:
    archives.backup(tmp_path / "one.zip")
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path) as archive:
        cut = archive.read("rows/annotator_sentence")[:-9]
    people = User.objects.count()
    with pytest.raises(BadRequest, match="cannot be read"):
        archives.restore(changed(path, "rows/annotator_sentence", cut), replace=True)
    assert User.objects.count() == people
    with pytest.raises(BadRequest, match="not a backup of Gemel"):
        archives.restore(Path(__file__), replace=True)


def test_a_flipped_bit_of_the_zip_itself_is_named_or_changes_nothing(
    filled, tmp_path
) -> None:
    """Bits of the members are held by their checksums; these are of headers."""
    path, bad = tmp_path / "one.zip", tmp_path / "bad.zip"
    archives.backup(path)
    whole, draw = path.read_bytes(), random.Random(7)
    with zipfile.ZipFile(path) as archive:
        headers = [one.header_offset for one in archive.infolist()]
        places = [at + n for at in headers for n in range(40)]
        places += range(archive.start_dir, len(whole))
        texts = {one: archive.read(one) for one in archive.namelist()}
    n_named = 0
    for at in draw.sample(places, min(150, len(places))):
        content = bytearray(whole)
        content[at] ^= 1 << draw.randrange(8)
        bad.write_bytes(content)
        try:
            with archives.undamaged(bad) as (archive, _):
                assert {one: archive.read(one) for one in archive.namelist()} == texts
        except BadRequest:
            n_named += 1
    assert n_named > 50


@pytest.mark.parametrize("what", ["bytes before", "bytes after", "a comment"])
def test_bytes_that_are_no_part_of_a_backup_are_named(
    filled, tmp_path, what: str
) -> None:
    path = tmp_path / "one.zip"
    archives.backup(path)
    whole = path.read_bytes()
    if what == "a comment":
        with zipfile.ZipFile(path, "a") as archive:
            archive.comment = b"hidden"
    else:
        path.write_bytes(b"x" + whole if what == "bytes before" else whole + b"x")
    with (
        pytest.raises(BadRequest, match=f"it has {what}"),
        archives.undamaged(path),
    ):
        pass


def test_a_backup_of_other_tables_is_refused(filled, tmp_path) -> None:
    archives.backup(tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    manifest["migrations"].append("annotator.9999_future")
    bad = changed(tmp_path / "one.zip", "manifest.json", json.dumps(manifest).encode())
    with pytest.raises(BadRequest, match="another database version"):
        archives.restore(bad, replace=True)


def test_the_commands_say_what_they_did(filled, tmp_path) -> None:
    out = io.StringIO()
    call_command("backup", str(tmp_path / "a.zip"), stdout=out)
    call_command("restore", str(tmp_path / "a.zip"), "--replace", stdout=out)
    assert "rows restored" in out.getvalue()
    with pytest.raises(CommandError, match="not a backup of Gemel"):
        call_command("restore", str(tmp_path / "none.zip"))
