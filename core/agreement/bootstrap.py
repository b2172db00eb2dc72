"""Resampling whole clusters: a replicate is a weight per cluster, so that every
measure made of sums over clusters becomes one matrix product.

Source: Field & Welsh 2007, "Bootstrapping clustered data", JRSS B 69(3).
"""

import numpy as np

from core.data.check import Floats, Ints


def resample(n_clusters: int, replicates: int, rng: np.random.Generator) -> Floats:
    """How often each cluster is drawn: float64 ``(1 + replicates, n_clusters)``.

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
