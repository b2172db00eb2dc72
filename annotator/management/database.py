"""Commands on rows first make sure that the tables exist."""

import fcntl
from pathlib import Path
from typing import IO, Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotator.errors import Refusal
from annotator.models import Corpus
from annotator.services.queries import tables
from core.errors import GemelError


def bring_up_to_date() -> None:
    """Migrate a new or an embedded database. Raises CommandError if a server's is
    behind."""
    executor = MigrationExecutor(connection)
    steps = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if steps or not tables.has_heads(connection):
        if connection.vendor != "sqlite" and connection.introspection.table_names():
            raise CommandError(
                "The database is out of date: run manage.py migrate first."
            )
        call_command("migrate", verbosity=0, interactive=False)


class DatabaseCommand(BaseCommand):
    """A command on a database that is up to date; refusals are said in one line.

    A new database, and an embedded one, is brought up to date on the spot; a server's
    database that people work in is not migrated behind their backs.
    """

    def execute(self, *args: Any, **options: Any) -> str | None:
        bring_up_to_date()
        try:
            return super().execute(*args, **options)
        except (Refusal, GemelError, OSError) as error:
            raise CommandError(str(error)) from error


def corpora_called(given: str, project: str = "") -> list[Corpus]:
    """Return the corpus with this code, else those with this name.

    ``project``: slug, "" for any.
    """
    rows = Corpus.objects.select_related("project").order_by("pk")
    if project:
        rows = rows.filter(project__slug=project)
    return list(rows.filter(code=given)) or list(rows.filter(name=given))


def corpus_called(given: str, project: str = "") -> Corpus:
    """Return the one corpus with this code or name. Raises CommandError if there is
    none, or several, which are listed with their codes."""
    found = corpora_called(given, project)
    if not found:
        there = Corpus.objects.order_by("name").values_list("name", flat=True)[:20]
        names = ", ".join(there) or "none yet"
        raise CommandError(f"There is no corpus {given!r}. Corpora: {names}.")
    refuse_several(found)
    return found[0]


def refuse_several(found: list[Corpus]) -> None:
    """Raises CommandError that lists several corpora with their codes."""
    if len(found) > 1:
        listed = "\n".join(f"  {one.code}  {one.project.slug}" for one in found)
        raise CommandError(
            f"{len(found)} corpora have the name {found[0].name!r}. Give a code "
            "instead:"
            f"\n{listed}"
        )


PARTS = {"web": "up.lock", "worker": "worker.lock"}


def take(home: Path, part: str) -> IO[str]:
    """The lock of a part, held until the file is closed. Raises CommandError if another
    has it: two would kill each other's jobs, and take each other's messages."""
    held = (home / PARTS[part]).open("a")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        held.close()
        raise CommandError(
            f"Another Gemel is running on {home}. Stop it, or give this one its own "
            "folder: GEMEL_HOME=..."
        ) from error
    return held
