"""Nulls of an alignment filled, link after link; see ``noncompositional``.

A link is a row: its two nodes, and in ``above`` the row of the link that it supports,
-1 for the whole and for links that cross others. Nodes are sets of words, as bits.
"""

import numpy as np

from core.compiled import njit


@njit(cache=True)
def _holds(bits, v, w):  # type: ignore[no-untyped-def]
    """Whether all words of w are below v; in one tree: w is v or below it."""
    beside = np.uint64(0)
    for at in range(bits.shape[1]):
        beside |= bits[w, at] & ~bits[v, at]
    return beside == 0


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
