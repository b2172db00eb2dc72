"""Replicates resample clusters, and equal recomputing the measure on the sample."""

import numpy as np
import pytest

from core.agreement import alpha, chance, measures
from core.agreement.figures import Estimate, Undefined, cluster_sums, figure, resample
from core.agreement.measures import measure_all
from core.data.ratings import Ratings, Scale


def noisy(n: int, per_cluster: int, seed: int = 0) -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(seed)
    truth = np.repeat(rng.integers(1, 6, n // per_cluster + 1), per_cluster)[:n]
    seen = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 3)), 1, 5)
    return [(str(i), "abc"[a], str(seen[i, a])) for i in range(n) for a in range(3)]


def ratings_in_clusters(n: int = 60, per: int = 5) -> Ratings:
    clusters = {str(i): f"s{i // per}" for i in range(n)}
    return Ratings.of(
        noisy(n, per), scale=Scale.span("meaning", 1, 5), clusters=clusters
    )


def test_a_replicate_equals_the_measure_of_the_resampled_ratings() -> None:
    ratings = ratings_in_clusters()
    weights = resample(12, 3, np.random.default_rng(1))
    pooled = alpha.pooled_columns(ratings, weights)
    _, _, items, x, y = next(measures.shared_items(ratings))
    paired = chance.pair_columns(x, y, ratings.cluster[items], ratings.scale, weights)
    for replicate in (1, 2, 3):
        again = measure_all(drawn(ratings, weights[replicate]), replicates=0)
        pair = again.pairs[0].figures
        for name, column in pooled.items():
            estimate = again.figures[name]
            assert isinstance(estimate, Estimate)
            assert column[replicate] == pytest.approx(estimate.value, abs=1e-12)
        for name, column in paired.items():
            estimate = pair[name]
            assert isinstance(estimate, Estimate)
            assert column[replicate] == pytest.approx(estimate.value, abs=1e-12)


def drawn(ratings: Ratings, times: np.ndarray) -> Ratings:
    """The ratings with each cluster written out as often as it was drawn."""
    rows = []
    for at in range(ratings.n):
        item = int(ratings.item[at])
        for copy in range(int(times[ratings.cluster[item]])):
            who = ratings.annotators[ratings.annotator[at]]
            text = ratings.scale.labels[ratings.value[at]]
            rows.append((f"{item}/{copy}", who, text))
    return Ratings.of(sorted(rows), scale=ratings.scale)


def test_every_replicate_draws_as_many_clusters_as_there_are() -> None:
    weights = resample(9, 50, np.random.default_rng(3))
    assert weights.shape == (51, 9)
    assert (weights[0] == 1).all()
    assert (weights.sum(1) == 9).all()


def test_every_cluster_is_as_likely_as_any_other() -> None:
    weights = resample(9, 4000, np.random.default_rng(3))[1:]
    assert np.abs(weights.mean(0) - 1).max() < 5 * np.sqrt(8 / 9 / 4000)
    assert np.abs(weights.var(0) - 8 / 9).max() < 0.15


def test_many_clusters_get_fewer_replicates_and_200_at_least(monkeypatch) -> None:
    monkeypatch.setattr(measures, "DRAWS_AT_MOST", 3600)
    assert measure_all(ratings_in_clusters(), replicates=2000).replicates == 300
    assert measure_all(ratings_in_clusters(), replicates=250).replicates == 250
    monkeypatch.setattr(measures, "DRAWS_AT_MOST", 1)
    assert measure_all(ratings_in_clusters(), replicates=2000).replicates == 200


def test_ranks_are_summed_the_same_in_one_go_and_in_many(monkeypatch) -> None:
    ratings = ratings_in_clusters()
    weights = resample(12, 7, np.random.default_rng(1))
    whole = alpha.pooled_columns(ratings, weights)["alpha_ordinal"]
    monkeypatch.setattr(alpha, "CELLS_AT_ONCE", 1)
    parts = alpha.pooled_columns(ratings, weights)["alpha_ordinal"]
    np.testing.assert_array_equal(whole, parts)


def test_sums_by_cluster_do_not_need_sorted_clusters() -> None:
    values = np.array([[1.0], [2.0], [4.0]])
    sums = cluster_sums(values, np.array([2, 0, 2], np.int32), 4)
    assert sums.ravel().tolist() == [2, 0, 5, 0]


def test_clusters_widen_the_interval_of_correlated_items() -> None:
    rng = np.random.default_rng(5)
    rows = []
    for i in range(200):
        same = (i // 20) % 2  # whole clusters agree or do not
        left = str(rng.integers(1, 6))
        rows += [(str(i), "a", left), (str(i), "b", left if same else "1")]
    scale = Scale.span("meaning", 1, 5)
    loose = Ratings.of(rows, scale=scale)
    tight = Ratings.of(
        rows, scale=scale, clusters={str(i): str(i // 20) for i in range(200)}
    )
    assert width(tight) > 2 * width(loose)


def width(ratings: Ratings) -> float:
    estimate = measure_all(ratings, replicates=500).figures["raw"]
    assert isinstance(estimate, Estimate)
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def test_the_same_seed_gives_the_same_interval() -> None:
    ratings = ratings_in_clusters()
    one, two = (measure_all(ratings, replicates=100, seed=7) for _ in range(2))
    assert one.figures == two.figures
    assert measure_all(ratings, replicates=100, seed=8).figures != one.figures


def test_a_single_cluster_gives_a_value_without_an_interval() -> None:
    ratings = ratings_in_clusters(10, 10)
    estimate = measure_all(ratings, replicates=100).figures["raw"]
    assert isinstance(estimate, Estimate)
    assert estimate.low is None
    assert "single cluster" in estimate.note


def test_replicates_that_are_mostly_undefined_give_no_interval() -> None:
    column = np.r_[0.5, np.full(80, np.nan), np.full(20, 0.4)]
    estimate = figure(column, 10, "why", clusters=5)
    assert isinstance(estimate, Estimate)
    assert estimate.low is None
    assert "20%" in estimate.note
    assert figure(np.array([np.nan]), 3, "why", clusters=5) == Undefined("why", 3)
