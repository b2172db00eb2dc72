"""``fit words``: the weights of the word aligner, on links that people made."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np

from core.data.check import Floats
from core.errors import FormatError, InvalidValue
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import Analysis, ParserBackend
from core.word_alignment.aligner import WEIGHTS, TrainedWordAligner, WordSettings
from lab.evaluation.word_fitting import fit_metric, fit_words
from lab.evaluation.word_links import FORMATS, WordCase, parsed, read_cases, wordnet
from lab.evaluation.word_methods import apart, linked, read_versions

NONE: frozenset[tuple[int, int]] = frozenset()
HELP = "fit the weights of the word aligner on pairs with reference links"


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="pairs with reference links",
    )
    add("--format", choices=FORMATS, default="jacana", help="used with --pairs")
    add(
        "--paraphrases",
        type=Path,
        nargs="+",
        required=True,
        metavar="PREFIX",
        help="tokenised files PREFIX.0, PREFIX.1, … that say the same line by "
        "line: what the metric of the vectors is fitted on",
    )
    add("--sample", type=int, default=4000, help="use at most this many paraphrases")
    add(
        "--apart",
        type=Path,
        nargs="*",
        default=[],
        metavar="FILE",
        help=("MultiMWA files; pairs that share a sentence with them are left out"),
    )
    add_parser_options(parser)
    add(
        "--out",
        type=Path,
        default=WEIGHTS,
        help="weights file to write (default: the shipped file)",
    )
    add("--seed", type=int, default=0, help="seed of the random draws")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Fits and writes the weights; on how many pairs, and where they are."""
    cases = read_cases(options["pairs"], options["format"])
    others = [
        one for path in options["apart"] for one in read_cases([path], "multimwa")
    ]
    kept = apart(cases, others)
    say(f"{len(cases) - len(kept)} of {len(cases)} pairs left out")
    backend = backend_of(options)
    info = backend.info
    if "vectors" not in info.capabilities:
        raise InvalidValue(f"{info.name} gives no word vectors: choose another engine")
    cases = parsed(kept, backend, say)
    metric = fit_metric(_paraphrases(options, backend, say))
    say("the metric is fitted")
    models = []
    for one in (metric, None):
        pairs = linked(cases, vectors=one is not None)
        models.append(fit_words(pairs, wordnet(), one, seed=options["seed"]))
        say(f"{len(models)} of 2 models fitted")
    names = " ".join(path.name for path in options["pairs"])
    facts = {
        "fitted_on": f"{len(cases)} pairs of {names}",
        "vectors": f"{info.name} {info.version}",
    }
    aligner = TrainedWordAligner(models[0], models[1], WordSettings(), facts)
    aligner.save(options["out"])
    return {"pairs": len(cases), "weights": str(options["out"])}


def _paraphrases(
    options: dict[str, Any], backend: ParserBackend, say: Say
) -> list[tuple[Floats, Floats]]:
    """Vectors of a random sample of the paraphrases."""
    versions = [pair for p in options["paraphrases"] for pair in read_versions(p)]
    if not versions:
        raise FormatError("these files have no paraphrases of 8 to 32 words")
    rng = np.random.default_rng(options["seed"])
    order = sorted(rng.permutation(len(versions))[: options["sample"]].tolist())
    cases = [
        WordCase("", Analysis(versions[at][0]), Analysis(versions[at][1]), NONE, NONE)
        for at in order
    ]
    ready = parsed(cases, backend, say)
    return [
        (case.source.vectors, case.target.vectors)
        for case in ready
        if case.source.vectors is not None and case.target.vectors is not None
    ]
