"""``fit phrases``: the weights of the phrase aligner, on reference links.

The phrase aligner's numbers that are no weights: costs, and what links gain flat.

mu_c is ``cross_cost``, mu_p ``node_weight`` and ``parse_weight``, mu_b ``unpacked``;
mu_g is not needed (lab/notes/phrase-alignment.md), and mu_n belongs to EM.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.paired import sign_flip_p
from core.data.check import Floats
from core.errors import Contradiction, InvalidValue
from core.evaluation.phrase_alignment import Outcome, PhraseCase, cell_of, read
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.aligner import WEIGHTS, PhraseAligner, PhraseModel
from core.phrase_alignment.forest_align import AlignSettings, align_all
from core.phrase_alignment.sides import BinaryForest
from core.text.wordnet import Thesaurus, thesaurus
from lab.evaluation import phrase_corpora as phrase_treebanks
from lab.evaluation.commands.phrases import fitted_on
from lab.evaluation.phrase_fitting import fit, without_vectors
from lab.evaluation.phrase_methods import crossfit, examples, pair_shares
from lab.evaluation.tuning import Range, nested, study

BIASES = ("word_bias", "phrase_bias")
RANGES = {
    "cross_cost": Range(0.0, 8.0),
    "order_cost": Range(0.0, 8.0),
    "null_cost": Range(0.0, 5.0),
    "parse_weight": Range(0.5, 8.0),
    "node_weight": Range(0.0, 3.0),
    "unpacked": Range(1, 12, whole=True),
    "word_bias": Range(-1.0, 4.0),
    "phrase_bias": Range(-1.0, 4.0),
}


def numbers_of(model: PhraseModel, settings: AlignSettings) -> dict[str, float]:
    """Where they stand now."""
    both = {**asdict(settings), **{name: getattr(model, name) for name in BIASES}}
    return {name: both[name] for name in RANGES}


def scorer(
    cases: Sequence[PhraseCase],
    words: Thesaurus | None,
    settings: AlignSettings,
    *,
    folds: int,
    seed: int = 0,
) -> Callable[[Mapping[str, float]], Floats]:
    """What gives recall and precision of every pair for some numbers, on forests.

    Each pair's gains come once, from weights fitted without it; a trial decodes.
    """
    aligner_of = crossfit(
        cases, folds, words, settings, word_bias=0.0, phrase_bias=0.0, seed=seed
    )
    ready: list[tuple[BinaryForest, BinaryForest, Floats]] = []
    for at, case in enumerate(cases):
        sides = case.sides("forest")
        ready.append((*sides, aligner_of(at).gains(*sides, case.vectors)))

    def score(numbers: Mapping[str, float]) -> Floats:
        changed: dict[str, Any] = {k: numbers[k] for k in numbers if k not in BIASES}
        changed["unpacked"] = int(numbers["unpacked"])
        rules = replace(settings, **changed)
        bias = numbers["word_bias"], numbers["phrase_bias"]
        outcomes = [_one(*one, rules, bias) for one in ready]
        return pair_shares(cases, outcomes)

    return score


def _one(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    rules: AlignSettings,
    bias: tuple[float, float],
) -> Outcome:
    single = [side.members.sum(1) == 1 for side in (source, target)]
    flat = np.where(single[0][:, None] & single[1], *bias)
    try:
        best = align_all(source, target, gain + flat, rules, k=1).best
    except Contradiction:
        return Outcome(frozenset(), reached=False)
    cells = frozenset(cell_of(source, target, s, t) for s, t in best.links)
    return Outcome(cells, reached=True)


WORD_BIAS, PHRASE_BIAS = 1.0, 2.0  # nats; tuned by cross-validation, see bench/aligner
HELP = "fit the weights of the phrase aligner on pairs with reference links"


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
    add("--out", type=Path, help="weights file to write (default: the shipped file)")
    add(
        "--tune",
        type=int,
        metavar="N",
        help=(
            "write no weights; try N settings (Bayesian optimisation, "
            "needs optuna) and report the cross-validated score of each"
        ),
    )
    add(
        "--study",
        type=Path,
        help="file that keeps the trials of --tune, to continue later",
    )
    add("--folds", type=int, default=10, help="used with --tune")
    add("--seed", type=int, default=0, help="used with --tune")


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
