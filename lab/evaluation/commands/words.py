"""``evaluate words``: ways to align words, and weights fitted on the very pairs."""

import argparse
from typing import Any

from core.evaluation import words
from core.evaluation.words import parsed, read_cases, scores
from core.parsing.registry import Say, backend_of
from core.protocols import WordAligner
from lab.evaluation.word_methods import METHODS, aligner_of, crossfit

HELP = "compare ways to align words, also with weights fitted on other pairs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    words.add_arguments(parser)
    add = parser.add_argument
    add("--method", choices=METHODS, default="trained", help="method to measure")
    add(
        "--folds",
        type=int,
        default=0,
        help="fit the weights on these very pairs, each with weights fitted without "
        "it; by default the shipped weights are used",
    )
    add("--seed", type=int, default=0, help="seed of the random draws")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return every figure of one method; shares of 1."""
    cases = read_cases(options["pairs"], options["format"])
    cases = parsed(cases, backend_of(options), say)
    method, k, trained = options["method"], options["folds"], words.trained(options)
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
