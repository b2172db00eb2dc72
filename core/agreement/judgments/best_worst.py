"""Best-worst scaling: scores of items from choices, and how far they can be relied on.

A judge picks the best and the worst of a few items. An item's score is the share of its
judgments that chose it as best, less the share that chose it as worst: -1 to 1 (Orme
2009). Scores are compared with scores, never with single answers, so reliability is the
rank correlation between scores from two halves of the judgments (Kiritchenko & Mohammad
2017, "Best-worst scaling more reliable than rating scales", ACL).
"""

import numpy as np

from core.agreement.correlation import spearman
from core.agreement.figures import Estimate, Figure, Undefined
from core.agreement.judgments.dataset import Dataset
from core.agreement.words import Reason
from core.data.check import Floats, Ints
from core.data.ratings import Scale

LABELS = ("-1", "0", "1")  # worst, neither, best
SPLITS = 100
FEWEST = 3  # items with a score in both halves


def scale(name: str) -> Scale:
    """The scale on which such choices are stored."""
    return Scale.span(name, -1, 1)


def scores(data: Dataset, question: int) -> Floats:
    """Of every item, from first looks; NaN where there is no judgment. ``(m,)``."""
    item, values = _choices(data, question)
    return _scores(item, values, len(data.items))


def split_half(data: Dataset, question: int, *, seed: int = 0) -> Figure:
    """Mean rank correlation over ``SPLITS`` halves of the judgments; ``n`` items.

    A judge's choice among the items of one instance stays in one half. The interval
    holds the middle 95 % of the splits: it is not one of sampling. Undefined if fewer
    than ``FEWEST`` items were judged by two people.
    """
    item, values = _choices(data, question)
    judge = data.annotator[_rows(data, question)].astype(np.int64)
    places = data.instance[item].astype(np.int64) * max(len(data.annotators), 1)
    choices, choice = np.unique(places + judge, return_inverse=True)
    instance = choices // max(len(data.annotators), 1)
    rng, found, shared = np.random.default_rng(seed), [], 0
    for _ in range(SPLITS):
        half = _halves(instance, rng)[choice]
        parts = [
            _scores(item[half == h], values[half == h], len(data.items)) for h in (0, 1)
        ]
        both = np.isfinite(parts[0]) & np.isfinite(parts[1])
        shared = max(shared, int(both.sum()))
        enough = both.sum() >= FEWEST
        rho = spearman(parts[0][both], parts[1][both]) if enough else np.nan
        if np.isfinite(rho):
            found.append(rho)
    if not found:
        return Undefined(Reason.FEW_JUDGED_TWICE, shared)
    low, high = (float(np.quantile(found, q)) for q in (0.025, 0.975))
    return Estimate(float(np.mean(found)), low, high, shared)


def _rows(data: Dataset, question: int) -> Ints:
    held = (data.round == 1) & data.counted & (data.values[:, question] >= 0)
    return np.flatnonzero(held).astype(np.int32)


def _choices(data: Dataset, question: int) -> tuple[Ints, Floats]:
    """Item and value (-1, 0, 1) of every first look."""
    rows = _rows(data, question)
    points = np.array(data.questions[question].scale.points)
    return data.item[rows], points[data.values[rows, question]]


def _scores(item: Ints, values: Floats, n_items: int) -> Floats:
    counts = np.bincount(item, minlength=n_items)
    out = np.full(n_items, np.nan)
    sums = np.bincount(item, values, n_items)
    np.divide(sums, counts, out=out, where=counts > 0)
    return out


def _halves(instance: Ints, rng: np.random.Generator) -> Ints:
    """0 or 1 for each choice, as evenly as can be among those of one instance."""
    order = np.lexsort((rng.random(len(instance)), instance))
    first = np.r_[True, instance[order][1:] != instance[order][:-1]]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    offset = rng.integers(0, 2, len(order))[np.cumsum(first) - 1]
    half = np.empty(len(order), np.int32)
    half[order] = (np.arange(len(order)) - starts + offset) % 2
    return half
