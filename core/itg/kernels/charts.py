"""Loops of bracketing ITG: the pruned chart of best gains, and its backtrace.

The chart speaks *gains*: what a link adds over leaving both words alone, so an empty
block is worth 0 and every null is free. Spans are half-open; a block is
``[s, t) x [u, v)``; the chart is laid out ``[s, t - s, u, v - u]`` so that the inner
loops run along one contiguous row.

The whole search for the best biparse of a pair, in one compiled call.

One call and not eight: threads that score pairs side by side meet at Python's lock once
a pair instead of at every bound.
"""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.forests.kernels.assignment import best_assignment

Floats32 = NDArray[np.float32]
Floats = NDArray[np.float64]
Ints32 = NDArray[np.int32]


@njit(cache=True, nogil=True)
def straight_gain(gain: Floats32) -> float:
    """The most that links can gain without any inversion: O(T V)."""
    n_source, n_target = gain.shape
    row = np.zeros(n_target + 1, np.float32)
    for i in range(n_source):
        corner = np.float32(0)
        for j in range(n_target):
            above = row[j + 1]
            row[j + 1] = max(max(above, row[j]), corner + gain[i, j])
            corner = above
    return float(row[n_target])


@njit(cache=True, nogil=True)
def outside_bound(extra: Floats32) -> Floats32:
    """Bag-of-words bound on rows: ``[i, u, v]`` sums, over the rows below ``i``, the
    best entry outside columns ``[u, v)``. So all rows outside ``[s, t)`` together gain
    at most ``B[s, u, v] + B[T, u, v] - B[t, u, v]``. O(T V^2)."""
    n_source, n_target = extra.shape
    before = np.zeros((n_source, n_target + 1), np.float32)
    after = np.zeros((n_source, n_target + 1), np.float32)
    for i in range(n_source):
        for j in range(n_target):
            before[i, j + 1] = max(before[i, j], extra[i, j])
        for j in range(n_target - 1, -1, -1):
            after[i, j] = max(after[i, j + 1], extra[i, j])
    bound = np.zeros((n_source + 1, n_target + 1, n_target + 1), np.float32)
    for i in range(n_source):
        for u in range(n_target + 1):
            for v in range(u, n_target + 1):
                best = max(before[i, u], after[i, v])
                bound[i + 1, u, v] = bound[i, u, v] + best
    return bound


@njit(cache=True, nogil=True)
def _grown(table: Floats32, wanted: int) -> Floats32:
    wider = np.empty((table.shape[0], max(wanted, 2 * table.shape[1])), np.float32)
    wider[:, : table.shape[1]] = table
    return wider


@njit(cache=True, nogil=True)
def _extend(
    straight: Floats32,
    inverted: Floats32,
    gain: Floats32,
    chart: Floats32,
    inverted_blocks: Floats32,
    straight_blocks: Floats32,
    s: int,
    t: int,
    penalty: float,
) -> None:
    """Fill both tables of source span [s, t) from single links and from kept blocks.

    ``inverted_blocks``: those that start at s, columns (t, u, v, gain): the left part
    of a straight block. ``straight_blocks``: those that end at t, columns (s, u, v,
    gain): the part of an inverted block that is last in source order.
    """
    n_target, width = gain.shape[1], chart.shape[3] - 1
    inner, left = chart[s + 1, t - s - 1], chart[s, t - s - 1]
    for u in range(n_target):
        first, last = gain[s, u], gain[t - 1, u] - penalty
        row, back, after, before = straight[u], inverted[u], inner[u + 1], left[u + 1]
        for w in range(1, min(width, n_target - u) + 1):
            row[w] = first + after[w - 1]
            back[w] = last + before[w - 1]
    for e in range(inverted_blocks.shape[1]):
        middle, u, v = (
            int(inverted_blocks[0, e]),
            int(inverted_blocks[1, e]),
            int(inverted_blocks[2, e]),
        )
        shift, x, row = v - u, inverted_blocks[3, e], straight[u]
        right = chart[middle, t - middle, v]
        for w in range(shift, min(width, n_target - u) + 1):
            row[w] = max(row[w], x + right[w - shift])
    for e in range(straight_blocks.shape[1]):
        middle, u, v = (
            int(straight_blocks[0, e]),
            int(straight_blocks[1, e]),
            int(straight_blocks[2, e]),
        )
        above = chart[s, middle - s, v]
        if above[min(width, n_target - v)] <= penalty:
            continue
        shift, x, row = v - u, straight_blocks[3, e] - penalty, inverted[u]
        for w in range(shift + 1, min(width, n_target - u) + 1):
            row[w] = max(row[w], x + above[w - shift])


