"""Ranking measures: worked examples and twins."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from core.agreement.figures import Estimate, Undefined
from core.errors import InvalidValue
from lab.evaluation.ranking import (
    auc,
    average_precision,
    best_threshold,
    confidence_weighted,
    evaluate,
)

SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
TRUTH = np.array([True, False, True, True, False])


def test_average_precision_worked_by_hand() -> None:
    assert average_precision(SCORES, TRUTH) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


def test_confidence_weighted_score_worked_by_hand() -> None:
    # decided at 0.65; in order of confidence 0.9 right, 0.45 right, 0.8 wrong,
    # 0.55 wrong, 0.7 right
    scores = np.array([0.9, 0.8, 0.7, 0.55, 0.45])
    expected = (1 / 1 + 2 / 2 + 2 / 3 + 2 / 4 + 3 / 5) / 5
    score = confidence_weighted(scores, TRUTH, threshold=0.65)
    assert score == pytest.approx(expected)


@given(st.integers(0, 10**6), st.integers(5, 60))
def test_measures_agree_with_scikit_learn(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    truth[:2] = True, False
    scores = rng.random(n)
    assert average_precision(scores, truth) == pytest.approx(
        average_precision_score(truth, scores)
    )
    tied = np.round(scores, 1)
    assert auc(tied, truth) == pytest.approx(roc_auc_score(truth, tied))


@given(st.integers(0, 10**6))
def test_best_threshold_is_as_accurate_as_any(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, truth = np.round(rng.random(20), 1), rng.random(20) < 0.6
    chosen = ((scores > best_threshold(scores, truth)) == truth).mean()
    cuts = [-1.0, *np.unique(scores), 2.0]
    assert chosen == max(((scores > cut) == truth).mean() for cut in cuts)


def test_report_holds_every_measure_with_its_interval() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(300) < 0.6
    scores = truth + rng.normal(0, 1, 300)
    report = evaluate(scores, truth, threshold=0.5, replicates=200, seed=1)
    for name, estimate in report.figures.items():
        assert isinstance(estimate, Estimate), name
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.high - estimate.low < 0.2
    said = scores > 0.5
    assert report.figures["precision"].value == pytest.approx(truth[said].mean())
    assert report.figures["recall"].value == pytest.approx(said[truth].mean())
    assert report.figures["accuracy"].value == pytest.approx((said == truth).mean())
    p, r = report.figures["precision"].value, report.figures["recall"].value
    assert report.figures["f1"].value == pytest.approx(2 * p * r / (p + r))
    assert report.figures["ap"].value == average_precision(scores, truth)


def test_same_seed_draws_the_same_samples() -> None:
    first = evaluate(SCORES, TRUTH, threshold=0.6, replicates=50, seed=4)
    again = evaluate(SCORES, TRUTH, threshold=0.6, replicates=50, seed=4)
    np.testing.assert_array_equal(first.columns["ap"], again.columns["ap"])


def test_one_class_alone_is_undefined_and_bad_input_refused() -> None:
    report = evaluate(SCORES, np.ones(5, bool), threshold=0.0, replicates=20)
    assert isinstance(report.figures["auc"], Undefined)
    with pytest.raises(InvalidValue):
        evaluate(SCORES, TRUTH[:3], threshold=0.0)
    with pytest.raises(InvalidValue):
        evaluate(np.array([np.nan] * 5), TRUTH, threshold=0.0)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_ties_count_as_the_mean_over_all_their_orders(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    scores, truth = rng.integers(0, 3, n) / 2, rng.random(n) < 0.6
    truth[0] = True
    orders = [
        one for one in permutations(range(n)) if (np.diff(scores[list(one)]) <= 0).all()
    ]
    shares = [np.cumsum(truth[list(one)]) / np.arange(1, n + 1) for one in orders]
    right = [
        share[truth[list(one)]].mean()
        for one, share in zip(orders, shares, strict=True)
    ]
    assert average_precision(scores, truth) == pytest.approx(np.mean(right))
    report = evaluate(scores, truth, threshold=0.2, replicates=0)
    assert report.columns["cws_ranks"][0] == pytest.approx(np.mean(shares))
