"""One archive of everything an installation holds: database, uploads, settings.

    gemel-backup.zip = manifest.json, rows/<table> …, uploads/<path> …, tables/<path> …

SQLite and PostgreSQL read the same rows (``archive_rows``). They never contain the
secret key: after a restore elsewhere people sign in again. Sessions and old log-in
attempts are left out. Parallel text is among the uploads; paraphrase tables are named,
and included on request (``archive_files``).

An archive of older tables is loaded into a scratch database of just these tables, which
is then migrated: so it is read by the models that wrote it. So is one of before 0.2,
whose rows are JSON.
"""

import contextlib
import json
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, DataError, IntegrityError, transaction

from annotator import __version__
from annotator.errors import BadRequest, Conflict
from annotator.exchange.files import sha256
from annotator.services.installation import archive_files, archive_rows
from annotator.throughput import durability
from annotator.throughput.writing import snapshot
from core.releases.archive import BROKEN, strangers

SETTINGS = ("TIME_ZONE", "LANGUAGE_CODE", "MAX_UPLOAD_MB", "JOB_STALE_S", "SITE_URL")
UPLOAD = "annotator.Upload"
JSON_ROWS = "data.jsonl"


def backup(path: Path, *, with_tables: bool = False) -> dict[str, int]:
    """Write the archive; the number of rows by table. Raises Conflict if it exists.

    ``with_tables``: with the files of the tables of paraphrases, too.

    All rows are of one moment, so they fit each other. It is on the disk, whole and
    readable by its owner alone, or not there.
    """
    if path.exists():
        raise Conflict(f"{path} already exists. Choose another name.")
    partial = path.with_name(path.name + ".part")
    try:
        with archive_files.private(partial) as file:
            counts = _write(file, with_tables=with_tables)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    partial.replace(path)
    return counts


def _write(file: IO[bytes], *, with_tables: bool) -> dict[str, int]:
    # The fastest level: a backup is made every day, and seldom read.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with snapshot():
            counts = archive_rows.write(archive, apps, using="default")
        manifest = {
            "gemel": __version__,
            "migrations": archive_rows.applied(),
            "rows": counts,
            **archive_files.write(archive, with_tables=with_tables),
            "settings": {name: getattr(settings, name) for name in SETTINGS},
        }
        archive.writestr("manifest.json", json.dumps(manifest, indent=1))
    return counts


def restore(path: Path, *, replace: bool = False) -> dict[str, int]:
    """Read the archive into this installation; the number of rows by table.

    All or nothing, whenever it is stopped: at most, files that no row names are left
    over. Raises BadRequest if it is not an archive of this version or an older one, or
    its rows do not fit each other, Conflict if there are rows and not ``replace``.
    """
    with _opened(path) as (archive, manifest):
        archive_files.refuse_paths(archive)
        is_current = set(manifest["migrations"]) == set(archive_rows.applied())
        if is_current and not _is_json(archive):
            rows = archive_rows.packed(archive)
            with _fitting(IntegrityError, DataError), transaction.atomic():
                counts = _load(rows, archive, manifest, replace=replace)
                _check_counts(counts, manifest, apps)
        else:
            with archive_rows.at(manifest["migrations"]) as then:
                _tried(archive, manifest, then)
                now = archive_rows.forward()
                rows = archive_rows.read(now, using=archive_rows.ALIAS)
                counts = _load(rows, archive, manifest, replace=replace)
    durability.on_disk()
    return counts


def lacking(path: Path) -> list[dict[str, Any]]:
    """The paraphrase tables that the backup names and that are missing or different
    here: their ``name``, ``project``, and ``bitexts``."""
    with _opened(path) as (_, manifest):
        return archive_files.lacking(manifest)


def verify(path: Path) -> dict[str, int]:
    """Restore the archive into a scratch database; the number of rows by table.

    Every byte is read, every row is stored under the constraints of its tables, what
    it names is there, and each upload is what was sent. Raises BadRequest.
    """
    with (
        undamaged(path) as (archive, manifest),
        archive_rows.at(manifest["migrations"]) as then,
    ):
        counts = _tried(archive, manifest, then)
        uploads = then.get_model(UPLOAD)._base_manager.using(archive_rows.ALIAS)
        for name, digest in uploads.values_list("file", "sha256"):
            _check_upload(archive, name, digest)
        archive_files.check(archive, manifest)
        archive_rows.forward()
    return counts


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """The archive and its manifest. Raises BadRequest if this Gemel cannot read it."""
    try:
        archive = zipfile.ZipFile(path)
        manifest = json.loads(archive.read("manifest.json"))
        if not any(_is_rows(name) for name in archive.namelist()):
            raise ValueError("it has no rows")
    except (OSError, KeyError, ValueError, *BROKEN) as error:
        raise BadRequest(f"{path} is not a backup of Gemel: {error}") from error
    with archive:
        _check_manifest(path, manifest)
        try:
            yield archive, manifest
        except BROKEN as error:
            raise BadRequest(f"{path} is damaged: {error}") from error


