"""The commands of the engine, as ``manage.py`` has them: with this site's models."""

import json
from argparse import ArgumentParser
from types import ModuleType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.commands import catalogue
from core.errors import GemelError

__all__ = ["EngineCommand"]


class EngineCommand(BaseCommand):
    """A group of the catalogue; see ``core.commands.catalogue``."""

    requires_system_checks = []
    group = ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        catalogue.add_group(parser, self.group, extend=self.extend)

    def extend(self, module: ModuleType, parser: ArgumentParser) -> None:
        """Arguments that a command has here alone."""

    def handle(self, *args: Any, **options: Any) -> None:
        module = catalogue.module_of(self.group, options["what"])
        options["models"] = options.get("models") or settings.MODELS_DIR
        try:
            results = module.run(options, self.stderr.write)
        except (GemelError, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error
        for line in results.pop("unreadable", ()):
            self.stderr.write(f"left out: {line}")
        self.answered(results, options)
        if options["json"]:
            self.stdout.write(json.dumps(results, ensure_ascii=False))
            return
        for line in catalogue.lines(self.group, options["what"], results):
            self.stdout.write(line)

    def answered(self, results: dict[str, Any], options: dict[str, Any]) -> None:
        """What a group does beside telling its results."""
