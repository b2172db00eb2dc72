"""``evaluate paraphrases``: rankings fitted on judgments of other phrases."""

import argparse
from typing import Any

from core.evaluation import paraphrases
from core.parsing.registry import Say, add_parser_options, backend_of
from lab.evaluation.paraphrase_rankings import ranker

HELP = "compare paraphrase scores and fitted rankings with people's judgments"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    paraphrases.add_arguments(parser)
    add = parser.add_argument
    add("--folds", type=int, default=10, help="folds of the fitted rankings")
    add(
        "--vectors",
        action="store_true",
        help="the fitted rankings see the parser's word vectors, too",
    )
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return ``pairs``, ``covered``, and ``rho`` and ``p`` of each score."""
    backend = backend_of(options) if options["vectors"] else None
    return paraphrases.compared(options, say, ranker(options["folds"], backend))


lines = paraphrases.lines
