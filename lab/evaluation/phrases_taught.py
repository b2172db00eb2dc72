"""The paper's features with weights from reference links, EM's being where they begin.

The likelihood is EM's (``feature_em``), with the links of the reference in place of the
best alignment: gradient steps of EM's size, held by its penalty to the weights that
they began with.
"""

from collections.abc import Callable, Sequence

import numpy as np

from core.evaluation.phrase_alignment import PhraseCase
from core.text.wordnet import Thesaurus
from lab.evaluation.folds import outer_folds
from lab.evaluation.phrase_em import EmState, features, train
from lab.evaluation.phrase_methods import examples

EPOCHS, BATCH = 10, 40


def taught_crossfit(
    cases: Sequence[PhraseCase],
    k: int,
    words: Thesaurus | None,
    begin: EmState,
    *,
    seed: int = 0,
) -> Callable[[int], EmState]:
    """For every case the weights after ``begin``, taught by the cases of the other
    folds: ``k`` of them, those of ``align_eval.crossfit``. ``begin`` stays as it is."""
    known = EmState(names=dict(begin.names), weights=list(begin.weights))
    ready, seen, whose = [], [], []
    for at, case in enumerate(cases):
        for one in examples(case):
            ready.append(features(one.source, one.target, known, words, one.vectors))
            seen.append([(int(s), int(t)) for s, t in np.argwhere(one.links)])
            whose.append(at)
    states: dict[int, EmState] = {}
    texts = [(case.pair.source.words, case.pair.target.words) for case in cases]
    for part in outer_folds(texts, k, np.random.default_rng(seed)):
        rest = [n for n, at in enumerate(whose) if at not in part]
        state = EmState(names=dict(known.names), weights=list(known.weights))
        train(
            [ready[n] for n in rest],
            state,
            epochs=EPOCHS,
            batch=BATCH,
            seed=seed,
            seen=[seen[n] for n in rest],
        )
        states |= dict.fromkeys(part, state)
    return states.__getitem__
