"""The whole search for the best biparse of a pair, in one compiled call.

One call and not eight: threads that score pairs side by side meet at Python's lock once
a pair instead of at every bound.
"""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.forests.kernels.assignment import best_assignment
from core.itg.kernels.charts import (
    best_blocks,
    outside_bound,
    straight_gain,
    trace_links,
)

__all__ = ["best_links"]

Floats32 = NDArray[np.float32]
Floats = NDArray[np.float64]
Ints32 = NDArray[np.int32]


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
