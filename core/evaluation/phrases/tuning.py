"""The phrase aligner's numbers that are no weights: costs, and what links gain flat.

mu_c is ``cross_cost``, mu_p ``node_weight`` and ``parse_weight``, mu_b ``unpacked``;
mu_g is not needed (docs/phrase-alignment.md), and mu_n belongs to EM.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from core.data.check import Floats
from core.errors import Contradiction
from core.evaluation.phrases.cases import PhraseCase, cell_of
from core.evaluation.phrases.scores import Outcome, crossfit, pair_shares
from core.phrase_alignment.forest_align import AlignSettings, align_all
from core.phrase_alignment.model import PhraseModel
from core.phrase_alignment.sides import BinaryForest
from core.phrase_alignment.tuning import Range
from core.text.wordnet import Thesaurus

__all__ = ["RANGES", "numbers_of", "scorer"]

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
