"""Agreement of any number of annotators, missing data allowed.

With r_ic the number of judges who gave item i the value c, r_i all its judges, and
A_i(d) the mean difference d between two different judges of item i:

    fleiss    1 - mean A_i / (1 - sum p_c^2), d = [x != y]; p_c the mean share of c
              (Fleiss 1971; missing data as Gwet 2014, section 2.8: A over items with
              two or more judges, p over all items judged)
    alpha     1 - D_o / D_e; D_o the mean of A_i weighted by r_i over items with two
              or more judges, D_e the same between any two of their values
              (Krippendorff 2019, ch. 12). d: nominal [x != y]; interval (x - y)^2;
              ordinal (R_x - R_y)^2, R the mid-rank of a value in what was judged
    ac1       1 - mean A_i / (1 - e), e = sum p_c (1 - p_c) / (k - 1)    (Gwet 2008)
    ac2       the same with w = 1 - (x - y)^2 / range^2, e multiplied by the sum of
              w / k (Gwet 2014, section 3.5; quadratic weights)
"""

import numpy as np

from core.agreement.chance import TINY
from core.agreement.figures import cluster_sums
from core.data.check import Floats, Ints
from core.data.ratings import Ratings

POOLED = (
    "raw_pooled",
    "fleiss",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "ac1",
    "ac2",
)
CELLS_AT_ONCE = 4_000_000  # of a chunk of replicate x value-pair sums: 32 MB


