"""The disagreements with the largest effect, and the items behind a figure."""

from dataclasses import dataclass

import numpy as np

from core.agreement.figures import ratio
from core.agreement.judgments.conditions import item_scores
from core.agreement.judgments.dataset import Bools, Dataset
from core.data.check import Floats, Ints
from core.data.ratings import Ratings

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ItemChoice:
    """Which items a figure counted; every field narrows them, None does not.

    A *range* is a first and a last code. ``pair``: both judged it. ``values``: the
    first judge of the pair (of any pair) gave a code in the first range, the other one
    in the second. ``same``: whether all values are the same. ``by, value``: this judge
    gave a code in the range (any judge, if ``by`` is None).
    ``condition``: produced it. ``correct``: at least half of its judges reach the
    threshold, or fewer; ``together``: those of all scales. ``shared``: two judges or
    more. ``again``: this judge judged it twice. ``gold``: it has a gold value.
    """

    question: int = 0
    pair: tuple[int, int] | None = None
    values: tuple[Range, Range] | None = None
    same: bool | None = None
    by: int | None = None
    value: Range | None = None
    condition: int | None = None
    correct: bool | None = None
    together: bool | None = None
    shared: bool | None = None
    again: bool | None = None
    gold: bool | None = None


def behind(data: Dataset, case: ItemChoice) -> Ints:
    """The items that the case asks for, in order: int32."""
    ratings = data.ratings(case.question, checks=bool(case.gold))
    keep = np.zeros(len(data.items), bool)
    keep[ratings.item] = True
    if case.pair or case.values:
        keep &= _paired(ratings, case)
    counts = ratings.counts()
    if case.shared is not None:
        keep &= (counts.sum(1) >= 2) == case.shared
    if case.same is not None:
        keep &= (counts.sum(1) >= 2) & ((counts > 0).sum(1) == 1) == case.same
    if case.by is not None or case.value is not None:
        keep &= _given(ratings, case)
    if case.again:
        again = np.zeros(len(data.items), bool)
        mine = ratings.repeats[:, 1] == case.by if case.by is not None else slice(None)
        again[ratings.repeats[mine, 0]] = True
        keep &= again
    if case.gold:
        keep &= data.gold[:, case.question] >= 0
    if case.condition is not None:
        made = np.zeros(len(data.items), bool)
        made[data.credit[data.credit[:, 0] == case.condition, 1]] = True
        keep &= made
    if case.correct is not None:
        keep &= _verdict(data, case)
    return np.flatnonzero(keep).astype(np.int32)


def _given(ratings: Ratings, case: ItemChoice) -> Bools:
    rows = np.ones(ratings.n, bool)
    if case.by is not None:
        rows &= ratings.annotator == case.by
    if case.value is not None:
        rows &= (ratings.value >= case.value[0]) & (ratings.value <= case.value[1])
    keep = np.zeros(len(ratings.items), bool)
    keep[ratings.item[rows]] = True
    return keep


def _paired(ratings: Ratings, case: ItemChoice) -> Bools:
    """Items where an ordered pair of judges (or this one) gave the two values."""
    keep = np.zeros(len(ratings.items), bool)
    by_judge = np.full((len(ratings.annotators), len(ratings.items)), -1, np.int32)
    by_judge[ratings.annotator, ratings.item] = ratings.value
    pairs = [case.pair] if case.pair else _all_pairs(len(ratings.annotators))
    for a, b in pairs:
        both = (by_judge[a] >= 0) & (by_judge[b] >= 0)
        if case.values:
            for judge, (low, high) in zip((a, b), case.values, strict=True):
                both &= (by_judge[judge] >= low) & (by_judge[judge] <= high)
        keep |= both
    return keep


def _all_pairs(n: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(n) for b in range(a + 1, n)]


def _verdict(data: Dataset, case: ItemChoice) -> Bools:
    """Items that were judged correct by half of their judges, or were not."""
    graded = data.graded()
    if case.question not in graded and not case.together:
        return np.ones(len(data.items), bool)
    thresholds = tuple(float(data.questions[q].threshold or 0) for q in graded)
    scores = item_scores(data.judged(), thresholds, n_items=len(data.items))
    column = -1 if case.together else graded.index(case.question)
    held = np.isfinite(scores[:, column])
    return np.asarray(held & ((scores[:, column] >= 0.5) == case.correct))


def distance(ratings: Ratings) -> Floats:
    """Greatest difference between two judges of each item ``(n_items,)``.

    The distance in points; for labels without order, the number of different labels
    minus one.
    """
    counts = ratings.counts() > 0
    if not ratings.scale.is_ordered:
        return np.asarray(np.maximum(counts.sum(1) - 1, 0), np.float64)
    points = np.array(ratings.scale.points)
    high = np.where(counts, points, -np.inf).max(1, initial=-np.inf)
    low = np.where(counts, points, np.inf).min(1, initial=np.inf)
    return np.asarray(np.where(counts.any(1), high - low, 0.0))


def item_agreement(ratings: Ratings) -> Floats:
    """Share of pairs of judges that agree on each item; NaN with fewer than two."""
    counts = ratings.counts().astype(np.float64)
    n = counts.sum(1)
    return ratio((counts**2).sum(1) - n, n * (n - 1))


def disagreement(ratings: Ratings) -> Floats:
    """Return what each item adds to alpha's observed disagreement: ``(n_items,)``, 0
    with fewer than two judges. O(n_items k).

    Squared differences of points on an ordered scale, else pairs of other labels.
    """
    counts = ratings.counts().astype(np.float64)
    n = counts.sum(1)
    if ratings.scale.is_ordered:
        points = ratings.scale.unit_points()
        inside = 2 * (n * (counts @ points**2) - (counts @ points) ** 2)
    else:
        inside = n**2 - (counts**2).sum(1)
    observed: Floats = np.where(n >= 2, inside / np.maximum(n - 1, 1), 0)
    return observed


def leverage(ratings: Ratings) -> Floats:
    """Alpha without each item less alpha: ``(n_items,)``; 0 with fewer than two judges.

    Interval alpha on an ordered scale, nominal alpha on labels. Great values are the
    items that cost the most agreement. O(n_items k).
    """
    counts = ratings.counts().astype(np.float64)
    n = counts.sum(1)
    counts = np.where(n[:, None] >= 2, counts, 0)
    n = counts.sum(1)
    if ratings.scale.is_ordered:
        points = ratings.scale.unit_points()
        squares, sums = counts @ points**2, counts @ points
        rest = n.sum() - n
        outside = 2 * (rest * (squares.sum() - squares) - (sums.sum() - sums) ** 2)
        whole = 2 * (n.sum() * squares.sum() - sums.sum() ** 2)
    else:
        rest = n.sum() - n
        outside = rest**2 - ((counts.sum(0) - counts) ** 2).sum(1)
        whole = n.sum() ** 2 - (counts.sum(0) ** 2).sum()
    observed = disagreement(ratings)
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = 1 - observed.sum() * (n.sum() - 1) / whole
        without = 1 - (observed.sum() - observed) * (rest - 1) / outside
    change = np.where((n >= 2) & np.isfinite(without), without - alpha, 0.0)
    return np.asarray(change) if np.isfinite(alpha) else np.zeros(len(n))
