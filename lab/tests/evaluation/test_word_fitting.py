"""What aligners of words learn: a metric from paraphrases, and links."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import InvalidValue
from core.word_alignment.aligner import Metric
from lab.evaluation.fitting import FitSettings
from lab.evaluation.word_fitting import LinkedPair, fit_metric, fit_words
from tests.core.word_alignment.test_word_aligner import ACTIVE, PASSIVE, words


def test_metric_weighs_down_what_differs_between_the_same_words() -> None:
    rng = np.random.default_rng(3)
    pairs = []
    for _ in range(40):
        kept = 3 * rng.normal(size=(8, 4))
        noisy = [np.hstack([kept, rng.normal(size=(8, 2))]) for _ in range(2)]
        pairs.append((noisy[0], noisy[1]))
    metric = fit_metric(pairs)
    spread = np.linalg.norm(metric.matrix, axis=1)
    assert spread[:4].min() > 2 * spread[4:].max()
    again = Metric.from_json(metric.to_json())
    assert np.abs(again.project(pairs[0][0]) - metric.project(pairs[0][0])).max() < 0.2
    with pytest.raises(InvalidValue, match="paraphrases"):
        fit_metric([])


def test_learning_finds_what_the_links_show_and_repeats_itself() -> None:
    texts = [(ACTIVE, PASSIVE), ("The old nurse .", "The nurse .")]
    pairs = []
    for source, target in texts:
        a, b = words(source), words(target)
        links = np.array(
            [[x.lower() == y.lower() != "the" for y in b.forms] for x in a.forms]
        )
        pairs += [LinkedPair(a, b, links)] * 6
    brief = FitSettings(width=16, epochs=40, batch=64, penalty=0.01, rate=0.02)
    models = [fit_words(pairs, None, None, settings=brief) for _ in range(2)]
    nats = [model.nats(pairs[0].source, pairs[0].target, None) for model in models]
    assert ((nats[0] > 0) == pairs[0].links).all()
    assert (nats[0] == nats[1]).all()
    with pytest.raises(InvalidValue, match="both classes"):
        fit_words([replace(pairs[0], links=np.zeros((7, 9), bool))], None, None)
