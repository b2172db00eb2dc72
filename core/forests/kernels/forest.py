"""Passes over a packed forest given as the arrays of ``core.data.forest.Forest``.

Values are per node, weights per edge, all in nats; nodes come in topological order.
"""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Floats, Ints


@njit(cache=True)
def inside_log(
    weights: Floats, first_edge: Ints, first_tail: Ints, tails: Ints, value: Floats
) -> None:
    """Log-sum of the derivations below every node, into ``value``."""
    # Goodman 1999: in[v] = (+) over its edges e of w[e] (x) (x) over tails u of in[u];
    # here (+) is log-sum, in ``inside_max`` max, and (x) is +.
    for v in range(value.shape[0]):
        total = -np.inf
        for e in range(first_edge[v], first_edge[v + 1]):
            here = weights[e]
            for t in range(first_tail[e], first_tail[e + 1]):
                here += value[tails[t]]
            if here > -np.inf:
                high = max(here, total)
                total = high + np.log1p(np.exp(min(here, total) - high))
        value[v] = total


@njit(cache=True)
def inside_max(
    weights: Floats,
    first_edge: Ints,
    first_tail: Ints,
    tails: Ints,
    value: Floats,
    best_edge: Ints,
) -> None:
    """Weight of the best derivation of every node and its edge; ties: lowest edge."""
    for v in range(value.shape[0]):
        value[v] = -np.inf
        best_edge[v] = first_edge[v]
        for e in range(first_edge[v], first_edge[v + 1]):
            here = weights[e]
            for t in range(first_tail[e], first_tail[e + 1]):
                here += value[tails[t]]
            if here > value[v]:
                value[v] = here
                best_edge[v] = e


@njit(cache=True)
def read_off(best_edge: Ints, first_tail: Ints, tails: Ints) -> Ints:
    """The edges of the best derivation in preorder."""
    edges = np.empty(64, dtype=np.int32)
    stack = np.empty(64, dtype=np.int32)
    count, depth = 0, 1
    stack[0] = best_edge.shape[0] - 1
    while depth:
        depth -= 1
        e = best_edge[stack[depth]]
        if count == edges.shape[0]:
            edges = np.concatenate((edges, edges))
        edges[count] = e
        count += 1
        while depth + first_tail[e + 1] - first_tail[e] > stack.shape[0]:
            stack = np.concatenate((stack, stack))
        for t in range(first_tail[e + 1] - 1, first_tail[e] - 1, -1):
            stack[depth] = tails[t]
            depth += 1
    return edges[:count]


@njit(cache=True)
def marginals(
    weights: Floats,
    inside: Floats,
    first_edge: Ints,
    first_tail: Ints,
    tails: Ints,
    p_node: Floats,
    p_edge: Floats,
) -> None:
    """Fill (zeros) how often each node and edge is used on average, root first."""
    p_node[-1] = 1.0
    # Outside, already divided by Z: p[e] = p[v] exp(w[e] + sum of in[tails] - in[v]),
    # and p[u] is the sum of p[e] over the edges that u is a tail of.
    for v in range(p_node.shape[0] - 1, -1, -1):
        if p_node[v] == 0.0 or inside[v] == -np.inf:
            continue
        for e in range(first_edge[v], first_edge[v + 1]):
            here = weights[e] - inside[v]
            for t in range(first_tail[e], first_tail[e + 1]):
                here += inside[tails[t]]
            p_edge[e] = p_node[v] * np.exp(here)
            for t in range(first_tail[e], first_tail[e + 1]):
                p_node[tails[t]] += p_edge[e]


@njit(cache=True)
def max_marginals(
    weights: Floats,
    inside: Floats,
    first_edge: Ints,
    first_tail: Ints,
    tails: Ints,
    outside: Floats,
    through: Floats,
) -> None:
    """Weight of the best derivation through every edge, into ``through``.

    ``inside``: that of ``inside_max``; ``outside``: one a node, filled likewise.
    """
    outside[:] = -np.inf
    outside[-1] = 0.0
    for v in range(outside.shape[0] - 1, -1, -1):
        for e in range(first_edge[v], first_edge[v + 1]):
            here = weights[e] + outside[v]
            for t in range(first_tail[e], first_tail[e + 1]):
                here += inside[tails[t]]
            through[e] = here
            if here == -np.inf:
                continue
            for t in range(first_tail[e], first_tail[e + 1]):
                around = here - inside[tails[t]]
                outside[tails[t]] = max(outside[tails[t]], around)


@njit(cache=True)
def connected(
    kept: NDArray[np.bool_],
    first_edge: Ints,
    first_tail: Ints,
    tails: Ints,
    n_nodes: int,
) -> NDArray[np.bool_]:
    """Which of the edges ``kept`` are still used by derivations of the root."""
    derives = np.zeros(n_nodes, dtype=np.bool_)
    alive = kept.copy()
    for v in range(n_nodes):
        for e in range(first_edge[v], first_edge[v + 1]):
            for t in range(first_tail[e], first_tail[e + 1]):
                alive[e] &= derives[tails[t]]
            derives[v] |= alive[e]
    reached = np.zeros(n_nodes, dtype=np.bool_)
    if n_nodes:
        reached[-1] = True
    for v in range(n_nodes - 1, -1, -1):
        for e in range(first_edge[v], first_edge[v + 1]):
            alive[e] &= reached[v]
            if alive[e]:
                for t in range(first_tail[e], first_tail[e + 1]):
                    reached[tails[t]] = True
    return alive
