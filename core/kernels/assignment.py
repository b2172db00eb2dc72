"""Compiled loop of the assignment problem; see core.inference.assignment."""

import numpy as np
from numba import njit

__all__ = ["cheapest"]


@njit(cache=True)
def cheapest(cost):  # type: ignore[no-untyped-def]
    """The column of every row, ``(n, m)`` with ``n <= m``: shortest augmenting paths
    with potentials (Jonker & Volgenant 1987). O(n^2 m)."""
    n, m = cost.shape
    of_row, of_column = np.zeros(n + 1), np.zeros(m + 1)
    row_of = np.zeros(m + 1, dtype=np.int64)  # from 1; 0: free; column 0: the start
    came_from = np.zeros(m + 1, dtype=np.int64)
    for i in range(1, n + 1):
        row_of[0] = i
        least = np.full(m + 1, np.inf)
        done = np.zeros(m + 1, dtype=np.bool_)
        at = 0
        while row_of[at] != 0:
            done[at] = True
            row, step, onward = row_of[at], np.inf, 0
            for j in range(1, m + 1):
                if not done[j]:
                    reduced = cost[row - 1, j - 1] - of_row[row] - of_column[j]
                    if reduced < least[j]:
                        least[j], came_from[j] = reduced, at
                    if least[j] < step:
                        step, onward = least[j], j
            for j in range(m + 1):
                if done[j]:
                    of_row[row_of[j]] += step
                    of_column[j] -= step
                else:
                    least[j] -= step
            at = onward
        while at:
            row_of[at] = row_of[came_from[at]]
            at = came_from[at]
    found = np.empty(n, dtype=np.int64)
    for j in range(1, m + 1):
        if row_of[j]:
            found[row_of[j] - 1] = j - 1
    return found
