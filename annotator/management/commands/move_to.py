"""Move all data from SQLite to PostgreSQL, or back."""

from contextlib import ExitStack, closing
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, CommandParser

from annotator.errors import Refusal
from annotator.management import database
from annotator.management.database import DatabaseCommand
from annotator.services.installation import moving


class Command(DatabaseCommand):
    requires_system_checks = []
    help = (
        "Copy all rows into an empty database, then compare both: "
        "manage.py move_to postgres://user:password@host/name. Stop "
        "the server and the worker first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "url",
            help=(
                "target database, written like DATABASE_URL; sqlite: is the "
                "one of GEMEL_HOME"
            ),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        url = "" if options["url"] == "sqlite" else options["url"]
        with ExitStack() as stack:
            for part in database.PARTS:
                stack.enter_context(closing(database.take(settings.GEMEL_HOME, part)))
            try:
                counts = moving.move(url, say=self.stdout.write)
            except (Refusal, ImproperlyConfigured, OSError) as error:
                raise CommandError(str(error)) from error
        advice = "unset DATABASE_URL" if not url else "set DATABASE_URL to that address"
        self.stdout.write(
            f"{sum(counts.values()):,} rows are there as they were here. Now {advice} "
            "and start Gemel. The old database is untouched: keep it until all is well."
        )
