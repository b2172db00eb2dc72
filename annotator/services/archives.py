"""One archive of everything an installation holds: database, uploads, settings.

    gemel-backup.zip = manifest.json, data.jsonl, uploads/<path> …

``data.jsonl`` is Django's own serialisation, a row a line, readable by SQLite and
PostgreSQL alike. The secret key is never in it: after a restore elsewhere people sign
in again. Sessions and spent log-in attempts are left out.
"""

import contextlib
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.core import serializers
from django.core.management.color import no_style
from django.core.serializers.base import DeserializationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from annotator import __version__
from annotator.errors import BadRequest, Conflict

__all__ = ["backup", "restore"]

APPS = ("auth", "contenttypes", "authtoken", "annotator")
SETTINGS = ("TIME_ZONE", "LANGUAGE_CODE", "MAX_UPLOAD_MB", "JOB_STALE_S", "SITE_URL")
CHUNK = 500
MAX_ROW = 512 * 2**20


def backup(path: Path) -> dict[str, int]:
    """Write the archive; the number of rows by table. Raises Conflict if it exists.

    All rows are of one moment, so they fit each other.
    """
    if path.exists():
        raise Conflict(f"{path} is there already: choose another name.")
    partial = path.with_name(path.name + ".part")
    counts: dict[str, int] = {}
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        with _snapshot(), archive.open("data.jsonl", "w", force_zip64=True) as file:
            for row in _rows(counts):
                file.write(row.encode("utf-8", "surrogatepass") + b"\n")
        root = Path(settings.MEDIA_ROOT)
        files = sorted(one for one in root.rglob("*") if one.is_file())
        for one in files:
            archive.write(one, f"uploads/{one.relative_to(root).as_posix()}")
        manifest = {
            "gemel": __version__,
            "migrations": _migrations(),
            "rows": counts,
            "uploads": len(files),
            "settings": {name: getattr(settings, name) for name in SETTINGS},
        }
        archive.writestr("manifest.json", json.dumps(manifest, indent=1))
    partial.replace(path)
    return counts


def restore(path: Path, *, replace: bool = False) -> dict[str, int]:
    """Read the archive into this installation; the number of rows by table.

    All or nothing for the database; uploads come after it. Raises BadRequest if it is
    no archive of this version, Conflict if there are rows and not ``replace``.
    """
    try:
        archive = zipfile.ZipFile(path)
        manifest = json.loads(archive.read("manifest.json"))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise BadRequest(f"{path} is no backup of Gemel: {error}") from error
    with archive:
        unknown = sorted(set(manifest["migrations"]) - set(_migrations()))
        missing = sorted(set(_migrations()) - set(manifest["migrations"]))
        if unknown or missing:
            raise BadRequest(
                "The backup is of another version of the tables "
                f"({', '.join((unknown or missing)[:3])}): restore it with Gemel "
                f"{manifest['gemel']}, then update."
            )
        _refuse_paths(archive)
        counts = _load(archive, replace=replace)
        _unpack(archive)
    return counts


class _Exact(DjangoJSONEncoder):
    """Times to the microsecond, which Django cuts to milliseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def _tables() -> list[type[models.Model]]:
    found = [apps.get_app_config(name) for name in APPS]
    return list(serializers.sort_dependencies([(one, None) for one in found]))


@contextlib.contextmanager
def _snapshot() -> Iterator[None]:
    """All reads see one moment; nobody who writes has to wait."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            if not connection.savepoint_ids:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
    elif connection.in_atomic_block:
        yield
    else:  # atomic() would take the write lock
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


def _rows(counts: dict[str, int]) -> Iterator[str]:
    for model in _tables():
        rows = model._base_manager.order_by("pk").iterator(chunk_size=CHUNK)
        n = 0
        for row in rows:
            n += 1
            yield serializers.serialize("jsonl", [row], cls=_Exact).strip()
        counts[model._meta.label] = n


def _migrations() -> list[str]:
    done = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in done if app in APPS)


def _refuse_paths(archive: zipfile.ZipFile) -> None:
    """No entry may leave the folder of uploads."""
    for name in archive.namelist():
        parts = PurePosixPath(name).parts
        inside = name in ("manifest.json", "data.jsonl") or parts[0] == "uploads"
        if not inside or ".." in parts or name.startswith("/") or "\\" in name:
            raise BadRequest(f"The archive holds a path that it must not: {name!r}.")


def _load(archive: zipfile.ZipFile, *, replace: bool) -> dict[str, int]:
    tables = _tables()
    with transaction.atomic(), connection.constraint_checks_disabled():
        people = apps.get_model("auth", "User")._base_manager
        if people.exists() and not replace:
            raise Conflict(
                "This installation has people and rows already. To put the backup in "
                "their place, and lose them, say --replace."
            )
        for model in reversed(tables):
            _clear(model)
        with archive.open("data.jsonl") as file:
            counts = _insert(file)
        connection.check_constraints()
    for sql in connection.ops.sequence_reset_sql(no_style(), tables):
        with connection.cursor() as cursor:
            cursor.execute(sql)
    return counts


def _insert(file: IO[bytes]) -> dict[str, int]:
    """Create the rows, table by table in batches; their many-to-many rows after."""
    counts: dict[str, int] = {}
    held: list[Any] = []

    def flush() -> None:
        if held:
            model = type(held[0].object)
            model._base_manager.bulk_create(one.object for one in held)
            for one in held:
                for name, keys in (one.m2m_data or {}).items():
                    getattr(one.object, name).set(keys)
            counts[model._meta.label] = counts.get(model._meta.label, 0) + len(held)
            held.clear()

    while line := file.readline(MAX_ROW):
        for found in _read(line):
            if held and type(held[0].object) is not type(found.object):
                flush()
            held.append(found)
            if len(held) >= CHUNK:
                flush()
    flush()
    return counts


def _read(line: bytes) -> list[Any]:
    try:
        # A list: a text would be cut at U+2028 and its like, which sentences may hold.
        return list(serializers.deserialize("jsonl", [line]))
    except (DeserializationError, ValueError) as error:
        why = str(error) or str(error.__cause__)
        raise BadRequest(f"A row of the backup cannot be read: {why}") from error


def _clear(model: type[models.Model]) -> None:
    query: Any = model._base_manager.all()
    query._raw_delete(query.db)


def _unpack(archive: zipfile.ZipFile) -> None:
    root = Path(settings.MEDIA_ROOT)
    for name in archive.namelist():
        if name.startswith("uploads/") and not name.endswith("/"):
            target = root.joinpath(*PurePosixPath(name).parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(name) as source, target.open("wb") as file:
                while piece := source.read(1 << 20):
                    file.write(piece)
            target.chmod(0o600)
