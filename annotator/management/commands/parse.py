"""``gemel parse < sentences.txt``: trees, by the parsers of this installation."""

import argparse
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.commands import parse
from core.errors import GemelError


class Command(BaseCommand):
    requires_system_checks = []
    help = f"Read {parse.HELP}; no database is needed."

    def add_arguments(self, parser: CommandParser) -> None:
        parse.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        options["models"] = options.get("models") or settings.MODELS_DIR
        try:
            status = parse.run(argparse.Namespace(**options))
        except GemelError as error:
            raise CommandError(str(error)) from error
        if status:
            sys.exit(status)
