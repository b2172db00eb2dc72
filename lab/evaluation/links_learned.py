"""Learning from corrected links, played on reference pairs.

What runs now is an aligner that was fitted on other texts. Its weights are adapted to
the pairs of a text that a person has linked so far: least loss with a penalty on the
squared distance from the weights it had. What it finds in the other pairs of that text,
over the pairs corrected, is the learning curve.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.evaluation.phrase_alignment import Outcome, PhraseCase, outcomes_of
from core.learning.logistic import LogisticModel
from core.phrase_alignment.aligner import PhraseAligner, PhraseModel, one_to_one
from core.phrase_alignment.features import PHRASE_NAMES, WORD_NAMES, phrase_rows
from core.text.wordnet import Thesaurus
from lab.evaluation.phrase_fitting import THIN, Reference, prepare
from lab.evaluation.phrase_methods import examples, pair_shares

STEPS = 30


def adapted(
    model: LogisticModel, rows: Floats, wanted: NDArray[np.bool_], *, penalty: float
) -> LogisticModel:
    """The model of least loss near ``model``: log-loss plus ``penalty / 2`` times the
    squared distance from its coefficients and intercept, by Newton's method.

    All links and every ``THIN``-th row without one. Over the features as ``model``
    standardises them.
    """
    kept = wanted.copy()
    kept[np.flatnonzero(~wanted)[::THIN]] = True
    x = np.c_[(rows[kept] - model.means) / model.scales, np.ones(kept.sum())]
    y = wanted[kept].astype(np.float64)
    first = np.r_[model.coefficients, model.intercept]
    weights = first.copy()
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights + np.log(THIN), -500, 500)))
        slope = x.T @ (p - y) + penalty * (weights - first)
        curve = (x * (p * (1 - p))[:, None]).T @ x + penalty * np.eye(len(first))
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-8:
            break
    return replace(model, coefficients=weights[:-1], intercept=float(weights[-1]))


def adapted_phrases(
    model: PhraseModel,
    pairs: Sequence[Reference],
    thesaurus: Thesaurus | None,
    *,
    penalty: float,
    words: bool = True,
) -> PhraseModel:
    """Both models adapted; phrases over the word links of the model as it was, which
    has not seen these pairs. ``words``: whether words are adapted, too."""
    ready = [prepare(pair, thesaurus) for pair in pairs]
    rows, wanted = [], []
    for one in ready:
        nats = model.words.nats(one.rows)
        table = phrase_rows(one.source, one.target, nats, one_to_one(nats), one.vectors)
        rows.append(table[one.named])
        wanted.append(one.links[one.named])
    phrases = adapted(
        model.phrases,
        np.concatenate(rows).reshape(-1, len(PHRASE_NAMES)),
        np.concatenate(wanted),
        penalty=penalty,
    )
    if not words:
        return replace(model, phrases=phrases)
    of_words = np.concatenate([o.rows.reshape(-1, len(WORD_NAMES)) for o in ready])
    links = np.concatenate([one.word_links.ravel() for one in ready])
    return replace(
        model,
        phrases=phrases,
        words=adapted(model.words, of_words, links, penalty=penalty),
    )


@dataclass(frozen=True, slots=True)
class LinkPoint:
    """After ``corrected`` pairs of the pool: recall and precision of each held-back
    pair, ``(pairs, 2)``."""

    corrected: int
    shares: Floats


def play(
    base: PhraseAligner,
    pool: Sequence[PhraseCase],
    held: Sequence[PhraseCase],
    order: str,
    sizes: Sequence[int],
    thesaurus: Thesaurus | None,
    *,
    penalty: float,
    words: bool,
    rng: np.random.Generator,
) -> Iterator[LinkPoint]:
    """The curve of one order: "random", or "doubt": most expected errors first."""
    turn = rng.permutation(len(pool))
    if order == "doubt":
        expected = [_doubt(one) for one in outcomes_of(pool, base)]
        turn = np.argsort([-x for x in expected], kind="stable")
    for n in sizes:
        taught = [one for at in turn[:n] for one in examples(pool[at])]
        model = adapted_phrases(
            base.context, taught, thesaurus, penalty=penalty, words=words
        )
        outcomes = outcomes_of(held, PhraseAligner(model, model, base.settings, {}))
        yield LinkPoint(n, pair_shares(held, outcomes))


def _doubt(outcome: Outcome) -> float:
    return outcome.aligned.expected_errors if outcome.aligned else np.inf
