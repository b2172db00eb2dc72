"""Eisner's items (see ``arcs``) laid out as the arrays of a forest."""

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
                # open and goR, goL come before what is made of them
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
