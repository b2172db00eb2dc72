"""The k best alignments of packed supports, lazily; see ``phrase_alignment.supports``.

Items and ways are those of ``ways``. A candidate for a rank of an item is
a row of ``item``: its way, with the ranks of its two tails. What is null has one
derivation, so that it needs no rank. Candidates of one item are a linked list.

The algorithm is that of ``core.forests.kernels.kbest``, but that one wants a forest
with all its edges, and here an item's ways are written when it is opened. All items
written out as a forest for ``core.forests`` (2,300 to 51,000 items of two sentences of
10 to 40 tokens; the same scores) take 7 to 84 times the CPU time for up to 40
derivations, 3 to 23 times for 200.
"""

import numpy as np

from core.compiled import njit
from core.phrase_alignment.kernels.ways import (
    EDGE_S,
    EDGE_T,
    LINK,
    NULL_S,
    NULL_T,
    TAIL,
    TAIL_2,
    UNEVEN,
    best_score,
    most_ways,
    ways_of,
    ways_of_goal,
)

WAY, RANK, RANK_2, NEXT = range(4)  # of a candidate


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
                item, score, used, head, slot, count, ranked):  # fmt: skip
    """Push the candidates one rank further than c; the first row left free."""
    w = item[c, WAY]
    for place in range(2):
        tail, rank = _tail_wanted(c, place, way, item)
        if tail < 0 or count[tail] <= rank:
            continue
        r = rank if place == 0 else item[c, RANK]
        r_2 = rank if place == 1 else item[c, RANK_2]
        if _has(head[v], w, r, r_2, item, ranked[slot[v]], count[v]):
            continue
        total = weight[w] + score[ranked[slot[way[w, TAIL]], r]]
        if way[w, TAIL_2] >= 0:
            total += score[ranked[slot[way[w, TAIL_2]], r_2]]
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
    """The best way of an item that no one asked a rank of, the first of several."""
    n_t = len(target.below)
    s, t = v // 8 // n_t, v // 8 % n_t
    n = ways_of(v % 8, s, t, source, target, gain, costs, way, weight, 0)
    best, most = 0, -np.inf
    for w in range(n):
        total = best_score(w, way, weight, source, target, tables)
        if total > most:
            best, most = w, total
    return best


@njit(cache=True)
def _read(goal, n_best, source, target, gain, costs, tables,  # type: ignore[no-untyped-def]
          way, item, score, slot, ranked):  # fmt: skip
    """Scores, edges and links of the derivations of the goal, as ``k_best`` says."""
    n_s, n_t = len(source.below), len(target.below)
    scores = np.empty(n_best)
    chosen_s = np.full((n_best, n_s), -1, dtype=np.int32)
    chosen_t = np.full((n_best, n_t), -1, dtype=np.int32)
    links = np.full((n_best, min(n_s, n_t) + 1, 4), -1, dtype=np.int32)
    n_e, n_f = np.max(np.diff(source.first)), np.max(np.diff(target.first))
    capacity = most_ways(n_e, n_f)
    spare, spare_weight = np.empty((capacity, 7), dtype=np.int32), np.empty(capacity)
    stack = np.empty((goal + 2, 3), dtype=np.int32)  # item, rank, row of the link above
    for at in range(n_best):
        scores[at] = score[ranked[slot[goal], at]]
        stack[0, 0], stack[0, 1], stack[0, 2] = goal, at, -1
        depth, n_links = 1, 0
        while depth:
            depth -= 1
            v, above = stack[depth, 0], stack[depth, 2]
            s, t = v // 8 // n_t, v // 8 % n_t
            if slot[v] >= 0:
                c = ranked[slot[v], stack[depth, 1]]
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
def _room(v, goals, source, target):  # type: ignore[no-untyped-def]
    """How many ways to make item v there may be."""
    n_t = len(target.below)
    s, t = v // 8 // n_t, v // 8 % n_t
    if s == len(source.below):
        return len(goals)
    n_e = source.first[s + 1] - source.first[s]
    return most_ways(n_e, target.first[t + 1] - target.first[t])


@njit(cache=True)
def _open(v, goals, source, target, gain, costs, way, weight, n):  # type: ignore[no-untyped-def]
    """Write the ways to make item v from row n on; the row after."""
    n_t = len(target.below)
    s, t = v // 8 // n_t, v // 8 % n_t
    if s == len(source.below):
        return ways_of_goal(goals, n_t, way, weight, n)
    return ways_of(v % 8, s, t, source, target, gain, costs, way, weight, n)


