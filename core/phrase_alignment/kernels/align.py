"""Compiled loops of the alignment of two packed forests; see ``supports``."""

import numpy as np

from core.compiled import njit


@njit(cache=True)
def _holds(bits, v, w):  # type: ignore[no-untyped-def]
    """Whether all words of w are below v; in one tree: w is v or below it."""
    outside = np.uint64(0)
    for at in range(bits.shape[1]):
        outside |= bits[w, at] & ~bits[v, at]
    return outside == 0


@njit(cache=True)
def _candidates(free_s, free_t, gain):  # type: ignore[no-untyped-def]
    """Pairs of null nodes that gain something, the best first, then the lowest."""
    pairs = np.empty((len(free_s) * len(free_t), 2), dtype=np.int32)
    nats, n = np.empty(len(pairs)), 0
    for s in free_s:
        for t in free_t:
            if gain[s, t] > 0:
                pairs[n, 0], pairs[n, 1], nats[n] = s, t, gain[s, t]
                n += 1
    order = np.argsort(-nats[:n], kind="mergesort")
    return pairs[order]


@njit(cache=True)
def _trace(s, t, links, above, n, root, bits_s, bits_t):  # type: ignore[no-untyped-def]
    """The row of the link under which the pair falls: TRACE. Of several the lowest."""
    at, deeper = root, True
    while deeper:
        deeper, best = False, -1
        for k in range(n):
            if above[k] != at:
                continue
            x, y = links[k, 0], links[k, 1]
            if not (_holds(bits_s, x, s) and _holds(bits_t, y, t)):
                continue
            lower = best >= 0 and (x, y) < (links[best, 0], links[best, 1])
            if best < 0 or lower:
                best = k
        if best >= 0:
            at, deeper = best, True
    return at


@njit(cache=True)
def _down(s, t, at, links, above, n, bits_s, bits_t, inside):  # type: ignore[no-untyped-def]
    """How many supports of a link the pair would split; ``inside``: those within it."""
    split = 0
    for k in range(n):
        inside[k] = False
        if above[k] != at:
            continue
        x, y = links[k, 0], links[k, 1]
        within = _holds(bits_s, s, x)
        if within != _holds(bits_t, t, y) or (
            _holds(bits_s, x, s) != _holds(bits_t, y, t)
        ):
            split += 1
        else:
            inside[k] = within
    return split


@njit(cache=True)
def fill_nulls(score, pairs, up, free_s, free_t,  # type: ignore[no-untyped-def]
               gain, bits_s, bits_t, order_cost):  # fmt: skip
    """The score with all that is gained, and all links: pairs, above, whether crossing.

    ``pairs`` ``(links, 2)``; ``up``: above. ``free_s``, ``free_t``: null nodes.
    ``bits_s``, ``bits_t`` uint64 ``(nodes, words / 64)``. O(candidates * links).
    """
    n = len(pairs)
    most = n + min(len(free_s), len(free_t))
    links, above = np.empty((most, 2), np.int32), np.empty(most, np.int32)
    links[:n], above[:n] = pairs, up
    crossing, inside = np.zeros(most, np.bool_), np.zeros(most, np.bool_)
    taken_s, taken_t = np.zeros(len(bits_s), np.bool_), np.zeros(len(bits_t), np.bool_)
    root = np.flatnonzero(up < 0)[0]
    pairs = _candidates(free_s, free_t, gain)
    for one in range(len(pairs)):
        s, t = pairs[one, 0], pairs[one, 1]
        if taken_s[s] or taken_t[t]:
            continue
        at = _trace(s, t, links, above, n, root, bits_s, bits_t)
        split = _down(s, t, at, links, above, n, bits_s, bits_t, inside)
        nats = gain[s, t] - (order_cost * split if split else 0.0)
        if not nats > 0:
            continue
        score += nats
        links[n, 0], links[n, 1] = s, t
        above[n], crossing[n] = (-1, True) if split else (at, False)
        for k in range(n):
            if not split and inside[k]:
                above[k] = n
        taken_s[s], taken_t[t] = True, True
        n += 1
    return score, links[:n], above[:n], crossing[:n]


NEVER = float("-inf")


