"""Learning to align words: a metric from paraphrases, two rounds from links.

The metric (the whitening of differences within a class, as in linear discriminant
analysis; Fisher 1936, Hatch & Stolcke 2006) makes the vectors of words that translate
the same word alike: it needs sentence pairs only, no links. The perceptrons learn from
links that people made.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from core.learning.perceptron import Perceptron
from core.text.wordnet import Thesaurus
from core.word_alignment.aligner import Metric, WordModel, again, rows_of
from core.word_alignment.features import NO_TAG, AnalysedWords
from core.word_alignment.lexicon import cosines
from lab.evaluation.fitting import FitSettings, fit_perceptron
from lab.evaluation.folds import grouped_folds

SETTINGS = FitSettings(width=32, epochs=20, batch=1024, rate=4e-3, penalty=0.3)

NETS = 2  # whose log-odds are averaged

THIN = 4  # of the pairs of words without a link one in so many is learnt from

INNER_FOLDS = 3

ALIKE = 0.5  # cosine from which words that prefer each other are taken for the same

RIDGE = 0.05  # of the mean variance


@dataclass(frozen=True, slots=True, eq=False)
class LinkedPair:
    """Two sentences and the links people made: bool ``(T, V)``, possible ones too."""

    source: AnalysedWords
    target: AnalysedWords
    links: NDArray[np.bool_]

    def swapped(self) -> "LinkedPair":
        return LinkedPair(self.target, self.source, np.ascontiguousarray(self.links.T))

    def untagged(self) -> "LinkedPair":
        """The same, as where there is no parser."""
        source, target = (
            replace(side, tags=(NO_TAG,) * len(side.forms))
            for side in (self.source, self.target)
        )
        return LinkedPair(source, target, self.links)


def fit_metric(pairs: Sequence[tuple[Floats, Floats]]) -> Metric:
    """The metric of paraphrases, each the word vectors ``(n, d)`` of two sentences.

    Words whose vectors prefer each other are taken for the same word; those that
    differ by more than usual direction by direction count for less. Words of nearly
    the same vector say little, so that the less alike half counts once more. Raises
    InvalidValue without a pair of alike words. O(words d^2 + d^3).
    """
    pairs_alike = [both for a, b in pairs for both in _alike(a, b)]
    if not pairs_alike:
        raise InvalidValue("no similar words: give more paraphrases")
    left, right = (np.array(side) for side in zip(*pairs_alike, strict=True))
    mean = np.concatenate([np.concatenate(both) for both in pairs]).mean(0)
    difference = left - right
    size = np.linalg.norm(difference, axis=1)
    within = np.zeros((mean.size, mean.size))
    for some in (difference, difference[size >= np.median(size)]):
        within += some.T @ some / len(some) / 4
    within += RIDGE * np.trace(within) / mean.size * np.eye(mean.size)
    values, axes = np.linalg.eigh(within)
    # Of unit size over all, so that numbers of 8 bits hold it well.
    return Metric(mean, axes / np.sqrt(values / values.min()))


def _alike(a: Floats, b: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Vectors of the words that prefer each other to all others."""
    cosine = cosines(a, b)
    rows, columns = cosine.argmax(1), cosine.argmax(0)
    for i, j in enumerate(rows):
        if columns[j] == i and cosine[i, j] > ALIKE:
            yield a[i], b[j]


def fit_words(
    pairs: Sequence[LinkedPair],
    thesaurus: Thesaurus | None,
    metric: Metric | None,
    *,
    settings: FitSettings = SETTINGS,
    seed: int = 0,
) -> WordModel:
    """The model of least loss; every pair is learnt from in both directions, without
    ``metric`` also without tags.

    The second round is learnt over what a first round of the other pairs says, so that
    it is as good as it will be on new ones. Without ``metric`` it takes no vectors.
    Same input, same seed, same model. Raises InvalidValue if there are no links.
    """
    rows = [
        [
            (rows_of(one.source, one.target, thesaurus, metric), one.links)
            for one in _versions(pair, tagless=metric is None)
        ]
        for pair in pairs
    ]
    first = _fit([one for some in rows for one in some], settings, seed)
    texts = [(pair.source.forms, pair.target.forms) for pair in pairs]
    parts = grouped_folds(texts, INNER_FOLDS, np.random.default_rng(seed))
    second = []
    for part in parts:
        mine = set(part)
        rest = [one for at, some in enumerate(rows) if at not in mine for one in some]
        other = _fit(rest, settings, seed) if rest else first
        for at in part:
            second += [(again(row, other.nats(row)), links) for row, links in rows[at]]
    return WordModel(first, _fit(second, settings, seed), metric)


def _versions(pair: LinkedPair, *, tagless: bool) -> list[LinkedPair]:
    some = [pair, pair.swapped()]
    return some + [one.untagged() for one in some if tagless]


def _fit(
    pairs: Sequence[tuple[Floats, NDArray[np.bool_]]], settings: FitSettings, seed: int
) -> Perceptron:
    """Of all links and one in THIN of the other cells, which count THIN times."""
    rows = np.concatenate([r.reshape(-1, r.shape[-1]) for r, _ in pairs])
    wanted = np.concatenate([links.ravel() for _, links in pairs])
    rng = np.random.default_rng(seed)
    kept = wanted | (rng.random(len(wanted)) < 1 / THIN)
    counts = np.where(wanted, 1, THIN)[kept].astype(np.float32)
    nets = [
        fit_perceptron(rows[kept], wanted[kept], settings, weights=counts, seed=net)
        for net in range(seed, seed + NETS)
    ]
    return _mean(nets)


def _mean(nets: Sequence[Perceptron]) -> Perceptron:
    """One net of all their hidden units, whose log-odds are the mean of theirs."""
    out = np.concatenate([net.out[:-1] for net in nets]) / len(nets)
    bias = np.mean([net.out[-1] for net in nets])
    hidden = np.concatenate([net.hidden for net in nets], axis=1)
    return Perceptron(nets[0].means, nets[0].scales, hidden, np.append(out, bias))
