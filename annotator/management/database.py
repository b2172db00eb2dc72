"""Commands that work on rows make sure first that there are tables to hold them."""

from importlib import import_module
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, router
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def bring_up_to_date() -> None:
    """Migrate a new or an embedded database. Raises CommandError if a server's is
    behind."""
    make_tables()
    executor = MigrationExecutor(connection)
    behind = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if behind and connection.vendor == "sqlite":
        call_command("migrate", verbosity=0, interactive=False)
    elif behind:
        raise CommandError("The database is behind: run manage.py migrate first.")


def make_tables() -> bool:
    """Give an empty database all tables; return whether it was empty.

    The tables come from the models, in one transaction, and all migrations are noted
    as applied: going through them takes ten times as long, because Django renders
    every model again after each step. A test holds that both ways agree.
    """
    if connection.introspection.table_names():
        return False
    recorder = MigrationRecorder(connection)
    known = MigrationLoader(None).disk_migrations
    search = import_module("annotator.migrations.0002_pair_search")
    with connection.schema_editor() as editor:
        for app in apps.get_app_configs():
            for model in router.get_migratable_models(app, connection.alias):
                if model._meta.can_migrate(connection):
                    editor.create_model(model)
        search.make(apps, editor)
        editor.create_model(recorder.Migration)
        notes = [recorder.Migration(app=app, name=name) for app, name in known]
        recorder.migration_qs.bulk_create(notes)
    call_command("migrate", verbosity=0, interactive=False)  # what follows a migration
    return True


class DatabaseCommand(BaseCommand):
    """A command on a database that is up to date.

    A new database, and an embedded one, is brought up to date on the spot; a server's
    database that people work in is not migrated behind their backs.
    """

    def execute(self, *args: Any, **options: Any) -> str | None:
        bring_up_to_date()
        return super().execute(*args, **options)