@njit(cache=True)
def meet(down, below_s, below_t, a, b):  # type: ignore[no-untyped-def]
    """For two edges: the best with all parts used, and with one part of each used."""
    full, single = NEVER, NEVER
    if a[1] >= 0 and b[1] >= 0:
        full = max(
            down[a[0], b[0]] + down[a[1], b[1]], down[a[0], b[1]] + down[a[1], b[0]]
        )
    for x in range(2):
        for y in range(2):
            if a[x] >= 0 and b[y] >= 0:
                score = down[a[x], b[y]]
                score += below_s[a[1 - x]] if a[1 - x] >= 0 else 0.0
                score += below_t[b[1 - y]] if b[1 - y] >= 0 else 0.0
                single = max(single, score)
    return full, single


@njit(cache=True)
def combine(s, t, first_s, parts_s, weight_s, below_s,  # type: ignore[no-untyped-def]
            first_t, parts_t, weight_t, below_t, down):  # fmt: skip
    """``meet`` over all pairs of edges of s and t that have parts."""
    full, single = NEVER, NEVER
    for e in range(first_s[s], first_s[s + 1]):
        for f in range(first_t[t], first_t[t + 1]):
            if parts_s[e, 0] >= 0 and parts_t[f, 0] >= 0:
                two, one = meet(down, below_s, below_t, parts_s[e], parts_t[f])
                weight = weight_s[e] + weight_t[f]
                full = max(full, weight + two)
                single = max(single, weight + one)
    return full, single


@njit(cache=True)
def descend(v, first, parts, weight, below, named,  # type: ignore[no-untyped-def]
            even, uneven, onward):  # fmt: skip
    """The best of going from v into one part, the other one null.

    ``even, uneven, onward`` ``(n,)``: those tables along the other side's node.
    Returns (even, through unnamed parts; uneven; onward).
    """
    same, crossed, further = NEVER, NEVER, NEVER
    for e in range(first[v], first[v + 1]):
        for x in range(2):
            c, other = parts[e, x], parts[e, 1 - x]
            if c < 0:
                continue
            w = weight[e] + (below[other] if other >= 0 else 0.0)
            crossed = max(crossed, w + uneven[c])
            if named[c]:
                crossed = max(crossed, w + even[c])
            else:
                same = max(same, w + even[c])
            further = max(further, w + onward[c])
    return same, crossed, further


@njit(cache=True)
def fill(first_s, parts_s, weight_s, named_s, below_s,  # type: ignore[no-untyped-def]
         first_t, parts_t, weight_t, named_t, below_t,
         gain, cross_cost, null_cost, tables):  # fmt: skip
    """Fill ``tables`` ``(8, n_s, n_t)``: full, even, uneven (below s, below t), link,
    item, top, down.

    Meaning of each: ``supports``. Parts come before wholes on both sides.
    """
    full, even, link = tables[0], tables[1], tables[4]
    below_source, below_target = tables[2], tables[3]
    item, top, down = tables[5], tables[6], tables[7]
    for s in range(len(below_s)):
        for t in range(len(below_t)):
            two, one = combine(
                s, t, first_s, parts_s, weight_s, below_s,
                first_t, parts_t, weight_t, below_t, down,
            )  # fmt: skip
            same_t, crossed_t, tops = descend(
                t, first_t, parts_t, weight_t, below_t, named_t,
                even[s], below_target[s], top[s],
            )  # fmt: skip
            same_s, crossed_s, downs = descend(
                s, first_s, parts_s, weight_s, below_s, named_s,
                even[:, t], below_source[:, t], down[:, t],
            )  # fmt: skip
            full[s, t] = two
            even[s, t] = max(two, max(same_s, same_t))
            below_source[s, t], below_target[s, t] = crossed_s, crossed_t
            # Arase & Tsujii 2017, Eq. 1, in nats and maximised: alpha_i is the gain of
            # the pair, alpha_m + alpha_n (both in ``two``), and gamma, the nulls that
            # ``descend`` has passed on the way up to it.
            inner = max(max(below_s[s] + below_t[t], even[s, t]), one)
            inner = max(inner, max(crossed_s, crossed_t) - cross_cost)
            named = named_s[s] and named_t[t]
            link[s, t] = gain[s, t] + inner if named else NEVER
            item[s, t] = max(link[s, t], two - (null_cost if named else 0.0))
            top[s, t] = max(item[s, t], tops)
            down[s, t] = max(top[s, t], downs)
