"""Inside and outside over a chart of sparse cells, in probabilities scaled by cell.

A cell's states stand in two lists: those just built (of two parts, or of a word), and
those after one unary chain, which a longer phrase may take as a part. Cell (i, j) is
number i * (n + 1) + j; its lists are rows ``bounds[cell]``: built from, to, chained
from, to. A true inside value is the stored one times exp(scale[cell]); an outside value
is stored so that stored inside times stored outside is a posterior probability. What is
probable enough is packed as arrays of edges.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Floats, Ints

Bools = NDArray[np.bool_]


class Pairings(NamedTuple):
    """Binary rules in runs: same left part, right parts of one coarse state.

    Runs of left part s are ``by_left[s] .. by_left[s + 1] - 1``; run g is rules
    ``begin[g] .. begin[g + 1] - 1``, whose right parts are kinds of ``kind[g]``. A
    cell without that coarse state is passed over by looking at the run alone.
    """

    by_left: Ints
    kind: Ints
    begin: Ints
    right: Ints
    head: Ints
    p: Floats


@njit(cache=True)
def inside(
    n: int, lex_first: Ints, lex_state: Ints, lex_value: Floats, pairings: Pairings,
    by_end: Ints, chain_start: Ints, p_chain: Floats, alive: Bools, coarse: Ints,
    bounds: Ints, scale: Floats, built: Ints, built_in: Floats, chained: Ints,
    chained_in: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Return the number of rows used in both lists; -1 if there is not enough room."""
    n_states = len(pairings.by_left) - 1
    acc, part = np.zeros(n_states), np.zeros(n_states)
    kinds = np.zeros(alive.shape[1], dtype=np.bool_)
    touched = np.empty(n_states, dtype=np.int32)
    n_built = n_chained = 0
    for width in range(1, n + 1):
        for i in range(n + 1 - width):
            cell = i * (n + 1) + i + width
            ref, count = 0.0, 0
            if width == 1:
                for x in range(lex_first[i], lex_first[i + 1]):
                    acc[lex_state[x]] = lex_value[x]
                    touched[count] = lex_state[x]
                    count += 1
            elif alive[cell].any():
                ref, count = _built(
                    n, i, i + width, pairings, alive, coarse, bounds, scale, chained,
                    chained_in, part, kinds, acc, touched,
                )  # fmt: skip
            if n_built + count > len(built):
                return -1, -1
            bounds[cell, 0], bounds[cell, 1] = n_built, n_built + count
            n_built = _stored(touched, count, acc, built, built_in, n_built)
            count = 0
            for x in range(bounds[cell, 0], n_built):
                for c in range(by_end[built[x]], by_end[built[x] + 1]):
                    a = chain_start[c]
                    if alive[cell, coarse[a]]:
                        if acc[a] == 0.0:
                            touched[count] = a
                            count += 1
                        acc[a] += p_chain[c] * built_in[x]
            if n_chained + count > len(chained):
                return -1, -1
            bounds[cell, 2], bounds[cell, 3] = n_chained, n_chained + count
            n_chained = _stored(touched, count, acc, chained, chained_in, n_chained)
            top = 0.0
            for x in range(bounds[cell, 2], n_chained):
                top = max(top, chained_in[x])
            if top > 0.0:
                scale[cell] = ref + np.log(top)
                for x in range(bounds[cell, 0], n_built):
                    built_in[x] /= top
                for x in range(bounds[cell, 2], n_chained):
                    chained_in[x] /= top
    return n_built, n_chained


@njit(cache=True)
def _stored(
    touched: Ints, count: int, acc: Floats, states: Ints, values: Floats, n_used: int,
) -> int:  # fmt: skip
    """Write what was summed up behind ``n_used`` rows, and clear it; rows used then."""
    for x in range(count):
        states[n_used + x] = touched[x]
        values[n_used + x] = acc[touched[x]]
        acc[touched[x]] = 0.0
    return n_used + count


