"""Each annotator against the others, against gold, and against themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.chance import pair_columns, pair_reason
from core.agreement.figures import (
    Estimate,
    Figure,
    Undefined,
    cluster_sums,
    figure,
    ratio,
    resample,
)
from core.agreement.words import Reason
from core.data.check import Floats, Ints
from core.data.ratings import Ratings


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One annotator's use of the scale.

    ``used``: how often each value, in the order of the scale. ``bias``: the mean of
    own value less the mean of the others on the same items, in points; Undefined on
    labels without order. ``repeat``: share of items given the same value again.
    """

    annotator: str
    n: int
    used: tuple[int, ...]
    bias: Figure
    repeat: Figure


def judge_rows(ratings: Ratings) -> list[JudgeRow]:
    """A row for each annotator, in their order."""
    people, size = len(ratings.annotators), ratings.scale.size
    cells = ratings.annotator.astype(np.int64) * size + ratings.value
    used = np.bincount(cells, minlength=people * size).reshape(people, size)
    biases, repeats = bias_of(ratings), repeats_of(ratings)
    return [
        JudgeRow(name, int(row.sum()), tuple(map(int, row)), bias, repeat)
        for name, row, bias, repeat in zip(
            ratings.annotators, used, biases, repeats, strict=True
        )
    ]


def gaps(ratings: Ratings) -> Floats:
    """Own value less the mean of the others on that item, in points; NaN if alone."""
    points = np.array(ratings.scale.points)
    values = points[ratings.value]
    n_items = len(ratings.items)
    sums = np.bincount(ratings.item, values, n_items)[ratings.item]
    counts = np.bincount(ratings.item, minlength=n_items)[ratings.item]
    return np.asarray(values - ratio(sums - values, counts - 1))


def beyond_chance(
    ratings: Ratings,
    annotators: Sequence[int] | None = None,
    *,
    replicates: int = 0,
    seed: int = 0,
) -> list[Figure]:
    """How far each of the ``annotators`` (all if None) agrees with the others beyond
    chance; ``n`` counts shared items.

    1 less observed over expected disagreement, over all pairs of own and another's
    value of an item: 1 is perfect, 0 is chance, below 0 is worse. Disagreement is the
    squared distance, or 0 and 1 on labels without order; chance pairs own values with
    those of others at random (Cohen 1968, "Weighted kappa", for one against many).
    Undefined where nothing is shared, or chance leaves nothing to disagree on. The
    interval is of ``replicates`` over clusters.
    """
    n_clusters = int(ratings.cluster.max(initial=-1)) + 1
    weights = resample(n_clusters, replicates, np.random.default_rng(seed))
    counts = ratings.counts().astype(np.float64)
    places = range(len(ratings.annotators)) if annotators is None else annotators
    return [_beyond(ratings, place, counts, weights) for place in places]


def _beyond(ratings: Ratings, place: int, counts: Floats, weights: Floats) -> Figure:
    mine, size = ratings.annotator == place, ratings.scale.size
    points = np.array(ratings.scale.points) if ratings.scale.is_ordered else None
    apart = 1 - np.eye(size) if points is None else (points[:, None] - points) ** 2
    item, value = ratings.item[mine], ratings.value[mine]
    others = counts[item]
    others[np.arange(len(item)), value] -= 1
    n_others = others.sum(1)
    own = np.zeros((len(item), size))
    own[np.arange(len(item)), value] = n_others
    between = (apart[value] * others).sum(1)
    rows = np.column_stack([n_others, between, own, others])
    sums = weights @ cluster_sums(rows, ratings.cluster[item], weights.shape[1])
    total, observed = sums[:, 0], sums[:, 1]
    expected = ((sums[:, 2 : 2 + size] @ apart) * sums[:, 2 + size :]).sum(1)
    column = ratio(observed * total, expected)
    held = n_others > 0
    reason: str = Reason.SHARES_NONE
    if held.any():
        reason = Reason.NO_DIFFERENCE % {"value": ratings.scale.labels[value[0]]}
    n_clusters = len(np.unique(ratings.cluster[item[held]]))
    return figure(1 - column, int(held.sum()), reason, clusters=n_clusters)