@njit(cache=True, nogil=True)
def _settle(
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
    rows: Floats32,
    columns: Floats32,
    price_sums: Floats32,
    s: int,
    t: int,
    base: float,
    floor: float,
    hits: Ints32,
) -> int:
    """Settle the chart of source span [s, t); list in ``hits`` the blocks to keep."""
    n_source, n_target = rows.shape[0] - 1, rows.shape[1] - 1
    width = chart.shape[3] - 1
    slab, inner, left = chart[s, t - s], chart[s + 1, t - s - 1], chart[s, t - s - 1]
    need = np.empty(width + 1, np.float32)
    row_bound, n_hits = base * np.float32(n_source - t + s), 0
    first_column = n_source + 1
    outside = (
        price_sums[n_source]
        - price_sums[t]
        + price_sums[s]
        + price_sums[first_column + n_target]
    )
    for u in range(n_target - 1, -1, -1):
        end = min(width, n_target - u)
        row, below, a, b = slab[u], slab[u + 1], straight[u], inverted[u]
        c, d = inner[u], left[u]
        p0, p1, p2 = rows[s, u, u:], rows[n_source, u, u:], rows[t, u, u:]
        q0, q1 = columns[s, t, u:], columns[s, t, u] + columns[s, t, n_target]
        below_u, upto = (
            outside + price_sums[first_column + u],
            price_sums[first_column + u :],
        )
        n_better = 0
        for w in range(1, end + 1):
            bound = min(row_bound, base * np.float32(n_target - w))
            bound += min(p0[w] + p1[w] - p2[w], q1 - q0[w])
            bound = min(bound, below_u - upto[w])
            peeled = max(max(c[w], d[w]), below[w - 1])
            best = max(a[w], b[w])
            row[w] = max(peeled, best)
            need[w] = max(peeled, floor - bound)
            n_better += best > need[w]
        widest = row[0]
        for w in range(1, end + 1):
            best = max(a[w], b[w])
            if n_better > 0:
                hits[n_hits, 0] = u
                hits[n_hits, 1] = w
                n_hits += (best > widest) & (a[w] != b[w]) & (best > need[w])
            widest = max(row[w], widest)
            row[w] = widest
    return n_hits


@njit(cache=True, nogil=True)
def best_blocks(
    gain: Floats32,
    penalty: float,
    base: float,
    floor: float,
    rows: Floats32,
    columns: Floats32,
    price_sums: Floats32,
    chart: Floats32,
    top: Floats32,
) -> int:
    """Fill ``chart`` with the best gain of every block that can matter.

    ``gain`` ``(T, V)`` >= 0; ``penalty`` >= 0 per inversion; ``base`` <= every gain.
    ``rows``: ``outside_bound(gain - base)``; ``columns``: the same of its transpose,
    as ``[s, t, v]``. ``price_sums`` ``(T + V + 2,)``: running sums, from 0, of the row
    prices and then of the column prices of ``core.forests.kernels.assignment``.
    ``chart`` ``(T + 1, L + 1, V + 1, W + 1)`` and ``top`` ``(T + 1, V + 1)`` come in as
    zeros; no block is longer than L x W.
    ``top[s, u]``: the best of all that starts at s and u, as blocks in straight order.
    Returns the number of blocks kept.

    Two prunings, both sound. A block is kept for combination only if (1) no narrower
    block gains as much and its own orientation strictly wins: otherwise its parent can
    be rebuilt from its parts (the triangle argument of Wexler et al. 2007); and (2) it
    can still be part of a gain of ``floor``, by two bag-of-words bounds on all that is
    outside it: the best of each word there, and the prices of the best assignment.
    If the result reaches ``floor`` it is the best; if not, it is a gain to reach.
    """
    n_source, n_target = gain.shape
    span, width = chart.shape[1] - 1, chart.shape[3] - 1
    straight_blocks = np.empty((n_source + 1, 4, 16), np.float32)
    n_straight = np.zeros(n_source + 1, np.int64)
    straight = np.empty((n_target + 1, width + 1), np.float32)
    inverted = np.empty((n_target + 1, width + 1), np.float32)
    hits = np.empty((n_target * width + 1, 2), np.int32)
    inverted_blocks, kept = np.empty((4, 16), np.float32), 0
    for s in range(n_source - 1, -1, -1):
        n_inverted = 0
        for t in range(s + 1, min(n_source, s + span) + 1):
            old, last = (
                inverted_blocks[:, :n_inverted],
                straight_blocks[t, :, : n_straight[t]],
            )
            _extend(straight, inverted, gain, chart, old, last, s, t, penalty)
            n_hits = _settle(
                straight,
                inverted,
                chart,
                rows,
                columns,
                price_sums,
                s,
                t,
                base,
                floor,
                hits,
            )
            if t == s + 1:
                continue
            if n_inverted + n_hits > inverted_blocks.shape[1]:
                inverted_blocks = _grown(inverted_blocks, n_inverted + n_hits)
            if n_straight[t] + n_hits > straight_blocks.shape[2]:
                straight_blocks = _regrown(straight_blocks, n_straight[t] + n_hits)
            for e in range(n_hits):
                u, w = hits[e, 0], hits[e, 1]
                block = (u, u + w)
                if inverted[u, w] > straight[u, w]:
                    _put(inverted_blocks, n_inverted, t, block, inverted[u, w])
                    n_inverted += 1
                elif straight[u, w] > penalty:
                    _put(straight_blocks[t], n_straight[t], s, block, straight[u, w])
                    n_straight[t] += 1
        _top_row(top, gain, inverted_blocks[:, :n_inverted], s)
        kept += n_inverted
    return kept + n_straight.sum()


