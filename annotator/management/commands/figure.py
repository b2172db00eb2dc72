"""Write the figure of a layer, or of a pair, to a file or to standard output."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.http import Http404

from annotator.errors import Refusal
from annotator.forms.figures import options_of
from annotator.management.database import DatabaseCommand
from annotator.models import Sentence
from annotator.pages import canvas
from annotator.pages.figures import material, writing
from annotator.pages.figures.material import CHOICES, FigureOptions, Material


class Command(DatabaseCommand):
    help = (
        "Draw a layer, a pair or a sentence: figure CODE --format pdf --out fig.pdf. "
        "The bytes are those of the page's download."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="code of a layer, pair or sentence")
        parser.add_argument(
            "--format",
            choices=sorted(writing.FIGURES),
            default="svg",
            help="format of the figure (default: %(default)s)",
        )
        for name, values in CHOICES.items():
            parser.add_argument(
                f"--{name}", choices=values, default="", help=f"{name} of the figure"
            )
        parser.add_argument(
            "--nodes",
            default="",
            help=(
                'draw only the links of these nodes, named by their words: "s1-2 t6"'
            ),
        )
        parser.add_argument(
            "--tree", default="", help="code of the parse to draw, for a sentence"
        )
        parser.add_argument(
            "--across",
            action="store_true",
            help="draw the trees left and right instead of above each other",
        )
        parser.add_argument(
            "--out", type=Path, help="file to write (default: standard output)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            how = self._how(options)
            shown = _material(options["code"], how, options["tree"])
            body = writing.written(shown, how, options["format"])
        except (Refusal, Http404) as error:
            raise CommandError(str(error)) from error
        if options["out"]:
            options["out"].write_bytes(body)
        else:
            sys.stdout.buffer.write(body)

    def _how(self, options: dict[str, Any]) -> FigureOptions:
        sent = {name: options[name] for name in (*CHOICES, "nodes")}
        return options_of(sent | {"across": "1" if options["across"] else ""})


def _material(code: str, how: FigureOptions, tree: str) -> Material:
    drawn = canvas.of_code(code)
    if drawn is not None:
        return material.of_pair(drawn, how.side)
    sentences = Sentence.objects.select_related("corpus__project")
    sentence = sentences.filter(code=code).first()
    if sentence is None:
        raise CommandError(f"There is no layer, no pair and no sentence {code!r}.")
    return material.of_sentence(sentence, tree=tree)
