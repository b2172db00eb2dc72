"""``gemel verify FILE``: whether a sealed release is unchanged. Needs no database."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import GemelError
from core.releases.commands import verify


class Command(BaseCommand):
    requires_system_checks = []
    help = verify.HELP

    def add_arguments(self, parser: CommandParser) -> None:
        verify.add_arguments(parser)
        parser.add_argument(
            "--json", action="store_true", help="print JSON instead of a table"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            results = verify.run(options, self.stderr.write)
        except (GemelError, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(results, ensure_ascii=False))
            return
        for line in verify.lines(results):
            self.stdout.write(line)
