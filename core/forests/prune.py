"""Smaller forests. Conventions as in ``core.forests.inside``."""

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.data.forest import EMPTY_FOREST, Forest
from core.forests.kernels import forest as kernels
from core.forests.viterbi import inside_max

__all__ = ["max_marginals", "prune", "restrict"]


def prune(forest: Forest, weights: Floats, *, margin: float) -> tuple[Forest, Floats]:
    """The edges used by some derivation that weighs at least the best less ``margin``
    nats, and their weights; both empty if there is no derivation."""
    through = max_marginals(forest, weights)
    best = through.max(initial=-np.inf)
    if best == -np.inf:
        return EMPTY_FOREST, np.empty(0)
    return restrict(forest, weights, through >= best - margin - 1e-9)


def max_marginals(forest: Forest, weights: Floats) -> Floats:
    """Per edge, the weight of the best derivation through it, ``-inf`` if none."""
    values, _ = inside_max(forest, weights)
    through = np.empty(forest.n_edges)
    if forest.n_nodes:
        kernels.max_marginals(
            weights,
            values,
            forest.first_edge,
            forest.first_tail,
            forest.tails,
            np.empty(forest.n_nodes),
            through,
        )
    return through


def restrict(
    forest: Forest, weights: Floats, kept: NDArray[np.bool_]
) -> tuple[Forest, Floats]:
    """The forest of the edges where ``kept`` (bool) holds; what no longer leads from
    words to the root is left out too. Both empty if nothing does."""
    arity = np.diff(forest.first_tail)
    owner = np.repeat(np.arange(forest.n_edges), arity)  # edge of each tail
    alive = kernels.connected(
        kept, forest.first_edge, forest.first_tail, forest.tails, forest.n_nodes
    )
    if not alive.any():
        return EMPTY_FOREST, np.empty(0)
    nodes = np.unique(forest.heads[alive])
    new_id = np.zeros(forest.n_nodes, dtype=np.int32)
    new_id[nodes] = np.arange(len(nodes))
    n_edges = np.bincount(forest.heads[alive], minlength=forest.n_nodes)[nodes]
    smaller = Forest(
        forest.names,
        forest.labels[nodes],
        forest.starts[nodes],
        forest.ends[nodes],
        np.concatenate([[0], np.cumsum(n_edges)]).astype(np.int32),
        np.concatenate([[0], np.cumsum(arity[alive])]).astype(np.int32),
        new_id[forest.tails[alive[owner]]],
    )
    return smaller, weights[alive]
