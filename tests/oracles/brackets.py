"""Every labelled tree over n tokens, from the definition: no binarisation in sight."""

from collections.abc import Iterator
from functools import cache
from itertools import product

from core.data.check import Floats

Brackets = frozenset[tuple[int, int, int]]


def divisions(i: int, j: int) -> Iterator[list[tuple[int, int]]]:
    """Every way to cut [i, j) into at least two parts."""
    for k in range(i + 1, j):
        for rest in [[(k, j)], *divisions(k, j)]:
            yield [(i, k), *rest]


def phrases(i: int, j: int, n_labels: int) -> Iterator[Brackets]:
    """Every tree whose top is a phrase over [i, j), or a bare word."""
    labels = [frozenset({(i, j, x)}) for x in range(1, n_labels)]
    if j - i == 1:
        yield from [*labels, frozenset()]
        return
    for top, below in product(labels, rows(i, j, n_labels)):
        yield top | below


def rows(i: int, j: int, n_labels: int) -> Iterator[Brackets]:
    """Every sequence of at least two trees that covers [i, j)."""
    for parts in divisions(i, j):
        for trees in product(*(list(phrases(a, b, n_labels)) for a, b in parts)):
            yield frozenset().union(*trees)


def sentences(n: int, n_labels: int) -> Iterator[Brackets]:
    """Every analysis of n tokens: one tree, or several side by side."""
    yield from phrases(0, n, n_labels)
    if n > 1:
        yield from rows(0, n, n_labels)


@cache
def cells(n: int, n_labels: int) -> dict[Brackets, list[tuple[int, int, int]]]:
    """Of every analysis, the scores it sums: labels, bare words, unlabelled rests."""
    return {
        tree: [*tree, *((i, j, 0) for i, j in unlabelled(tree, n))]
        for tree in sentences(n, n_labels)
    }


def weights(scores: Floats) -> dict[Brackets, float]:
    """Every analysis with its weight."""
    rows, flat = cells(len(scores) - 1, scores.shape[2]), scores.tolist()
    return {tree: sum(flat[i][j][x] for i, j, x in row) for tree, row in rows.items()}


def unlabelled(tree: Brackets, n: int) -> list[tuple[int, int]]:
    """Bare words, the sentence if it has no label, and the rests of each phrase."""
    spans = {(i, j) for i, j, _ in tree} | {(i, i + 1) for i in range(n)}
    rests = [(i, i + 1) for i in range(n) if not any(t[:2] == (i, i + 1) for t in tree)]
    if n > 1 and (0, n) not in spans:
        rests.append((0, n))
    for i, j in {*spans, (0, n)}:
        inside = {s for s in spans if i <= s[0] and s[1] <= j and s != (i, j)}
        parts = [s for s in inside if not any(_within(s, t) for t in inside)]
        starts = sorted(part[0] for part in parts)
        rests += [(start, j) for start in starts[1:-1]]
    return rests


def _within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return inner != outer and outer[0] <= inner[0] and inner[1] <= outer[1]
