"""Sums over all derivations of a forest; marginals; entropy.

A derivation weighs the (x)-product of its edges' weights. ``weights``: float64 per
edge, nats, ``-inf`` forbids; marginals are expected numbers of uses, which for nodes
over spans are probabilities. An empty forest has no derivation. All functions raise
InvalidScores on another shape or dtype, on NaN or +inf. Time is linear in the forest.

The probability of each labelled bracket, over all trees of a forest.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from core.data import check
from core.data.check import Floats
from core.data.forest import Forest
from core.errors import InvalidScores
from core.forests.derivation import chain_labels
from core.forests.kernels import forest as kernels

Bracket = tuple[int, int, str]  # start, end, label


def inside_log(forest: Forest, weights: Floats) -> Floats:
    """Per node, the log of the summed weights of the derivations below it.

    The root's is the last (Goodman 1999, "Semiring Parsing", with log-sum-exp and +).
    """
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
    """Return the probability of each node and each edge; zeros if there is no
    derivation."""
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
            f"weights: expected one per edge ({forest.n_edges}), got {weights.shape}"
        )


def bracket_chances(forest: Forest, weights: Floats) -> dict[Bracket, float]:
    """Return the probability of each label of each span, at most 1. Labels of a chain
    count one by one, one that is there twice counts once. Where two nodes over one span
    in one derivation have the label, it is a bound from above."""
    chances: dict[Bracket, float] = {}
    p_node, _ = forest_marginals(forest, weights)
    for v, p in enumerate(p_node.tolist()):
        for label in set(chain_labels(forest.name(v))):
            place = bracket_of(forest, v, label)
            chances[place] = min(1.0, chances.get(place, 0.0) + p)
    return chances


def bracket_of(forest: Forest, v: int, label: str) -> Bracket:
    """The index of a label of node ``v`` in ``bracket_chances``."""
    return int(forest.starts[v]), int(forest.ends[v]), label


def expected_f1(brackets: Sequence[Bracket], chances: Mapping[Bracket, float]) -> float:
    """The F1, 0 to 1, that the forest expects of a tree with these brackets: twice the
    brackets expected right, over those given and those expected to be right in all.

    A quotient of expectations, not the expectation of a quotient. 0.0 of no brackets.
    Equal brackets, as of a chain NP over NP, count once on both sides, so that it is
    at most 1.
    ``chances``: of ``bracket_chances``. Goodman 1996, "Parsing Algorithms and Metrics".
    """
    given = set(brackets)
    right = sum(chances.get(bracket, 0.0) for bracket in given)
    n = len(given) + sum(chances.values())
    return 2 * right / n if n else 0.0
