"""Consistent phrase pairs, from the definition: every pair of spans is asked."""

from collections.abc import Collection, Iterator
from itertools import product


def spans(n: int, limit: int) -> Iterator[tuple[int, int]]:
    for i, j in product(range(n), range(1, n + 1)):
        if 1 <= j - i <= limit:
            yield i, j


def consistent_pairs(
    n_e: int, n_f: int, links: Collection[tuple[int, int]], limit: int
) -> set[tuple[int, int, int, int]]:
    """Och and Ney 2004: a link is inside on both sides or on none, and one is."""
    pairs = set()
    for (i, j), (k, m) in product(spans(n_e, limit), spans(n_f, limit)):
        sides = [(i <= e < j, k <= f < m) for e, f in links]
        if any(a and b for a, b in sides) and all(a == b for a, b in sides):
            pairs.add((i, j, k, m))
    return pairs


def loose_words(
    i: int, j: int, k: int, m: int, links: Collection[tuple[int, int]]
) -> int:
    """Unaligned words before the first and behind the last aligned, on both sides."""
    es = [e for e, _ in links if i <= e < j]
    fs = [f for _, f in links if k <= f < m]
    return min(es) - i + j - 1 - max(es) + min(fs) - k + m - 1 - max(fs)
