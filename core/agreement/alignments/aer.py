"""Two sets of links over the same sentence pairs: F1 and alignment error rate."""

from collections.abc import Hashable, Sequence

from core.agreement.figures import Estimate, Figure, Undefined
from core.agreement.words import Reason

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
