"""One pair under the HMM: sums over all alignments, forwards and backwards.

The n words of one side stand at positions 0 to n - 1; the m words of the other are made
one after the other, each by the word at some position, or by none. The state is the
last position used, -1 (index 0) before the first: a word made by none leaves it where
it was, so n + 1 states do for the 2 n of Och & Ney 2003.

    A[j + 1, i] = (1 - p0) lex[j, i] (sum over q of A[j, q] move[q, i])
                  + p0 none[j] A[j, i]

Buffers may be larger than the pair; what is beyond n and m is not read.
"""

import numpy as np

from core.compiled import njit
from core.data.check import Floats


@njit(cache=True, nogil=True)
def moves(jumps: Floats, n: int, uniform: float, move: Floats, leave: Floats) -> None:
    """``move[q + 1, i]``: from position q to i; ``leave[q + 1]``: from q to the end.

    ``jumps``: a weight for each jump from -half to half, those beyond counted as the
    widest; mixed with ``uniform`` parts of the same probability for all.
    """
    half = jumps.shape[0] // 2
    for q in range(-1, n):
        total = 0.0
        for i in range(n):
            weight = jumps[min(max(i - q, -half), half) + half]
            move[q + 1, i] = weight
            total += weight
        for i in range(n):
            move[q + 1, i] = (1 - uniform) * move[q + 1, i] / total + uniform / n
        last = jumps[min(n - q, half) + half]
        leave[q + 1] = (1 - uniform) * last / (total + last) + uniform / (n + 1)


@njit(cache=True, nogil=True)
def _forward(
    lex: Floats,
    none: Floats,
    n: int,
    m: int,
    p_none: float,
    move: Floats,
    fwd: Floats,
    made: Floats,
    scale: Floats,
) -> None:
    """``fwd[j, q + 1]`` and its part ``made[j, i]`` in which word j was made at i;
    each row of ``fwd`` sums to 1 after division by ``scale[j]``."""
    fwd[0, : n + 1] = 0.0
    fwd[0, 0] = 1.0
    for j in range(m):
        for i in range(n):
            made[j, i] = 0.0
        for q in range(n + 1):
            here = fwd[j, q]
            if here > 0.0:
                for i in range(n):
                    made[j, i] += here * move[q, i]
        null = p_none * none[j]
        total = null * fwd[j, 0]
        fwd[j + 1, 0] = total
        for i in range(n):
            made[j, i] *= (1 - p_none) * lex[j, i]
            fwd[j + 1, i + 1] = made[j, i] + null * fwd[j, i + 1]
            total += fwd[j + 1, i + 1]
        scale[j] = total
        for i in range(n):
            made[j, i] /= total
        for q in range(n + 1):
            fwd[j + 1, q] /= total


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def forward_backward(
    lex: Floats,
    none: Floats,
    n: int,
    m: int,
    p_none: float,
    move: Floats,
    leave: Floats,
    fwd: Floats,
    made: Floats,
    scale: Floats,
    back: Floats,
    posterior: Floats,
    passed: Floats,
) -> float:
    """The log likelihood; ``posterior[j, i]``: that word j was made at position i.

    ``passed[q + 1, i]``: expected moves from q to i, still to be multiplied by
    ``move``. ``back`` has three rows. O(n^2 m).
    """
    _forward(lex, none, n, m, p_none, move, fwd, made, scale)
    total = 0.0
    for q in range(n + 1):
        back[0, q] = leave[q]
        total += fwd[m, q] * leave[q]
        for i in range(n):
            passed[q, i] = 0.0
    after, before, step = back[0], back[1], back[2]
    likelihood = np.log(total)
    for j in range(m - 1, -1, -1):
        likelihood += np.log(scale[j])
        null = p_none * none[j] / scale[j]
        for i in range(n):
            posterior[j, i] = made[j, i] * after[i + 1] / total
            step[i] = (1 - p_none) * lex[j, i] * after[i + 1] / scale[j]
        for q in range(n + 1):
            value = null * after[q]
            here = fwd[j, q] / total
            for i in range(n):
                value += move[q, i] * step[i]
                passed[q, i] += here * step[i]
            before[q] = value
        after, before = before, after
    return likelihood


@njit(cache=True, nogil=True)
def pool_jumps(
    n: int,
    move: Floats,
    passed: Floats,
    last: Floats,
    leave: Floats,
    counts: Floats,
) -> None:
    """Add the expected moves of a pair, the one to the end with them, to the counts by
    width of jump. ``last``: the last row of the forward sums."""
    half = counts.shape[0] // 2
    total = 0.0
    for q in range(n + 1):
        total += last[q] * leave[q]
    for q in range(n + 1):
        counts[min(n - q + 1, half) + half] += last[q] * leave[q] / total
    for q in range(-1, n):
        for i in range(n):
            counts[min(max(i - q, -half), half) + half] += (
                passed[q + 1, i] * move[q + 1, i]
            )
