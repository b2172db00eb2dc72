"""A figure of a report: an estimate with its interval, or the reason why there is none.

Intervals resample whole clusters: a replicate is a weight per cluster, so that every
measure made of sums over clusters becomes one matrix product. Source: Field & Welsh
2007, "Bootstrapping clustered data", JRSS B 69(3).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.agreement.words import Reason
from core.data.check import Floats, Ints

TOLERANCE = 1e-9
BIASED = f"{Reason.BIASED}; {Reason.CENTRED}"
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


def cluster_sums(values: Floats, cluster: Ints, n_clusters: int) -> Floats:
    """Rows of ``values`` ``(n, m)`` summed by cluster: ``(n_clusters, m)``."""
    order = np.argsort(cluster, kind="stable")
    ordered = cluster[order]
    sums = np.zeros((n_clusters, values.shape[1]))
    if len(order):
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        sums[ordered[starts]] = np.add.reduceat(values[order], starts, axis=0)
    return sums
