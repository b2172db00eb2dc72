"""Write a backup of everything, or verify one."""

import contextlib
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotator.errors import Conflict
from annotator.management.database import DatabaseCommand
from annotator.services import archives
from annotator.services.installation import backing_up


class Command(DatabaseCommand):
    requires_system_checks = []
    help = (
        "Write database, uploads and settings (without the secret key) to one archive: "
        "manage.py backup gemel-2026-01-31.zip"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, nargs="?", help="archive to write, or to verify"
        )
        parser.add_argument(
            "--automatic",
            action="store_true",
            help=(
                "create the backup that is due or was requested on the "
                "Backups page, in GEMEL_HOME"
            ),
        )
        parser.add_argument(
            "--verify",
            action="store_true",
            help="write nothing; check that this archive can be restored",
        )
        parser.add_argument(
            "--with-tables",
            action="store_true",
            help=(
                "include the files of paraphrase tables, which could also be rebuilt"
            ),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["automatic"]:
            with contextlib.suppress(Conflict):  # another is at work
                backing_up.work()
            return
        path = options["path"]
        if path is None:
            raise CommandError("Name the file to write, or give --automatic.")
        if options["verify"]:
            counts = archives.verify(path)
        else:
            counts = archives.backup(path, with_tables=options["with_tables"])
        verdict = "can be restored: " if options["verify"] else ""
        self.stdout.write(f"{path} {verdict}{sum(counts.values())} rows")
