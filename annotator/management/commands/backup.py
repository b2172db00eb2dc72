"""Write one archive of everything."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotator.errors import Refusal
from annotator.management.database import DatabaseCommand
from annotator.services import archives


class Command(DatabaseCommand):
    requires_system_checks = []
    help = (
        "Write database, uploads and settings (without the secret key) to one archive: "
        "manage.py backup gemel-2026-01-31.zip"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = archives.backup(options["path"])
        except (Refusal, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{options['path']}: {sum(counts.values())} rows")
