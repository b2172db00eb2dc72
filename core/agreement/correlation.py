"""Rank correlation of two columns (Spearman 1904)."""

from math import erfc, isnan, sqrt

import numpy as np

from core.data.check import Floats


def ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs. O(n log n)."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_ranks: Floats = (last - (counts - 1) / 2.0)[inverse]
    return mean_ranks


def spearman(one: Floats, other: Floats) -> float:
    """Pearson's correlation of the ranks; NaN if a column is constant or too short."""
    if len(one) < 2:
        return float("nan")
    a, b = ranks(one), ranks(other)
    a, b = a - a.mean(), b - b.mean()
    norm = sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / norm if norm else float("nan")


def p_value(rho: float, n: int) -> float:
    """Two-sided, of no correlation: the t statistic taken as normal (n above 30)."""
    if n < 3 or isnan(rho):
        return float("nan")
    if abs(rho) >= 1:
        return 0.0
    return erfc(abs(rho) * sqrt((n - 2) / (1 - rho * rho)) / sqrt(2))