def bias_of(ratings: Ratings) -> list[Figure]:
    """Each annotator's mean gap, with a normal interval over their shared items."""
    if not ratings.scale.is_ordered:
        reason = Reason.NO_ORDER % {"scale": ratings.scale.name}
        return [Undefined(reason) for _ in ratings.annotators]
    gap = gaps(ratings)
    rows: list[Figure] = []
    for place in range(len(ratings.annotators)):
        mine = gap[(ratings.annotator == place) & np.isfinite(gap)]
        if not len(mine):
            rows.append(Undefined(Reason.SHARES_NONE))
            continue
        mean, n = float(mine.mean()), len(mine)
        half = 1.96 * float(mine.std(ddof=1)) / n**0.5 if n > 1 else None
        if half is None:
            rows.append(Estimate(mean, None, None, n, Reason.ONE_ITEM))
        else:
            rows.append(Estimate(mean, mean - half, mean + half, n))
    return rows


def repeats_of(ratings: Ratings) -> list[Figure]:
    """Each annotator's share of repeated items that got the same value again."""
    rows: list[Figure] = []
    for place in range(len(ratings.annotators)):
        mine = ratings.repeats[ratings.repeats[:, 1] == place]
        if len(mine):
            same = float((mine[:, 2] == mine[:, 3]).mean())
            rows.append(Estimate(same, None, None, len(mine)))
        else:
            rows.append(Undefined(Reason.NO_REPEAT))
    return rows


def against_gold(ratings: Ratings, gold: Ints) -> dict[str, list[Figure]]:
    """``raw`` and ``cohen`` of each annotator against the gold codes of the items.

    ``gold``: int32 ``(n_items,)``, -1 where an item has none.
    """
    figures: dict[str, list[Figure]] = {"raw": [], "cohen": []}
    truth = gold[ratings.item]
    for place in range(len(ratings.annotators)):
        mine = (ratings.annotator == place) & (truth >= 0)
        x, y = ratings.value[mine], truth[mine]
        cluster = ratings.cluster[ratings.item[mine]]
        n_clusters = int(ratings.cluster.max(initial=-1)) + 1
        columns = pair_columns(x, y, cluster, ratings.scale, np.ones((1, n_clusters)))
        for name, row in figures.items():
            reason = pair_reason(name, x, ratings.scale)
            if not len(x):
                reason = Reason.NO_GOLD_ITEM
            row.append(figure(columns[name], len(x), reason, clusters=n_clusters))
    return figures


def changes(guideline: Ints) -> list[tuple[int, float]]:
    """The points at which an annotator moved to another version of the guidelines:
    (version, share before).

    ``guideline``: its version for each item in the order judged, 0 = none. The share
    is that of the items judged before the change; the version begun with is left out.
    """
    at = np.flatnonzero(guideline[1:] != guideline[:-1]) + 1
    return [(int(guideline[i]), float(i / len(guideline))) for i in at if guideline[i]]


def drift(gap: Floats, *, parts: int = 5) -> list[tuple[int, float]]:
    """Mean of the gaps in equal parts of the time: (n, mean) in order.

    ``gap``: one annotator's gaps in the order judged, NaN where alone; parts without
    a gap are left out.
    """
    held = gap[np.isfinite(gap)]
    pieces = np.array_split(held, min(parts, max(len(held), 1)))
    return [(len(piece), float(piece.mean())) for piece in pieces if len(piece)]


def moved(gap: Floats, *, parts: int = 5) -> Estimate | None:
    """Return how much higher the last part of the time is than the first, in points;
    None with fewer than two gaps in a part.

    ``gap`` as for ``drift``. The 95 % interval is of a difference of two means with
    variances of their own (Welch 1947), by the normal quantile.
    """
    held = gap[np.isfinite(gap)]
    if len(held) < 2 * parts:
        return None
    pieces = np.array_split(held, parts)
    first, last = pieces[0], pieces[-1]
    value = float(last.mean() - first.mean())
    error = float(first.var(ddof=1) / len(first) + last.var(ddof=1) / len(last)) ** 0.5
    return Estimate(value, value - 1.96 * error, value + 1.96 * error, len(held))
