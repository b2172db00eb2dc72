"""Is a difference more than chance? Between two conditions, paired, by cluster; and
between the shares of two independent samples.
"""

from itertools import product
from math import comb, erfc, log, sqrt

import numpy as np

from core.agreement.figures import resample
from core.data.check import Floats
from core.errors import InvalidValue

EXACT_CLUSTERS = 14  # 2^14 sign vectors are enumerated, more are drawn
CHUNK = 2_000  # sign vectors held at once


def sign_flip_p(
    differences: Floats, rng: np.random.Generator, *, draws: int = 10_000
) -> list[float]:
    """Two-sided p of each column of cluster differences ``(clusters, m)``.

    The statistic is the sum. Within a cluster the two conditions are exchangeable, so
    each cluster may change its sign. Exact where up to 14 clusters differ; else
    (hits + 1) / (draws + 1) (Noreen 1989, approximate randomisation), the same draws
    for all columns. Nothing differs: 1.0.
    """
    moved = np.abs(differences) > 1e-12
    seen = np.abs(differences.sum(0)) - 1e-9
    many = moved.sum(0) > EXACT_CLUSTERS
    hits = np.zeros(differences.shape[1])
    if many.any():
        for start in range(0, draws, CHUNK):
            shape = min(CHUNK, draws - start), len(differences)
            signs = rng.integers(0, 2, shape, np.int8) * np.float64(2) - 1
            hits += (np.abs(signs @ differences) >= seen).sum(0)
    return [
        float((hits[at] + 1) / (draws + 1))
        if many[at]
        else _exact_p(differences[moved[:, at], at], float(seen[at]))
        for at in range(differences.shape[1])
    ]


def _exact_p(moved: Floats, seen: float) -> float:
    if not len(moved):
        return 1.0
    signs = np.array(list(product((-1.0, 1.0), repeat=len(moved))))
    return float((np.abs(signs @ moved) >= seen).mean())


def mcnemar_p(first_alone: int, second_alone: int) -> float:
    """Two-sided p that of the items which only one of two has, either has as many:
    exact up to 1000 of them, else by the normal curve (McNemar 1947)."""
    n, least = first_alone + second_alone, min(first_alone, second_alone)
    if n <= 1000:
        tail = sum(comb(n, k) for k in range(least + 1))
        return min(1.0, float(2 * tail / 2**n))
    return erfc((abs(first_alone - second_alone) - 1) / sqrt(2 * n))


def holm(p_values: list[float]) -> list[float]:
    """The p values adjusted for their number, in the same order (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    adjusted = [0.0] * len(p_values)
    worst = 0.0
    for rank, at in enumerate(order):
        worst = max(worst, min(1.0, (len(order) - rank) * p_values[at]))
        adjusted[at] = worst
    return adjusted


def f1_swap_p(
    before: Floats, after: Floats, rng: np.random.Generator, *, draws: int = 10_000
) -> float:
    """Two-sided p of the difference of two F1 scores over the same sentences.

    Both ``(sentences, 2)``: matched brackets, and guessed plus gold ones; F1 is 2 sum
    matched / sum both. Each sentence may swap its two parses: (hits + 1) / (draws + 1)
    (Noreen 1989, approximate randomisation). Nothing differs: 1.0.
    """
    first, second = (one[:, None] * np.array([2.0, 1.0]) for one in (before, after))
    return ratio_swap_p(first, second, rng, draws=draws)


def f1_gain(
    before: Floats, after: Floats, rng: np.random.Generator, *, draws: int = 2_000
) -> tuple[float, float, float]:
    """The difference of two F1 scores over the same sentences, with its 95 % interval.

    Counts as for ``f1_swap_p``; shares of 1. Sentences are drawn with replacement:
    percentiles of the bootstrap (Efron & Tibshirani 1993). Raises InvalidValue without
    sentences.
    """
    if not len(before):
        raise InvalidValue("no sentences to compare")
    weights = resample(len(before), draws, rng)
    gains = _f1(weights @ after) - _f1(weights @ before)
    low, high = np.percentile(gains[1:], [2.5, 97.5])
    return float(gains[0]), float(low), float(high)


def ratio_swap_p(
    before: Floats, after: Floats, rng: np.random.Generator, *, draws: int = 10_000
) -> float:
    """Two-sided p of the difference of two means of ratios over the same clusters.

    Both ``(clusters, m, 2)``: what is above and below the line of each of m ratios; the
    statistic is the mean of sum above / sum below, as recall against m references has
    it. Each cluster may swap its two conditions: (hits + 1) / (draws + 1) (Noreen 1989,
    approximate randomisation). Nothing differs: 1.0.
    """
    moved = (before != after).any((1, 2))
    if not moved.any():
        return 1.0
    change, totals = (after - before)[moved], (before.sum(0), after.sum(0))
    seen, hits = abs(_ratio(totals[1]) - _ratio(totals[0])) - 1e-12, 0
    for start in range(0, draws, CHUNK):
        swapped = rng.integers(0, 2, (min(CHUNK, draws - start), len(change)), np.int8)
        shift = np.tensordot(swapped.astype(np.float64), change, 1)
        apart = _ratio(totals[1] - shift) - _ratio(totals[0] + shift)
        hits += int((np.abs(apart) >= seen).sum())
    return (hits + 1) / (draws + 1)


def _ratio(sums: Floats) -> Floats:
    """The mean over the last axis but one; 0 where nothing is below the line."""
    ratios: Floats = sums[..., 0] / np.maximum(sums[..., 1], 1)
    return np.asarray(ratios.mean(-1))


def _f1(sums: Floats) -> Floats:
    f1: Floats = 2 * sums[..., 0] / np.maximum(sums[..., 1], 1)
    return f1


def g_test(a: int, n: int, b: int, m: int) -> tuple[float, float]:
    """Return G² and its p value: ``a`` of ``n`` against ``b`` of ``m``.

    The likelihood ratio of the two shares being one, with 1 degree of freedom (Dunning
    1993, "Accurate methods for the statistics of surprise and coincidence", CL 19(1)).
    (0, 1) if a sample is empty. Raises InvalidValue unless 0 <= a <= n, 0 <= b <= m.
    """
    if not (0 <= a <= n and 0 <= b <= m):
        raise InvalidValue(f"not parts of a whole: {a} of {n}, {b} of {m}")
    if not n or not m:
        return 0.0, 1.0
    share = (a + b) / (n + m)
    cells = (
        (a, n * share),
        (b, m * share),
        (n - a, n * (1 - share)),
        (m - b, m * (1 - share)),
    )
    g2 = max(0.0, 2 * sum(seen * log(seen / due) for seen, due in cells if seen))
    return g2, erfc(sqrt(g2 / 2))
