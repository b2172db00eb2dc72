"""``evaluate words``: links between words against those that people made."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import Unavailable
from core.evaluation.words import (
    FORMATS,
    METHODS,
    WordCase,
    aligner_of,
    analysed,
    crossfit,
    read_cases,
    scores,
)
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import ParserBackend, WordAligner
from core.text.wordnet import Thesaurus, thesaurus
from core.word_alignment.aligner import TrainedWordAligner

HELP = "measure word links against people's"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="several files about the same pairs: what all call sure is sure, what any "
        "of them links is possible; of pharaoh the links, source and target",
    )
    add("--format", choices=FORMATS, required=True, help="format of the files")
    add(
        "--method",
        choices=METHODS,
        default="trained",
        help="method to measure (default: %(default)s)",
    )
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
    add(
        "--folds",
        type=int,
        default=0,
        help="fit the weights on these very pairs, each with weights fitted without "
        "it; by default the shipped weights are used",
    )
    add("--seed", type=int, default=0, help="seed of the random draws")


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


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Every figure of one method; shares of 1."""
    cases = read_cases(options["pairs"], options["format"])
    cases = parsed(cases, backend_of(options), say)
    method, k = options["method"], options["folds"]
    known = None if options["no_wordnet"] else wordnet()
    trained = replace(TrainedWordAligner.load(), thesaurus=known)
    trained = trained.with_settings(many=options["links"] == "many")
    aligner = aligner_of(method, trained)
    by_case: dict[int, WordAligner] = {}
    if k:
        vectors = method == "trained"
        for part in crossfit(
            cases, k, trained, known, vectors=vectors, seed=options["seed"]
        ):
            by_case |= {at: aligner_of(method, one) for at, one in part.items()}
            say(f"{len(by_case)} of {len(cases)} pairs have their weights")
    figures = scores(cases, lambda at: by_case.get(at, aligner))
    return {
        "method": method,
        "links_allowed": options["links"],
        **figures,
        "wordnet": known is not None,
        "weights": f"fitted here, {k} folds" if k else trained.facts.get("fitted_on"),
    }
