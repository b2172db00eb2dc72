"""Best-worst scaling: scores of items from choices, and how far they can be relied on.

A judge picks the best and the worst of a few items. An item's score is the share of its
judgments that chose it as best, less the share that chose it as worst: -1 to 1 (Orme
2009). Scores are compared with scores, never with single answers, so reliability is the
rank correlation between scores from two halves of the judgments (Kiritchenko & Mohammad
2017, "Best-worst scaling more reliable than rating scales", ACL).

A choice also compares what it holds in pairs: the best is preferred to all others, and
all others to the worst. With two items it is a pairwise comparison.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.correlation import spearman
from core.agreement.figures import (
    Estimate,
    Figure,
    Undefined,
    cluster_sums,
    figure,
    ratio,
    resample,
)
from core.agreement.judgments.dataset import Dataset
from core.agreement.words import Reason
from core.data.check import Floats, Ints
from core.data.ratings import Scale

LABELS = ("-1", "0", "1")  # worst, neither, best
SPLITS = 100
FEWEST = 3  # items with a score in both halves
MOST_STEPS = 10_000  # of minorisation and maximisation
CLOSE = 1e-10


@dataclass(frozen=True, slots=True)
class Preference:
    """How often one condition was preferred to another; indices of conditions.

    ``won, lost``: choices that preferred the first, the second; ``share``: of these the
    first ones; ``undecided``: choices that held both and chose neither.
    """

    first: int
    second: int
    won: int
    lost: int
    undecided: int
    share: Figure


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


def preferences(
    data: Dataset, question: int, *, replicates: int = 1000, seed: int = 0
) -> list[Preference]:
    """Each two conditions that a choice told apart, by first looks; intervals resample
    clusters. O(k^2 (choices + replicates x clusters)) for k conditions."""
    values, cluster = _by_condition(data, question)
    n_clusters = int(cluster.max(initial=-1)) + 1
    weights = resample(n_clusters, replicates, np.random.default_rng(seed))
    found = []
    for first in range(values.shape[1]):
        for second in range(first + 1, values.shape[1]):
            apart = values[:, first] - values[:, second]
            told = np.column_stack([apart > 0, apart < 0]).astype(float)
            won, lost = (int(n) for n in told.sum(0))
            if not won + lost:
                continue
            sums = cluster_sums(told, cluster, n_clusters)
            wins, losses = (weights @ sums).T
            column = ratio(wins, wins + losses)
            known = int((sums.sum(1) > 0).sum())
            share = figure(column, won + lost, Reason.FEW_JUDGED_TWICE, clusters=known)
            undecided = int((apart == 0).sum())
            found.append(Preference(first, second, won, lost, undecided, share))
    return found


def strengths(found: Sequence[Preference], n_conditions: int) -> Floats:
    """Log strengths of the model of Bradley & Terry 1952, with mean 0: the difference
    of two is the log odds that the first is preferred. ``(n_conditions,)``.

    By minorisation and maximisation (Hunter 2004, "MM algorithms for generalized
    Bradley-Terry models", equation 3). NaN where a condition met no other, and for all
    where they are not finite: some were never preferred to any of the rest (Ford 1957).
    O(k^2) a step.
    """
    won = np.zeros((n_conditions, n_conditions))
    for one in found:
        won[one.first, one.second], won[one.second, one.first] = one.won, one.lost
    known = np.flatnonzero((won + won.T).any(1))
    logs, won = np.full(n_conditions, np.nan), won[np.ix_(known, known)]
    reach = (won > 0) | np.eye(len(won), dtype=bool)
    for _ in range(len(won)):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    if not reach.all():
        return logs
    met, total, strength = won + won.T, won.sum(1), np.ones(len(won))
    for _ in range(MOST_STEPS):
        fresh = total / (met / (strength[:, None] + strength)).sum(1)
        fresh /= np.exp(np.log(fresh).mean())
        moved = np.abs(np.log(fresh / strength)).max(initial=0)
        strength = fresh
        if moved < CLOSE:
            break
    logs[known] = np.log(strength)
    return logs


def _by_condition(data: Dataset, question: int) -> tuple[Floats, Ints]:
    """The mean value of each condition's items in each choice, NaN where it has none,
    ``(choices, k)``, and the cluster of each choice."""
    item, values = _choices(data, question)
    judge = data.annotator[_rows(data, question)].astype(np.int64)
    places = data.instance[item].astype(np.int64) * max(len(data.annotators), 1)
    _, first, choice = np.unique(places + judge, return_index=True, return_inverse=True)
    means = np.full((len(first), len(data.conditions)), np.nan)
    for condition in range(len(data.conditions)):
        mine = np.zeros(len(data.items), bool)
        mine[data.credit[data.credit[:, 0] == condition, 1]] = True
        held = mine[item]
        counts = np.bincount(choice[held], minlength=len(first))
        sums = np.bincount(choice[held], values[held], len(first))
        means[:, condition] = ratio(sums, counts)
    return means, data.cluster[item[first]]


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
    return ratio(np.bincount(item, values, n_items), counts)


def _halves(instance: Ints, rng: np.random.Generator) -> Ints:
    """0 or 1 for each choice, as evenly as can be among those of one instance."""
    order = np.lexsort((rng.random(len(instance)), instance))
    first = np.r_[True, instance[order][1:] != instance[order][:-1]]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    offset = rng.integers(0, 2, len(order))[np.cumsum(first) - 1]
    half = np.empty(len(order), np.int32)
    half[order] = (np.arange(len(order)) - starts + offset) % 2
    return half
