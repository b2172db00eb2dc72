"""Best-worst scaling recovers a planted order, and says how reliable its scores are."""

from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from core.agreement.figures import Estimate, Undefined
from core.agreement.judgments import best_worst
from core.agreement.judgments.dataset import Dataset, Question

SIZE = 4  # items to choose from


def choices(
    n_tuples: int, n_judges: int, *, noise: float, seed: int = 1, **more: Any
) -> Dataset:
    """Judges who see the true value of an item, blurred, and choose by it; the items of
    tuple t are 4t to 4t + 3, their values drawn."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_tuples * SIZE)
    rows = []
    for judge in range(n_judges):
        seen = (truth + rng.normal(0, noise, len(truth))).reshape(n_tuples, SIZE)
        values = np.ones((n_tuples, SIZE), np.int32)
        values[np.arange(n_tuples), seen.argmax(1)] = 2
        values[np.arange(n_tuples), seen.argmin(1)] = 0
        rows += [(i, judge, v) for i, v in enumerate(values.ravel())]
    item, judge, value = np.array(rows, np.int32).T
    return Dataset.of(
        [Question(best_worst.scale("best"), "Best")],
        [str(i) for i in range(len(truth))],
        [f"A{j + 1}" for j in range(n_judges)],
        item,
        judge,
        value[:, None],
        instance=np.arange(len(truth), dtype=np.int32) // SIZE,
        **more,
    )


def planted(n_tuples: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n_tuples * SIZE)


def test_scores_recover_the_planted_order_within_each_tuple() -> None:
    data = choices(40, 12, noise=0.5)
    got = best_worst.scores(data, 0).reshape(40, SIZE)
    truth = planted(40).reshape(40, SIZE)
    assert (got.argmax(1) == truth.argmax(1)).mean() > 0.8
    assert spearmanr(got.ravel(), truth.ravel()).statistic > 0.7


def test_a_score_is_the_share_of_best_less_that_of_worst() -> None:
    data = choices(5, 7, noise=1.0)
    for item in range(20):
        values = (data.values[data.item == item, 0] - 1).tolist()
        expected = (values.count(1) - values.count(-1)) / len(values)
        assert best_worst.scores(data, 0)[item] == pytest.approx(expected)


def test_reliability_is_high_for_careful_judges_and_none_for_chance() -> None:
    careful = best_worst.split_half(choices(60, 10, noise=0.3), 0)
    random = best_worst.split_half(choices(60, 10, noise=100.0), 0)
    assert isinstance(careful, Estimate)
    assert isinstance(random, Estimate)
    assert careful.value > 0.85
    assert abs(random.value) < 0.2
    assert careful.n == 60 * SIZE


def test_two_judges_are_split_as_an_independent_computation_says() -> None:
    """Each half is one judge for each tuple: few enough to try all splits."""
    data = choices(4, 2, noise=0.6)
    values = [data.values[data.annotator == j, 0].reshape(4, SIZE) - 1 for j in (0, 1)]
    found = []
    for first in {p[:4] for p in permutations([0, 1] * 4, 4)}:
        halves = [[values[j ^ side][t] for t, j in enumerate(first)] for side in (0, 1)]
        found.append(spearmanr(*(np.concatenate(h) for h in halves)).statistic)
    got = best_worst.split_half(data, 0)
    assert isinstance(got, Estimate)
    assert got.value == pytest.approx(np.mean(found), abs=0.03)


def test_one_judge_alone_has_no_reliability() -> None:
    assert isinstance(best_worst.split_half(choices(10, 1, noise=0.1), 0), Undefined)


def compared(n_tuples: int = 40, n_judges: int = 6) -> Dataset:
    """Item i of each tuple is made by condition i; condition 3 made none."""
    items = np.arange(n_tuples * SIZE)
    made = items[items % SIZE < 3]
    credit = np.stack([made % SIZE, made, np.ones_like(made)], 1).astype(np.int32)
    names = ["a", "b", "c", "none"]
    return choices(n_tuples, n_judges, noise=1.0, conditions=names, credit=credit)


def test_conditions_are_compared_choice_by_choice() -> None:
    data = compared(10, 3)
    found = {(one.first, one.second): one for one in best_worst.preferences(data, 0)}
    assert set(found) == {(0, 1), (0, 2), (1, 2)}
    for (first, second), got in found.items():
        values = {
            (t, j): int(v)
            for t, j, v in zip(
                data.item, data.annotator, data.values[:, 0], strict=True
            )
        }
        signs = [
            np.sign(values[t * SIZE + first, j] - values[t * SIZE + second, j])
            for t in range(10)
            for j in range(3)
        ]
        counted = (signs.count(1), signs.count(-1), signs.count(0))
        assert (got.won, got.lost, got.undecided) == counted
        assert sum(counted) == 30
        assert isinstance(got.share, Estimate)
        assert got.share.n == got.won + got.lost
        assert got.share.value == pytest.approx(got.won / got.share.n)
        assert got.share.low <= got.share.value <= got.share.high


def told(won: np.ndarray) -> list[best_worst.Preference]:
    pairs = [
        (a, b) for a, b in combinations(range(len(won)), 2) if won[a, b] + won[b, a]
    ]
    share = Undefined("not looked at", 0)
    return [
        best_worst.Preference(a, b, int(won[a, b]), int(won[b, a]), 0, share)
        for a, b in pairs
    ]


def test_strengths_are_the_likeliest_and_recover_a_planted_order() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([-1.0, -0.2, 0.3, 0.9])
    odds = truth[:, None] - truth
    won = rng.binomial(400, 1 / (1 + np.exp(-odds))).astype(float)
    won = np.triu(won, 1) + np.tril(400 - won.T, -1)
    got = best_worst.strengths(told(won), 4)
    assert got == pytest.approx(truth - truth.mean(), abs=0.15)

    def likelihood(logs: np.ndarray) -> float:
        return float((won * -np.log1p(np.exp(logs - logs[:, None]))).sum())

    best = likelihood(got)
    for step in product((-0.02, 0.0, 0.02), repeat=4):  # its surroundings, exhaustively
        if len(set(step)) > 1:
            assert likelihood(got + np.array(step)) < best


def test_strengths_are_not_told_where_they_would_be_infinite() -> None:
    beaten = np.array([[0.0, 3.0], [0.0, 0.0]])
    assert np.isnan(best_worst.strengths(told(beaten), 2)).all()
    absent = np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    got = best_worst.strengths(told(absent), 3)
    assert got[0] - got[1] == pytest.approx(np.log(3))
    assert np.isnan(got[2])
