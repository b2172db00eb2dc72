"""The k best derivations of a forest, lazily: Huang & Chiang 2005, algorithm 3.

A candidate is an edge with a rank for each tail. ``item`` holds one per row: edge,
left and right son in its node's heap, then the ranks; ``score`` its weight. A node's
heap is a skew heap of candidates (Sleator & Tarjan 1986), so it grows in place.
A rank vector is reached only by raising a rank at or after its last raised one, so
nothing is met twice.

``own``: of each node a random number, 0 where it has no name, or nothing at all. With
them a node keeps derivations of different named nodes alone; the key of a derivation is
a hash of these in 62 bits. A parent needs no more of a tail than its k best different
ones, since in a derivation every tail's can be exchanged for a better one.
"""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Floats, Ints

Keys = NDArray[np.int64]
UNOPENED, EMPTY, NONE = -2, -1, -1
EDGE, LEFT, RIGHT, RANKS = 0, 1, 2, 3
MASK, TURN, BACK = (1 << 62) - 1, 7, 55  # a rotation of 62 bits


@njit(cache=True)
def _before(a: int, b: int, score: Floats, item: Ints) -> bool:
    """Whether candidate a comes before b: heavier, else lower edge, lower ranks."""
    if score[a] != score[b]:
        return score[a] > score[b]
    if item[a, EDGE] != item[b, EDGE]:
        return item[a, EDGE] < item[b, EDGE]
    for column in range(RANKS, item.shape[1]):
        if item[a, column] != item[b, column]:
            return item[a, column] < item[b, column]
    return False


@njit(cache=True)
def _meld(a: int, b: int, score: Floats, item: Ints) -> int:
    """The root of the union of the heaps with roots a and b."""
    if a < 0:
        return b
    if b < 0:
        return a
    if _before(b, a, score, item):
        a, b = b, a
    root = a
    while True:
        below = item[a, RIGHT]
        item[a, RIGHT] = item[a, LEFT]
        if below < 0:
            item[a, LEFT] = b
            return root
        if _before(b, below, score, item):
            below, b = b, below
        item[a, LEFT] = below
        a = below


@njit(cache=True)
def _wanted(
    c: int,
    item: Ints,
    first_tail: Ints,
    tails: Ints,
    count: Ints,
    heap: Ints,
    fresh: Ints,
) -> int:
    """The first tail whose next rank is needed to expand c and not yet known, or -1."""
    e = item[c, EDGE]
    arity = first_tail[e + 1] - first_tail[e]
    for a in range(arity - 1, -1, -1):
        v = tails[first_tail[e] + a]
        rank = item[c, RANKS + a]
        exhausted = heap[v] == EMPTY and fresh[v] == NONE
        if count[v] <= rank + 1 and not exhausted:
            return a
        if rank:
            break
    return -1


@njit(cache=True)
def k_best(
    weights: Floats,
    best: Floats,
    best_edge: Ints,
    first_edge: Ints,
    first_tail: Ints,
    tails: Ints,
    own: Keys,
    k: int,
) -> tuple[Floats, Ints, Ints]:
    """Scores of the k best derivations; where each begins in the third; their edges.

    ``best``, ``best_edge``: those of ``inside_max``, the root's finite. Edges come in
    preorder. A node's best derivation is known at once, so only others are sought.
    """
    n = best.shape[0]
    arity = np.max(np.diff(first_tail))
    score = np.empty(1024)
    item = np.empty((1024, RANKS + arity), dtype=np.int32)
    used = 0
    heap = np.full(n, UNOPENED, dtype=np.int32)
    count, fresh = np.zeros(n, dtype=np.int32), np.full(n, NONE, dtype=np.int32)
    ranked = np.empty((n, k), dtype=np.int32)
    key = np.empty((n, k if own.size else 0), dtype=np.int64)
    if own.size:
        _first_keys(key, best_edge, first_tail, tails, own)
    stack = np.empty((n, 2), dtype=np.int32)  # node, requested rank
    stack[0, 0], stack[0, 1] = n - 1, k - 1
    depth = 1
    while depth:
        v, want = stack[depth - 1, 0], stack[depth - 1, 1]
        known = heap[v] == EMPTY and fresh[v] == NONE
        if count[v] > want or known:
            depth -= 1
            continue
        capacity = max(arity, first_edge[v + 1] - first_edge[v])
        while used + capacity > score.shape[0]:
            score = np.concatenate((score, score))
            item = np.concatenate((item, item))
        if heap[v] == UNOPENED:
            heap[v] = EMPTY
            for e in range(first_edge[v], first_edge[v + 1]):
                total = weights[e]
                for t in range(first_tail[e], first_tail[e + 1]):
                    total += best[tails[t]]
                if total > -np.inf:
                    score[used] = total
                    item[used] = 0
                    item[used, EDGE] = e
                    item[used, LEFT] = item[used, RIGHT] = -1
                    heap[v] = _meld(heap[v], used, score, item)
                    used += 1
        c = fresh[v]
        if c != NONE:
            a = _wanted(c, item, first_tail, tails, count, heap, fresh)
            if a >= 0:
                stack[depth, 0] = tails[first_tail[item[c, EDGE]] + a]
                stack[depth, 1] = item[c, RANKS + a] + 1
                depth += 1
                continue
            free = _expand(c, used, score, item, first_tail, tails, count, ranked)
            for new in range(used, free):
                heap[v] = _meld(heap[v], new, score, item)
            used, fresh[v] = free, NONE
        top = heap[v]
        if top >= 0:
            heap[v] = _meld(item[top, LEFT], item[top, RIGHT], score, item)
            fresh[v] = top
            if own.size and not _is_new(
                top, v, item, first_tail, tails, own, key, count
            ):
                continue
            ranked[v, count[v]] = top
            count[v] += 1
    n_best = count[n - 1]
    offsets, edges = _unroll(ranked, n_best, best_edge, item, first_tail, tails)
    return score[ranked[n - 1, :n_best]], offsets, edges