@njit(cache=True)
def _push_first(v, ways, source, target, tables, way, weight,  # type: ignore[no-untyped-def]
                item, score, used, head):  # fmt: skip
    """Push the best candidate of each of these ways; the first row left free."""
    for w in range(ways[0], ways[1]):
        total = best_score(w, way, weight, source, target, tables)
        if total > -np.inf:
            item[used, WAY], item[used, RANK], item[used, RANK_2] = w, 0, 0
            item[used, NEXT], head[v], score[used] = head[v], used, total
            used += 1
    return used


@njit(cache=True)
def _lacking(c, way, item, count, expanded):  # type: ignore[no-untyped-def]
    """The tail, and its rank, to be found before candidates after c; -1: none."""
    for place in range(2):
        tail, rank = _tail_wanted(c, place, way, item)
        if tail >= 0 and count[tail] <= rank and expanded[tail] >= 0:
            return tail, rank
    return -1, 0


@njit(cache=True)
def k_best(source, target, gain, costs, tables, goals, k):  # type: ignore[no-untyped-def]
    """The ``k`` best derivations of the goals, best first; fewer if there are fewer.

    ``source``, ``target``: Edges; ``goals`` ``(m, 2)``: pairs of nodes, any LINK of
    which is a whole. Returns scores ``(n_best,)``; the chosen edge of every node of
    either side, -1 where it is not in the tree, ``(n_best, n_s)``, ``(n_best, n_t)``;
    links ``(n_best, most, 4)`` as source node, target node, row of the link above (-1
    for the whole), whether uneven, ended by a row of -1.

    Huang & Chiang 2005, algorithm 3: an item is opened, and a rank of it found, when a
    derivation above asks for it. O(items opened * their ways + k * derivation).
    """
    goal = len(source.below) * len(target.below) * 8
    way, weight = np.empty((1024, 7), dtype=np.int32), np.empty(1024)
    item, score = np.empty((1024, 4), dtype=np.int32), np.empty(1024)
    head = np.full(goal + 1, -1, dtype=np.int32)  # of the candidates of an item
    slot = np.full(goal + 1, -1, dtype=np.int32)  # row in ranked, once it is opened
    count, expanded = np.zeros(goal + 1, np.int32), np.zeros(goal + 1, np.int32)
    ranked = np.empty((256, k), dtype=np.int32)
    stack = np.empty((goal + 2, 2), dtype=np.int32)
    n_ways, used, n_open, depth = 0, 0, 0, 1
    stack[0, 0], stack[0, 1] = goal, k - 1
    while depth:
        v, want = stack[depth - 1, 0], stack[depth - 1, 1]
        if slot[v] < 0:
            while n_ways + _room(v, goals, source, target) > len(weight):
                way, weight = np.concatenate((way, way)), np.append(weight, weight)
            if n_open == len(ranked):
                ranked = np.concatenate((ranked, ranked))
            slot[v], n_open, begin = n_open, n_open + 1, n_ways
            n_ways = _open(v, goals, source, target, gain, costs, way, weight, n_ways)
            while used + n_ways - begin > len(score):
                item, score = np.concatenate((item, item)), np.append(score, score)
            used = _push_first(
                v, (begin, n_ways), source, target, tables, way, weight,
                item, score, used, head,
            )  # fmt: skip
        if count[v] > want:
            depth -= 1
            continue
        if expanded[v] < count[v]:
            c = ranked[slot[v], count[v] - 1]
            tail, rank = _lacking(c, way, item, count, expanded)
            if tail >= 0:
                stack[depth, 0], stack[depth, 1] = tail, rank
                depth += 1
                continue
            if used + 2 > len(score):
                item, score = np.concatenate((item, item)), np.append(score, score)
            used = _push_after(
                v, c, source, target, way, weight,
                item, score, used, head, slot, count, ranked,
            )  # fmt: skip
            expanded[v] = count[v]
        best = _take_best(v, head, item, score)
        if best < 0:
            expanded[v] = -1  # there are no others
            depth -= 1
        else:
            ranked[slot[v], count[v]] = best
            count[v] += 1
    return _read(
        goal, count[goal], source, target, gain, costs, tables,
        way, item, score, slot, ranked,
    )  # fmt: skip
