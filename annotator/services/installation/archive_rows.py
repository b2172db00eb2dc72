"""Rows of all tables as text, and back: of today's tables or of older ones.

Each table has a file of its own: a line with its columns, then its rows as PostgreSQL's
COPY writes and reads them. Cells are between tabs, ``\\N`` is NULL, and a backslash
escapes. On both databases truth values are 0 and 1, times are in UTC, UUIDs have 32
digits, and bytes are hexadecimal.

``apps`` is a registry of models: today's, or that of a state of the migrations.
"""

import json
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DataError, connections, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotator.env import database
from annotator.errors import BadRequest

ALIAS = "scratch"
APPS = ("auth", "contenttypes", "authtoken", "annotator")
FOLDER = "rows"  # of an archive
CHUNK = 500
MAX_ROW = 512 * 2**20
UNREADABLE = "A row of the backup cannot be read:"
NULL = r"\N"
ESCAPES = {"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_MEANT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_POSTGRESQL = {  # of a field, what both databases read
    models.BooleanField: "{}::int",
    models.DateTimeField: "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
    models.UUIDField: "replace({}::text, '-', '')",
}
_SQLITE: dict[type, Callable[[str], Any]] = {
    models.IntegerField: int,
    models.BooleanField: int,
    models.FloatField: float,
    models.BinaryField: lambda cell: bytes.fromhex(cell.removeprefix("\\x")),
}


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows of one table: names of its columns, and a line of text for each row."""

    table: str
    columns: list[str]
    lines: Iterable[bytes]


def tables(apps: Any) -> list[type[models.Model]]:
    """Return the model of every table once, those between two others included."""
    return [
        model
        for name in APPS
        for model in apps.get_app_config(name).get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    ]


def read(apps: Any, *, using: str) -> Iterator[TableRows]:
    """Yield all tables of a database, to be read one after the other, by primary key.

    O(one row) of memory. The caller holds a snapshot.
    """
    for model in tables(apps):
        columns = _columns(model)
        lines = _lines(model, using)
        yield TableRows(model._meta.db_table, columns, lines)


def _columns(model: type[models.Model]) -> list[str]:
    return [str(field.column) for field in model._meta.local_concrete_fields]


def _lines(model: type[models.Model], using: str) -> Iterator[bytes]:
    there = connections[using]
    quote, fields = there.ops.quote_name, model._meta.local_concrete_fields
    is_server = there.vendor == "postgresql"
    # A plus keeps Python's driver from making objects of what is stored as text.
    plain = _POSTGRESQL if is_server else {}
    cells = [
        (_of_kind(field, plain) or ("{}" if is_server else "+{}")).format(
            quote(str(field.column))
        )
        for field in fields
    ]
    key, table = quote(str(model._meta.pk.column)), quote(model._meta.db_table)
    sql = f"SELECT {', '.join(cells)} FROM {table} ORDER BY {key}"  # noqa: S608
    if is_server:
        with (
            there.wrap_database_errors,
            there.cursor() as cursor,
            cursor.copy(f"COPY ({sql}) TO STDOUT") as copied,
        ):
            yield from map(bytes, copied)
        return
    there.ensure_connection()
    for row in there.connection.execute(sql):
        yield ("\t".join(map(_cell, row)) + "\n").encode()


def _of_kind(field: Any, kinds: dict[type, Any]) -> Any:
    """What ``kinds`` has for the type of this field, or of the key that it names."""
    while field.is_relation:
        field = field.target_field
    return next((what for kind, what in kinds.items() if isinstance(field, kind)), None)


def _cell(value: object) -> str:
    """A value of SQLite as text."""
    if value is None:
        return NULL
    if isinstance(value, str):
        for sign, escape in ESCAPES.items():  # the backslash first
            value = value.replace(sign, escape)
        return value
    return rf"\\x{value.hex()}" if isinstance(value, bytes) else repr(value)


def write(archive: zipfile.ZipFile, apps: Any, *, using: str) -> dict[str, int]:
    """Put all tables into the archive; how many rows by table (``app.Model``)."""
    labels = {one._meta.db_table: one._meta.label for one in tables(apps)}
    counts = {}
    for one in read(apps, using=using):
        n = 0
        with archive.open(f"{FOLDER}/{one.table}", "w", force_zip64=True) as file:
            file.write("\t".join(one.columns).encode() + b"\n")
            for n, line in enumerate(one.lines, 1):  # noqa: B007 - counts
                file.write(line)
        counts[labels[one.table]] = n
    return counts


def packed(archive: zipfile.ZipFile) -> Iterator[TableRows]:
    """Yield the tables of an archive, to be read one after the other."""
    for name in archive.namelist():
        folder, _, table = name.partition("/")
        if folder == FOLDER:
            with archive.open(name) as file:
                head = file.readline(MAX_ROW).decode(errors="replace")
                lines = iter(lambda: file.readline(MAX_ROW), b"")
                yield TableRows(table, head.removesuffix("\n").split("\t"), lines)


def clear(apps: Any, *, using: str) -> None:
    """Empty all tables."""
    for model in tables(apps):
        model._base_manager.using(using).all()._raw_delete(using)


def store(rows: Iterable[TableRows], apps: Any, *, using: str) -> dict[str, int]:
    """Create the rows, all or none, and check what they name; how many by table.

    Raises BadRequest at a table or a row that cannot be read, DatabaseError at one
    that the tables do not take.
    """
    known = {one._meta.db_table: one for one in tables(apps)}
    counts: dict[str, int] = {}
    with _checked(using, apps):
        for one in rows:
            model = known.pop(one.table, None)
            there = model._meta.local_concrete_fields if model else ()
            fields = {str(field.column): field for field in there}
            if not model or sorted(fields) != sorted(one.columns):
                raise BadRequest(
                    f"{UNREADABLE} table {one.table!r} or its columns are unknown."
                )
            stored = _copy if connections[using].vendor == "postgresql" else _insert
            kinds = [fields[column] for column in one.columns]
            counts[model._meta.label] = stored(one, kinds, using)
    return counts


@contextmanager
def _checked(using: str, apps: Any) -> Iterator[None]:
    there = connections[using]
    with transaction.atomic(using), there.constraint_checks_disabled():
        yield
        there.check_constraints()
    for sql in there.ops.sequence_reset_sql(no_style(), tables(apps)):
        with there.cursor() as cursor:
            cursor.execute(sql)


def _copy(rows: TableRows, fields: list[Any], using: str) -> int:
    there = connections[using]
    names = ", ".join(map(there.ops.quote_name, rows.columns))
    sql = f"COPY {there.ops.quote_name(rows.table)} ({names}) FROM STDIN"
    try:
        with there.wrap_database_errors, there.cursor() as cursor:
            with cursor.copy(sql) as copy:
                for line in rows.lines:
                    copy.write(line)
            return int(cursor.rowcount)
    except DataError as error:
        raise BadRequest(f"{UNREADABLE} {error}") from error


def _insert(rows: TableRows, fields: list[Any], using: str) -> int:
    kinds = [_of_kind(field, _SQLITE) or str for field in fields]
    values = (_row(line, kinds) for line in rows.lines)
    return _execute(rows.table, rows.columns, values, using)


def _execute(
    table: str, columns: list[str], values: Iterable[Sequence[Any]], using: str
) -> int:
    there = connections[using]
    names = ", ".join(map(there.ops.quote_name, columns))
    marks = ", ".join("?" * len(columns))
    into = there.ops.quote_name(table)
    sql = f"INSERT INTO {into} ({names}) VALUES ({marks})"  # noqa: S608
    there.ensure_connection()
    with there.wrap_database_errors:
        return int(there.connection.executemany(sql, values).rowcount)


def _row(line: bytes, kinds: list[Callable[[str], Any]]) -> list[Any]:
    try:
        cells = line.decode().removesuffix("\n").split("\t")
        return [
            None if cell == NULL else kind(_plain(cell))
            for cell, kind in zip(cells, kinds, strict=True)
        ]
    except ValueError as error:
        raise BadRequest(f"{UNREADABLE} {error}") from error


def _plain(cell: str) -> str:
    if "\\" not in cell:
        return cell
    return _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), cell)


def store_json(file: IO[bytes], apps: Any) -> dict[str, int]:
    """Create in ``ALIAS`` the rows of an archive of before 0.2, a line of JSON each."""
    counts: dict[str, int] = {}
    with _checked(ALIAS, apps):
        rows = map(_json, iter(lambda: file.readline(MAX_ROW), b""))
        for name, some in groupby(rows, key=itemgetter(0)):
            try:
                model = apps.get_model(name)
                while part := [fields for _, fields in islice(some, CHUNK)]:
                    if model._meta.proxy:  # tokens were written twice
                        continue
                    n = _store_group(model, part)
                    counts[model._meta.label] = counts.get(model._meta.label, 0) + n
            except (LookupError, TypeError, ValueError, ValidationError) as error:
                raise BadRequest(f"{UNREADABLE} {error}") from error
    return counts


def _json(line: bytes) -> tuple[str, dict[str, Any]]:
    """The name of the model, and the fields with ``pk``."""
    try:
        row = json.loads(line)
        return str(row["model"]), {"pk": row["pk"], **row["fields"]}
    except (ValueError, KeyError, TypeError) as error:
        raise BadRequest(f"{UNREADABLE} {error}") from error


def _store_group(model: type[models.Model], rows: list[dict[str, Any]]) -> int:
    """Rows of one table, then those of its many-to-many tables."""
    fields, there = model._meta.local_concrete_fields, connections[ALIAS]

    def value(field: Any, row: dict[str, Any]) -> Any:
        given = row["pk"] if field.primary_key else row[field.name]
        while field.is_relation:
            field = field.target_field
        return field.get_db_prep_save(field.to_python(given), there)

    values = ([value(field, row) for field in fields] for row in rows)
    n = _execute(model._meta.db_table, _columns(model), values, ALIAS)
    for field in model._meta.local_many_to_many:
        named = ((row["pk"], key) for row in rows for key in row[field.name])
        ends = [field.m2m_column_name(), field.m2m_reverse_name()]
        _execute(field.m2m_db_table(), ends, named, ALIAS)
    return n


def applied(using: str = "default") -> list[str]:
    """The migrations of this database's tables: ``app.name``."""
    done = MigrationRecorder(connections[using]).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in done if app in APPS)


