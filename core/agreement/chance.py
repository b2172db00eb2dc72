"""Agreement of two annotators: raw, and corrected for chance.

With ``p_o`` the share of items that both gave the same value, and ``a_c``, ``b_c`` the
shares of value c in the judgments of each on their common items:

    raw       p_o
    k_uniform (p_o - 1/k) / (1 - 1/k)              Bennett et al. 1954, S; the K of
                                                    Callison-Burch 2008
    cohen     (p_o - e) / (1 - e), e = sum a b      Cohen 1960
    scott     the same, e = sum ((a + b) / 2)^2     Scott 1955
    linear    1 - D_o / D_e, D = mean |x - y|       Cohen 1968
    quadratic 1 - D_o / D_e, D = mean (x - y)^2     Cohen 1968

Missing data: only items that both judged count. Every function works on a column of
bootstrap replicates at once; NaN marks an undefined replicate and never gets out.
"""

from dataclasses import dataclass

import numpy as np

from core.agreement.figures import cluster_sums, ratio
from core.agreement.words import Measure, Reason
from core.data.check import Floats, Ints
from core.data.ratings import Scale

TINY = 1e-12  # a chance disagreement this small is none


@dataclass(frozen=True, slots=True)
class PairSums:
    """What two annotators gave on their common items, replicates side by side.

    ``raw``, ``distance``, ``squared``: the share of same values, mean |x - y| and mean
    (x - y)^2, each ``(1 + replicates,)``. ``a``, ``b``: the share of each value used in
    the judgments of either one, ``(k, 1 + replicates)``; ``points``: these values,
    ``(k,)``, range one.
    """

    raw: Floats
    distance: Floats
    squared: Floats
    a: Floats
    b: Floats
    points: Floats
    scale: Scale


def pair_sums(
    x: Ints, y: Ints, cluster: Ints, scale: Scale, weights: Floats
) -> PairSums:
    """Return the sums that every pairwise measure is computed from.

    ``x, y``: codes of the two annotators on their common items ``(n,)``; ``cluster``
    of each item; ``weights`` from ``resample``. O(n k + replicates (clusters + k)) with
    k the values that the two used: no other has a share.
    """
    there, local = np.unique(cluster, return_inverse=True)
    used, places = np.unique(np.concatenate([x, y]), return_inverse=True)
    codes, k = places.astype(np.int32), len(used)
    x, y = codes[: len(x)], codes[len(x) :]
    points = scale.unit_points()[used]
    far = points[x] - points[y]
    rows = np.zeros((len(x), 4 + 2 * k))
    rows[:, 0] = 1
    rows[:, 1] = x == y
    rows[:, 2], rows[:, 3] = np.abs(far), far**2
    each = np.arange(len(x))
    rows[each, 4 + x] = 1
    rows[each, 4 + k + y] = 1
    # one row per sum, replicates side by side: (4 + 2 k, 1 + replicates)
    sums = cluster_sums(rows, local.astype(np.int32), len(there)).T @ weights.T[there]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = sums[1:] / sums[0]
    raw, distance, squared = shares[:3]
    a, b = shares[3 : 3 + k], shares[3 + k :]
    return PairSums(raw, distance, squared, a, b, points, scale)


def pair_columns(
    x: Ints, y: Ints, cluster: Ints, scale: Scale, weights: Floats
) -> dict[str, Floats]:
    """Every pairwise measure that the scale allows, each float64 ``(1 + replicates,)``.

    Arguments and cost as ``pair_sums``.
    """
    sums = pair_sums(x, y, cluster, scale, weights)
    possible = [one for one in PAIRWISE.values() if not one.lacks(scale)]
    return {one.key: one.compute(sums) for one in possible}


def _raw(sums: PairSums) -> Floats:
    return sums.raw


def _uniform(sums: PairSums) -> Floats:
    return (sums.raw - 1 / sums.scale.size) / (1 - 1 / sums.scale.size)


