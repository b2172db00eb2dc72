"""Pack span scores into a forest of all trees within a margin of the best.

Nodes are labelled spans from narrow to wide, per span by label (0 = none), then a top
node whose edges choose among the nodes over the sentence. ``forests.kernels.spans``
defines which brackets may combine.
"""

import numpy as np

from core.compiled import njit
from core.data.check import Floats, Ints


@njit(cache=True)
def keep_nodes(
    scores: Floats,
    free: Floats,
    outside: Floats,
    complete: Floats,
    either_t: Floats,
    split: Ints,
    threshold: float,
    first_node: Ints,
    nodes: Ints,
    value: Floats,
) -> int:
    """Write ``(label, start, end)`` and inside value of the nodes to keep; how many.

    The nodes over [i, j) come from ``first_node[i, j]`` to ``first_node[j, i]``. Stops
    when ``nodes`` is full and returns its length plus one.
    """
    n = scores.shape[0] - 1
    count = 0
    for width in range(1, n + 1):
        for i in range(n + 1 - width):
            j = i + width
            k = split[i, j]
            body = 0.0 if width == 1 else complete[i, k] + either_t[j, k]
            first_node[i, j] = count
            for x in range(scores.shape[2]):
                below = scores[i, j, x] + body
                around = free[i, j] if x == 0 else outside[i, j]
                if below == -np.inf or around + below < threshold:
                    continue
                if count == nodes.shape[0]:
                    return count + 1
                nodes[count, 0], nodes[count, 1], nodes[count, 2] = x, i, j
                value[count] = below
                count += 1
            first_node[j, i] = count
    return count


@njit(cache=True)
def keep_edges(
    scores: Floats,
    free: Floats,
    outside: Floats,
    threshold: float,
    first_node: Ints,
    nodes: Ints,
    value: Floats,
    max_edges: int,
) -> tuple[Ints, Ints, Ints, Floats]:
    """First edge per node (top included), first tail per edge, tails, edge weights.

    Cut short, with more than ``max_edges`` edges, if that many are met.
    """
    n, n_nodes = scores.shape[0] - 1, nodes.shape[0]
    first_edge = np.zeros(n_nodes + 2, dtype=np.int32)
    capacity = 4 * n_nodes + 16
    tails = np.empty(2 * capacity, dtype=np.int32)
    first_tail = np.zeros(capacity + 1, dtype=np.int32)
    weights = np.empty(capacity)
    count, used = 0, 0
    for v in range(n_nodes):
        x, i, j = nodes[v, 0], nodes[v, 1], nodes[v, 2]
        own = scores[i, j, x]
        if j - i == 1:
            weights[count] = own
            count += 1
            first_tail[count] = used
        around = own + (free[i, j] if x == 0 else outside[i, j]) - threshold
        for k in range(i + 1, j):
            for a in range(first_node[i, k], first_node[k, i]):
                if nodes[a, 0] == 0 and k - i > 1:
                    continue
                for b in range(first_node[k, j], first_node[j, k]):
                    if around + value[a] + value[b] < 0.0:
                        continue
                    weights[count] = own
                    tails[used], tails[used + 1] = a, b
                    count += 1
                    used += 2
                    first_tail[count] = used
                    if count > max_edges:
                        return first_edge, first_tail[: count + 1], tails, weights
                    if count + n_nodes + 2 > weights.shape[0]:
                        weights = np.concatenate((weights, weights))
                        tails = np.concatenate((tails, tails))
                        first_tail = np.concatenate((first_tail, first_tail))
        first_edge[v + 1] = count
    for v in range(first_node[0, n], n_nodes):
        weights[count] = 0.0
        tails[used] = v
        count += 1
        used += 1
        first_tail[count] = used
    first_edge[n_nodes + 1] = count
    return first_edge, first_tail[: count + 1], tails[:used], weights[:count]
