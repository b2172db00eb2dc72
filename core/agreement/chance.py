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

import numpy as np

from core.agreement.figures import cluster_sums
from core.data.check import Floats, Ints
from core.data.ratings import Scale

PAIRWISE = (
    "raw",
    "k_uniform",
    "cohen",
    "cohen_linear",
    "cohen_quadratic",
    "scott",
)
TINY = 1e-12  # a chance disagreement this small is none


def pair_columns(
    x: Ints, y: Ints, cluster: Ints, scale: Scale, weights: Floats
) -> dict[str, Floats]:
    """Every pairwise measure, each float64 ``(1 + replicates,)``.

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
    a, b = shares[3 : 3 + k], shares[3 + k :]
    raw = shares[0]
    columns = {
        "raw": raw,
        "k_uniform": _uniform(raw, scale),
        "cohen": _corrected(1 - raw, 1 - (a * b).sum(0)),
        "scott": _corrected(1 - raw, 1 - (((a + b) / 2) ** 2).sum(0)),
    }
    if scale.is_ordered:
        squares = points**2 @ (a + b) - 2 * (points @ a) * (points @ b)
        columns["cohen_linear"] = _corrected(shares[1], _linear(a, b, points))
        columns["cohen_quadratic"] = _corrected(shares[2], squares)
    return columns


def _linear(a: Floats, b: Floats, points: Floats) -> Floats:
    """Mean |x - y| of independent draws from a and b, by their sums up to a point."""
    up_a, up_b = np.cumsum(a, axis=0)[:-1], np.cumsum(b, axis=0)[:-1]
    return np.asarray(np.diff(points) @ (up_a * (1 - up_b) + up_b * (1 - up_a)))


def _uniform(raw: Floats, scale: Scale) -> Floats:
    if scale.size < 2 or not scale.closed:
        return np.full_like(raw, np.nan)
    return (raw - 1 / scale.size) / (1 - 1 / scale.size)


def _corrected(observed: Floats, expected: Floats) -> Floats:
    """1 - observed / expected disagreement; NaN where nothing is expected."""
    out = np.full_like(observed, np.nan)
    np.divide(observed, expected, out=out, where=expected > TINY)
    return 1 - out


def pair_reason(measure: str, x: Ints, scale: Scale) -> str:
    """Why a pairwise measure has no value; ``x``: the first one's of the judgments."""
    if not len(x):
        return "no item was judged by both"
    if measure == "k_uniform" and not scale.closed:
        return (
            f"scale {scale.name} is not declared, so its number of points is unknown: "
            "declare it"
        )
    if measure == "k_uniform" and scale.size < 2:
        return f"scale {scale.name} has a single point: chance agreement is 100 %"
    if measure.startswith("cohen_") and not scale.is_ordered:
        return f"the labels of scale {scale.name} have no order"
    return (  # nothing else is left where a chance correction has no value
        f"every value is {scale.labels[int(x[0])]}: chance agreement is 100 %; "
        "raw agreement is 100 %"
    )
