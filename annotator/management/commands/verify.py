"""``gemel verify FILE``: ``release verify``, in one word. Needs no database."""

from argparse import ArgumentParser
from typing import Any

from annotator.management.engine import EngineCommand
from core.releases.commands import verify


class Command(EngineCommand):
    help = verify.HELP
    group = "release"

    def add_arguments(self, parser: ArgumentParser) -> None:
        verify.add_arguments(parser)
        parser.add_argument(
            "--json", action="store_true", help="print JSON instead of a table"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(what="verify", **options)
