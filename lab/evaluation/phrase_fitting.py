"""Learning to align phrases from reference links."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.learning.logistic import LogisticModel
from core.phrase_alignment.aligner import PhraseModel, one_to_one
from core.phrase_alignment.features import (
    PHRASE_NAMES,
    WORD_NAMES,
    Nodes,
    phrase_rows,
    word_rows,
)
from core.phrase_alignment.forest_align import nodes
from core.phrase_alignment.sides import BinaryForest
from core.text.wordnet import Thesaurus
from lab.evaluation.fitting import fit_logistic
from lab.evaluation.folds import grouped_folds

PENALTY = 1.0

INNER_FOLDS = 3

THIN = 6  # there are a hundred pairs without a link for one with


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A pair of gold trees. ``links`` bool ``(n_s, n_t)``: what most annotators
    linked; ``vectors``: of the words in context, or None."""

    source: BinaryForest
    target: BinaryForest
    links: NDArray[np.bool_]
    vectors: tuple[Floats, Floats] | None


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPair:
    """A reference with what both models look at: ``named`` are the nodes of phrases."""

    source: Nodes
    target: Nodes
    rows: Floats  # (T, V, words)
    word_links: NDArray[np.bool_]
    links: NDArray[np.bool_]
    vectors: tuple[Floats, Floats] | None
    named: NDArray[np.bool_]


def fit(
    pairs: Sequence[Reference],
    thesaurus: Thesaurus | None,
    *,
    word_bias: float,
    phrase_bias: float,
    seed: int = 0,
) -> PhraseModel:
    """The model of least loss. Phrases are learnt over word links that a model of the
    other pairs gives, so that they are as good as they will be on new ones.

    Raises InvalidValue if there are no links. Minutes at most for a few hundred pairs.
    """
    ready = [prepare(pair, thesaurus) for pair in pairs]
    words = _fit_words(ready)
    texts = [(pair.source.words, pair.target.words) for pair in pairs]
    parts = grouped_folds(texts, INNER_FOLDS, np.random.default_rng(seed))
    rows, wanted = [], []
    for part in parts:
        rest = [one for at, one in enumerate(ready) if at not in part]
        other = _fit_words(rest) if rest else words
        for at in part:
            one = ready[at]
            nats = other.nats(one.rows)
            table = phrase_rows(
                one.source, one.target, nats, one_to_one(nats), one.vectors
            )
            rows.append(table[one.named])
            wanted.append(one.links[one.named])
    phrases = _fit(np.concatenate(rows), np.concatenate(wanted), PHRASE_NAMES)
    return PhraseModel(words, phrases, word_bias, phrase_bias)


def without_vectors(pairs: Sequence[Reference]) -> list[Reference]:
    """The same pairs as a program without a parser sees them."""
    return [replace(pair, vectors=None) for pair in pairs]


def prepare(pair: Reference, thesaurus: Thesaurus | None) -> PreparedPair:
    source, target = nodes(pair.source), nodes(pair.target)
    leaf_s, leaf_t = (_leaves(side) for side in (pair.source, pair.target))
    rows = word_rows(
        source.words, target.words, source.tags, target.tags, pair.vectors, thesaurus
    )
    named = pair.source.named[:, None] & pair.target.named
    word_links = pair.links[np.ix_(leaf_s, leaf_t)]
    return PreparedPair(
        source, target, rows, word_links, pair.links, pair.vectors, named
    )


def _leaves(side: BinaryForest) -> list[int]:
    """The node of every token."""
    single = np.flatnonzero(side.named & (side.members.sum(1) == 1))
    by_token = {int(side.members[v].argmax()): int(v) for v in single}
    return [by_token[i] for i in range(len(side.words))]


def _fit_words(ready: Sequence[PreparedPair]) -> LogisticModel:
    rows = np.concatenate([one.rows.reshape(-1, len(WORD_NAMES)) for one in ready])
    wanted = np.concatenate([one.word_links.ravel() for one in ready])
    return _fit(rows, wanted, WORD_NAMES)


def _fit(
    rows: Floats, wanted: NDArray[np.bool_], names: Sequence[str]
) -> LogisticModel:
    """All links, every ``THIN``-th pair without one; log-odds are put right after."""
    kept = wanted.copy()
    kept[np.flatnonzero(~wanted)[::THIN]] = True
    model = fit_logistic(rows[kept], wanted[kept], names, penalty=PENALTY)
    return replace(model, intercept=model.intercept - float(np.log(THIN)))
