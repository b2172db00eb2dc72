"""A chart as a packed forest: what is probable enough, as arrays of edges."""

import numpy as np

from core.compiled import njit
from core.data.check import Floats, Ints
from core.parsing.kernels.charts import Bools, Pairings


@njit(cache=True)
def pack(
    n: int, pairings: Pairings, by_start: Ints, chain_end: Ints, p_chain: Floats,
    chain_name: Ints, coarse: Ints, bounds: Ints, scale: Floats, built: Ints,
    built_in: Floats, leaf_weight: Floats, chained: Ints, chained_in: Floats,
    chained_out: Floats, threshold: float, nodes: Ints, n_edges: Ints, tails: Ints,
    weights: Floats,
) -> tuple[int, int]:  # fmt: skip
    """The number of nodes and of edges; -1, -1 if there is no room for them.

    ``nodes``: rows (name, start, end), parts first; ``n_edges``: of each node, whose
    edges stand in order; ``tails``: rows of two, -1 where there is none.
    ``leaf_weight``: of built rows that are words. The root, if it has a derivation,
    is the last node.
    """
    n_states = len(pairings.by_left) - 1
    kinds = np.zeros(coarse.max() + 1, dtype=np.bool_)
    above, below, part = np.zeros(n_states), np.zeros(n_states), np.zeros(n_states)
    place = np.full(n_states, -1, dtype=np.int64)
    leaf = np.full(n_states, -1, dtype=np.int64)
    node_of = np.full(len(chained), -1, dtype=np.int64)
    pairs, pair_weight = np.empty((len(tails), 3), dtype=np.int64), np.empty(len(tails))
    used = np.zeros(2, dtype=np.int64)  # nodes and edges so far
    for width in range(1, n + 1):
        for i in range(n + 1 - width):
            j, cell = i + width, i * (n + 1) + i + width
            for x in range(bounds[cell, 2], bounds[cell, 3]):
                for c in range(by_start[chained[x]], by_start[chained[x] + 1]):
                    above[chain_end[c]] += p_chain[c] * chained_out[x]
            count = _pairs(
                n, i, j, pairings, above, coarse, bounds, scale, chained, chained_in,
                node_of, part, place, kinds, threshold, pairs, pair_weight,
            )  # fmt: skip
            if count < 0:
                return -1, -1
            for b in range(bounds[cell, 0], bounds[cell, 1]):
                below[built[b]] = built_in[b]
                if width > 1 or above[built[b]] * built_in[b] <= threshold:
                    continue
                if used[0] == len(nodes) or used[1] == len(tails):
                    return -1, -1
                leaf[built[b]] = used[0]
                nodes[used[0], 0], nodes[used[0], 1], nodes[used[0], 2] = 0, i, j
                tails[used[1], 0], tails[used[1], 1] = -1, -1
                n_edges[used[0]], weights[used[1]] = 1, leaf_weight[b]
                used += 1
            for x in range(bounds[cell, 2], bounds[cell, 3]):
                for c in range(by_start[chained[x]], by_start[chained[x] + 1]):
                    above[chain_end[c]] = 0.0
            for x in range(bounds[cell, 2], bounds[cell, 3]):
                node_of[x] = _node(
                    i, j, chained[x], chained_out[x], by_start, chain_end, p_chain,
                    chain_name, below, leaf, pairs, pair_weight, count, threshold,
                    nodes, n_edges, tails, weights, used,
                )  # fmt: skip
                if node_of[x] == -2:
                    return -1, -1
            for b in range(bounds[cell, 0], bounds[cell, 1]):
                below[built[b]], leaf[built[b]] = 0.0, -1
    return used[0], used[1]


@njit(cache=True)
def _pairs(
    n: int, i: int, j: int, pairings: Pairings, above: Floats, coarse: Ints,
    bounds: Ints, scale: Floats, chained: Ints, chained_in: Floats, node_of: Ints,
    part: Floats, place: Ints, kinds: Bools, threshold: float, pairs: Ints,
    weight: Floats,
) -> int:  # fmt: skip
    """Probable pairings of a cell: rows (built state, left node, right node)."""
    by_left, kind, begin, right, head, p_rule = pairings
    cell, count = i * (n + 1) + j, 0
    for k in range(i + 1, j):
        le, ri = i * (n + 1) + k, k * (n + 1) + j
        factor = np.exp(scale[le] + scale[ri] - scale[cell])
        for y in range(bounds[ri, 2], bounds[ri, 3]):
            if node_of[y] >= 0:
                part[chained[y]] = chained_in[y] * factor
                place[chained[y]] = node_of[y]
                kinds[coarse[chained[y]]] = True
        for x in range(bounds[le, 2], bounds[le, 3]):
            if node_of[x] < 0:
                continue
            for g in range(by_left[chained[x]], by_left[chained[x] + 1]):
                if not kinds[kind[g]]:
                    continue
                for r in range(begin[g], begin[g + 1]):
                    p = above[head[r]] * p_rule[r] * chained_in[x] * part[right[r]]
                    if p > threshold:
                        if count == len(pairs):
                            return -1
                        pairs[count, 0] = head[r]
                        pairs[count, 1] = node_of[x]
                        pairs[count, 2] = place[right[r]]
                        weight[count] = np.log(p_rule[r])
                        count += 1
        for y in range(bounds[ri, 2], bounds[ri, 3]):
            part[chained[y]] = 0.0
            kinds[coarse[chained[y]]] = False
    return count


@njit(cache=True)
def _node(
    i: int, j: int, state: int, out: float, by_start: Ints, chain_end: Ints,
    p_chain: Floats, chain_name: Ints, below: Floats, leaf: Ints, pairs: Ints,
    pair_weight: Floats, count: int, threshold: float, nodes: Ints, n_edges: Ints,
    tails: Ints, weights: Floats, used: Ints,
) -> int:  # fmt: skip
    """The node of a chained state: -1 if it is improbable, -2 if there is no room.

    A node a chain, each with copies of the edges of the chain's end; where there are
    several chains, a nameless node above them.
    """
    first, n_options, only = used[0], 0, -1
    for c in range(by_start[state], by_start[state + 1]):
        end = chain_end[c]
        if out * p_chain[c] * below[end] <= threshold:
            continue
        if used[0] + 2 > len(nodes) or used[1] + count + 2 > len(tails):
            return -2
        v, e, begin = used[0], used[1], used[1]
        if leaf[end] >= 0:
            tails[e, 0], tails[e, 1], weights[e] = leaf[end], -1, np.log(p_chain[c])
            e += 1
        for q in range(count):
            if pairs[q, 0] == end:
                tails[e, 0], tails[e, 1] = pairs[q, 1], pairs[q, 2]
                weights[e] = pair_weight[q] + np.log(p_chain[c])
                e += 1
        if e > begin:
            nodes[v, 0], nodes[v, 1], nodes[v, 2] = chain_name[c], i, j
            n_edges[v], only = e - begin, v
            used[0], used[1], n_options = v + 1, e, n_options + 1
    if n_options < 2:
        return only
    v, e = used[0], used[1]
    if e + n_options > len(tails):
        return -2
    nodes[v, 0], nodes[v, 1], nodes[v, 2], n_edges[v] = 0, i, j, n_options
    for o in range(n_options):
        tails[e + o, 0], tails[e + o, 1], weights[e + o] = first + o, -1, 0.0
    used[0], used[1] = v + 1, e + n_options
    return v
