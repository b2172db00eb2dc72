"""Rows of all tables as lines of JSON, and back: of today's tables or of older ones.

``apps`` is a registry of models: today's, or that of a state of the migrations.
"""

import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core import serializers
from django.core.management.color import no_style
from django.core.serializers.base import DeserializationError
from django.core.serializers.json import DjangoJSONEncoder
from django.core.serializers.python import Deserializer
from django.db import connections, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotator.env import database
from annotator.errors import BadRequest

APPS = ("auth", "contenttypes", "authtoken", "annotator")
CHUNK = 500
MAX_ROW = 512 * 2**20


class _Exact(DjangoJSONEncoder):
    """Times to the microsecond, which Django cuts to milliseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


_WRITER = _Exact(ensure_ascii=False, separators=(",", ": "))


class _RowReader(Deserializer):
    """Django's own reader of rows, for the models of one registry."""

    def __init__(self, rows: list[Any], *, apps: Any, using: str) -> None:
        super().__init__(rows, using=using)
        self._apps = apps

    def _get_model_from_node(self, model_identifier: str) -> Any:
        try:
            return self._apps.get_model(model_identifier)
        except (LookupError, TypeError, ValueError) as error:
            raise DeserializationError(f"no table {model_identifier!r}") from error


def tables(apps: Any) -> list[type[models.Model]]:
    """Every table once, what is named before what names it. Many-to-many rows go
    with the rows that they belong to."""
    by_app = []
    for name in APPS:
        config = apps.get_app_config(name)
        own = [one for one in config.get_models() if _has_a_table(one)]
        by_app.append((config, own))
    ordered: Any = serializers.sort_dependencies(by_app, allow_cycles=True)
    return list(ordered)


def _has_a_table(model: type[models.Model]) -> bool:
    return model._meta.managed and not model._meta.proxy


def write(apps: Any, *, using: str, counts: dict[str, int]) -> Iterator[str]:
    """The rows, a line each; ``counts`` grows by table. The caller holds a snapshot."""
    for model in tables(apps):
        rows = model._base_manager.using(using).order_by("pk")
        n = 0
        left = rows.iterator(chunk_size=CHUNK)
        while some := list(islice(left, CHUNK)):
            n += len(some)
            for one in serializers.serialize("python", some):
                yield _WRITER.encode(one)
        counts[model._meta.label] = n


def clear(apps: Any, *, using: str) -> None:
    """Empty all tables."""
    for model in reversed(tables(apps)):
        for field in model._meta.local_many_to_many:
            _delete(field.remote_field.through, using)
        _delete(model, using)


def _delete(model: Any, using: str) -> None:
    model._base_manager.using(using).all()._raw_delete(using)


def insert(file: IO[bytes], apps: Any, *, using: str) -> dict[str, int]:
    """Create the rows, all or none, and check what they name; how many by table.

    Raises BadRequest at a row that cannot be read, IntegrityError at one that the
    tables do not take.
    """
    there = connections[using]
    with transaction.atomic(using), there.constraint_checks_disabled():
        counts = _insert(file, apps, using)
        there.check_constraints()
    for sql in there.ops.sequence_reset_sql(no_style(), tables(apps)):
        with there.cursor() as cursor:
            cursor.execute(sql)
    return counts


def _insert(file: IO[bytes], apps: Any, using: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    held: list[Any] = []

    def flush() -> None:
        if held:
            _create(held, using)
            label = held[0].object._meta.label
            counts[label] = counts.get(label, 0) + len(held)
            held.clear()

    while line := file.readline(MAX_ROW):
        for row in _read(line, apps, using):
            if row.object._meta.proxy:  # releases before 0.2 wrote tokens twice
                continue
            if held and type(held[0].object) is not type(row.object):
                flush()
            held.append(row)
            if len(held) >= CHUNK:
                flush()
    flush()
    return counts


def _create(held: list[Any], using: str) -> None:
    """Rows of one table, then what they name in many-to-many fields."""
    rows = [one.object for one in held]
    kept = [(row, _own_times(row)) for row in rows]
    manager = type(rows[0])._base_manager.using(using)
    manager.bulk_create(rows)
    for row, times in kept:
        if times:  # Django has put in the present
            manager.filter(pk=row.pk).update(**times)
    for one in held:
        for name, keys in (one.m2m_data or {}).items():
            getattr(one.object, name).set(keys)


def _own_times(row: models.Model) -> dict[str, Any]:
    automatic = [
        field.attname
        for field in row._meta.concrete_fields
        if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)
    ]
    return {name: getattr(row, name) for name in automatic}


def _read(line: bytes, apps: Any, using: str) -> list[Any]:
    try:
        return list(_RowReader([json.loads(line)], apps=apps, using=using))
    except (DeserializationError, ValueError, TypeError, KeyError) as error:
        why = str(error) or str(error.__cause__)
        raise BadRequest(f"A row of the backup cannot be read: {why}") from error


ALIAS = "scratch"


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
