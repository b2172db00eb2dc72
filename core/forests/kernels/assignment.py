"""Compiled loop of the assignment problem; see ``core.word_alignment.aligner``."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Floats


@njit(cache=True, nogil=True)
def best_assignment(gain: NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
    """Prices >= 0 of all rows, then of all columns, with row + column >= gain; and the
    column of every row in the assignment of the greatest gain.

    The prices sum to that gain: no links gain more than the prices of their words.
    ``gain`` ``(n, m)`` >= 0, n <= m, float32 or float64. Shortest augmenting paths
    (Kuhn 1955; Jonker & Volgenant 1987), O(n^2 m).
    """
    n, m = gain.shape
    row_price, column_price = np.zeros(n + 1), np.zeros(m + 1)
    row_of = np.zeros(m + 1, np.int64)  # from 1; 0: free; column 0: where a path starts
    for i in range(1, n + 1):
        row_of[0] = i
        column, slack = 0, np.full(m + 1, np.inf)
        came_from, done = np.zeros(m + 1, np.int64), np.zeros(m + 1, np.bool_)
        while row_of[column] != 0:
            done[column] = True
            row, step, following = row_of[column], np.inf, 0
            for j in range(1, m + 1):
                if done[j]:
                    continue
                left = row_price[row] + column_price[j] - gain[row - 1, j - 1]
                if left < slack[j]:
                    slack[j], came_from[j] = left, column
                if slack[j] < step:
                    step, following = slack[j], j
            for j in range(m + 1):
                if done[j]:
                    row_price[row_of[j]] -= step
                    column_price[j] += step
                else:
                    slack[j] -= step
            column = following
        while column != 0:
            row_of[column] = row_of[came_from[column]]
            column = came_from[column]
    shift = min(row_price[1:].min(), 0.0)
    prices = np.empty(n + m)
    prices[:n], prices[n:] = row_price[1:] - shift, column_price[1:] + shift
    columns = np.empty(n, np.int64)
    for j in range(1, m + 1):
        if row_of[j]:
            columns[row_of[j] - 1] = j - 1
    return prices, columns