@njit(cache=True)
def _built(
    n: int, i: int, j: int, pairings: Pairings, alive: Bools, coarse: Ints,
    bounds: Ints, scale: Floats, chained: Ints, chained_in: Floats, part: Floats,
    kinds: Bools, acc: Floats, touched: Ints,
) -> tuple[float, int]:  # fmt: skip
    """Sum all pairings of a cell into ``acc``: their log scale, and how many states."""
    by_left, kind, begin, right, head, p_rule = pairings
    ref, count, is_open = -np.inf, 0, alive[i * (n + 1) + j]
    for k in range(i + 1, j):
        le, ri = i * (n + 1) + k, k * (n + 1) + j
        if bounds[le, 3] > bounds[le, 2] and bounds[ri, 3] > bounds[ri, 2]:
            ref = max(ref, scale[le] + scale[ri])
    for k in range(i + 1, j):
        le, ri = i * (n + 1) + k, k * (n + 1) + j
        if bounds[le, 3] == bounds[le, 2] or bounds[ri, 3] == bounds[ri, 2]:
            continue
        factor = np.exp(scale[le] + scale[ri] - ref)
        for x in range(bounds[ri, 2], bounds[ri, 3]):
            part[chained[x]] = chained_in[x] * factor
            kinds[coarse[chained[x]]] = True
        for x in range(bounds[le, 2], bounds[le, 3]):
            mine = chained_in[x]
            for g in range(by_left[chained[x]], by_left[chained[x] + 1]):
                if not kinds[kind[g]]:
                    continue
                for r in range(begin[g], begin[g + 1]):
                    other, a = part[right[r]], head[r]
                    if other > 0.0 and is_open[coarse[a]]:
                        if acc[a] == 0.0:
                            touched[count] = a
                            count += 1
                        acc[a] += p_rule[r] * mine * other
        for x in range(bounds[ri, 2], bounds[ri, 3]):
            part[chained[x]] = 0.0
            kinds[coarse[chained[x]]] = False
    return ref, count


@njit(cache=True)
def outside(
    n: int, root: int, pairings: Pairings, by_start: Ints, chain_end: Ints,
    p_chain: Floats, coarse: Ints, bounds: Ints, scale: Floats, built: Ints,
    chained: Ints, chained_in: Floats, built_out: Floats, chained_out: Floats,
) -> bool:  # fmt: skip
    """Fill the outside values; False if the root does not span the sentence."""
    n_states = len(pairings.by_left) - 1
    above, part = np.zeros(n_states), np.zeros(n_states)
    place = np.full(n_states, -1, dtype=np.int64)
    kinds = np.zeros(coarse.max() + 1, dtype=np.bool_)
    is_reached = False
    for x in range(bounds[n, 2], bounds[n, 3]):
        if chained[x] == root and chained_in[x] > 0.0:
            chained_out[x] = 1.0 / chained_in[x]
            is_reached = True
    if not is_reached:
        return False
    for width in range(n, 0, -1):
        for i in range(n + 1 - width):
            j = i + width
            cell = i * (n + 1) + j
            for x in range(bounds[cell, 2], bounds[cell, 3]):
                if chained_out[x] > 0.0:
                    for c in range(by_start[chained[x]], by_start[chained[x] + 1]):
                        above[chain_end[c]] += p_chain[c] * chained_out[x]
            for x in range(bounds[cell, 0], bounds[cell, 1]):
                built_out[x] = above[built[x]]
            if bounds[cell, 1] > bounds[cell, 0] and width > 1:
                _handed_down(
                    n, i, j, pairings, coarse, bounds, scale, chained, chained_in,
                    above, part, place, kinds, chained_out,
                )  # fmt: skip
            for x in range(bounds[cell, 2], bounds[cell, 3]):
                for c in range(by_start[chained[x]], by_start[chained[x] + 1]):
                    above[chain_end[c]] = 0.0
    return True


