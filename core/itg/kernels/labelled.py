"""The loop of an inversion transduction grammar with several nonterminals."""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit

Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Nulls = tuple[Floats32, Floats32]


@njit(cache=True, nogil=True)
def fill_labelled(
    links: Floats32,
    nulls: Nulls,
    rules: Ints,
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
) -> None:
    """Fill ``chart`` with the best weight of every block under every nonterminal.

    ``links`` ``(N, T, V)``; ``nulls``: of the source ``(N, T)`` and of the target
    ``(N, V)``; ``rules`` ``(R, 3)``: i, j, k of i -> j k, ``straight`` and ``inverted``
    ``(R,)`` what it weighs in each orientation. ``chart``
    ``(N, T + 1, T + 1, V + 1, V + 1)`` comes in as -inf; ``[i, s, t, u, v]`` is
    delta_stuv(i), nats (Wu 2005, section 3). A part with an empty side is one word, as
    in the paper's initialization, so it is no cell. O(R T^3 V^3).
    """
    n_labels, n_source, n_target = links.shape
    for length in range(1, n_source + 1):
        for s in range(n_source + 1 - length):
            t = s + length
            for u in range(n_target - 1, -1, -1):
                if length == 1:
                    for i in range(n_labels):
                        for v in range(u + 1, n_target + 1):
                            chart[i, s, t, u, v] = -np.inf
                        chart[i, s, t, u, u + 1] = links[i, s, u]
                else:
                    _join(rules, straight, inverted, chart, s, t, u)
                    _null_source(nulls[0], rules, straight, inverted, chart, s, t, u)
                _null_target(nulls[1], rules, straight, inverted, chart, s, t, u)


@njit(cache=True, nogil=True)
def _join(
    rules: Ints,
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
    s: int,
    t: int,
    u: int,
) -> None:
    """Blocks ``[s, t) x [u, .)`` of two parts that both hold words of both sides."""
    n_target = chart.shape[3] - 1
    for r in range(len(rules)):
        i, j, k = rules[r]
        row = chart[i, s, t, u]
        for middle in range(s + 1, t):
            for cross in range(u + 1, n_target):
                x = straight[r] + chart[j, s, middle, u, cross]
                if x > -np.inf:
                    right = chart[k, middle, t, cross]
                    for v in range(cross + 1, n_target + 1):
                        row[v] = max(row[v], x + right[v])
                y = inverted[r] + chart[k, middle, t, u, cross]
                if y > -np.inf:
                    left = chart[j, s, middle, cross]
                    for v in range(cross + 1, n_target + 1):
                        row[v] = max(row[v], y + left[v])


@njit(cache=True, nogil=True)
def _null_source(
    nulls: Floats32,
    rules: Ints,
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
    s: int,
    t: int,
    u: int,
) -> None:
    """The same where the first or the last source word is null, in its own part."""
    for r in range(len(rules)):
        i, j, k = rules[r]
        rule = max(straight[r], inverted[r])  # an empty side lies before and after
        first, last = rule + nulls[j, s], rule + nulls[k, t - 1]
        row, inner = chart[i, s, t, u], chart[k, s + 1, t, u]
        left = chart[j, s, t - 1, u]
        for v in range(u + 1, chart.shape[3]):
            row[v] = max(row[v], max(first + inner[v], last + left[v]))


@njit(cache=True, nogil=True)
def _null_target(
    nulls: Floats32,
    rules: Ints,
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
    s: int,
    t: int,
    u: int,
) -> None:
    """The same where the first or the last target word is null: from narrow to wide."""
    for v in range(u + 2, chart.shape[3]):
        for r in range(len(rules)):
            i, j, k = rules[r]
            tail_j, tail_k = chart[j, s, t, u + 1, v], chart[k, s, t, u + 1, v]
            head_j, head_k = chart[j, s, t, u, v - 1], chart[k, s, t, u, v - 1]
            first = max(nulls[j, u] + tail_k, head_j + nulls[k, v - 1]) + straight[r]
            last = max(nulls[j, v - 1] + head_k, tail_j + nulls[k, u]) + inverted[r]
            chart[i, s, t, u, v] = max(chart[i, s, t, u, v], max(first, last))
