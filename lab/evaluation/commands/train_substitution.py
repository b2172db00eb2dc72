"""``train substitution``: a parser and a linking corpus as one model folder."""

from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from core.evaluation.substitution import linking_of
from core.parsing.registry import Say, add_parser_options
from core.substitution import folder
from core.substitution.options import Method, Options

HELP = "a parser that is helped with unknown words by plain text: a model folder"


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--linking", nargs="+", type=Path, required=True, metavar="PATH")
    add("--out", type=Path, required=True, help="model folder to create or replace")
    add("--licence", default="", help="of the texts, and so of their counts")
    add("--method", choices=get_args(Method), default=Options().method)
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Count the texts, write the folder, and return the counts."""
    counts = linking_of(options["linking"], None, say, licence=options["licence"])
    chosen = replace(Options(), method=options["method"])
    folder.write(options["out"], options["engine"], counts, chosen)
    return {
        "out": str(options["out"]),
        "parser": options["engine"],
        "tokens": counts.n_tokens,
        "words": len(counts.words),
        "digest": counts.digest,
        "licence": counts.licence,
    }
