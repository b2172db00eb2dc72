"""Read an archive that ``backup`` wrote."""

import contextlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from annotator.management import database
from annotator.management.database import DatabaseCommand
from annotator.services import archives


class Command(DatabaseCommand):
    requires_system_checks = []
    help = (
        "Restore a backup into this installation: manage.py restore "
        "gemel-2026-01-31.zip. Stop the server and the worker first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="archive to restore")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace the data of this installation",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with contextlib.ExitStack() as stack:
            for part in database.PARTS:  # no one works on what is replaced
                held = database.take(settings.GEMEL_HOME, part)
                stack.enter_context(contextlib.closing(held))
            counts = archives.restore(options["path"], replace=options["replace"])
        self.stdout.write(f"{sum(counts.values())} rows restored")
        for one in archives.lacking(options["path"]):
            bitexts = ", ".join(one["bitexts"]) or "its parallel text"
            self.stdout.write(
                f"The table of paraphrases {one['name']} of project {one['project']} "
                f"is not in the backup: make it anew, on the project's page of "
                f"paraphrases, out of {bitexts}"
            )