@njit(cache=True)
def _handed_down(
    n: int, i: int, j: int, pairings: Pairings, coarse: Ints, bounds: Ints,
    scale: Floats, chained: Ints, chained_in: Floats, above: Floats, part: Floats,
    place: Ints, kinds: Bools, chained_out: Floats,
) -> None:  # fmt: skip
    """Add to the parts of a cell what its states (``above``) are worth outside."""
    by_left, kind, begin, right, head, p_rule = pairings
    for k in range(i + 1, j):
        le, ri = i * (n + 1) + k, k * (n + 1) + j
        if bounds[le, 3] == bounds[le, 2] or bounds[ri, 3] == bounds[ri, 2]:
            continue
        factor = np.exp(scale[le] + scale[ri] - scale[i * (n + 1) + j])
        for y in range(bounds[ri, 2], bounds[ri, 3]):
            part[chained[y]] = chained_in[y] * factor
            place[chained[y]] = y
            kinds[coarse[chained[y]]] = True
        for x in range(bounds[le, 2], bounds[le, 3]):
            mine, total = chained_in[x] * factor, 0.0
            for g in range(by_left[chained[x]], by_left[chained[x] + 1]):
                if not kinds[kind[g]]:
                    continue
                for r in range(begin[g], begin[g + 1]):
                    other = part[right[r]]
                    if other > 0.0:
                        upper = p_rule[r] * above[head[r]]
                        total += upper * other
                        chained_out[place[right[r]]] += upper * mine
            chained_out[x] += total
        for y in range(bounds[ri, 2], bounds[ri, 3]):
            part[chained[y]] = 0.0
            kinds[coarse[chained[y]]] = False


@njit(cache=True)
def kept(
    coarse: Ints, bounds: Ints, states: Ints, values: Floats, outs: Floats,
    first: int, threshold: float, alive: Bools,
) -> None:  # fmt: skip
    """Mark the coarse states of rows whose posterior is above the threshold.

    ``first``: 0 for built, 2 for chained: the column of ``bounds``.
    """
    total = np.zeros(alive.shape[1])
    for cell in range(len(bounds)):
        for x in range(bounds[cell, first], bounds[cell, first + 1]):
            total[coarse[states[x]]] += values[x] * outs[x]
        for x in range(bounds[cell, first], bounds[cell, first + 1]):
            if total[coarse[states[x]]] > threshold:
                alive[cell, coarse[states[x]]] = True
        for x in range(bounds[cell, first], bounds[cell, first + 1]):
            total[coarse[states[x]]] = 0.0


@njit(cache=True)
def posteriors(
    n: int, by_start: Ints, chain_end: Ints, p_chain: Floats, chain_name: Ints,
    bounds: Ints, built: Ints, built_in: Floats, chained: Ints, chained_out: Floats,
    chances: Floats,
) -> None:  # fmt: skip
    """``chances[i, j, name]``: the probability of a chain of this name over the
    span."""
    below = np.zeros(len(by_start) - 1)
    for i in range(n):
        for j in range(i + 1, n + 1):
            cell = i * (n + 1) + j
            for x in range(bounds[cell, 0], bounds[cell, 1]):
                below[built[x]] = built_in[x]
            for x in range(bounds[cell, 2], bounds[cell, 3]):
                if chained_out[x] > 0.0:
                    for c in range(by_start[chained[x]], by_start[chained[x] + 1]):
                        p = chained_out[x] * p_chain[c] * below[chain_end[c]]
                        chances[i, j, chain_name[c]] += p
            for x in range(bounds[cell, 0], bounds[cell, 1]):
                below[built[x]] = 0.0


@njit(cache=True)
def pack(
    n: int, pairings: Pairings, by_start: Ints, chain_end: Ints, p_chain: Floats,
    chain_name: Ints, coarse: Ints, bounds: Ints, scale: Floats, built: Ints,
    built_in: Floats, leaf_weight: Floats, chained: Ints, chained_in: Floats,
    chained_out: Floats, threshold: float, nodes: Ints, n_edges: Ints, tails: Ints,
    weights: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Return the number of nodes and of edges; -1, -1 if there is not enough room.

    ``nodes``: rows (name, start, end), parts first; ``n_edges``: of each node, whose
    edges are consecutive; ``tails``: rows of two, -1 where there is none.
    ``leaf_weight``: of built rows that are words. The root, if it has a derivation, is
    the last node.
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
    """Return the node of a chained state: -1 if it is improbable, -2 if there is no
    room.

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
