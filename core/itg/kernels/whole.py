"""Loops of bracketing ITG over the whole chart: sums, their backtrace, the best.

A cell is a block ``[s, t) x [u, v)`` whose first words are both linked, each to any
word of the block; words behind them may be null. Every alignment is counted once: the
first part of a straight block is not straight, the last part of an inverted block is
not inverted. Cells are packed, source spans by target spans: span ``[s, t)`` of n words
is row ``first(s, n) + t``, so that the inner loops run along one contiguous row.
"""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Floats

Charts = tuple[Floats, Floats, Floats]
"""Of all alignments of a block, of those not straight and not inverted at their top."""
FULL, NOT_STRAIGHT, NOT_INVERTED = 0, 1, 2


@njit(cache=True, nogil=True)
def n_spans(n: int) -> int:
    return n * (n + 1) // 2


@njit(cache=True, nogil=True)
def first(s: int, n: int) -> int:
    return s * n - s * (s - 1) // 2 - s - 1


@njit(cache=True, nogil=True)
def inside_chart(gains: Floats, rules: Floats, prices: tuple[Floats, Floats]) -> Charts:
    """The sums of the weights of all alignments of every block.

    ``gains`` ``(T, V)`` in nats, ``-inf`` forbids; ``rules``: weights, not nats, of
    straight and inverted; ``prices``: running sums, from 0, of what each word's part
    is divided by, in nats, which keeps sums within float64.
    """
    n, m = gains.shape
    full, not_straight, not_inverted = _charts(n, m, 0.0)
    straight, inverted = np.empty(m + 1), np.empty(m + 1)
    for s in range(n - 1, -1, -1):
        for t in range(s + 1, n + 1):
            here = first(s, n) + t
            for u in range(m - 1, -1, -1):
                straight[:], inverted[:] = 0.0, 0.0
                for i in range(s + 1, t):
                    left, right = first(s, n) + i, first(i, n) + t
                    for j in range(u + 1, m):
                        low, high = first(u, m) + j, first(j, m)
                        x = rules[0] * not_straight[left, low]
                        y = rules[1] * not_inverted[right, low]
                        for v in range(j + 1, m + 1):
                            straight[v] += x * full[right, high + v]
                            inverted[v] += y * full[left, high + v]
                for v in range(u + 1, m + 1):
                    b = first(u, m) + v
                    lone = np.exp(gains[s, u] - _price(prices, s, t, u, v))
                    not_straight[here, b] = lone + inverted[v]
                    not_inverted[here, b] = lone + straight[v]
                    full[here, b] = lone + straight[v] + inverted[v]
    return full, not_straight, not_inverted


@njit(cache=True, nogil=True)
def link_masses(
    gains: Floats, rules: Floats, prices: tuple[Floats, Floats], charts: Charts
) -> tuple[Floats, float]:
    """``(T, V)``: the weights of all alignments that hold a link, summed; and of all
    alignments that hold any. ``charts`` are those of ``inside_chart``.

    The way back through its loops: what the whole sum would grow by with each cell.
    """
    n, m = gains.shape
    full, not_straight, not_inverted = charts
    d_full, d_not_straight, d_not_inverted = _charts(n, m, 0.0)
    total = 0.0
    for s in range(n):
        for u in range(m):
            outside = np.exp(-prices[0][s] - prices[1][u])
            d_full[first(s, n) + n, first(u, m) + m] = outside
            total += outside * full[first(s, n) + n, first(u, m) + m]
    masses = np.zeros((n, m))
    straight, inverted = np.empty(m + 1), np.empty(m + 1)
    for s in range(n):
        for t in range(n, s, -1):
            here = first(s, n) + t
            for u in range(m):
                for v in range(u + 1, m + 1):
                    b = first(u, m) + v
                    straight[v] = d_full[here, b] + d_not_inverted[here, b]
                    inverted[v] = d_full[here, b] + d_not_straight[here, b]
                    lone = np.exp(gains[s, u] - _price(prices, s, t, u, v))
                    masses[s, u] += lone * (straight[v] + d_not_straight[here, b])
                for i in range(s + 1, t):
                    left, right = first(s, n) + i, first(i, n) + t
                    for j in range(u + 1, m):
                        low, high = first(u, m) + j, first(j, m)
                        x = rules[0] * not_straight[left, low]
                        y = rules[1] * not_inverted[right, low]
                        d_x = d_y = 0.0
                        for v in range(j + 1, m + 1):
                            d_x += straight[v] * full[right, high + v]
                            d_y += inverted[v] * full[left, high + v]
                            d_full[right, high + v] += x * straight[v]
                            d_full[left, high + v] += y * inverted[v]
                        d_not_straight[left, low] += rules[0] * d_x
                        d_not_inverted[right, low] += rules[1] * d_y
    return masses, total


