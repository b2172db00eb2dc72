"""``fit phrases``: the weights of the phrase aligner, on reference links."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.paired import sign_flip_p
from core.errors import InvalidValue
from core.evaluation.commands.options import Say, add_parser_options, backend_of
from core.evaluation.commands.phrases import fitted_on, read
from core.evaluation.phrases import treebanks as phrase_treebanks
from core.evaluation.phrases.scores import examples
from core.evaluation.phrases.tuning import RANGES, numbers_of, scorer
from core.phrase_alignment.aligner import WEIGHTS, PhraseAligner
from core.phrase_alignment.fitting import fit, without_vectors
from core.phrase_alignment.tuning import nested, study
from core.text.wordnet import thesaurus

WORD_BIAS, PHRASE_BIAS = 1.0, 2.0  # nats; tuned by cross-validation, see bench/aligner
HELP = "the weights of the phrase aligner, on pairs with reference links"

__all__ = ["HELP", "add_arguments", "run"]


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        nargs="+",
        type=Path,
        required=True,
        metavar="FILE",
        help="JSON of pairs with reference links; or TreeAligner XML of parallel "
        "treebanks: then the weights for trees whose words are linked",
    )
    add_parser_options(parser)
    add("--out", type=Path, help="by default the shipped file")
    add(
        "--tune",
        type=int,
        metavar="N",
        help="write no weights: try N settings (Bayesian optimisation, needs "
        "optuna) and report what they are worth, each pair with weights fitted "
        "without it",
    )
    add("--study", type=Path, help="keeps the trials of --tune; is gone on with")
    add("--folds", type=int, default=10, help="of --tune")
    add("--seed", type=int, default=0, help="of --tune")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Where the weights were written; of ``--tune`` what the settings are worth."""
    if options["tune"]:
        return _tune(options, say)
    if all(path.suffix == ".xml" for path in options["pairs"]):
        return {"weights": str(_fit_treebanks(options))}
    return {"weights": str(_fit_pairs(options))}


def _tune(options: dict[str, Any], say: Say) -> dict[str, Any]:
    if not options["study"]:
        raise InvalidValue("--tune needs --study FILE, which keeps the trials")
    shipped, seed = PhraseAligner.load(WEIGHTS), options["seed"]
    backend = backend_of(options)
    cases = [case for path in options["pairs"] for case in read(path, backend)]
    n = options["folds"]

    def report_trial(at: int, f1: float, best: float) -> None:
        say(f"trial {at}: F1 {100 * f1:.2f}, best {100 * best:.2f}")

    trials = study(
        scorer(cases, thesaurus(), shipped.settings, folds=n, seed=seed),
        RANGES,
        numbers_of(shipped.context, shipped.settings),
        trials=options["tune"],
        seed=seed,
        kept=options["study"],
        on_trial=report_trial,
    )
    choice = nested(trials, k=n, seed=seed)
    p = sign_flip_p(choice.differences, np.random.default_rng(seed))
    return {
        "trials": len(trials),
        "f1_now": choice.first,
        "f1_nested": choice.chosen,
        "f1_best": choice.best,
        "p_recall": p[0],
        "p_precision": p[1],
        "numbers": dict(choice.numbers),
    }


def _fit_treebanks(options: dict[str, Any]) -> Path:
    out = options["out"] or phrase_treebanks.WEIGHTS
    fitted_on(options["pairs"]).save(out)
    return Path(out)


def _fit_pairs(options: dict[str, Any]) -> Path:
    backend = backend_of(options)
    cases = [case for path in options["pairs"] for case in read(path, backend)]
    references = [one for case in cases for one in examples(case)]
    models = [
        fit(some, thesaurus(), word_bias=WORD_BIAS, phrase_bias=PHRASE_BIAS)
        for some in (references, without_vectors(references))
    ]
    info = backend.info
    names = " ".join(path.name for path in options["pairs"])
    facts = {
        "fitted_on": f"{len(cases)} pairs of {names}",
        "vectors": f"{info.name} {info.version}",
    }
    out = options["out"] or WEIGHTS
    settings = PhraseAligner.load(WEIGHTS).settings  # these are not fitted here
    PhraseAligner(models[0], models[1], settings, facts).save(out)
    return Path(out)
