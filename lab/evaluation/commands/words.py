"""``evaluate words``: ways to align words, and weights fitted on the very pairs."""

import argparse
from dataclasses import replace
from typing import Any

from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import WordAligner
from core.word_alignment.aligner import TrainedWordAligner
from lab.evaluation.word_links import add_inputs, parsed, read_cases, scores, wordnet
from lab.evaluation.word_methods import METHODS, aligner_of, crossfit

HELP = "compare ways to align words, also with weights fitted on other pairs"


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
    add("--method", choices=METHODS, default="trained", help="method to measure")
    add(
        "--folds",
        type=int,
        default=0,
        help="fit the weights on these very pairs, each with weights fitted without "
        "it; by default the shipped weights are used",
    )
    add("--seed", type=int, default=0, help="seed of the random draws")


def shipped(options: dict[str, Any]) -> TrainedWordAligner:
    """The shipped aligner, set as the options say."""
    known = None if options["no_wordnet"] else wordnet()
    aligner = replace(TrainedWordAligner.load(), thesaurus=known)
    return aligner.with_settings(many=options["links"] == "many")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return every figure of one method; shares of 1."""
    cases = read_cases(options["pairs"], options["format"])
    cases = parsed(cases, backend_of(options), say)
    method, k, trained = options["method"], options["folds"], shipped(options)
    aligner, known = aligner_of(method, trained), trained.thesaurus
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
