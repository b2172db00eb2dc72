"""``evaluate parser``: a parser against treebanks."""

import argparse
from pathlib import Path
from typing import Any

from core.errors import FormatError
from core.evaluation.golds import FORMATS, Gold, read_golds
from core.evaluation.parsers import compare, evaluate
from core.parsing import registry
from core.parsing.registry import Say, add_parser_options, add_together, backend_of
from core.protocols import ParserBackend

HELP = "measure a parser against treebanks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--gold",
        nargs="+",
        type=Path,
        required=True,
        metavar="PATH",
        help="gold treebanks: files or folders",
    )
    add(
        "--format",
        choices=FORMATS,
        help="format of the files (default: by their names)",
    )
    add("--max-tokens", type=int, default=0, help="skip sentences longer than this")
    add("--no-oracle", action="store_true", help="skip the n-best measurements")
    add(
        "--against", metavar="ENGINE", help="compare with another parser, with p values"
    )
    add(
        "--errors", action="store_true", help="add scores by label, relation and length"
    )
    add_parser_options(parser)
    add_together(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Every figure of the parser; what could not be read is under "unreadable"."""
    golds, unreadable = read_golds(options["gold"], format=options["format"])
    limit = options["max_tokens"]
    golds = [gold for gold in golds if not limit or len(gold.sentence) <= limit]
    if not golds:
        raise FormatError("no gold sentence to score; see --gold and --max-tokens")
    backend = backend_of(options)
    say(f"{len(golds)} sentences")
    scores = evaluate(
        backend, golds, oracle=not options["no_oracle"], errors=options["errors"]
    )
    figures = {"engine": _named(backend), **scores.to_json()}
    if options["against"]:
        figures["against"] = _against(backend, golds, options)
    return {**figures, "unreadable": unreadable}


def _against(
    backend: ParserBackend, golds: list[Gold], options: dict[str, Any]
) -> dict[str, Any]:
    other = registry.chosen(options["against"], options["models"])
    return {"engine": _named(other), **compare(golds, backend, other)}


def _named(backend: ParserBackend) -> str:
    return f"{backend.info.name} {backend.info.version}"