@njit(cache=True, nogil=True)
def _put(
    table: Floats32, column: int, middle: int, block: tuple[int, int], gain: float
) -> None:
    table[0, column], table[3, column] = middle, gain
    table[1, column], table[2, column] = block


@njit(cache=True, nogil=True)
def _regrown(table: Floats32, wanted: int) -> Floats32:
    n, k, old = table.shape
    wider = np.empty((n, k, max(wanted, 2 * old)), np.float32)
    wider[:, :, :old] = table
    return wider


@njit(cache=True, nogil=True)
def _top_row(top: Floats32, gain: Floats32, inverted_blocks: Floats32, s: int) -> None:
    """The best straight sequences of blocks from row ``s`` on."""
    n_target = gain.shape[1]
    for e in range(inverted_blocks.shape[1]):
        t, u, v = (
            int(inverted_blocks[0, e]),
            int(inverted_blocks[1, e]),
            int(inverted_blocks[2, e]),
        )
        top[s, u] = max(top[s, u], inverted_blocks[3, e] + top[t, v])
    for u in range(n_target - 1, -1, -1):
        past = max(top[s + 1, u], top[s, u + 1])
        top[s, u] = max(max(top[s, u], past), gain[s, u] + top[s + 1, u + 1])


@njit(cache=True, nogil=True)
def trace_links(
    gain: Floats32, penalty: float, chart: Floats32, top: Floats32
) -> Ints32:
    """The links ``(k, 2)`` of one best derivation, from ``best_blocks``'s charts.

    Ties: fewest words, then a single link, then straight, then the shortest left part.
    O(T V) a node.
    """
    n_source, n_target = gain.shape
    links = np.empty((min(n_source, n_target), 2), np.int32)
    stack = np.empty((2 * (n_source + n_target) + 2, 4), np.int64)
    n_links, n_stack, s, u = 0, 0, 0, 0
    while top[s, u] > 0:
        t, v = _top_step(gain, chart, top, s, u)
        stack[0] = (s, t, u, v)
        n_stack = 1 if t > s and v > u else 0
        while n_stack > 0:
            n_stack -= 1
            block = _peeled(chart, stack[n_stack])
            if block[1] - block[0] == 1 or block[3] - block[2] == 1:
                links[n_links] = (block[0], block[2])
                n_links += 1
                continue
            middle, cross, is_straight = _split(gain, penalty, chart, block)
            a, b, c, d = block
            for is_first in (True, False):
                place = stack[n_stack]
                place[0], place[1] = (a, middle) if is_first else (middle, b)
                is_low = is_first == is_straight
                place[2], place[3] = (c, cross) if is_low else (cross, d)
                if _worth(chart, place) > 0:
                    n_stack += 1
        s, u = t, v
    return links[:n_links]


@njit(cache=True, nogil=True)
def _worth(chart: Floats32, block: NDArray[np.int64]) -> float:
    s, t, u, v = block
    return float(chart[s, t - s, u, v - u])


@njit(cache=True, nogil=True)
def _peeled(chart: Floats32, block: NDArray[np.int64]) -> NDArray[np.int64]:
    """The narrowest block inside that is worth as much."""
    s, t, u, v = block
    x = chart[s, t - s, u, v - u]
    while chart[s + 1, t - s - 1, u, v - u] >= x:
        s += 1
    while chart[s, t - s - 1, u, v - u] >= x:
        t -= 1
    while chart[s, t - s, u + 1, v - u - 1] >= x:
        u += 1
    while chart[s, t - s, u, v - u - 1] >= x:
        v -= 1
    return np.array((s, t, u, v))