@njit(cache=True, nogil=True)
def best_chart(gains: Floats, rules: Floats) -> Charts:
    """The best gain of every block, ``-inf`` where none can be; all in nats."""
    n, m = gains.shape
    full, not_straight, not_inverted = _charts(n, m, -np.inf)
    straight, inverted = np.empty(m + 1), np.empty(m + 1)
    for s in range(n - 1, -1, -1):
        for t in range(s + 1, n + 1):
            here = first(s, n) + t
            for u in range(m - 1, -1, -1):
                straight[:], inverted[:] = -np.inf, -np.inf
                for i in range(s + 1, t):
                    left, right = first(s, n) + i, first(i, n) + t
                    for j in range(u + 1, m):
                        low, high = first(u, m) + j, first(j, m)
                        x = rules[0] + not_straight[left, low]
                        y = rules[1] + not_inverted[right, low]
                        for v in range(j + 1, m + 1):
                            straight[v] = max(straight[v], x + full[right, high + v])
                            inverted[v] = max(inverted[v], y + full[left, high + v])
                for v in range(u + 1, m + 1):
                    b = first(u, m) + v
                    not_straight[here, b] = max(gains[s, u], inverted[v])
                    not_inverted[here, b] = max(gains[s, u], straight[v])
                    full[here, b] = max(not_straight[here, b], straight[v])
    return full, not_straight, not_inverted


@njit(cache=True, nogil=True)
def trace_best(
    gains: Floats, rules: Floats, charts: Charts, start: tuple[int, int]
) -> NDArray[np.int64]:
    """The links ``(k, 2)`` of the best alignment that begins with the source word and
    the target word ``start``. Ties: a lone link, then straight, then the first cut."""
    n, m = gains.shape
    links = np.empty((min(n, m), 2), np.int64)
    stack = np.empty((2 * (n + m), 5), np.int64)
    stack[0] = (FULL, start[0], n, start[1], m)
    n_stack, n_links = 1, 0
    while n_stack:
        n_stack -= 1
        kind, s, t, u, v = stack[n_stack]
        i, j, is_straight = _cut(gains, rules, charts, kind, (s, t, u, v))
        if i == s:
            links[n_links] = (s, u)
            n_links += 1
        elif is_straight:
            stack[n_stack] = (NOT_STRAIGHT, s, i, u, j)
            stack[n_stack + 1] = (FULL, i, t, j, v)
            n_stack += 2
        else:
            stack[n_stack] = (NOT_INVERTED, i, t, u, j)
            stack[n_stack + 1] = (FULL, s, i, j, v)
            n_stack += 2
    return links[:n_links]


@njit(cache=True, nogil=True)
def _cut(
    gains: Floats,
    rules: Floats,
    charts: Charts,
    kind: int,
    block: tuple[int, int, int, int],
) -> tuple[int, int, bool]:
    """Where the best alignment of a block is cut, and whether straight; at its first
    words if it is one link."""
    s, t, u, v = block
    n, m = gains.shape
    full, not_straight, not_inverted = charts
    best, cut = gains[s, u], (s, u, True)
    for i in range(s + 1, t):
        left, right = first(s, n) + i, first(i, n) + t
        for j in range(u + 1, v):
            low, high = first(u, m) + j, first(j, m) + v
            x = rules[0] + not_straight[left, low] + full[right, high]
            y = rules[1] + not_inverted[right, low] + full[left, high]
            if kind != NOT_STRAIGHT and x > best:
                best, cut = x, (i, j, True)
            if kind != NOT_INVERTED and y > best:
                best, cut = y, (i, j, False)
    return cut


@njit(cache=True, nogil=True)
def _charts(n: int, m: int, empty: float) -> Charts:
    shape = (n_spans(n), n_spans(m))
    return np.full(shape, empty), np.full(shape, empty), np.full(shape, empty)


@njit(cache=True, nogil=True)
def _price(prices: tuple[Floats, Floats], s: int, t: int, u: int, v: int) -> float:
    source, target = prices
    return float(source[t] - source[s] + target[v] - target[u])
