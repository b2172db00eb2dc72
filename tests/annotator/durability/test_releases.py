"""Backups of every release are restored by this one, with all that they hold."""

import json
import zipfile
from pathlib import Path

import pytest

from annotator.models import LinkEvent, Pair
from annotator.services import archives
from annotator.services.installation import scratch
from tests.annotator.durability import every_table

RELEASES = sorted((Path(__file__).parent / "backups").glob("*.zip"))


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem)
def test_a_backup_of_a_release_is_restored(db, settings, tmp_path, path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    assert archives.verify(path)
    archives.restore(path, replace=True)
    with zipfile.ZipFile(path) as archive:
        then = json.loads(archive.read("manifest.json"))["rows"]
        rows = [json.loads(line) for line in archive.open("data.jsonl")]
    now = {name: len(found) for name, found in every_table.content().items()}
    tokens = then.pop("authtoken.Token", 0)  # kept as digests since
    then.pop("authtoken.TokenProxy", None)
    assert now["annotator.ApiToken"] == then.pop("annotator.ApiToken", 0) + tokens
    for table, n in then.items():
        assert now[table] == n, table
    texts = {one["pk"]: one["fields"]["text"] for one in rows if one["model"] == PAIR}
    assert dict(Pair.objects.values_list("pk", "text")) == texts
    assert LinkEvent.objects.filter(job=None).count() == then["annotator.LinkEvent"]
    assert len(list((tmp_path / "uploads").rglob("*.upload"))) == 2


PAIR = "annotator.pair"


def test_the_last_release_is_among_them(db) -> None:
    """A release adds its backup: ``every_table.fill()``, ``manage.py backup``."""
    told = set()
    for path in RELEASES:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read("manifest.json"))
            told.add(manifest["gemel"])
            assert set(manifest["migrations"]) <= set(scratch.applied())
    from annotator import __version__

    assert __version__ in told
