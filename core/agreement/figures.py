"""A figure of a report: an estimate with its interval, or the reason why there is none.

Intervals resample whole clusters: a replicate is a weight per cluster, so that every
measure made of sums over clusters becomes one matrix product. Source: Field & Welsh
2007, "Bootstrapping clustered data", JRSS B 69(3).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.agreement.words import Reason
from core.data.check import Floats, Ints

TOLERANCE = 1e-9
BIASED = f"{Reason.BIASED}; {Reason.CENTRED}"
Z = 1.959964  # of the normal distribution, for 95 %
MIN_DEFINED = 0.9  # an interval needs this share of its replicates to be defined


@dataclass(frozen=True, slots=True)
class Estimate:
    """``value`` from ``n`` items, with the 95 % interval ``low`` to ``high``.

    ``low`` and ``high`` are None where no interval can be given; ``note`` says why.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A missing value and the reason, as text; ``n`` items were available."""

    reason: str
    n: int = 0


Figure = Estimate | Undefined


def figure(column: Floats, n: int, reason: str, *, clusters: int) -> Figure:
    """The figure of a column: float64 ``(1 + replicates,)``, the estimate first.

    NaN in the column means undefined there. The interval is the percentile interval
    (Efron & Tibshirani 1993, ch. 13) over the defined replicates. Where the replicates
    are so biased that it would leave the estimate out (chance-corrected means over
    pairs with a handful of items), it is moved to have its median at the estimate.
    """
    value = float(column[0])
    if not np.isfinite(value):
        return Undefined(reason, n)
    if len(column) == 1:
        return Estimate(value, None, None, n, Reason.NO_BOOTSTRAP)
    if clusters < 2:
        return Estimate(value, None, None, n, Reason.ONE_CLUSTER)
    defined = column[1:][np.isfinite(column[1:])]
    if len(defined) < MIN_DEFINED * (len(column) - 1):
        share = len(defined) / (len(column) - 1)
        note = Reason.RARELY_DEFINED % {"share": f"{share:.0%}"}
        return Estimate(value, None, None, n, note)
    ordered = np.sort(defined)
    low, high = (float(ordered[int(q * (len(ordered) - 1))]) for q in (0.025, 0.975))
    if low - TOLERANCE <= value <= high + TOLERANCE:
        return Estimate(value, min(low, value), max(high, value), n)
    shift = value - float(ordered[len(ordered) // 2])
    return Estimate(value, low + shift, high + shift, n, BIASED)


def as_json(result: Figure) -> dict[str, Any]:
    """``value, low, high, n`` (and a note), or ``undefined`` with its reason."""
    if isinstance(result, Undefined):
        return {"undefined": result.reason, "n": result.n}
    body = {
        "value": result.value,
        "low": result.low,
        "high": result.high,
        "n": result.n,
    }
    return body | ({"note": result.note} if result.note else {})


def resample(n_clusters: int, replicates: int, rng: np.random.Generator) -> Floats:
    """Draw how often each cluster is used: float64 ``(1 + replicates, n_clusters)``.

    Row 0 is all ones, the sample itself; each other row sums to ``n_clusters``. In
    column order, since a pair of judges picks its clusters out of it.
    """
    weights = np.ones((1 + replicates, n_clusters), order="F")
    drawn = rng.integers(0, max(n_clusters, 1), (replicates, n_clusters), np.int32)
    flat = drawn + (np.arange(replicates) * n_clusters)[:, None]
    counts = np.bincount(flat.ravel(), minlength=replicates * n_clusters)
    weights[1:] = counts.reshape(replicates, n_clusters)
    return weights


def ratio(top: NDArray[Any], bottom: NDArray[Any], *, above: float = 0.0) -> Floats:
    """``top / bottom``, NaN where ``bottom`` is not ``above`` this."""
    out = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom > above)
    return out


def held_sums(values: Floats, cluster: Ints, n: int) -> tuple[Floats, Floats]:
    """Rows of ``values`` summed by cluster without NaN, and how many were summed."""
    held = np.isfinite(values)
    sums = cluster_sums(np.where(held, values, 0), cluster, n)
    return sums, cluster_sums(held.astype(np.float64), cluster, n)


def cluster_sums(values: Floats, cluster: Ints, n_clusters: int) -> Floats:
    """Rows of ``values`` ``(n, m)`` summed by cluster: ``(n_clusters, m)``."""
    order = np.argsort(cluster, kind="stable")
    ordered = cluster[order]
    sums = np.zeros((n_clusters, values.shape[1]))
    if len(order):
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        sums[ordered[starts]] = np.add.reduceat(values[order], starts, axis=0)
    return sums


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of a population: its ``size``, and how many of those drawn from it at
    random were ``judged``, and judged ``right``."""

    size: int
    judged: int
    right: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share that is right; 0 to 1 if none is judged.

        Wilson 1927, "Probable inference", JASA 22(158).
        """
        if not self.judged:
            return 0.0, 1.0
        n, p, z2 = self.judged, self.right / self.judged, Z**2
        middle = p + z2 / (2 * n)
        half = Z * sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        low, high = ((middle + sign * half) / (1 + z2 / n) for sign in (-1, 1))
        return max(0.0, low), min(1.0, high)


def stratified_share(strata: Sequence[Stratum]) -> Estimate | None:
    """Return the share of the whole population that is right, from its strata.

    Each stratum counts by its size. The interval joins those of the strata; for one
    stratum it is Wilson's. Strata judged as a whole count as samples, too, so that the
    interval is wide rather than narrow. None if a stratum has no judgment, or nothing
    is there. Zou & Donner 2008, "Construction of confidence limits about effect
    measures", Statistics in Medicine 27(10).
    """
    there = [one for one in strata if one.size]
    if not there or not all(one.judged for one in there):
        return None
    total = sum(one.size for one in there)
    value = below = above = 0.0
    for one in there:
        weight, p = one.size / total, one.right / one.judged
        low, high = one.interval
        value += weight * p
        below += (weight * (p - low)) ** 2
        above += (weight * (high - p)) ** 2
    n = sum(one.judged for one in there)
    low, high = max(0.0, value - sqrt(below)), min(1.0, value + sqrt(above))
    return Estimate(value, low, high, n)
