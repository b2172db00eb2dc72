"""Export a corpus in a format."""

import argparse
import sys
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from annotator.exchange import registry
from annotator.exchange.download import Part
from annotator.management.database import DatabaseCommand, corpus_called
from annotator.services.corpora import exports
from annotator.throughput.writing import snapshot

EXAMPLES = "\n".join(
    f"  manage.py export_corpus News --format {one.name} --out news/"
    for one in registry.FORMATS.values()
)


class Command(DatabaseCommand):
    requires_system_checks = []
    help = (
        "Export a corpus to standard output, to a file, or to a folder (--out ending "
        "in /) with one file for each imported file."
    )

    def create_parser(self, *args: Any, **options: Any) -> CommandParser:
        losses = "\n".join(
            f"  {one.name}: {' '.join(one.losses)}" for one in registry.FORMATS.values()
        )
        options["epilog"] = f"examples:\n{EXAMPLES}\n\nwhat is lost:\n{losses}"
        options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        return super().create_parser(*args, **options)

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("corpus", help="name or code of the corpus")
        add(
            "--format",
            required=True,
            choices=list(registry.FORMATS),
            help="format to write",
        )
        add(
            "--project",
            default="",
            help=(
                "slug of the project; needed if two projects have a corpus of this name"
            ),
        )
        add(
            "--author",
            default="",
            help=(
                "user name of the annotator whose links are exported (default: gold)"
            ),
        )
        add(
            "--out",
            default="",
            help="file or folder to write (default: standard output)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_called(options["corpus"], options["project"])
        out = options["out"]
        folder = (
            Path(out) if out and (out.endswith("/") or Path(out).is_dir()) else None
        )
        with snapshot():
            made = exports.parts(
                corpus,
                options["format"],
                by=None,
                author=options["author"],
                split=folder is not None,
                exact=True,  # programs read it, no spreadsheet
            )
            self._write(made, folder, out)

    def _write(self, made: list[Part], folder: Path | None, out: str) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            for part in made:
                with (folder / part.name).open("wb") as file:
                    _copy(part, file)
                self.stderr.write(str(folder / part.name))
            return
        for part in made[1:]:
            self.stderr.write(f"left out: {part.name} (give a folder: --out DIR/)")
        if out:
            Path(out).parent.mkdir(parents=True, exist_ok=True)
            with Path(out).open("wb") as file:
                _copy(made[0], file)
        else:
            _copy(made[0], sys.stdout.buffer)


def _copy(part: Part, file: BinaryIO) -> None:
    for piece in part.chunks():
        file.write(piece)
