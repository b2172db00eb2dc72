"""Loops of bracketing ITG over all alignments: sums with their gradient, and maxima.

Every alignment is counted once. A chart cell ``[s, t, u, v]`` holds the alignments of
that block whose first source word s and first target word u are both linked; words
after the last link are nulls. A straight block splits where its second part begins;
its first part is not straight. An inverted block's last part is not inverted.
``full`` = link + straight + inverted; ``turned`` = link + inverted, the first parts of
straight blocks; ``level`` = link + straight, the last parts of inverted ones.
O(T^3 V^3) time, O(T^2 V^2) space.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["inside_sums", "max_gains", "outside_sums"]

Floats = NDArray[np.float64]


@njit(cache=True)
def inside_sums(
    links: Floats,
    nulls: Floats,
    rules: Floats,
    full: Floats,
    turned: Floats,
    level: Floats,
) -> float:
    """Sum the products of all alignments into the charts (zeros at first).

    ``links`` ``(T, V)`` factors; ``nulls`` ``(T + 1, T + 1)``: ``[s, t]`` is the factor
    of leaving s to t - 1 alone (target nulls are 1); ``rules``: straight, inverted.
    """
    n, m = links.shape
    for s in range(n - 1, -1, -1):
        for t in range(s + 1, n + 1):
            for u in range(m - 1, -1, -1):
                straight, inverted = turned[s, t, u], level[s, t, u]  # by rule, then
                for i in range(s + 1, t):
                    for j in range(u + 1, m):
                        x, y = (
                            rules[0] * turned[s, i, u, j],
                            rules[1] * level[i, t, u, j],
                        )
                        if x > 0:
                            for v in range(j + 1, m + 1):
                                straight[v] += x * full[i, t, j, v]
                        if y > 0:
                            for v in range(j + 1, m + 1):
                                inverted[v] += y * full[s, i, j, v]
                link = links[s, u] * nulls[s + 1, t]
                for v in range(u + 1, m + 1):
                    by_straight, by_inverted = straight[v], inverted[v]
                    full[s, t, u, v] = link + by_straight + by_inverted
                    turned[s, t, u, v] = link + by_inverted
                    level[s, t, u, v] = link + by_straight
    total = nulls[0, n]
    for s in range(n):
        for u in range(m):
            total += nulls[0, s] * full[s, n, u, m]
    return total


@njit(cache=True)
def outside_sums(
    links: Floats,
    nulls: Floats,
    rules: Floats,
    full: Floats,
    turned: Floats,
    level: Floats,
    counts: Floats,
) -> tuple[float, float]:
    """Add to ``counts`` each link's share of the total, times the total.

    The inside charts come in filled. Returns the same for straight and inverted rules.
    """
    n, m = links.shape
    d_full, d_turned = np.zeros_like(full), np.zeros_like(turned)
    d_level = np.zeros_like(level)
    for s in range(n):
        d_full[s, n, :m, m] = nulls[0, s]
    n_straight, n_inverted = 0.0, 0.0
    d_straight, d_inverted = np.zeros(m + 1), np.zeros(m + 1)
    for s in range(n):
        for t in range(n, s, -1):
            for u in range(m):
                link = links[s, u] * nulls[s + 1, t]
                reach = 0.0
                for v in range(u + 1, m + 1):
                    d = d_full[s, t, u, v]
                    d_straight[v] = d + d_level[s, t, u, v]
                    d_inverted[v] = d + d_turned[s, t, u, v]
                    counts[s, u] += link * (
                        d + d_level[s, t, u, v] + d_turned[s, t, u, v]
                    )
                    whole = full[s, t, u, v]
                    n_straight += d_straight[v] * (whole - turned[s, t, u, v])
                    n_inverted += d_inverted[v] * (whole - level[s, t, u, v])
                    reach += d_straight[v] + d_inverted[v]
                if reach == 0.0:
                    continue
                for i in range(s + 1, t):
                    for j in range(u + 1, m):
                        x, y = (
                            rules[0] * turned[s, i, u, j],
                            rules[1] * level[i, t, u, j],
                        )
                        a, b = 0.0, 0.0
                        for v in range(j + 1, m + 1):
                            a += d_straight[v] * full[i, t, j, v]
                            b += d_inverted[v] * full[s, i, j, v]
                        d_turned[s, i, u, j] += rules[0] * a
                        d_level[i, t, u, j] += rules[1] * b
                        if x > 0:
                            for v in range(j + 1, m + 1):
                                d_full[i, t, j, v] += x * d_straight[v]
                        if y > 0:
                            for v in range(j + 1, m + 1):
                                d_full[s, i, j, v] += y * d_inverted[v]
    return n_straight, n_inverted


@njit(cache=True)
def max_gains(
    gains: Floats, rules: Floats, full: Floats, turned: Floats, level: Floats
) -> None:
    """The best gain of every cell in the same normal form; charts come in as -inf.

    ``gains`` ``(T, V)``, any sign; ``rules``: straight, inverted; nulls are worth 0.
    """
    n, m = gains.shape
    straight, inverted = np.empty(m + 1), np.empty(m + 1)
    for s in range(n - 1, -1, -1):
        for t in range(s + 1, n + 1):
            for u in range(m - 1, -1, -1):
                straight[:], inverted[:] = -np.inf, -np.inf
                for i in range(s + 1, t):
                    for j in range(u + 1, m):
                        x, y = (
                            rules[0] + turned[s, i, u, j],
                            rules[1] + level[i, t, u, j],
                        )
                        if x > -np.inf:
                            for v in range(j + 1, m + 1):
                                straight[v] = max(straight[v], x + full[i, t, j, v])
                        if y > -np.inf:
                            for v in range(j + 1, m + 1):
                                inverted[v] = max(inverted[v], y + full[s, i, j, v])
                for v in range(u + 1, m + 1):
                    turned[s, t, u, v] = max(gains[s, u], inverted[v])
                    level[s, t, u, v] = max(gains[s, u], straight[v])
                    full[s, t, u, v] = max(turned[s, t, u, v], straight[v])
