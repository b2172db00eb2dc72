"""How good a score is at telling positives from negatives, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.agreement.figures import Figure, figure, resample
from core.data.check import Floats
from core.errors import InvalidValue

Booleans = NDArray[np.bool_]
MEASURES = ("ap", "cws", "cws_ranks", "accuracy", "precision", "recall", "f1", "auc")


@dataclass(frozen=True, slots=True)
class RankingReport:
    """``figures`` by the names in ``MEASURES``, each with a 95 % interval; ``columns``
    the same per replicate ``(1 + replicates,)``, the sample first, for paired gains."""

    figures: dict[str, Figure]
    columns: dict[str, Floats]
    threshold: float
    n: int


def average_precision(scores: Floats, positive: Booleans) -> float:
    """Uninterpolated: the mean, over the positives, of the precision at their rank.

    Expected over the orders of ties. NaN without a positive.
    """
    ones = np.ones((1, len(scores)))
    return float(_ranked(scores, positive, ones)["ap"][0])


def confidence_weighted(
    scores: Floats, positive: Booleans, *, threshold: float
) -> float:
    """The mean over ranks k of the accuracy of the k most confident decisions.

    Decided positive above ``threshold``; confidence is the distance from it (Dagan et
    al. 2005, section 3.2: pairs in the order of confidence, right or wrong), expected
    over the orders of ties.
    """
    ones = np.ones((1, len(scores)))
    return float(_confident(scores, positive, ones, threshold)[0])


def auc(scores: Floats, positive: Booleans) -> float:
    """The share of (positive, negative) pairs in the right order; ties count half."""
    ones = np.ones((1, len(scores)))
    return float(_ranked(scores, positive, ones)["auc"][0])


def best_threshold(scores: Floats, positive: Booleans) -> float:
    """The threshold of the highest accuracy: halfway between two scores. O(n log n)."""
    order = np.argsort(-scores, kind="stable")
    ranked, truth = scores[order], positive[order]
    right = np.cumsum(np.where(truth, 1, -1))
    ends = np.flatnonzero(np.r_[ranked[1:] != ranked[:-1], True])
    if not len(ends) or right[ends].max() <= 0:
        return float(scores.max(initial=0.0))
    last = int(ends[right[ends].argmax()])
    if last + 1 == len(ranked):
        return float(np.nextafter(ranked[last], -np.inf))
    return float((ranked[last] + ranked[last + 1]) / 2)


def evaluate(
    scores: Floats,
    positive: Booleans,
    *,
    threshold: float,
    replicates: int = 1000,
    seed: int = 0,
    clusters: Sequence[int] | None = None,
) -> RankingReport:
    """All measures, with percentile bootstrap intervals over pairs (or clusters).

    ``cws``: by distance from the threshold; ``cws_ranks``: the mean precision at every
    rank, which Wu 2005 also calls confidence-weighted score. The same seed draws the
    same samples, so columns of two scores on one set are paired. Raises InvalidValue.
    """
    if scores.shape != positive.shape or not np.isfinite(scores).all():
        raise InvalidValue("expected one finite score per pair")
    n = len(scores)
    of = np.arange(n) if clusters is None else np.asarray(clusters)
    n_clusters = int(of.max(initial=-1)) + 1
    weights = resample(n_clusters, replicates, np.random.default_rng(seed))[:, of]
    columns = _ranked(scores, positive, weights)
    columns |= _decided(scores > threshold, positive, weights)
    columns["cws"] = _confident(scores, positive, weights, threshold)
    figures = {
        name: figure(columns[name], n, "one class is missing", clusters=n_clusters)
        for name in MEASURES
    }
    return RankingReport(figures, columns, threshold, n)


def _ratio(above: Floats, below: Floats) -> Floats:
    out = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out


def _over_ranks(
    right: Booleans, tied: NDArray[np.int64], weights: Floats
) -> tuple[Floats, Floats]:
    """The share of ``right`` among the first k, its mean over the ranks of the right
    ones and over all ranks, expected over the orders of ties.

    ``tied`` ``(n,)``: the place of each member's group, rising; ``weights``
    ``(replicates, n)``: how often each is there. With A members and H right ones before
    a group of N with P right ones, and d = 1 / (A + 1) + ... + 1 / (A + N):

        all ranks     H d + P / N (N - A d)
        right ones    P / N ((H + 1) d + (P - 1) / (N - 1) (N - (A + 1) d))

    McSherry & Najork 2008, "Computing Information Retrieval Performance Measures
    Efficiently in the Presence of Tied Scores".
    """
    if not len(tied):
        return (np.full(len(weights), np.nan),) * 2
    starts = np.flatnonzero(np.r_[True, tied[1:] != tied[:-1]])
    members = np.add.reduceat(weights, starts, axis=1)
    hits = np.add.reduceat(weights * right, starts, axis=1)
    a, h = np.cumsum(members, axis=1) - members, np.cumsum(hits, axis=1) - hits
    total = weights.sum(axis=1)
    harmonic = np.r_[0.0, np.cumsum(1.0 / np.arange(1, total.max() + 1))]
    d = harmonic[(a + members).astype(np.int64)] - harmonic[a.astype(np.int64)]
    share = hits / np.maximum(members, 1.0)
    after = (hits - 1) / np.maximum(members - 1, 1.0) * (members - (a + 1) * d)
    of_right = share * ((h + 1) * d + np.where(members > 1, after, 0.0))
    of_all = h * d + share * (members - a * d)
    n_right = hits.sum(axis=1)
    return _ratio(of_right.sum(axis=1), n_right), _ratio(of_all.sum(axis=1), total)


def _ranked(scores: Floats, positive: Booleans, weights: Floats) -> dict[str, Floats]:
    order = np.argsort(-scores, kind="stable")
    truth, weights = positive[order], weights[:, order]
    _, group = np.unique(-scores[order], return_inverse=True)
    above = np.zeros((len(weights), int(group.max(initial=-1)) + 1))
    below = np.zeros_like(above)
    if len(group):
        starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        above = np.add.reduceat(weights * truth, starts, axis=1)
        below = np.add.reduceat(weights * ~truth, starts, axis=1)
    before = np.cumsum(above, axis=1) - above / 2
    ordered = (below * before).sum(axis=1)
    ap, cws_ranks = _over_ranks(truth, group, weights)
    return {
        "ap": ap,
        "cws_ranks": cws_ranks,
        "auc": _ratio(ordered, above.sum(axis=1) * below.sum(axis=1)),
    }


def _decided(decided: Booleans, truth: Booleans, weights: Floats) -> dict[str, Floats]:
    hits = weights @ (decided & truth).astype(float)
    precision = _ratio(hits, weights @ decided.astype(float))
    recall = _ratio(hits, weights @ truth.astype(float))
    twice = _ratio(2 * hits, weights @ (decided.astype(float) + truth))
    right = weights @ (decided == truth).astype(float)
    accuracy = _ratio(right, weights.sum(axis=1))
    return {
        "accuracy": accuracy,
        "precision": precision,
        "recall": recall,
        "f1": twice,
    }


def _confident(
    scores: Floats, positive: Booleans, weights: Floats, threshold: float
) -> Floats:
    margins = np.abs(scores - threshold)
    order = np.argsort(-margins, kind="stable")
    right = ((scores > threshold) == positive)[order]
    _, tied = np.unique(-margins[order], return_inverse=True)
    return _over_ranks(right, tied, weights[:, order])[1]
