"""Copy a paraphrase table of a project to a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotator.management.database import DatabaseCommand
from annotator.models import ParaphraseTable
from annotator.services.paraphrases import tables


class Command(DatabaseCommand):
    help = "Export a paraphrase table to a folder, as pivot build would create it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", help="name or code of the table")
        parser.add_argument("folder", type=Path, help="folder to write")
        parser.add_argument("--project", default="", help="slug of its project")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = ParaphraseTable.objects.order_by("pk")
        if options["project"]:
            rows = rows.filter(project__slug=options["project"])
        called = options["table"]
        found = list(rows.filter(code=called)) or list(rows.filter(name=called))
        if len(found) != 1:
            names = ", ".join(f"{one.name} ({one.code})" for one in found or rows[:20])
            reason = "several tables have" if found else "there is no table with"
            raise CommandError(f"{called!r}: {reason} this name. Tables: {names}.")
        made = tables.give_out(found[0], options["folder"])
        self.stdout.write(f"{len(made)} files in {options['folder']}.")
