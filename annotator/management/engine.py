"""The commands of the engine, as ``manage.py`` has them: with this site's models."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.commands.catalogue import ENGINE
from core.errors import GemelError


class EngineCommand(BaseCommand):
    """A group of the catalogue; see ``core.commands.catalogue``."""

    requires_system_checks = []
    group = ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        ENGINE.add_group(parser, self.group)

    def handle(self, *args: Any, **options: Any) -> None:
        options["models"] = options.get("models") or settings.MODELS_DIR
        try:
            what = options["what"]
            results = ENGINE.run(self.group, what, options, self.stderr.write)
        except GemelError as error:
            raise CommandError(str(error)) from error
        for line in results.pop("unreadable", ()):
            self.stderr.write(f"left out: {line}")
        if options["json"]:
            self.stdout.write(json.dumps(results, ensure_ascii=False))
            return
        for line in ENGINE.lines(self.group, options["what"], results):
            self.stdout.write(line)
