"""F1 and alignment error rate of two sets of links over the same sentence pairs.

Agreement of alignment layers, as Arase & Tsujii 2017 section 6.3 measure it.

    recall    |H & G & G'| / |G & G'|       what two annotators both linked is found
    precision |H & (G | G')| / |H|          what is found was linked by one of the two

over all pairs of annotators G, G' and then averaged. The human row takes each annotator
as H against the pairs of the others, and averages that. Counts are summed over the
sentence pairs before dividing; intervals resample sentence pairs.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.agreement.figures import Estimate, Figure, Undefined, figure, resample
from core.agreement.words import Reason
from core.data.check import Floats

LinkSets = Sequence[frozenset[Hashable]]
"""The links of one annotator or system: one set per sentence pair, in corpus order."""


def link_f1(predicted: LinkSets, gold: LinkSets) -> Figure:
    """F1 over all pairs, 2 |A & B| / (|A| + |B|); symmetric."""
    common = sum(len(a & b) for a, b in zip(predicted, gold, strict=True))
    total = sum(map(len, predicted)) + sum(map(len, gold))
    if not total:
        return Undefined(Reason.NEITHER_LINKED, len(predicted))
    return Estimate(2 * common / total, None, None, len(predicted))


def alignment_error_rate(
    predicted: LinkSets, sure: LinkSets, possible: LinkSets
) -> Figure:
    """AER = 1 - (|A & S| + |A & P|) / (|A| + |S|), P holding S (Och & Ney 2003)."""
    hits = size = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        hits += len(a & s) + len(a & (p | s))
        size += len(a) + len(s)
    if not size:
        return Undefined(Reason.NEITHER_LINKED, len(predicted))
    return Estimate(1 - hits / size, None, None, len(predicted))


@dataclass(frozen=True, slots=True)
class LayerScore:
    """Recall on the intersection, precision on the union."""

    recall: Figure
    precision: Figure


def score_layer(
    predicted: LinkSets,
    golds: Sequence[LinkSets],
    *,
    replicates: int = 2000,
    seed: int = 0,
) -> LayerScore:
    """``predicted`` against every pair of ``golds``; needs two annotators or more."""
    weights = resample(len(predicted), replicates, np.random.default_rng(seed))
    columns = _mean_over_pairs(predicted, golds, weights)
    return _score(columns, len(predicted), Reason.TWO_LINKERS)


def human_row(
    golds: Sequence[LinkSets], *, replicates: int = 2000, seed: int = 0
) -> LayerScore:
    """Each annotator against the others, averaged; needs three annotators."""
    n = len(golds[0]) if golds else 0
    weights = resample(n, replicates, np.random.default_rng(seed))
    reason = Reason.THREE_LINKERS % {"n": len(golds)}
    if len(golds) < 3:
        return LayerScore(Undefined(reason, n), Undefined(reason, n))
    each = [
        _mean_over_pairs(golds[at], [*golds[:at], *golds[at + 1 :]], weights)
        for at in range(len(golds))
    ]
    return _score(np.mean(each, axis=0), n, Reason.NO_SHARED_LINK)


def agreed_share(
    golds: Sequence[LinkSets], *, replicates: int = 2000, seed: int = 0
) -> Figure:
    """The share of links made by all, among those made by anyone (77 % in the
    paper)."""
    rows = [
        (len(frozenset.intersection(*sets)), len(frozenset().union(*sets)))
        for sets in zip(*golds, strict=True)
    ]
    weights = resample(len(rows), replicates, np.random.default_rng(seed))
    sums = weights @ np.array(rows, np.float64).reshape(-1, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        column = sums[:, 0] / sums[:, 1]
    return figure(column, len(rows), Reason.NO_LINK, clusters=len(rows))


def _score(columns: Floats, n: int, reason: str) -> LayerScore:
    return LayerScore(
        figure(columns[0], n, reason, clusters=n),
        figure(columns[1], n, reason, clusters=n),
    )


def _mean_over_pairs(
    predicted: LinkSets, golds: Sequence[LinkSets], weights: Floats
) -> Floats:
    """Recall and precision: ``(2, 1 + replicates)``, NaN where nothing is counted."""
    each = []
    for one, other in combinations(golds, 2):
        rows = [
            (len(h & g & k), len(g & k), len(h & (g | k)), len(h))
            for h, g, k in zip(predicted, one, other, strict=True)
        ]
        sums = weights @ np.array(rows, np.float64).reshape(-1, 4)
        with np.errstate(divide="ignore", invalid="ignore"):
            each.append([sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]])
    if not each:
        return np.full((2, len(weights)), np.nan)
    return np.asarray(np.mean(each, axis=0))