@contextlib.contextmanager
def undamaged(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """The archive and its manifest once every byte has been read and has its place.

    Raises BadRequest, naming what is damaged or was added.
    """
    with _opened(path) as (archive, manifest):
        archive_files.refuse_paths(archive)
        if broken := archive.testzip():
            raise BadRequest(f"{path}: {broken} is damaged.")
        for what in strangers(path, archive):
            raise BadRequest(f"{path} was changed after it was written: it has {what}.")
        yield archive, manifest


def _check_manifest(path: Path, manifest: Any) -> None:
    kinds = {"gemel": str, "migrations": list, "rows": dict, "uploads": int}
    later = {"files": dict, "tables": list}  # archives of before have none
    if not isinstance(manifest, dict) or not all(
        isinstance(manifest.get(name, kind() if name in later else None), kind)
        for name, kind in (kinds | later).items()
    ):
        raise BadRequest(
            f"{path} is not a backup of Gemel: its manifest belongs to something else."
        )
    unknown = sorted(
        set(map(str, manifest["migrations"])) - set(archive_rows.applied())
    )
    if unknown:
        raise BadRequest(
            f"The backup comes from another database version ({', '.join(unknown[:3])})"
            f": restore it with Gemel {manifest['gemel']} or newer."
        )


def _is_rows(name: str) -> bool:
    return name == JSON_ROWS or name.startswith(f"{archive_rows.FOLDER}/")


def _is_json(archive: zipfile.ZipFile) -> bool:
    return JSON_ROWS in archive.namelist()


def _tried(
    archive: zipfile.ZipFile, manifest: dict[str, Any], then: Any
) -> dict[str, int]:
    """Store all rows in the scratch database. Raises BadRequest if they do not fit."""
    with _fitting(DatabaseError):
        if _is_json(archive):
            with archive.open(JSON_ROWS) as data:
                counts = archive_rows.store_json(data, then)
        else:
            rows = archive_rows.packed(archive)
            counts = archive_rows.store(rows, then, using=archive_rows.ALIAS)
    _check_counts(counts, manifest, then)
    return counts


@contextlib.contextmanager
def _fitting(*errors: type[Exception]) -> Iterator[None]:
    """Raises BadRequest where a database refuses the rows with one of these errors."""
    try:
        yield
    except errors as error:
        raise BadRequest(
            f"Rows of the backup contradict each other: {error}"
        ) from error


def _check_counts(counts: dict[str, int], manifest: dict[str, Any], then: Any) -> None:
    """Raises BadRequest unless each table has as many rows as were packed."""
    known = {one._meta.label for one in archive_rows.tables(then)}
    announced = {name: n for name, n in manifest["rows"].items() if n and name in known}
    stored = {name: n for name, n in counts.items() if n}
    if stored != announced:
        wrong = sorted(dict(stored.items() ^ announced.items()))
        raise BadRequest(f"The backup has missing or extra rows: {wrong[0]}.")


def _check_upload(archive: zipfile.ZipFile, name: str, digest: str) -> None:
    try:
        with archive.open(f"uploads/{name}") as file:
            actual = sha256(file)
    except KeyError as error:
        raise BadRequest(f"The backup does not contain the upload {name}.") from error
    if actual != digest:
        raise BadRequest(f"The upload {name} differs from what was backed up.")


def _load(
    rows: Iterable[archive_rows.TableRows],
    archive: zipfile.ZipFile,
    manifest: dict[str, Any],
    *,
    replace: bool,
) -> dict[str, int]:
    """Rows and uploads; no row is there before the file that it names."""
    with transaction.atomic():
        people = apps.get_model("auth", "User")._base_manager
        if people.exists() and not replace:
            raise Conflict(
                "This installation already has accounts and data. To replace them with "
                "the backup, give --replace; they are lost."
            )
        archive_rows.clear(apps, using="default")
        counts = archive_rows.store(rows, apps, using="default")
        archive_files.unpack(archive, manifest)
        return counts
