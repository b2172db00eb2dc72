"""Every derivation of a forest, from the definition."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from core.data.check import Floats
from core.data.forest import Forest

Edges = tuple[int, ...]


def derivations(forest: Forest, v: int | None = None) -> Iterator[Edges]:
    """The edges of each, in preorder, below node v, or the root."""
    if not forest.n_nodes:
        return
    for e in forest.edges_of(forest.root if v is None else v):
        below = [list(derivations(forest, t)) for t in forest.tails_of(e).tolist()]
        for parts in product(*below):
            yield (e, *(edge for part in parts for edge in part))


def weigh(edges: Edges, weights: Floats) -> float:
    return float(sum(weights[e] for e in edges))


def allowed(forest: Forest, weights: Floats) -> dict[Edges, float]:
    """The derivations of finite weight with their weights."""
    weights_of = {edges: weigh(edges, weights) for edges in derivations(forest)}
    return {edges: w for edges, w in weights_of.items() if w > -np.inf}
