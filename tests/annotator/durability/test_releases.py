"""Backups of every release are restored by this one, with all that they hold."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from annotator import migrations
from annotator.models import LinkEvent, Pair
from annotator.services import archives
from annotator.services.installation import archive_rows
from tests.annotator.durability import every_table

PAIR = "annotator.pair"
FIRST = "0005_own_batches"  # the last migration of the first release
DIGESTS = "0008_tokens_of_before"  # tokens are kept as digests since
RELEASES = sorted((Path(__file__).parent / "backups").glob("*.zip"))


@pytest.mark.slow
@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem)
def test_a_backup_of_a_release_is_restored(db, settings, tmp_path, path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    assert archives.verify(path)
    archives.restore(path, replace=True)
    with zipfile.ZipFile(path) as archive:
        then = json.loads(archive.read("manifest.json"))["rows"]
        rows = [json.loads(line) for line in archive.open("data.jsonl")]
    now = {name: len(lines) for name, lines in every_table.content().items()}
    tokens = then.pop("authtoken.Token", 0)  # kept as digests since
    then.pop("authtoken.TokenProxy", None)
    assert now["annotator.ApiToken"] == then.pop("annotator.ApiToken", 0) + tokens
    for table, n in then.items():
        assert now[table] == n, table
    texts = {one["pk"]: one["fields"]["text"] for one in rows if one["model"] == PAIR}
    assert dict(Pair.objects.values_list("pk", "text")) == texts
    assert LinkEvent.objects.filter(job=None).count() == then["annotator.LinkEvent"]
    assert len(list((tmp_path / "uploads").rglob("*.upload"))) == 2


def between() -> list[str]:
    """The oldest state of the tables, one before their rows changed, and the last."""
    folder = Path(migrations.__file__).parent
    names = sorted(path.stem for path in folder.glob("[0-9]*.py"))
    return [FIRST, DIGESTS, names[-1]]


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("last", between())
def test_a_backup_of_each_state_since_then_is_restored_by_command(
    db, settings, tmp_path: Path, last: str
) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    path, then = tmp_path / "then.zip", written(tmp_path / "then.zip", last)
    (tmp_path / "uploads").rename(tmp_path / "lost")
    said = io.StringIO()
    call_command("backup", str(path), "--verify", stdout=said)
    call_command("restore", str(path), "--replace", stdout=said)
    assert "can be restored" in said.getvalue()
    assert "rows restored" in said.getvalue()
    kept = then.keys() & every_table.content().keys()
    kept -= {"annotator.ApiToken", "authtoken.Token"}
    now = {name: len(rows) for name, rows in every_table.content().items()}
    tokens = 0 if last >= DIGESTS else then["authtoken.Token"]
    assert now["annotator.ApiToken"] == then.get("annotator.ApiToken", 0) + tokens
    assert {name: now[name] for name in kept} == {name: then[name] for name in kept}
    assert len(list((tmp_path / "uploads").rglob("*.upload"))) == 2


def written(path: Path, last: str) -> dict[str, int]:
    """An archive of two rows in each table of then; the rows by table."""
    applied = [one for one in archive_rows.applied() if one <= f"annotator.{last}"]
    if last != between()[-1]:
        applied.remove("annotator.0001_schema")  # it makes the last state
    others = [one for one in archive_rows.applied() if not one.startswith("annotator.")]
    with (
        archive_rows.at({*applied, *others}) as then,
        zipfile.ZipFile(path, "w") as archive,
    ):
        every_table.fill(then, archive_rows.ALIAS)
        counts = archive_rows.write(archive, then, using=archive_rows.ALIAS)
        files = sorted(Path(settings.MEDIA_ROOT).rglob("*.upload"))
        for one in files:
            name = one.relative_to(settings.MEDIA_ROOT).as_posix()
            archive.write(one, f"uploads/{name}")
        manifest = {"gemel": "0.1.0", "rows": counts, "uploads": len(files)}
        manifest["migrations"] = archive_rows.applied(archive_rows.ALIAS)
        archive.writestr("manifest.json", json.dumps(manifest))
    return counts


def test_the_last_release_is_among_them(db) -> None:
    """A release adds its backup: ``every_table.fill()``, ``manage.py backup``."""
    told = set()
    for path in RELEASES:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read("manifest.json"))
            told.add(manifest["gemel"])
            assert set(manifest["migrations"]) <= set(archive_rows.applied())
    from annotator import __version__

    assert __version__ in told