def _cohen(sums: PairSums) -> Floats:
    return corrected(1 - sums.raw, 1 - (sums.a * sums.b).sum(0))


def _cohen_linear(sums: PairSums) -> Floats:
    return corrected(sums.distance, _linear(sums.a, sums.b, sums.points))


def _cohen_quadratic(sums: PairSums) -> Floats:
    a, b, points = sums.a, sums.b, sums.points
    expected = points**2 @ (a + b) - 2 * (points @ a) * (points @ b)
    return corrected(sums.squared, expected)


def _scott(sums: PairSums) -> Floats:
    return corrected(1 - sums.raw, 1 - (((sums.a + sums.b) / 2) ** 2).sum(0))


def _linear(a: Floats, b: Floats, points: Floats) -> Floats:
    """Mean |x - y| of independent draws from a and b, by their sums up to a point."""
    up_a, up_b = np.cumsum(a, axis=0)[:-1], np.cumsum(b, axis=0)[:-1]
    return np.asarray(np.diff(points) @ (up_a * (1 - up_b) + up_b * (1 - up_a)))


def corrected(observed: Floats, expected: Floats) -> Floats:
    """1 - observed / expected disagreement; NaN where nothing is expected."""
    return 1 - ratio(observed, expected, above=TINY)


_ALL = (
    Measure(
        key="raw",
        name="Same value",
        formula="share of common items with the same value, mean over pairs of judges",
        source="",
        terms=("raw agreement",),
        meaning="share of common items to which two people gave the same value, "
        "averaged over pairs of people",
        compute=_raw,
    ),
    Measure(
        key="k_uniform",
        name="K, uniform chance",
        formula="(p − 1/k) / (1 − 1/k) with k points on the scale",
        source="Bennett et al. 1954 (S); Callison-Burch 2008",
        terms=("uniform kappa", "K"),
        meaning="agreement beyond the chance 1 / k, for a scale with k points",
        compute=_uniform,
        needs=("declared", "two points"),
    ),
    Measure(
        key="cohen",
        name="Cohen's kappa",
        formula="(p − e) / (1 − e), e = Σ a(c) b(c) from the two judges' own shares",
        source="Cohen 1960",
        terms=("Cohen's kappa", "kappa"),
        meaning="agreement of two people beyond chance, estimated from how often each "
        "person uses each value",
        compute=_cohen,
    ),
    Measure(
        key="cohen_linear",
        name="Weighted kappa, linear",
        formula="1 − mean |x − y| / the same by chance",
        source="Cohen 1968",
        terms=("linear kappa",),
        meaning="Cohen's kappa in which a disagreement counts by its distance on the "
        "scale",
        compute=_cohen_linear,
        needs=("order",),
    ),
    Measure(
        key="cohen_quadratic",
        name="Weighted kappa, quadratic",
        formula="1 − mean (x − y)² / the same by chance",
        source="Cohen 1968",
        terms=("quadratic kappa",),
        meaning="Cohen's kappa in which a disagreement counts by its squared distance",
        compute=_cohen_quadratic,
        needs=("order",),
    ),
    Measure(
        key="scott",
        name="Scott's pi",
        formula="(p − e) / (1 − e), e from the shares of both together",
        source="Scott 1955",
        terms=("Scott's pi",),
        meaning="like Cohen's kappa, with chance estimated from the values of both "
        "people together",
        compute=_scott,
    ),
)
PAIRWISE = {one.key: one for one in _ALL}
"""Measures of two annotators; of more, the mean over their pairs."""


def pair_reason(measure: str, x: Ints, scale: Scale) -> str:
    """Why a pairwise measure has no value; ``x``: the first one's of the judgments."""
    if not len(x):
        return Reason.NOT_SHARED
    if reason := PAIRWISE[measure].lacks(scale):
        return reason
    # nothing else is left where a chance correction has no value
    value = scale.labels[int(x[0])]
    return "; ".join([Reason.NO_CHANCE % {"value": value}, Reason.ALL_AGREE % {}])
