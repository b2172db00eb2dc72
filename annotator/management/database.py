"""Commands that work on rows make sure first that there are tables to hold them."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def bring_up_to_date() -> None:
    """Migrate a new or an embedded database. Raises CommandError if a server's is
    behind."""
    executor = MigrationExecutor(connection)
    behind = executor.migration_plan(executor.loader.graph.leaf_nodes())
    is_new = not executor.loader.applied_migrations
    if behind and (is_new or connection.vendor == "sqlite"):
        call_command("migrate", verbosity=0, interactive=False)
    elif behind:
        raise CommandError("The database is behind: run manage.py migrate first.")


class DatabaseCommand(BaseCommand):
    """A command on a database that is up to date.

    A new database, and an embedded one, is brought up to date on the spot; a server's
    database that people work in is not migrated behind their backs.
    """

    def execute(self, *args: Any, **options: Any) -> str | None:
        bring_up_to_date()
        return super().execute(*args, **options)
