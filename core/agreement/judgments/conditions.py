"""Table 6 of Callison-Burch 2008: the share of correct judgments of each condition.

A *credit* says that a condition produced an item for an instance (one phrase in one
sentence). An item that several conditions produced was judged once and is credited to
all of them. A judgment is correct on a scale if its value reaches the threshold, and
correct on all if it is so on every scale. An item scores the mean over its judges, a
condition the mean over its credits that were judged; its coverage is the number of
instances that it produced anything for.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from core.agreement.figures import Figure, figure, held_sums, ratio, resample
from core.agreement.paired import holm, sign_flip_p
from core.agreement.words import Reason
from core.data.check import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class JudgedItems:
    """``item``: int32 ``(n,)``; ``values``: float64 ``(n, n_scales)``, NaN = no value.

    One row is one annotator's judgment of one item.
    """

    item: Ints
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Credits:
    """``condition, item, instance``: int32 ``(m,)``; ``cluster`` of each instance."""

    conditions: tuple[str, ...]
    condition: Ints
    item: Ints
    instance: Ints
    cluster: Ints


@dataclass(frozen=True, slots=True)
class Difference:
    """Condition less baseline, over ``n`` instances that both have judged.

    ``p``: sign flips by cluster, two-sided; ``p_holm``: corrected for the number of
    conditions compared in this column.
    """

    figure: Figure
    n: int
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """One line of the table; ``figures`` per scale, then all scales together.

    ``covered``: instances it produced an item for, of ``n_instances``; ``judged``:
    its credits whose item has a judgment; ``differences``: None for the baseline.
    """

    condition: str
    covered: int
    n_instances: int
    judged: int
    figures: tuple[Figure, ...]
    differences: tuple[Difference, ...] | None


def condition_table(
    judged: JudgedItems,
    credits: Credits,
    thresholds: tuple[float, ...],
    *,
    baseline: int = 0,
    replicates: int = 2000,
    seed: int = 0,
) -> list[ConditionRow]:
    """One row per condition, in their order; intervals resample clusters."""
    rng = np.random.default_rng(seed)
    scores = item_scores(judged, thresholds, n_items=_n_items(judged, credits))
    n_clusters = int(credits.cluster.max(initial=-1)) + 1
    weights = resample(n_clusters, replicates, rng)
    cells = _instance_scores(scores, credits)
    tests = _tests(cells, credits, baseline, weights, rng)
    means = _means(scores, credits, weights)
    rows = []
    for place, name in enumerate(credits.conditions):
        mine = credits.condition == place
        given = scores[credits.item[mine]]
        n_judged = int(np.isfinite(given).any(axis=1).sum()) if mine.any() else 0
        rows.append(
            ConditionRow(
                name,
                len(np.unique(credits.instance[mine])),
                len(credits.cluster),
                n_judged,
                means[place],
                tests.get(place),
            )
        )
    return rows


def threshold_strip(
    judged: JudgedItems, credits: Credits, choices: tuple[tuple[float, ...], ...]
) -> dict[tuple[float, ...], Floats]:
    """By choice of thresholds, one of each scale's ``choices``: the score of every
    condition on every scale and on all, float64 ``(n_conditions, n_scales + 1)``;
    NaN where a condition has nothing judged."""
    n_items = _n_items(judged, credits)
    strip = {}
    for choice in product(*choices):
        scores = item_scores(judged, choice, n_items=n_items)[credits.item]
        n_conditions = len(credits.conditions)
        strip[choice] = ratio(*held_sums(scores, credits.condition, n_conditions))
    return strip


def item_scores(
    judged: JudgedItems, thresholds: tuple[float, ...], *, n_items: int
) -> Floats:
    """Share of judgments that were correct: ``(n_items, n_scales + 1)``, NaN = none.

    A judgment without a value on one scale counts on the other scales, but not on all
    scales together.
    """
    missing = np.isnan(judged.values)
    passed = np.where(missing, np.nan, judged.values >= np.array(thresholds))
    together = np.where(missing.any(axis=1), np.nan, passed.min(axis=1, initial=1))
    table = np.column_stack([passed, together])
    return ratio(*held_sums(table, judged.item, n_items))


def _n_items(judged: JudgedItems, credits: Credits) -> int:
    return int(max(judged.item.max(initial=-1), credits.item.max(initial=-1))) + 1


def _means(
    scores: Floats, credits: Credits, weights: Floats
) -> list[tuple[Figure, ...]]:
    """The mean score of each condition's credits, by condition and column."""
    n_clusters, n = weights.shape[1], len(credits.conditions)
    given = scores[credits.item]
    cell = credits.cluster[credits.instance] * np.int32(n) + credits.condition
    shape = n_clusters, n * given.shape[1]
    sums, counts = held_sums(given, cell, n_clusters * n)
    bottom = weights @ counts.reshape(shape)
    columns = ratio(weights @ sums.reshape(shape), bottom)
    n_of = (counts.reshape(shape) > 0).sum(0)
    rows = []
    for place, name in enumerate(credits.conditions):
        reason = Reason.CONDITION_NOT_JUDGED % {"condition": name}
        at = range(place * given.shape[1], (place + 1) * given.shape[1])
        rows.append(
            tuple(
                figure(columns[:, c], int(bottom[0, c]), reason, clusters=int(n_of[c]))
                for c in at
            )
        )
    return rows


def _instance_scores(scores: Floats, credits: Credits) -> Floats:
    """Mean score by condition and instance: ``(n_conditions, n_instances, columns)``;
    several ranks of one condition on one instance are averaged."""
    n, m = len(credits.conditions), len(credits.cluster)
    cell = credits.condition * np.int32(m) + credits.instance
    cells = ratio(*held_sums(scores[credits.item], cell, n * m))
    return cells.reshape(n, m, -1)


def _tests(
    cells: Floats,
    credits: Credits,
    baseline: int,
    weights: Floats,
    rng: np.random.Generator,
) -> dict[int, tuple[Difference, ...]]:
    """Every other condition against the baseline; Holm within each column."""
    others = [at for at in range(len(cells)) if at != baseline]
    gaps = cells[others] - cells[baseline]  # (others, instances, columns)
    n_others, _, n_columns = gaps.shape
    flat = gaps.transpose(1, 0, 2).reshape(gaps.shape[1], -1)
    held = np.isfinite(flat)
    n_clusters = weights.shape[1]
    sums, counts = held_sums(flat, credits.cluster, n_clusters)
    columns = ratio(weights @ sums, weights @ counts)
    p_values = np.array(sign_flip_p(sums, rng)).reshape(n_others, n_columns)
    adjusted = np.array([holm(list(column)) for column in p_values.T]).T
    reason = Reason.CONDITIONS_NOT_SHARED
    differences = {}
    for place, other in enumerate(others):
        row = []
        for column in range(n_columns):
            at = place * n_columns + column
            n, n_of = int(held[:, at].sum()), int((counts[:, at] > 0).sum())
            gap = figure(columns[:, at], n, reason, clusters=n_of)
            p, p_holm = float(p_values[place, column]), float(adjusted[place, column])
            row.append(Difference(gap, n, p, p_holm))
        differences[other] = tuple(row)
    return differences
