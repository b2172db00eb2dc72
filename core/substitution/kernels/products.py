"""Rows of one sparse matrix times rows of another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Floats

Whole = NDArray[np.signedinteger[Any]]

BLOCK = 8  # dense columns at once: 8 * n_contexts * 8 bytes stay in the cache


@njit(cache=True, fastmath={"contract"})
def sparse_products(
    left_first: Whole,
    left_at: Whole,
    left_value: Floats,
    right_first: Whole,
    right_at: Whole,
    right_value: Floats,
    n_columns: int,
    out: Floats,
) -> None:
    """``out[q, c]``: left row q times right row c. A block of right rows is dense.

    Eight sums by name stay in registers, which an array of them would not. O(left
    entries * right rows) time, O(n_columns) memory besides ``out``.
    """
    n_left, n_right = len(left_first) - 1, len(right_first) - 1
    dense = np.zeros((n_columns, BLOCK))
    for begin in range(0, n_right, BLOCK):
        width = min(BLOCK, n_right - begin)
        for b in range(width):
            for e in range(right_first[begin + b], right_first[begin + b + 1]):
                dense[right_at[e], b] = right_value[e]
        for q in range(n_left):
            s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for e in range(left_first[q], left_first[q + 1]):
                row, value = dense[left_at[e]], left_value[e]
                s0 += value * row[0]
                s1 += value * row[1]
                s2 += value * row[2]
                s3 += value * row[3]
                s4 += value * row[4]
                s5 += value * row[5]
                s6 += value * row[6]
                s7 += value * row[7]
            sums = (s0, s1, s2, s3, s4, s5, s6, s7)
            for b in range(width):
                out[q, begin + b] = sums[b]
        for b in range(width):
            for e in range(right_first[begin + b], right_first[begin + b + 1]):
                dense[right_at[e], b] = 0.0