@njit(cache=True, nogil=True)
def _top_step(
    gain: Floats32, chart: Floats32, top: Floats32, s: int, u: int
) -> tuple[int, int]:
    """Where the first part of the best sequence from (s, u) ends."""
    x, span, width = top[s, u], chart.shape[1] - 1, chart.shape[3] - 1
    if top[s + 1, u] >= x:
        return s + 1, u
    if top[s, u + 1] >= x:
        return s, u + 1
    best, end = gain[s, u] + top[s + 1, u + 1], (s + 1, u + 1)
    for t in range(s + 2, min(gain.shape[0], s + span) + 1):
        for v in range(u + 2, min(gain.shape[1], u + width) + 1):
            y = chart[s, t - s, u, v - u] + top[t, v]
            if y > best:
                best, end = y, (t, v)
    return end


@njit(cache=True, nogil=True)
def _split(
    gain: Floats32, penalty: float, chart: Floats32, block: NDArray[np.int64]
) -> tuple[int, int, bool]:
    """The best split of a block: the two fence-posts, and whether it is straight."""
    s, t, u, v = block
    cut, best = (s + 1, u + 1, True), np.float32(-1.0)
    for is_straight in (True, False):
        for i in range(s + 1, t):
            for j in range(u + 1, v):
                if is_straight:
                    y = chart[s, i - s, u, j - u] + chart[i, t - i, j, v - j]
                else:
                    y = chart[s, i - s, j, v - j] + chart[i, t - i, u, j - u] - penalty
                if y > best:
                    best, cut = y, (i, j, is_straight)
    return cut


@njit(cache=True, nogil=True)
def best_links(
    gain: Floats32,
    penalty: float,
    reach: tuple[int, int],
    share: float,
    rounding: float,
) -> Ints32:
    """The links ``(k, 2)`` of the best biparse.

    ``gain`` ``(T, V)`` >= 0, float32; ``penalty`` >= 0 per inversion; no inverted block
    is longer than ``reach``. The first try aims at this ``share`` of the way from a
    gain that is reached to the bound of the best assignment; ``rounding``: of float32
    sums, as a share of that bound.
    """
    n_source, n_target = gain.shape
    prices = _prices(gain)
    bound, reached = prices.sum(), _reachable(gain, penalty)
    price_sums = _running(prices, n_source)
    base = gain.min()
    extra = gain - base
    rows = outside_bound(extra)
    by_column = outside_bound(np.ascontiguousarray(extra.T))
    columns = np.ascontiguousarray(np.transpose(by_column, (1, 2, 0)))
    shape = (n_source + 1, reach[0] + 1, n_target + 1, reach[1] + 1)
    chart = np.zeros(shape, np.float32)
    top = np.zeros((n_source + 1, n_target + 1), np.float32)
    for guess in (reached + share * (bound - reached), reached):
        top[:] = 0
        floor = np.float32(max(guess, reached) - rounding * bound)
        best_blocks(gain, penalty, base, floor, rows, columns, price_sums, chart, top)
        reached = max(reached, float(top[0, 0]))
        if top[0, 0] >= floor:
            break
    return trace_links(gain, penalty, chart, top)


@njit(cache=True, nogil=True)
def _prices(gain: Floats32) -> Floats:
    if gain.shape[0] <= gain.shape[1]:
        return best_assignment(gain)[0]
    prices = best_assignment(np.ascontiguousarray(gain.T))[0]
    return np.roll(prices, gain.shape[0])


@njit(cache=True, nogil=True)
def _running(prices: Floats, n_source: int) -> Floats32:
    """Running sums, from 0, of the row prices and then of the column prices."""
    price_sums = np.zeros(len(prices) + 2, np.float32)
    price_sums[1 : n_source + 1] = np.cumsum(prices[:n_source])
    price_sums[n_source + 2 :] = np.cumsum(prices[n_source:])
    return price_sums


@njit(cache=True, nogil=True)
def _reachable(gain: Floats32, penalty: float) -> float:
    """A gain that some biparse has."""
    n_inversions = max(min(gain.shape[0], gain.shape[1]) - 1, 0)
    inverted = straight_gain(np.ascontiguousarray(gain[:, ::-1]))
    return max(straight_gain(gain), inverted - penalty * n_inversions)