@contextmanager
def at(migrations: Iterable[str]) -> Iterator[Any]:
    """Registry of models of an empty SQLite database, ``ALIAS``, of these tables.

    It has its own folder on the installation's disk, and is deleted afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="scratch-", dir=settings.GEMEL_HOME) as at:
        connections.databases[ALIAS] = _settings(Path(at))
        connections[ALIAS].connect()
        try:
            yield _then(set(migrations))
        finally:
            connections[ALIAS].close()
            del connections[ALIAS]
            del connections.databases[ALIAS]


def forward() -> Any:
    """Bring ``ALIAS`` to today's tables; its registry of models."""
    loader = MigrationExecutor(connections[ALIAS]).loader
    return _migrate([node for node in loader.graph.leaf_nodes() if node[0] in APPS])


def _settings(folder: Path) -> dict[str, Any]:
    """As Django fills them in; nothing of it need outlive a power cut."""
    made = {**connections["default"].settings_dict, **database("", folder)}
    made |= {"ATOMIC_REQUESTS": False, "TEST": {}, "HOST": "", "PORT": "", "USER": ""}
    pragmas = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON"
    return made | {"OPTIONS": {"init_command": pragmas}, "PASSWORD": ""}


def _migrate(targets: list[tuple[str, str]]) -> Any:
    state = MigrationExecutor(connections[ALIAS]).migrate(targets)
    return state.apps


def _then(names: set[str]) -> Any:
    """Make the tables that these migrations made; their registry of models.

    A migration that replaces others counts for them where it is among ``names``; it
    makes a state between these others.
    """
    executor = MigrationExecutor(connections[ALIAS])
    whole = {f"{app}.{name}" for app, name in executor.loader.replacements}
    if whole <= names:
        for one in executor.loader.replacements.values():
            names -= {f"{app}.{name}" for app, name in one.replaces}
    else:
        names -= whole
        executor.loader = MigrationLoader(connections[ALIAS], replace_migrations=False)
    return executor.migrate(_last(names, executor.loader.graph)).apps


def _last(names: Iterable[str], graph: MigrationGraph) -> list[tuple[str, str]]:
    """Of each app, those of the migrations that no other of them builds on."""
    wanted = {(app, name) for app, _, name in (one.partition(".") for one in names)}
    return sorted(
        node
        for node in wanted
        if not any(
            child.key in wanted and child.key[0] == node[0]
            for child in graph.node_map[node].children
        )
    )