@njit(cache=True)
def _first_keys(
    key: Keys, best_edge: Ints, first_tail: Ints, tails: Ints, own: Keys
) -> None:
    """Write each node's key of its best derivation into the first column."""
    for v in range(best_edge.shape[0]):
        below, e = 0, best_edge[v]
        if e >= 0:
            for t in range(first_tail[e], first_tail[e + 1]):
                below = (below + key[tails[t], 0]) & MASK
        key[v, 0] = _with_own(own[v], below)


@njit(cache=True)
def _with_own(own: int, below: int) -> int:
    """The key of a node over what is below it; what is named counts by its depth."""
    if own == 0:
        return below
    return (own + (((below << TURN) & MASK) | (below >> BACK))) & MASK


@njit(cache=True)
def _is_new(
    c: int,
    v: int,
    item: Ints,
    first_tail: Ints,
    tails: Ints,
    own: Keys,
    key: Keys,
    count: Ints,
) -> bool:
    """Whether no derivation of node v that is ranked has the names of c; keeps its
    key as that of the next."""
    e = item[c, EDGE]
    below = 0
    for a in range(first_tail[e + 1] - first_tail[e]):
        below = (below + key[tails[first_tail[e] + a], item[c, RANKS + a]]) & MASK
    mine = _with_own(own[v], below)
    for rank in range(count[v]):
        if key[v, rank] == mine:
            return False
    key[v, count[v]] = mine
    return True


@njit(cache=True)
def _expand(
    c: int,
    used: int,
    score: Floats,
    item: Ints,
    first_tail: Ints,
    tails: Ints,
    count: Ints,
    ranked: Ints,
) -> int:
    """Write the successors of c from row ``used`` on; the first row left free."""
    e = item[c, EDGE]
    for a in range(first_tail[e + 1] - first_tail[e] - 1, -1, -1):
        v = tails[first_tail[e] + a]
        rank = item[c, RANKS + a]
        if count[v] > rank + 1:
            gain = score[ranked[v, rank + 1]] - score[ranked[v, rank]]
            score[used] = score[c] + gain
            item[used] = item[c]
            item[used, LEFT] = item[used, RIGHT] = -1
            item[used, RANKS + a] = rank + 1
            used += 1
        if rank:
            break
    return used


@njit(cache=True)
def _unroll(
    ranked: Ints,
    n_best: int,
    best_edge: Ints,
    item: Ints,
    first_tail: Ints,
    tails: Ints,
) -> tuple[Ints, Ints]:
    """Offsets and edges, in preorder, of the derivations found at the root."""
    n = ranked.shape[0]
    arity = item.shape[1] - RANKS
    offsets = np.zeros(n_best + 1, dtype=np.int32)
    edges = np.empty(256, dtype=np.int32)
    stack = np.empty((64 + arity, 2), dtype=np.int32)
    size = 0
    for rank in range(n_best):
        stack[0, 0], stack[0, 1] = n - 1, rank
        depth = 1
        while depth:
            depth -= 1
            v, r = stack[depth, 0], stack[depth, 1]
            c = ranked[v, r] if r else -1
            e = item[c, EDGE] if r else best_edge[v]
            if size == edges.shape[0]:
                edges = np.concatenate((edges, edges))
            edges[size] = e
            size += 1
            if depth + arity > stack.shape[0]:
                stack = np.concatenate((stack, stack))
            for a in range(first_tail[e + 1] - first_tail[e] - 1, -1, -1):
                stack[depth, 0] = tails[first_tail[e] + a]
                stack[depth, 1] = item[c, RANKS + a] if r else 0
                depth += 1
        offsets[rank + 1] = size
    return offsets, edges[:size]
