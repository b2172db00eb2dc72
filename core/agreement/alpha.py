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

from dataclasses import dataclass

import numpy as np

from core.agreement.chance import corrected
from core.agreement.figures import cluster_sums
from core.agreement.words import Measure, Reason
from core.data.check import Floats, Ints
from core.data.ratings import Ratings

CELLS_AT_ONCE = 4_000_000  # of a chunk of replicate x value-pair sums: 32 MB


@dataclass(frozen=True, slots=True)
class PooledSums:
    """What all annotators gave, one row per replicate.

    ``nominal``, ``squared``: mean over items of [x != y] and (x - y)^2 between two
    judges of an item; ``by_value``, ``squares_by_value``: the same, each item counted
    by its judges. All ``(1 + replicates,)``. ``shares``: of each value in the
    judgments, averaged over items; ``values``: how often each was given to an item with
    two judges; both ``(1 + replicates, k)``. ``points``: ``(k,)``, range one.
    """

    ratings: Ratings
    weights: Floats
    counts: Floats  # (n_items, k)
    nominal: Floats
    squared: Floats
    by_value: Floats
    squares_by_value: Floats
    shares: Floats
    values: Floats
    points: Floats


def pooled_sums(ratings: Ratings, weights: Floats) -> PooledSums:
    """Return the sums that the measures over all annotators are computed from.

    ``weights`` from ``resample``. O(n_items k + replicates n_clusters pairs of values).
    """
    counts = ratings.counts().astype(np.float64)
    sums = weights @ _item_sums(ratings, counts, weights.shape[1])
    k = ratings.scale.size
    paired, judged, pairable = sums[:, 0], sums[:, 1], sums[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        return PooledSums(
            ratings,
            weights,
            counts,
            nominal=sums[:, 3] / paired,
            squared=sums[:, 4] / paired,
            by_value=sums[:, 5] / pairable,
            squares_by_value=sums[:, 6] / pairable,
            shares=sums[:, 7 : 7 + k] / judged[:, None],
            values=sums[:, 7 + k :],
            points=ratings.scale.unit_points(),
        )


def pooled_columns(ratings: Ratings, weights: Floats) -> dict[str, Floats]:
    """Every measure over all annotators that the scale allows, each
    ``(1 + replicates,)``. Arguments and cost as ``pooled_sums``."""
    sums = pooled_sums(ratings, weights)
    possible = [one for one in POOLED.values() if not one.lacks(ratings.scale)]
    return {one.key: one.compute(sums) for one in possible}


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


def _raw_pooled(sums: PooledSums) -> Floats:
    return 1 - sums.nominal


def _fleiss(sums: PooledSums) -> Floats:
    return corrected(sums.nominal, 1 - (sums.shares**2).sum(1))


def _alpha_nominal(sums: PooledSums) -> Floats:
    return corrected(sums.by_value, _expected_nominal(sums.values))


def _alpha_interval(sums: PooledSums) -> Floats:
    expected = _expected_interval(sums.values, sums.points)
    return corrected(sums.squares_by_value, expected)


def _ac1(sums: PooledSums) -> Floats:
    return _gwet(sums.nominal, sums.shares, float(sums.shares.shape[1]))


def _ac2(sums: PooledSums) -> Floats:
    agree = 1 - (sums.points[:, None] - sums.points) ** 2
    return _gwet(sums.squared, sums.shares, float(agree.sum()))


def _gwet(observed: Floats, shares: Floats, agree: float) -> Floats:
    """``agree``: the sum of the k x k agreement weights."""
    k = shares.shape[1]
    chance = agree / (k * (k - 1)) * (shares * (1 - shares)).sum(1)
    return corrected(observed, 1 - chance)


def _expected_nominal(values: Floats) -> Floats:
    n = values.sum(1)
    return np.asarray((n**2 - (values**2).sum(1)) / np.maximum(n * (n - 1), 1))


def _expected_interval(values: Floats, points: Floats) -> Floats:
    n = values.sum(1)
    spread = n * (values @ points**2) - (values @ points) ** 2
    return np.asarray(2 * spread / np.maximum(n * (n - 1), 1))


def _alpha_ordinal(pooled: PooledSums) -> Floats:
    """Ranks move with every replicate, so this one keeps the pairs of values apart."""
    weights, values = pooled.weights, pooled.values
    low, high, sums = _value_pairs(pooled.ratings, pooled.counts, weights.shape[1])
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
        return corrected(observed / n, expected)


def _value_pairs(
    ratings: Ratings, counts: Floats, n_clusters: int
) -> tuple[Ints, Ints, Floats]:
    """Pairs c < d that some item holds, and their coincidences ``(clusters, pairs)``.

    A coincidence is counted both ways round: 2 r_ic r_id / (r_i - 1).
    """
    item, value = ratings.item, ratings.value
    n_judges = counts.sum(1)
    firsts, seconds = within_item_pairs(item)
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


def within_item_pairs(item: Ints) -> tuple[Ints, Ints]:
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


_ALL = (
    Measure(
        key="fleiss",
        name="Fleiss' kappa",
        formula="(p − e) / (1 − e) over all judges at once",
        source="Fleiss 1971; missing data: Gwet 2014",
        terms=("Fleiss' kappa",),
        meaning="agreement of any number of people beyond chance, estimated from all "
        "values together",
        compute=_fleiss,
    ),
    Measure(
        key="alpha_nominal",
        name="Alpha, nominal",
        formula="1 − observed / expected disagreement",
        source="Krippendorff 2019",
        terms=("nominal alpha",),
        meaning="Krippendorff's alpha for labels: two values are equal or not",
        compute=_alpha_nominal,
    ),
    Measure(
        key="alpha_ordinal",
        name="Alpha, ordinal",
        formula="1 − observed / expected squared difference of ranks",
        source="Krippendorff 2019",
        terms=("ordinal alpha",),
        meaning="Krippendorff's alpha in which a difference counts by the ranks "
        "between the values",
        compute=_alpha_ordinal,
        needs=("order",),
    ),
    Measure(
        key="alpha_interval",
        name="Alpha, interval",
        formula="1 − observed / expected squared difference of points",
        source="Krippendorff 2019",
        terms=("interval alpha",),
        meaning="Krippendorff's alpha in which a difference counts by the points "
        "between the values",
        compute=_alpha_interval,
        needs=("order",),
    ),
    Measure(
        key="ac1",
        name="Gwet's AC1",
        formula="(p − e) / (1 − e), e = Σ π(c) (1 − π(c)) / (k − 1)",
        source="Gwet 2008",
        terms=("AC1",),
        meaning="agreement beyond chance, where chance stays small if almost all "
        "values are the same",
        compute=_ac1,
        needs=("two points",),
    ),
    Measure(
        key="ac2",
        name="Gwet's AC2, quadratic",
        formula="AC1 with quadratic weights",
        source="Gwet 2014",
        terms=("AC2",),
        meaning="AC1 in which a disagreement counts by its squared distance",
        compute=_ac2,
        needs=("order", "two points"),
    ),
    Measure(
        key="raw_pooled",
        name="Same value, all pairs of judgments",
        formula="mean over items of the share of its pairs of judgments that agree",
        source="",
        terms=("pooled agreement",),
        meaning="share of an item's pairs of judgments with the same value, averaged "
        "over items",
        compute=_raw_pooled,
    ),
)
POOLED = {one.key: one for one in _ALL}
"""Measures of any number of annotators at once."""


def pooled_reason(measure: str, ratings: Ratings) -> str:
    """Why a measure has no value on these ratings."""
    scale = ratings.scale
    if not ratings.n:
        return Reason.NOT_JUDGED
    if len(np.unique(ratings.annotator)) < 2:
        return Reason.ONE_ANNOTATOR
    if np.bincount(ratings.item).max() < 2:
        return Reason.ONE_JUDGE % {"n": len(ratings.items)}
    if measure in POOLED and (reason := POOLED[measure].lacks(scale)):
        return reason
    value = scale.labels[int(ratings.value[0])]
    return "; ".join([Reason.NO_DIFFERENCE % {"value": value}, Reason.ALL_AGREE % {}])
