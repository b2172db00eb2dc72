"""Writes the figure of a layer, or of a pair, to a file or to standard output."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotator.management.database import DatabaseCommand
from annotator.pages import canvas, figure


class Command(DatabaseCommand):
    help = (
        "Draw a layer or a pair: figure CODE --format pdf --out fig.pdf. The bytes are "
        "those of the page's download."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="the code of an alignment layer or of a pair")
        parser.add_argument("--format", choices=sorted(figure.FIGURES), default="svg")
        parser.add_argument("--view", choices=canvas.VIEWS, default=canvas.VIEWS[0])
        parser.add_argument("--across", action="store_true", help="left and right")
        parser.add_argument("--out", type=Path, help="a file; without it, stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        drawn = canvas.of_code(options["code"])
        if drawn is None:
            raise CommandError(f"There is no layer and no pair {options['code']!r}.")
        how = canvas.ViewOptions(options["view"], options["across"])
        body = figure.written(drawn, how, options["format"])
        if options["out"]:
            options["out"].write_bytes(body)
        else:
            sys.stdout.buffer.write(body)