def pooled_columns(ratings: Ratings, weights: Floats) -> dict[str, Floats]:
    """Every measure over all annotators at once, each ``(1 + replicates,)``.

    ``weights`` from ``resample``. O(n_items k + replicates n_clusters pairs of values).
    """
    counts = ratings.counts().astype(np.float64)
    sums = weights @ _item_sums(ratings, counts, weights.shape[1])
    k = ratings.scale.size
    paired, judged, pairable = sums[:, 0], sums[:, 1], sums[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        nominal, squared = sums[:, 3] / paired, sums[:, 4] / paired
        observed, interval = sums[:, 5] / pairable, sums[:, 6] / pairable
        shares = sums[:, 7 : 7 + k] / judged[:, None]
    values = sums[:, 7 + k :]
    columns = {
        "raw_pooled": 1 - nominal,
        "fleiss": _ratio(nominal, 1 - (shares**2).sum(1)),
        "alpha_nominal": _ratio(observed, _expected_nominal(values)),
        "ac1": _gwet(nominal, shares, k, float(k)),
    }
    if ratings.scale.is_ordered:
        points = ratings.scale.unit_points()
        agree = 1 - (points[:, None] - points) ** 2
        columns["ac2"] = _gwet(squared, shares, k, float(agree.sum()))
        columns["alpha_interval"] = _ratio(interval, _expected_interval(values, points))
        columns["alpha_ordinal"] = _ordinal(ratings, counts, weights, values)
    return columns


def _item_sums(ratings: Ratings, counts: Floats, n_clusters: int) -> Floats:
    """Per cluster: items paired, items judged, values pairable, differences, counts."""
    n_judges = counts.sum(1)
    paired = n_judges >= 2
    links = np.where(paired, n_judges * (n_judges - 1), 1)
    nominal = paired * (n_judges**2 - (counts**2).sum(1)) / links
    points = ratings.scale.unit_points()
    mean_square = n_judges * (counts @ points**2) - (counts @ points) ** 2
    squared = paired * 2 * np.maximum(mean_square, 0) / links
    base = [paired, n_judges > 0, paired * n_judges, nominal, squared]
    base += [nominal * n_judges, squared * n_judges]
    shares = counts / np.maximum(n_judges, 1)[:, None]
    rows = np.column_stack([*base, shares, counts * paired[:, None]])
    return cluster_sums(rows, ratings.cluster, n_clusters)


def _ratio(observed: Floats, expected: Floats) -> Floats:
    out = np.full_like(observed, np.nan)
    np.divide(observed, expected, out=out, where=expected > TINY)
    return 1 - out


def _gwet(observed: Floats, shares: Floats, k: int, agree: float) -> Floats:
    """``agree``: the sum of the k x k agreement weights."""
    if k < 2:
        return np.full_like(observed, np.nan)
    chance = agree / (k * (k - 1)) * (shares * (1 - shares)).sum(1)
    return _ratio(observed, 1 - chance)


def _expected_nominal(values: Floats) -> Floats:
    n = values.sum(1)
    return np.asarray((n**2 - (values**2).sum(1)) / np.maximum(n * (n - 1), 1))


def _expected_interval(values: Floats, points: Floats) -> Floats:
    n = values.sum(1)
    spread = n * (values @ points**2) - (values @ points) ** 2
    return np.asarray(2 * spread / np.maximum(n * (n - 1), 1))


def _ordinal(
    ratings: Ratings, counts: Floats, weights: Floats, values: Floats
) -> Floats:
    """Ranks move with every replicate, so this one keeps the pairs of values apart."""
    low, high, sums = _value_pairs(ratings, counts, weights.shape[1])
    n = values.sum(1)
    ranks = np.cumsum(values, axis=1) - values / 2 - n[:, None] / 2  # about their mean
    observed = np.empty(len(weights))
    step = max(1, CELLS_AT_ONCE // max(len(low), 1))
    for start in range(0, len(weights), step):
        part = slice(start, start + step)
        gaps = ranks[part][:, low] - ranks[part][:, high]
        observed[part] = (weights[part] @ sums * gaps**2).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = 2 * (values * ranks**2).sum(1) / (n - 1)
        return _ratio(observed / n, expected)


def _value_pairs(
    ratings: Ratings, counts: Floats, n_clusters: int
) -> tuple[Ints, Ints, Floats]:
    """Pairs c < d that some item holds, and their coincidences ``(clusters, pairs)``.

    A coincidence is counted both ways round: 2 r_ic r_id / (r_i - 1).
    """
    item, value = ratings.item, ratings.value
    n_judges = counts.sum(1)
    firsts, seconds = _within_item_pairs(item)
    x, y = value[firsts], value[seconds]
    differ = x != y
    x, y, of = x[differ], y[differ], item[firsts][differ]
    k = ratings.scale.size
    cells = np.minimum(x, y).astype(np.int64) * k + np.maximum(x, y)
    kinds, column = np.unique(cells, return_inverse=True)
    flat = ratings.cluster[of].astype(np.int64) * len(kinds) + column
    amount = 2 / (n_judges[of] - 1)
    sums = np.bincount(flat, amount, n_clusters * len(kinds)).astype(np.float64)
    low, high = np.divmod(kinds, k)
    shape = n_clusters, len(kinds)
    return low.astype(np.int32), high.astype(np.int32), sums.reshape(shape)


def _within_item_pairs(item: Ints) -> tuple[Ints, Ints]:
    """Places i < j of the same item, for items in order: one step per distance."""
    firsts, seconds = [], []
    distance = 1
    while distance < len(item):
        same = np.flatnonzero(item[distance:] == item[:-distance])
        if not len(same):
            break
        firsts.append(same)
        seconds.append(same + distance)
        distance += 1
    none = np.zeros(0, np.int64)
    return (
        np.concatenate([none, *firsts]).astype(np.int32),
        np.concatenate([none, *seconds]).astype(np.int32),
    )


def pooled_reason(measure: str, ratings: Ratings) -> str:
    """Why a measure over all annotators has no value on these ratings."""
    scale = ratings.scale
    if not ratings.n:
        return "nothing was judged"
    if len(np.unique(ratings.annotator)) < 2:
        return "one annotator only"
    if np.bincount(ratings.item).max() < 2:
        return f"0 of {len(ratings.items)} items have two judges"
    if measure in ("alpha_ordinal", "alpha_interval", "ac2") and not scale.is_ordered:
        return f"the labels of scale {scale.name} have no order"
    if measure in ("ac1", "ac2") and scale.size < 2:
        return f"scale {scale.name} has a single point"
    seen = scale.labels[int(ratings.value[0])]
    return f"every value is {seen}: nothing can differ; raw agreement is 100 %"
