"""Sums over all derivations of a forest, for any semiring; marginals; entropy.

A derivation weighs the (x)-product of its edges' weights. ``weights``: float64 per
edge, nats, ``-inf`` forbids; marginals are expected numbers of uses, which for nodes
over spans are probabilities. An empty forest has no derivation. All functions raise
InvalidScores on another shape or dtype, on NaN or +inf. Time is linear in the forest.
"""

from typing import TypeVar

import numpy as np

from core.data import check
from core.data.check import Floats
from core.data.forest import Forest
from core.errors import InvalidScores
from core.kernels import forest as kernels
from core.semiring import Semiring

__all__ = [
    "check_weights",
    "entropy",
    "forest_log_partition",
    "forest_marginals",
    "inside",
    "inside_log",
    "outside",
]

T = TypeVar("T")


def inside(forest: Forest, weights: Floats, semiring: Semiring[T]) -> list[T]:
    """Per node, the (+)-sum of the derivations below it; the root's is the last.

    The readable pass; ``inside_log`` is its compiled form for LOG.
    """
    check_weights(forest, weights)
    values: list[T] = []
    for v in range(forest.n_nodes):
        total = semiring.zero
        for e in forest.edges_of(v):
            product = semiring.lift(float(weights[e]))
            for tail in forest.tails_of(e):
                product = semiring.times(product, values[tail])
            total = semiring.plus(total, product)
        values.append(total)
    return values


def outside(
    forest: Forest, weights: Floats, semiring: Semiring[T], below: list[T]
) -> list[T]:
    """Per node, the (+)-sum of what surrounds it in derivations of the root.

    ``below``: the result of ``inside``. (x) must commute.
    """
    check_weights(forest, weights)
    values = [semiring.zero] * forest.n_nodes
    if values:
        values[-1] = semiring.one
    for v in range(forest.n_nodes - 1, -1, -1):
        for e in forest.edges_of(v):
            above = semiring.times(values[v], semiring.lift(float(weights[e])))
            tails = forest.tails_of(e).tolist()
            for at, tail in enumerate(tails):
                around = above
                for sister in tails[:at] + tails[at + 1 :]:
                    around = semiring.times(around, below[sister])
                values[tail] = semiring.plus(values[tail], around)
    return values


def inside_log(forest: Forest, weights: Floats) -> Floats:
    """``inside`` with LOG as an array ``(n_nodes,)``."""
    check_weights(forest, weights)
    values = np.empty(forest.n_nodes)
    kernels.inside_log(
        weights, forest.first_edge, forest.first_tail, forest.tails, values
    )
    return values


def forest_log_partition(forest: Forest, weights: Floats) -> float:
    """The log of the summed weights of all derivations; ``-inf`` if there is none."""
    values = inside_log(forest, weights)
    return float(values[-1]) if len(values) else -np.inf


def forest_marginals(forest: Forest, weights: Floats) -> tuple[Floats, Floats]:
    """How probable each node and each edge is; zeros if there is no derivation."""
    values = inside_log(forest, weights)
    p_node, p_edge = np.zeros(forest.n_nodes), np.zeros(forest.n_edges)
    if len(values) and values[-1] > -np.inf:
        kernels.marginals(
            weights,
            values,
            forest.first_edge,
            forest.first_tail,
            forest.tails,
            p_node,
            p_edge,
        )
    return p_node, p_edge


def entropy(forest: Forest, weights: Floats) -> float:
    """The entropy over derivations in nats, 0 if there is none or only one.

    H = log Z - E[weight] (Hwa 2004, "Sample Selection for Statistical Parsing").
    """
    log_z = forest_log_partition(forest, weights)
    if log_z == -np.inf:
        return 0.0
    p_edge = forest_marginals(forest, weights)[1]
    used = p_edge > 0.0
    return max(0.0, log_z - float(p_edge[used] @ weights[used]))


def check_weights(forest: Forest, weights: Floats) -> None:
    """Check that there is one float64 weight per edge, none NaN or +inf."""
    check.nats(weights=weights)
    if weights.shape != (forest.n_edges,):
        raise InvalidScores(
            f"weights: one per edge ({forest.n_edges}) wanted, got {weights.shape}"
        )
