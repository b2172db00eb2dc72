"""Sums over non-projective trees without a single subtraction, in logs.

The matrix-tree theorem loses all digits where the best arcs form cycles that far
outweigh any tree. Here, for every token m, the walk from a token to its head, to the
head's head and so on, until m is met, is eliminated token by token as in Grassmann,
Taksar & Heyman 1985: all terms are sums and products of positive numbers.

With a(h, m) the weight of the arc from h to m, let v(h) be the probability that the
walk from h ends at ROOT rather than at m. Then the head of m is h in proportion to
a(h, m) v(h), where v(ROOT) = 1, and the product of the pivots times the sum of these is
the sum over all trees. Trees with several roots are made to vanish: every root arc is
charged more than they could win (what is lost by that is below rounding).
"""

import numpy as np

from core.compiled import njit
from core.data.check import Floats


@njit(cache=True)
def _plus(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@njit(cache=True)
def _eliminate(m: int, rate: Floats, source: Floats, total: Floats) -> float:
    """Eliminate all tokens but m from the walk; the log product of the pivots.

    ``rate[x, y]``: log weight of the step from x to its head y; ``source[x]``: of the
    root arc into x. Both change; ``total`` becomes the pivots, -inf where a token
    reaches neither m nor ROOT.
    """
    n = rate.shape[0]
    product = 0.0
    for k in range(n):
        if k == m:
            continue
        pivot = _plus(rate[k, m], source[k])
        for y in range(k + 1, n):
            if y != m:
                pivot = _plus(pivot, rate[k, y])
        total[k] = pivot
        product += pivot
        if pivot == -np.inf:
            continue
        for x in range(k + 1, n):
            if x == m or rate[x, k] == -np.inf:
                continue
            share = rate[x, k] - pivot
            source[x] = _plus(source[x], share + source[k])
            rate[x, m] = _plus(rate[x, m], share + rate[k, m])
            for y in range(k + 1, n):
                if y not in (x, m):
                    rate[x, y] = _plus(rate[x, y], share + rate[k, y])
    return product


@njit(cache=True)
def stable_marginals(arcs: Floats, p_arcs: Floats) -> float:
    """Fill the arc marginals (zeros) of single-root trees; return log Z. O(n^4).

    Every token must have an allowed head.
    """
    n = arcs.shape[0] - 1
    charge = 60.0
    for m in range(1, n + 1):
        low, high = np.inf, -np.inf
        for h in range(n + 1):
            if h != m and arcs[h, m] > -np.inf:
                low, high = min(low, arcs[h, m]), max(high, arcs[h, m])
        charge += high - low
    log_z = -np.inf
    v, total = np.empty(n), np.empty(n)
    for m in range(n):
        rate = arcs[1:, 1:].T.copy()
        source = arcs[0, 1:] - charge
        product = _eliminate(m, rate, source, total)
        for k in range(n - 1, -1, -1):
            if k == m:
                continue
            v[k] = source[k]
            for y in range(k + 1, n):
                if y != m:
                    v[k] = _plus(v[k], rate[k, y] + v[y])
            v[k] = v[k] - total[k] if total[k] > -np.inf else -np.inf
        whole = arcs[0, m + 1] - charge
        for h in range(n):
            if h != m:
                whole = _plus(whole, arcs[h + 1, m + 1] + v[h])
        if whole == -np.inf or product == -np.inf:
            return -np.inf
        log_z = whole + product + charge
        p_arcs[0, m + 1] = np.exp(arcs[0, m + 1] - charge - whole)
        for h in range(n):
            if h != m:
                p_arcs[h + 1, m + 1] = np.exp(arcs[h + 1, m + 1] + v[h] - whole)
    return log_z
