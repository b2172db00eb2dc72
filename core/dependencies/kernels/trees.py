"""Sums over non-projective trees in the log domain, without subtraction.

The matrix-tree theorem loses all digits where the best arcs form cycles that far
outweigh any tree. Here, for every token m, the walk from a token to its head, to the
head's head and so on, until m is met, is eliminated token by token as in Grassmann,
Taksar & Heyman 1985: all terms are sums and products of positive numbers.

With a(h, m) the weight of the arc from h to m, let v(h) be the probability that the
walk from h ends at ROOT rather than at m. Then the head of m is h in proportion to
a(h, m) v(h), where v(ROOT) = 1, and the product of the pivots times the sum of these is
the sum over all trees. Trees with several roots are made to vanish: every root arc is
charged more than they could win (what is lost by that is below rounding).
"""

import numpy as np

from core.compiled import njit
from core.data.check import Floats, Ints

KINDS = ("right", "left", "open", "goR", "goL", "tree")
RIGHT, LEFT, OPEN, GO_RIGHT, GO_LEFT, TREE = range(6)


@njit(cache=True)
def _edge(
    weight: float,
    a: int,
    b: int,
    count: int,
    weights: Floats,
    first_tail: Ints,
    tails: Ints,
) -> int:
    """Write an edge with tails a and b (-1: none); the number of edges now."""
    used = first_tail[count]
    weights[count] = weight
    if a >= 0:
        tails[used] = a
        used += 1
    if b >= 0:
        tails[used] = b
        used += 1
    first_tail[count + 1] = used
    return count + 1


@njit(cache=True)
def items(arcs: Floats) -> tuple[Ints, Ints, Ints, Ints, Floats]:
    """Nodes ``(kind, start, end)`` with half-open spans, first edge per node, first
    tail per edge, tails, weights. The arcs weigh on the edges of goR, goL and tree."""
    n = arcs.shape[0] - 1
    pairs = n * (n - 1) // 2
    steps = (n - 1) * n * (n + 1) // 6  # over i < j, the sum of j - i
    n_nodes, n_edges = 2 * n + 5 * pairs + 1, 3 * steps + 2 * pairs + 3 * n
    nodes = np.empty((n_nodes, 3), dtype=np.int32)
    first_edge = np.zeros(n_nodes + 1, dtype=np.int32)
    first_tail = np.zeros(n_edges + 1, dtype=np.int32)
    tails = np.empty(2 * n_edges, dtype=np.int32)
    weights = np.empty(n_edges)
    where = np.zeros((5, n, n), dtype=np.int32)
    v, e = 0, 0
    for width in range(n):
        for i in range(n - width):
            j = i + width
            for kind in range(5) if width else range(2):
                # open and goR, goL are filled before their combinations
                kind = (kind + OPEN) % 5 if width else kind
                where[kind, i, j] = v
                nodes[v, 0], nodes[v, 1], nodes[v, 2] = kind, i, j + 1
                whole = where[OPEN, i, j]
                if width == 0:
                    e = _edge(0.0, -1, -1, e, weights, first_tail, tails)
                elif kind == GO_RIGHT:
                    arc = arcs[i + 1, j + 1]
                    e = _edge(arc, whole, -1, e, weights, first_tail, tails)
                elif kind == GO_LEFT:
                    arc = arcs[j + 1, i + 1]
                    e = _edge(arc, whole, -1, e, weights, first_tail, tails)
                else:
                    for k in range(i, j):
                        if kind == OPEN:
                            a, b = where[RIGHT, i, k], where[LEFT, k + 1, j]
                        elif kind == LEFT:
                            a, b = where[LEFT, i, k], where[GO_LEFT, k, j]
                        else:
                            a, b = where[GO_RIGHT, i, k + 1], where[RIGHT, k + 1, j]
                        e = _edge(0.0, a, b, e, weights, first_tail, tails)
                v += 1
                first_edge[v] = e
    for r in range(n):
        a, b = where[LEFT, 0, r], where[RIGHT, r, n - 1]
        e = _edge(arcs[0, r + 1], a, b, e, weights, first_tail, tails)
    nodes[v, 0], nodes[v, 1], nodes[v, 2] = TREE, 0, n
    first_edge[v + 1] = e
    return nodes, first_edge, first_tail[: e + 1], tails[: first_tail[e]], weights[:e]


@njit(cache=True)
def _plus(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@njit(cache=True)
def _eliminate(m: int, rate: Floats, source: Floats, total: Floats) -> float:
    """Eliminate all tokens but m from the walk; the log product of the pivots.

    ``rate[x, y]``: log weight of the step from x to its head y; ``source[x]``: of the
    root arc into x. Both change; ``total`` becomes the pivots, -inf where a token
    reaches neither m nor ROOT.
    """
    n = rate.shape[0]
    product = 0.0
    for k in range(n):
        if k == m:
            continue
        pivot = _plus(rate[k, m], source[k])
        for y in range(k + 1, n):
            if y != m:
                pivot = _plus(pivot, rate[k, y])
        total[k] = pivot
        product += pivot
        if pivot == -np.inf:
            continue
        for x in range(k + 1, n):
            if x == m or rate[x, k] == -np.inf:
                continue
            share = rate[x, k] - pivot
            source[x] = _plus(source[x], share + source[k])
            rate[x, m] = _plus(rate[x, m], share + rate[k, m])
            for y in range(k + 1, n):
                if y not in (x, m):
                    rate[x, y] = _plus(rate[x, y], share + rate[k, y])
    return product


@njit(cache=True)
def stable_marginals(arcs: Floats, p_arcs: Floats) -> float:
    """Fill the arc marginals (zeros) of single-root trees; return log Z. O(n^4).

    Every token must have an allowed head.
    """
    n = arcs.shape[0] - 1
    charge = 60.0
    for m in range(1, n + 1):
        low, high = np.inf, -np.inf
        for h in range(n + 1):
            if h != m and arcs[h, m] > -np.inf:
                low, high = min(low, arcs[h, m]), max(high, arcs[h, m])
        charge += high - low
    log_z = -np.inf
    v, total = np.empty(n), np.empty(n)
    for m in range(n):
        rate = arcs[1:, 1:].T.copy()
        source = arcs[0, 1:] - charge
        product = _eliminate(m, rate, source, total)
        for k in range(n - 1, -1, -1):
            if k == m:
                continue
            v[k] = source[k]
            for y in range(k + 1, n):
                if y != m:
                    v[k] = _plus(v[k], rate[k, y] + v[y])
            v[k] = v[k] - total[k] if total[k] > -np.inf else -np.inf
        whole = arcs[0, m + 1] - charge
        for h in range(n):
            if h != m:
                whole = _plus(whole, arcs[h + 1, m + 1] + v[h])
        if whole == -np.inf or product == -np.inf:
            return -np.inf
        log_z = whole + product + charge
        p_arcs[0, m + 1] = np.exp(arcs[0, m + 1] - charge - whole)
        for h in range(n):
            if h != m:
                p_arcs[h + 1, m + 1] = np.exp(arcs[h + 1, m + 1] + v[h] - whole)
    return log_z
