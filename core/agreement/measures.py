"""All measures of one scale at once, each with its clustered bootstrap interval."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from core.agreement.alpha import (
    POOLED,
    pooled_columns,
    pooled_reason,
    within_item_pairs,
)
from core.agreement.chance import PAIRWISE, pair_columns, pair_reason
from core.agreement.figures import Estimate, Figure, Undefined, figure, ratio, resample
from core.agreement.words import Reason
from core.data.check import Floats, Ints
from core.data.ratings import Ratings

MEASURES = PAIRWISE | POOLED
"""Every measure by its key, in the order of reports."""
DRAWS_AT_MOST = 12_000_000  # clusters times replicates


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators (their places), their common items, and their figures."""

    first: int
    second: int
    n: int
    figures: dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The figures of one scale.

    Pairwise measures are the mean over the pairs of annotators that define them.
    ``n_shared``: items with two judges or more; ``replicates``: as drawn.
    """

    figures: dict[str, Figure]
    pairs: tuple[PairAgreement, ...]
    n_shared: int
    replicates: int
    seed: int


def measure_all(
    ratings: Ratings, *, replicates: int = 2000, seed: int = 0, pairs: bool = True
) -> Agreement:
    """Every measure in ``MEASURES``, and the pairwise ones for each pair.

    Clusters are resampled, not items. Fewer replicates are drawn where clusters times
    replicates would pass 12 million. ``pairs``: keep an interval for every pair.
    """
    n_clusters = int(ratings.cluster.max(initial=-1)) + 1
    replicates = min(replicates, max(200, DRAWS_AT_MOST // max(n_clusters, 1)))
    weights = resample(n_clusters, replicates, np.random.default_rng(seed))
    n_shared = int((ratings.counts().sum(1) >= 2).sum())
    by_pair, figures = _over_pairs(ratings, weights, keep=pairs)
    columns = pooled_columns(ratings, weights)
    lost = np.full(1, np.nan)
    for name in POOLED:
        reason = pooled_reason(name, ratings)
        column = columns.get(name, lost) if _has_pair(ratings) else lost
        figures[name] = figure(column, n_shared, reason, clusters=n_clusters)
    ordered = {name: figures[name] for name in MEASURES}
    return Agreement(ordered, tuple(by_pair), n_shared, replicates, seed)


def _has_pair(ratings: Ratings) -> bool:
    return ratings.n > 0 and int(np.bincount(ratings.item).max()) >= 2


def _over_pairs(
    ratings: Ratings, weights: Floats, *, keep: bool
) -> tuple[list[PairAgreement], dict[str, Figure]]:
    """Figures of each pair, and their mean: replicate by replicate, over the pairs
    that define the measure there."""
    totals = {name: np.zeros(len(weights)) for name in PAIRWISE}
    defined = {name: np.zeros(len(weights)) for name in PAIRWISE}
    by_pair: list[PairAgreement] = []
    lost = np.full(1, np.nan)
    for first, second, items, x, y in shared_items(ratings):
        of = ratings.cluster[items]
        columns = pair_columns(x, y, of, ratings.scale, weights)
        for name, column in columns.items():
            good = np.isfinite(column)
            totals[name][good] += column[good]
            defined[name] += good
        n_of = len(np.unique(of))
        figures: dict[str, Figure] = {}
        for name in PAIRWISE:
            column = columns.get(name, lost)
            if np.isfinite(column[0]):
                column = column if keep else column[:1]
                figures[name] = figure(column, len(items), "", clusters=n_of)
            else:
                reason = pair_reason(name, x, ratings.scale)
                figures[name] = Undefined(reason, len(items))
        by_pair.append(PairAgreement(first, second, len(items), figures))
    return by_pair, _means(ratings, by_pair, totals, defined, weights.shape[1])


def _means(
    ratings: Ratings,
    by_pair: list[PairAgreement],
    totals: dict[str, Floats],
    defined: dict[str, Floats],
    n_clusters: int,
) -> dict[str, Figure]:
    """A pair that a replicate empties drops out of that replicate's mean."""
    n_shared = int((ratings.counts().sum(1) >= 2).sum())
    means: dict[str, Figure] = {}
    for name in PAIRWISE:
        column = ratio(totals[name], defined[name])
        reason = pooled_reason(name, ratings)
        if by_pair and isinstance(by_pair[0].figures[name], Undefined):
            why = sorted(
                {getattr(pair.figures[name], "reason", "") for pair in by_pair}
            )
            reason = "; ".join(why[:3])
        mean = figure(column, n_shared, reason, clusters=n_clusters)
        short = sum(isinstance(pair.figures[name], Undefined) for pair in by_pair)
        if short and isinstance(mean, Estimate):
            note = Reason.SOME_PAIRS % {"n": short, "all": len(by_pair)}
            note = f"{mean.note}; {note}" if mean.note else note
            mean = replace(mean, note=note)
        means[name] = mean
    return means


def shared_items(ratings: Ratings) -> Iterator[tuple[int, int, Ints, Ints, Ints]]:
    """Each pair of annotators with common items: places, items, values of each.

    O(n n_judges) plus the common items; annotators without common items are passed.
    """
    item, who, value = ratings.item, ratings.annotator, ratings.value
    n_people = max(len(ratings.annotators), 1)
    x, y = within_item_pairs(item)
    if not len(x):
        return
    key = who[x].astype(np.int64) * n_people + who[y]
    by_pair = np.argsort(key, kind="stable")
    cuts = np.flatnonzero(np.diff(key[by_pair])) + 1
    for part in np.split(by_pair, cuts):
        first, second = divmod(int(key[part[0]]), n_people)
        yield first, second, item[x[part]], value[x[part]], value[y[part]]
