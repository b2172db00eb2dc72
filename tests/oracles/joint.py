"""Every pair of dependency trees of two linked sentences, from the definition."""

from itertools import product

import numpy as np

from core.data.check import Floats, Ints
from tests.oracles.arcs import Heads, dependency_trees, weight


def cost_of(a: Heads, b: Heads, pairs: Ints, low: Floats, high: Floats) -> float:
    """What the disagreements of two trees over linked words cost."""
    total = 0.0
    for (i, (s, t)), (j, (u, v)) in product(enumerate(pairs), enumerate(pairs)):
        if i == j or u == 0:
            continue
        d = int(a[u - 1] + 1 == s) - int(b[v - 1] + 1 == t)
        if d:
            total += high[i, j] if d < 0 else -low[i, j]
    return total


def best_pair(
    source: Floats,
    target: Floats,
    pairs: Ints,
    low: Floats,
    high: Floats,
    *,
    projective: bool,
) -> float:
    """The score of the best pair of all; -inf if none is allowed."""
    best = -np.inf
    ours, theirs = (
        [(w, tree) for tree in trees if (w := weight(tree, arcs)) > -np.inf]
        for arcs, trees in (
            (arcs, dependency_trees(len(arcs) - 1, projective=projective))
            for arcs in (source, target)
        )
    )
    for (x, a), (y, b) in product(ours, theirs):
        if x + y > best:
            best = max(best, x + y - cost_of(a, b, pairs, low, high))
    return best
