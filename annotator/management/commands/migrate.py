"""Create or update the tables of the database."""

from importlib import import_module
from typing import Any

from django.apps import apps
from django.core.management.commands import migrate
from django.db import connections, router
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

PARTIAL = ("app_label", "check_unapplied", "fake", "fake_initial", "plan", "prune")


class Command(migrate.Command):
    help = "Create or update the tables of the database."

    def handle(self, *args: Any, **options: Any) -> None:
        there = connections[options["database"]]
        is_whole = not any(options[name] for name in PARTIAL)
        if is_whole and not there.introspection.table_names():
            if options["verbosity"]:
                self.stdout.write("Creating all tables of a new database.")
            _make_tables(there)
        super().handle(*args, **options)


def _make_tables(there: Any) -> None:
    """Give the empty database ``there`` all tables.

    The tables come from the models, in one transaction, and all migrations are noted
    as applied: going through them takes ten times as long, because Django renders
    every model again after each step. A test holds that both ways agree.
    """
    recorder = MigrationRecorder(there)
    known = MigrationLoader(None).disk_migrations
    search = import_module("annotator.migrations.0002_pair_search")
    with there.schema_editor() as editor:
        for app in apps.get_app_configs():
            for model in router.get_migratable_models(app, there.alias):
                if model._meta.can_migrate(there):
                    editor.create_model(model)
        search.make(apps, editor)
        editor.create_model(recorder.Migration)
        notes = [recorder.Migration(app=app, name=name) for app, name in known]
        recorder.migration_qs.bulk_create(notes)
