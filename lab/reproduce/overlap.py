"""Baselines of a score of pairs: word overlap and edit distance."""

from collections import Counter
from collections.abc import Callable, Sequence


def jaccard(source: Sequence[str], target: Sequence[str]) -> float:
    """Common word types over all word types, in lower case."""
    a, b = ({word.lower() for word in side} for side in (source, target))
    return len(a & b) / len(a | b)


def dice(source: Sequence[str], target: Sequence[str]) -> float:
    """Twice the common words over all words, with their multiplicity."""
    return 2 * _common(source, target) / (len(source) + len(target))


def overlap(source: Sequence[str], target: Sequence[str]) -> float:
    """The common words over the words of the longer side."""
    return _common(source, target) / max(len(source), len(target))


def edit_similarity(source: Sequence[str], target: Sequence[str]) -> float:
    """1 less Levenshtein's distance over the words of both sides. O(T V)."""
    a, b = ([word.lower() for word in side] for side in (source, target))
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            cost = min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
            corner, row[j] = row[j], cost
    return 1 - row[-1] / (len(a) + len(b))


def _common(source: Sequence[str], target: Sequence[str]) -> int:
    counts = [Counter(word.lower() for word in side) for side in (source, target)]
    return sum((counts[0] & counts[1]).values())


BASELINES: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "jaccard": jaccard,
    "dice": dice,
    "overlap": overlap,
    "edit": edit_similarity,
}
