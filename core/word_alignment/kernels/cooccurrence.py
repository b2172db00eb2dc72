"""Which word types occur together, and where in each pair: the cells of a bitext."""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Ints

Longs = NDArray[np.int64]


@njit(cache=True, nogil=True)
def count_types(
    postings: Longs,
    starts: Longs,
    pair_of: Ints,
    targets: Ints,
    target_at: Longs,
    stamp: Ints,
    lengths: Longs,
) -> None:
    """``lengths[e]``: with how many target types source type e occurs.

    ``postings[starts[e]:starts[e + 1]]``: the tokens of type e; ``stamp``: -1 for each
    target type. Pairs that are left out have no postings.
    """
    for e in range(lengths.shape[0]):
        n = 0
        for at in range(starts[e], starts[e + 1]):
            p = pair_of[postings[at]]
            for j in range(target_at[p], target_at[p + 1]):
                f = targets[j]
                if stamp[f] != e:
                    stamp[f] = e
                    n += 1
        lengths[e] = n


@njit(cache=True, nogil=True)
def fill_cells(
    postings: Longs,
    starts: Longs,
    pair_of: Ints,
    source_at: Longs,
    targets: Ints,
    target_at: Longs,
    cell_at: Longs,
    rows: Longs,
    slot: Longs,
    entry_target: Ints,
    cells: Ints,
) -> None:
    """``entry_target``: the target type of each entry, row after row; ``cells``: the
    entry of each cell, ``cells[cell_at[p] + i * J + j]``.

    ``rows``: where the row of each source type begins; ``slot``: -1 for each target
    type.
    """
    for e in range(rows.shape[0] - 1):
        free = rows[e]
        for at in range(starts[e], starts[e + 1]):
            token = postings[at]
            p = pair_of[token]
            low, width = target_at[p], target_at[p + 1] - target_at[p]
            out = cell_at[p] + (token - source_at[p]) * width
            for j in range(width):
                f = targets[low + j]
                if slot[f] < rows[e]:
                    slot[f] = free
                    entry_target[free] = f
                    free += 1
                cells[out + j] = slot[f]
