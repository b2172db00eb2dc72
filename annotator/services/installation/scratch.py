"""A database for a moment: where an archive is tried, or brought up to date."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotator.env import database
from annotator.services.installation.archive_rows import APPS

ALIAS = "scratch"


def applied(using: str = "default") -> list[str]:
    """The migrations that made the tables of this database: ``app.name``."""
    done = MigrationRecorder(connections[using]).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in done if app in APPS)


@contextmanager
def at(migrations: Iterable[str]) -> Iterator[Any]:
    """Registry of models of an empty SQLite database, ``ALIAS``, of these tables.

    It lies in a folder of its own on the disk of the installation, and is deleted.
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

    A migration that replaces others stands for them where it is among ``names``; a
    state between these others is made by them.
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
