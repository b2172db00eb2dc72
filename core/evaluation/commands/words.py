"""``evaluate words``: links between words against those that people made."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import Unavailable
from core.evaluation.words import FORMATS, WordCase, analysed, read_cases, scores
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import ParserBackend
from core.text.wordnet import Thesaurus, thesaurus
from core.word_alignment.aligner import TrainedWordAligner

HELP = "measure word links against people's"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add = parser.add_argument
    add(
        "--links",
        choices=("many", "one"),
        default="many",
        help="many: a word may have several links; one: one to one; by default many",
    )
    add(
        "--no-wordnet", action="store_true", help="run as if WordNet were not installed"
    )
    add_parser_options(parser)


def add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pairs",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="several files about the same pairs: what all call sure is sure, what any "
        "of them links is possible; of pharaoh the links, source and target",
    )
    parser.add_argument(
        "--format", choices=FORMATS, required=True, help="format of the files"
    )


def parsed(cases: list[WordCase], backend: ParserBackend, say: Say) -> list[WordCase]:
    """The cases with vectors and tags, telling how far it is."""
    analysed_cases: list[WordCase] = []
    for some in analysed(cases, backend):
        analysed_cases += some
        say(f"{len(analysed_cases)} of {len(cases)} pairs encoded")
    return analysed_cases


def wordnet() -> Thesaurus | None:
    """WordNet if it is installed."""
    try:
        return thesaurus()
    except Unavailable:
        return None


def trained(options: dict[str, Any]) -> TrainedWordAligner:
    """The shipped aligner, set as the options say."""
    known = None if options["no_wordnet"] else wordnet()
    aligner = replace(TrainedWordAligner.load(), thesaurus=known)
    return aligner.with_settings(many=options["links"] == "many")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Every figure of the aligner; shares of 1."""
    cases = read_cases(options["pairs"], options["format"])
    cases = parsed(cases, backend_of(options), say)
    aligner = trained(options)
    return {
        "links_allowed": options["links"],
        **scores(cases, lambda _: aligner),
        "wordnet": aligner.thesaurus is not None,
        "weights": aligner.facts.get("fitted_on"),
    }
