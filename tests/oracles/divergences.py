"""Divergences between definition vectors, cell by cell, from the definitions."""

from collections.abc import Sequence
from itertools import pairwise
from math import log


def definition(
    sentences: Sequence[Sequence[str]], word: str, contexts: Sequence[str]
) -> list[float]:
    """Counts of [w c], [w other], [c w], [other w]; "\\n" stands between sentences."""
    stream = ["\n"]
    for sentence in sentences:
        stream += [*sentence, "\n"]
    right = [0.0] * (len(contexts) + 1)
    left = [0.0] * (len(contexts) + 1)
    for a, b in pairwise(stream):
        if a == word:
            right[contexts.index(b) if b in contexts else -1] += 1
        if b == word:
            left[contexts.index(a) if a in contexts else -1] += 1
    return right + left


def smoothed(row: Sequence[float], alpha: float) -> list[float]:
    filled = [count or alpha for count in row]
    return [value / sum(filled) for value in filled]


def divergence(p: Sequence[float], q: Sequence[float]) -> float:
    return sum(a * log(a / b) for a, b in zip(p, q, strict=True))
