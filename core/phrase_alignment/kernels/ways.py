"""The ways to make an item of packed supports, written into rows; see unpacking.

Items are numbered (s * n_t + t) * 8 + kind, kinds as in ``supports``; one more is the
goal. A way to build an item is a row of ``way``: the items and nulls it consists of,
the edges it uses, and whether its link is uneven.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Floats, Ints

FULL, EVEN, UNEVEN_S, UNEVEN_T, LINK, ITEM, TOP, DOWN = range(8)
TAIL, TAIL_2, NULL_S, NULL_T, EDGE_S, EDGE_T, UNEVEN = range(7)  # of a way


class Edges(NamedTuple):
    """One side: what a ``BinaryForest`` holds under these names."""

    first: Ints
    parts: Ints
    weight: Floats
    named: NDArray[np.bool_]
    below: Floats


@njit(cache=True)
def _put(way, weight, n, tail, tail_2, null_s, null_t,  # type: ignore[no-untyped-def]
         edge_s, edge_t, nats):  # fmt: skip
    """Write a way into row n; the row after."""
    way[n, TAIL], way[n, TAIL_2] = tail, tail_2
    way[n, NULL_S], way[n, NULL_T] = null_s, null_t
    way[n, EDGE_S], way[n, EDGE_T] = edge_s, edge_t
    way[n, UNEVEN] = 0
    weight[n] = nats
    return n + 1


@njit(cache=True)
def _into(side, which, v, at, step, named, way, weight, n):  # type: ignore[no-untyped-def]
    """From v into one part, the other null, on side ``which``: 0 source, 1 target.

    Below is item ``at`` + part * ``step``; ``named`` 0, 1: parts that are, -1: all.
    """
    for e in range(side.first[v], side.first[v + 1]):
        for x in range(2):
            c = side.parts[e, x]
            if c >= 0 and (named < 0 or side.named[c] == named):
                tail, nats = at + c * step, side.weight[e]
                n = _put(way, weight, n, tail, -1, -1, -1, -1, -1, nats)
                way[n - 1, NULL_S + which] = side.parts[e, 1 - x]
                way[n - 1, EDGE_S + which] = e
    return n


@njit(cache=True)
def _pairs(source, target, n_t, s, t, full, gain, way, weight, n):  # type: ignore[no-untyped-def]
    """Two edges: all parts of both used (``full``), else one part of each."""
    for e in range(source.first[s], source.first[s + 1]):
        for x in range(2):
            if source.parts[e, x] < 0 or (full and (x or source.parts[e, 1] < 0)):
                continue
            for f in range(target.first[t], target.first[t + 1]):
                nats = gain + (source.weight[e] + target.weight[f])
                for y in range(2):
                    a, b = source.parts[e], target.parts[f]
                    tail = (a[x] * n_t + b[y]) * 8 + DOWN
                    if full and b[0] >= 0 and b[1] >= 0:
                        tail_2 = (a[1] * n_t + b[1 - y]) * 8 + DOWN
                        n = _put(
                            way, weight, n, tail, tail_2, -1, -1, e, f, nats
                        )  # fmt: skip
                    elif not full and b[y] >= 0:
                        n = _put(
                            way, weight, n, tail, -1, a[1 - x], b[1 - y], e, f, nats
                        )  # fmt: skip
    return n


@njit(cache=True)
def ways_of(kind, s, t, source, target, gain, costs, way, weight, n):  # type: ignore[no-untyped-def]
    """Write all ways to make an item from row n on, in a fixed order; the row after.

    ``costs``: of an uneven link, of two nulls where links meet.
    """
    n_t = len(target.below)
    row, column = s * n_t * 8, t * 8
    here = row + column
    named = source.named[s] and target.named[t]
    if kind == FULL:
        n = _pairs(source, target, n_t, s, t, 1, 0.0, way, weight, n)
    elif kind == EVEN:
        n = _put(way, weight, n, here + FULL, -1, -1, -1, -1, -1, 0.0)
        n = _into(target, 1, t, row + EVEN, 8, 0, way, weight, n)
        n = _into(source, 0, s, column + EVEN, 8 * n_t, 0, way, weight, n)
    elif kind == UNEVEN_S:
        n = _into(source, 0, s, column + UNEVEN_S, 8 * n_t, -1, way, weight, n)
        n = _into(source, 0, s, column + EVEN, 8 * n_t, 1, way, weight, n)
    elif kind == UNEVEN_T:
        n = _into(target, 1, t, row + UNEVEN_T, 8, -1, way, weight, n)
        n = _into(target, 1, t, row + EVEN, 8, 1, way, weight, n)
    elif kind == LINK and named:
        nats = gain[s, t]
        n = _put(way, weight, n, -1, -1, s, t, -1, -1, nats)
        n = _put(way, weight, n, here + EVEN, -1, -1, -1, -1, -1, nats)
        for lower in (UNEVEN_S, UNEVEN_T):
            uneven = here + lower
            n = _put(way, weight, n, uneven, -1, -1, -1, -1, -1, nats - costs[0])
            way[n - 1, UNEVEN] = 1
        n = _pairs(source, target, n_t, s, t, 0, nats, way, weight, n)
    elif kind == ITEM:
        cost = costs[1] if named else 0.0
        n = _put(way, weight, n, here + LINK, -1, -1, -1, -1, -1, 0.0)
        n = _put(way, weight, n, here + FULL, -1, -1, -1, -1, -1, -cost)
    elif kind == TOP:
        n = _put(way, weight, n, here + ITEM, -1, -1, -1, -1, -1, 0.0)
        n = _into(target, 1, t, row + TOP, 8, -1, way, weight, n)
    elif kind == DOWN:
        n = _put(way, weight, n, here + TOP, -1, -1, -1, -1, -1, 0.0)
        n = _into(source, 0, s, column + DOWN, 8 * n_t, -1, way, weight, n)
    return n


@njit(cache=True)
def ways_of_goal(goals, n_t, way, weight, n):  # type: ignore[no-untyped-def]
    """The same for the goal: any of these pairs of nodes, linked."""
    for at in range(len(goals)):
        tail = (goals[at, 0] * n_t + goals[at, 1]) * 8 + LINK
        n = _put(way, weight, n, tail, -1, -1, -1, -1, -1, 0.0)
    return n


@njit(cache=True)
def most_ways(n_e, n_f):  # type: ignore[no-untyped-def]
    """The maximum number of ways of an item over nodes with this many edges."""
    return 4 + 4 * n_e * n_f + 4 * (n_e + n_f)


@njit(cache=True)
def best_score(w, way, weight, source, target, tables):  # type: ignore[no-untyped-def]
    """A way's score with the best derivation of all its tails."""
    n_t = len(target.below)
    below = 0.0
    for column in (TAIL, TAIL_2):
        tail = way[w, column]
        if tail >= 0:
            below += tables[tail % 8, tail // 8 // n_t, tail // 8 % n_t]
    if way[w, NULL_S] >= 0:
        below += source.below[way[w, NULL_S]]
    if way[w, NULL_T] >= 0:
        below += target.below[way[w, NULL_T]]
    return weight[w] + below
