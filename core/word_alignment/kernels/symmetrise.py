"""Both directions' links of a pair made one set."""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Ints

Longs = NDArray[np.int64]
Shorts = NDArray[np.int16]
INTERSECT, UNION, GROW = 0, 1, 2
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@njit(cache=True, nogil=True)
def _grow_diag(grid: NDArray[np.int8], n: int, m: int, sides: Ints) -> None:
    """Grow into the neighbours (Koehn, Och & Marcu 2003), diagonal ones included, that
    the union holds and of which one word is still free. ``grid``: 1 = union, 2 = taken;
    ``sides``: how many links each word of each side has."""
    grown = True
    while grown:
        grown = False
        for i in range(n):
            for j in range(m):
                if grid[i, j] != 2:
                    continue
                for down, right in _NEIGHBOURS:
                    a, b = i + down, j + right
                    if a < 0 or b < 0 or a >= n or b >= m or grid[a, b] != 1:
                        continue
                    if sides[0, a] == 0 or sides[1, b] == 0:
                        grid[a, b] = 2
                        sides[0, a] += 1
                        sides[1, b] += 1
                        grown = True


@njit(cache=True, nogil=True)
def _final_and(
    to_source: Ints,
    to_target: Ints,
    n: int,
    m: int,
    grid: NDArray[np.int8],
    sides: Ints,
) -> None:
    """Links of one direction, then of the other, whose words are both free."""
    for j in range(m):
        i = to_source[j]
        if i >= 0 and sides[0, i] == 0 and sides[1, j] == 0:
            grid[i, j] = 2
            sides[0, i] += 1
            sides[1, j] += 1
    for i in range(n):
        j = to_target[i]
        if j >= 0 and sides[0, i] == 0 and sides[1, j] == 0:
            grid[i, j] = 2
            sides[0, i] += 1
            sides[1, j] += 1


@njit(cache=True, nogil=True)
def symmetrise(
    to_source: Ints,
    to_target: Ints,
    source_at: Longs,
    target_at: Longs,
    how: int,
    size: int,
    links: Shorts,
    link_at: Longs,
) -> None:
    """Write the links ``(i, j)``, sorted, pair after pair, and where each begins.

    ``to_source``: for each target token the position of its source token, -1 for none;
    ``to_target`` the other way round. ``links`` has room for one link a token.
    """
    grid = np.empty((size, size), dtype=np.int8)
    sides = np.empty((2, size), dtype=np.int32)
    free = 0
    for p in range(link_at.shape[0] - 1):
        link_at[p] = free
        low, high = source_at[p], target_at[p]
        n, m = source_at[p + 1] - low, target_at[p + 1] - high
        if n == 0 or m == 0 or n > size or m > size:
            continue
        grid[:n, :m] = 0
        sides[:] = 0
        for j in range(m):
            if to_source[high + j] >= 0:
                grid[to_source[high + j], j] = 1
        for i in range(n):
            j = to_target[low + i]
            if j >= 0 and (how == UNION or grid[i, j] == 1):
                grid[i, j] = 2
                sides[0, i] += 1
                sides[1, j] += 1
        if how == UNION:
            for j in range(m):
                if to_source[high + j] >= 0:
                    grid[to_source[high + j], j] = 2
        if how == GROW:
            for i in range(n):
                j = to_target[low + i]
                if j >= 0 and grid[i, j] == 0:
                    grid[i, j] = 1
            _grow_diag(grid, n, m, sides)
            _final_and(
                to_source[high : high + m], to_target[low : low + n], n, m, grid, sides
            )
        for i in range(n):
            for j in range(m):
                if grid[i, j] == 2:
                    links[free, 0], links[free, 1] = i, j
                    free += 1
    link_at[link_at.shape[0] - 1] = free
