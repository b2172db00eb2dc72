"""Rank correlation of two columns (Spearman 1904), and how far one is above another."""

from collections.abc import Mapping
from math import sqrt

import numpy as np

from core.data.check import Floats, Ints


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


_NO_GAP = 1e-12  # of two rank correlations: rounding alone


def rank_gaps(
    columns: Mapping[str, Floats],
    base: Floats,
    people: Floats,
    group: Ints,
    *,
    replicates: int,
    rng: np.random.Generator,
) -> dict[str, dict[str, float]]:
    """Spearman's rho of each column with ``people``, less that of ``base``:
    ``difference``, its 95 % interval ``low`` to ``high``, and a two-sided ``p``.

    All ``(n,)``; whole groups are resampled (Field & Welsh 2007). A column without a
    correlation is left out, and all of them where there are not two groups.
    """
    names, first = np.unique(group, return_inverse=True)
    if len(names) < 2:
        return {}
    order = np.argsort(first, kind="stable")
    at = np.searchsorted(first[order], np.arange(len(names) + 1))
    samples = [np.arange(len(people))]
    for _ in range(replicates):
        drawn = rng.integers(0, len(names), len(names))
        samples.append(np.concatenate([order[at[g] : at[g + 1]] for g in drawn]))

    def rhos(column: Floats) -> Floats:
        return np.array([spearman(column[rows], people[rows]) for rows in samples])

    below = rhos(base)
    gaps = {name: rhos(column) - below for name, column in columns.items()}
    return {name: _gap(one) for name, one in gaps.items() if not np.isnan(one[0])}


def _gap(gaps: Floats) -> dict[str, float]:
    """The first is that of the whole sample. The p inverts the percentile interval,
    the sample itself counted (Davison & Hinkley 1997, section 4.2): drawings without a
    gap speak for both sides, so that equal columns have a p of 1."""
    drawn = gaps[~np.isnan(gaps)]
    sides = (drawn[1:] <= _NO_GAP).sum(), (drawn[1:] >= -_NO_GAP).sum()
    low, high = np.quantile(drawn[1:] if len(drawn) > 1 else drawn, [0.025, 0.975])
    return {
        "difference": float(gaps[0]),
        "low": float(low),
        "high": float(high),
        "p": min(2 * float(1 + min(sides)) / len(drawn), 1.0),
    }
