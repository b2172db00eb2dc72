"""Every alignment of a pair that ITG can build, from the definition."""

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np

Links = tuple[tuple[int, int], ...]


def alignments(n_source: int, n_target: int) -> Iterator[Links]:
    """All one-to-one link sets, whether or not ITG can build them."""
    for k in range(min(n_source, n_target) + 1):
        for sources in combinations(range(n_source), k):
            for targets in permutations(range(n_target), k):
                yield tuple(zip(sources, targets, strict=True))


def rules(order: tuple[int, ...]) -> tuple[int, int] | None:
    """How many straight and inverted rules build this order; None if none can.

    Wu 1997: cut in two; all of one part must lie below all of the other.
    """
    if len(order) < 2:
        return 0, 0
    for cut in range(1, len(order)):
        left, right = order[:cut], order[cut:]
        if max(left) < min(right) or max(right) < min(left):
            parts = rules(left), rules(right)
            if None in parts:
                return None
            straight, inverted = (a + b for a, b in zip(*parts, strict=True))
            is_straight = max(left) < min(right)
            return straight + is_straight, inverted + (not is_straight)
    return None


def weighed(weights) -> dict[Links, float]:
    """The weight in nats of every alignment that ITG can build."""
    table: dict[Links, float] = {}
    for links in alignments(*weights.shape):
        counts = rules(tuple(t for _, t in links))
        if counts is None:
            continue
        sources, targets = ({pair[side] for pair in links} for side in (0, 1))
        total = sum(weights.links[i, j] for i, j in links)
        total += sum(x for i, x in enumerate(weights.source_nulls) if i not in sources)
        total += sum(x for j, x in enumerate(weights.target_nulls) if j not in targets)
        total += counts[0] * weights.straight + counts[1] * weights.inverted
        if total > -np.inf:
            table[links] = float(total)
    return table
