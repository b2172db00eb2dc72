"""Scores against gold files, as a table or as JSON."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.management import alignment, joint, words
from core.backends import registry
from core.backends.evaluate import evaluate
from core.backends.golds import FORMATS, read_golds
from core.errors import GemelError


class Command(BaseCommand):
    requires_system_checks = []
    help = "Measure an engine against gold files, given their tokens."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
        add = what.add_parser("parser", help="a parser against treebanks").add_argument
        add("--gold", nargs="+", type=Path, required=True, metavar="PATH")
        add("--engine", default=registry.DEFAULT, help="by default %(default)s")
        add("--format", choices=FORMATS, help="by default by the files' names")
        add("--max-tokens", type=int, default=0, help="leave longer sentences out")
        add("--no-oracle", action="store_true", help="skip the n-best pass")
        add("--json", action="store_true", help="one JSON object on standard output")
        alignment.add_arguments(what.add_parser("alignment", help=alignment.HELP))
        words.add_arguments(what.add_parser("words", help=words.HELP))
        joint.add_arguments(what.add_parser("joint", help=joint.HELP))

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            work: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
                "parser": _parser,
                "alignment": alignment.evaluate,
                "words": partial(words.evaluate, say=self.stderr.write),
                "joint": partial(joint.evaluate, say=self.stderr.write),
            }
            found = work[options["what"]](options)
        except GemelError as error:
            raise CommandError(str(error)) from error
        for line in found.pop("unreadable", ()):
            self.stderr.write(f"left out: {line}")
        if options["json"]:
            self.stdout.write(json.dumps(found))
            return
        for name, value in found.items():
            self.stdout.write(f"{name:22} {_shown(value)}")


def _parser(options: dict[str, Any]) -> dict[str, Any]:
    golds, unreadable = read_golds(options["gold"], format=options["format"])
    limit = options["max_tokens"]
    golds = [gold for gold in golds if not limit or len(gold.sentence) <= limit]
    if not golds:
        raise CommandError("no gold sentence to score; see --gold and --max-tokens")
    backend = registry.load(options["engine"], settings.MODELS_DIR)
    scores = evaluate(backend, golds, oracle=not options["no_oracle"])
    info = backend.info
    return {
        "engine": f"{info.name} {info.version}",
        **scores.to_json(),
        "unreadable": unreadable,
    }


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}: {_shown(v)}" for k, v in value.items())
    return "–" if value is None else str(value)
