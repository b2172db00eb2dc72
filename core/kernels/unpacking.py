"""The k best alignments of packed supports, lazily; see core.joint.supports.

Items are numbered (s * n_t + t) * 8 + kind, kinds as in ``core.joint.supports``; one
more is the goal. A way to make an item is a row of ``way``, a candidate for a rank of
an item a row of ``item``: its way, with the ranks of its two tails. What is null has
one derivation, so that it needs no rank. Candidates of one item are a linked list.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.data.check import Floats, Ints

__all__ = ["Edges", "k_best"]

FULL, EVEN, UNEVEN_S, UNEVEN_T, LINK, ITEM, TOP, DOWN = range(8)
TAIL, TAIL_2, NULL_S, NULL_T, EDGE_S, EDGE_T, UNEVEN = range(7)  # of a way
WAY, RANK, RANK_2, NEXT = range(4)  # of a candidate


class Edges(NamedTuple):
    """One side: what ``core.joint.sides.Side`` holds under these names."""

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
def _into_source(source, n_t, kind, s, t, named, way, weight, n):  # type: ignore[no-untyped-def]
    """From s into one part, the other null; ``named`` 0, 1: parts that are, -1: all."""
    for e in range(source.first[s], source.first[s + 1]):
        for x in range(2):
            c = source.parts[e, x]
            if c >= 0 and (named < 0 or source.named[c] == named):
                tail, null = (c * n_t + t) * 8 + kind, source.parts[e, 1 - x]
                n = _put(
                    way, weight, n, tail, -1, null, -1, e, -1, source.weight[e]
                )  # fmt: skip
    return n


@njit(cache=True)
def _into_target(target, n_t, kind, s, t, named, way, weight, n):  # type: ignore[no-untyped-def]
    """The same on the other side."""
    for f in range(target.first[t], target.first[t + 1]):
        for y in range(2):
            d = target.parts[f, y]
            if d >= 0 and (named < 0 or target.named[d] == named):
                tail, null = (s * n_t + d) * 8 + kind, target.parts[f, 1 - y]
                n = _put(
                    way, weight, n, tail, -1, -1, null, -1, f, target.weight[f]
                )  # fmt: skip
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
def _ways(kind, s, t, source, target, gain, costs, way, weight, n):  # type: ignore[no-untyped-def]
    """Write all ways to make an item from row n on, in a fixed order; the row after.

    ``costs``: of an uneven link, of two nulls where links meet.
    """
    n_t = len(target.below)
    here = (s * n_t + t) * 8
    named = source.named[s] and target.named[t]
    if kind == FULL:
        n = _pairs(source, target, n_t, s, t, 1, 0.0, way, weight, n)
    elif kind == EVEN:
        n = _put(way, weight, n, here + FULL, -1, -1, -1, -1, -1, 0.0)
        n = _into_target(target, n_t, EVEN, s, t, 0, way, weight, n)
        n = _into_source(source, n_t, EVEN, s, t, 0, way, weight, n)
    elif kind == UNEVEN_S:
        n = _into_source(source, n_t, UNEVEN_S, s, t, -1, way, weight, n)
        n = _into_source(source, n_t, EVEN, s, t, 1, way, weight, n)
    elif kind == UNEVEN_T:
        n = _into_target(target, n_t, UNEVEN_T, s, t, -1, way, weight, n)
        n = _into_target(target, n_t, EVEN, s, t, 1, way, weight, n)
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
        n = _into_target(target, n_t, TOP, s, t, -1, way, weight, n)
    elif kind == DOWN:
        n = _put(way, weight, n, here + TOP, -1, -1, -1, -1, -1, 0.0)
        n = _into_source(source, n_t, DOWN, s, t, -1, way, weight, n)
    return n


@njit(cache=True)
def _first_score(w, way, weight, source, target, tables):  # type: ignore[no-untyped-def]
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


@njit(cache=True)
def _has(first, w, rank, rank_2, item, taken, n_taken):  # type: ignore[no-untyped-def]
    """Whether an item has had a candidate: it still waits, or it was taken."""
    c = first
    while c >= 0:
        if item[c, WAY] == w and item[c, RANK] == rank and item[c, RANK_2] == rank_2:
            return True
        c = item[c, NEXT]
    for at in range(n_taken):
        c = taken[at]
        if item[c, WAY] == w and item[c, RANK] == rank and item[c, RANK_2] == rank_2:
            return True
    return False


@njit(cache=True)
def _take_best(v, head, item, score):  # type: ignore[no-untyped-def]
    """Take the best candidate of an item out of its list, the oldest of several; -1."""
    best, before_best, before, c = -1, -1, -1, head[v]
    while c >= 0:
        older = best >= 0 and score[c] == score[best] and c < best
        if best < 0 or score[c] > score[best] or older:
            best, before_best = c, before
        before, c = c, item[c, NEXT]
    if best >= 0:
        if before_best < 0:
            head[v] = item[best, NEXT]
        else:
            item[before_best, NEXT] = item[best, NEXT]
    return best


@njit(cache=True)
def _tail_wanted(c, place, way, item):  # type: ignore[no-untyped-def]
    """The tail at this place and the rank after that of candidate c; -1: no tail."""
    tail = way[item[c, WAY], TAIL + place]
    return tail, item[c, RANK + place] + 1


@njit(cache=True)
def _push_after(v, c, source, target, way, weight,  # type: ignore[no-untyped-def]
                item, score, used, head, slot, count, found):  # fmt: skip
    """Push the candidates one rank further than c; the first row left free."""
    w = item[c, WAY]
    for place in range(2):
        tail, rank = _tail_wanted(c, place, way, item)
        if tail < 0 or count[tail] <= rank:
            continue
        r = rank if place == 0 else item[c, RANK]
        r_2 = rank if place == 1 else item[c, RANK_2]
        if _has(head[v], w, r, r_2, item, found[slot[v]], count[v]):
            continue
        total = weight[w] + score[found[slot[way[w, TAIL]], r]]
        if way[w, TAIL_2] >= 0:
            total += score[found[slot[way[w, TAIL_2]], r_2]]
        if way[w, NULL_S] >= 0:
            total += source.below[way[w, NULL_S]]
        if way[w, NULL_T] >= 0:
            total += target.below[way[w, NULL_T]]
        item[used, WAY], item[used, RANK], item[used, RANK_2] = w, r, r_2
        item[used, NEXT], head[v] = head[v], used
        score[used] = total
        used += 1
    return used


@njit(cache=True)
def _choose_null(side, v, chosen):  # type: ignore[no-untyped-def]
    """Write the edges of the best tree below v; of equal edges the lowest."""
    stack = np.empty(len(side.below), dtype=np.int32)
    stack[0], depth = v, 1
    while depth:
        depth -= 1
        v = stack[depth]
        best, most = -1, -np.inf
        for e in range(side.first[v], side.first[v + 1]):
            below = 0.0
            for x in range(2):
                if side.parts[e, x] >= 0:
                    below += side.below[side.parts[e, x]]
            if best < 0 or side.weight[e] + below > most:
                best, most = e, side.weight[e] + below
        chosen[v] = best
        for x in range(2):
            if side.parts[best, x] >= 0:
                stack[depth] = side.parts[best, x]
                depth += 1


@njit(cache=True)
def _best_way(v, source, target, gain, costs, tables, way, weight):  # type: ignore[no-untyped-def]
    """The best way of an item that nobody asked a rank of, the first of several."""
    n_t = len(target.below)
    s, t = v // 8 // n_t, v // 8 % n_t
    n = _ways(v % 8, s, t, source, target, gain, costs, way, weight, 0)
    best, most = 0, -np.inf
    for w in range(n):
        total = _first_score(w, way, weight, source, target, tables)
        if total > most:
            best, most = w, total
    return best


@njit(cache=True)
def _read(goal, n_found, source, target, gain, costs, tables,  # type: ignore[no-untyped-def]
          way, item, score, slot, found):  # fmt: skip
    """Scores, edges and links of the derivations of the goal, as ``k_best`` says."""
    n_s, n_t = len(source.below), len(target.below)
    scores = np.empty(n_found)
    chosen_s = np.full((n_found, n_s), -1, dtype=np.int32)
    chosen_t = np.full((n_found, n_t), -1, dtype=np.int32)
    links = np.full((n_found, min(n_s, n_t) + 1, 4), -1, dtype=np.int32)
    n_e, n_f = np.max(np.diff(source.first)), np.max(np.diff(target.first))
    room = 4 + 4 * n_e * n_f + 4 * (n_e + n_f)
    spare, spare_weight = np.empty((room, 7), dtype=np.int32), np.empty(room)
    stack = np.empty((goal + 2, 3), dtype=np.int32)  # item, rank, row of the link above
    for at in range(n_found):
        scores[at] = score[found[slot[goal], at]]
        stack[0, 0], stack[0, 1], stack[0, 2] = goal, at, -1
        depth, n_links = 1, 0
        while depth:
            depth -= 1
            v, above = stack[depth, 0], stack[depth, 2]
            s, t = v // 8 // n_t, v // 8 % n_t
            if slot[v] >= 0:
                c = found[slot[v], stack[depth, 1]]
                made, rank, rank_2 = way[item[c, WAY]], item[c, RANK], item[c, RANK_2]
            else:
                w = _best_way(
                    v, source, target, gain, costs, tables, spare, spare_weight
                )  # fmt: skip
                made, rank, rank_2 = spare[w].copy(), 0, 0
            if made[EDGE_S] >= 0:
                chosen_s[at, s] = made[EDGE_S]
            if made[EDGE_T] >= 0:
                chosen_t[at, t] = made[EDGE_T]
            if made[NULL_S] >= 0:
                _choose_null(source, made[NULL_S], chosen_s[at])
            if made[NULL_T] >= 0:
                _choose_null(target, made[NULL_T], chosen_t[at])
            if v != goal and v % 8 == LINK:
                links[at, n_links, 0], links[at, n_links, 1] = s, t
                links[at, n_links, 2], links[at, n_links, 3] = above, made[UNEVEN]
                above, n_links = n_links, n_links + 1
            for place in range(2):
                if made[TAIL + place] >= 0:
                    stack[depth, 0] = made[TAIL + place]
                    stack[depth, 1] = rank if place == 0 else rank_2
                    stack[depth, 2] = above
                    depth += 1
    return scores, chosen_s, chosen_t, links


@njit(cache=True)
def k_best(source, target, gain, costs, tables, goals, k):  # type: ignore[no-untyped-def]
    """The ``k`` best derivations of the goals, best first; fewer if there are fewer.

    ``source``, ``target``: Edges; ``goals`` ``(m, 2)``: pairs of nodes, any LINK of
    which is a whole. Returns scores ``(found,)``; the chosen edge of every node of
    either side, -1 where it is not in the tree, ``(found, n_s)`` and ``(found, n_t)``;
    links ``(found, most, 4)`` as source node, target node, row of the link above (-1
    for the whole), whether uneven, ended by a row of -1.

    Huang & Chiang 2005, algorithm 3: an item is opened, and a rank of it found, when a
    derivation above asks for it. O(items opened * their ways + k * derivation).
    """
    n_t = len(target.below)
    goal = len(source.below) * n_t * 8
    way, weight = np.empty((1024, 7), dtype=np.int32), np.empty(1024)
    item, score = np.empty((1024, 4), dtype=np.int32), np.empty(1024)
    head = np.full(goal + 1, -1, dtype=np.int32)  # of the candidates of an item
    slot = np.full(goal + 1, -1, dtype=np.int32)  # row in found, once it is opened
    count, expanded = np.zeros(goal + 1, np.int32), np.zeros(goal + 1, np.int32)
    found = np.empty((256, k), dtype=np.int32)
    stack = np.empty((goal + 2, 2), dtype=np.int32)
    n_ways, used, n_open, depth = 0, 0, 0, 1
    stack[0, 0], stack[0, 1] = goal, k - 1
    while depth:
        v, want = stack[depth - 1, 0], stack[depth - 1, 1]
        kind, s, t = v % 8, v // 8 // n_t, v // 8 % n_t
        if slot[v] < 0:
            room = len(goals)
            if v != goal:
                n_e = source.first[s + 1] - source.first[s]
                n_f = target.first[t + 1] - target.first[t]
                room = 4 + 4 * n_e * n_f + 4 * (n_e + n_f)
            while n_ways + room > len(weight):
                way, weight = np.concatenate((way, way)), np.append(weight, weight)
            if n_open == len(found):
                found = np.concatenate((found, found))
            slot[v], n_open, begin = n_open, n_open + 1, n_ways
            if v == goal:
                for at in range(len(goals)):
                    tail = (goals[at, 0] * n_t + goals[at, 1]) * 8 + LINK
                    n_ways = _put(
                        way, weight, n_ways, tail, -1, -1, -1, -1, -1, 0.0
                    )  # fmt: skip
            else:
                n_ways = _ways(
                    kind, s, t, source, target, gain, costs, way, weight, n_ways
                )  # fmt: skip
            while used + n_ways - begin > len(score):
                item, score = np.concatenate((item, item)), np.append(score, score)
            for w in range(begin, n_ways):
                total = _first_score(w, way, weight, source, target, tables)
                if total > -np.inf:
                    item[used, WAY], item[used, RANK], item[used, RANK_2] = w, 0, 0
                    item[used, NEXT], head[v], score[used] = head[v], used, total
                    used += 1
        if count[v] > want:
            depth -= 1
            continue
        if expanded[v] < count[v]:
            c, waits = found[slot[v], count[v] - 1], False
            for place in range(2):
                tail, rank = _tail_wanted(c, place, way, item)
                if tail >= 0 and count[tail] <= rank and expanded[tail] >= 0:
                    stack[depth, 0], stack[depth, 1] = tail, rank
                    depth, waits = depth + 1, True
                    break
            if waits:
                continue
            if used + 2 > len(score):
                item, score = np.concatenate((item, item)), np.append(score, score)
            used = _push_after(
                v, c, source, target, way, weight,
                item, score, used, head, slot, count, found,
            )  # fmt: skip
            expanded[v] = count[v]
        best = _take_best(v, head, item, score)
        if best < 0:
            expanded[v] = -1  # there are no more
            depth -= 1
        else:
            found[slot[v], count[v]] = best
            count[v] += 1
    return _read(
        goal, count[goal], source, target, gain, costs, tables,
        way, item, score, slot, found,
    )  # fmt: skip
