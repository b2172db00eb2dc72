"""Compiled loops that align a bitext: which word types occur together, what is expected
of a stretch of pairs, the most probable links, both directions made one set.

Both directions read the same cells: ``cells[cell_at[p] + i * J + j]`` is the entry of
the lexical table for source word i and target word j of pair p. One side *makes* the
words of the other: ``flip`` 1 lets the target make the source. Counts are float32, as
the tables are: a sum of half a million keeps six digits.
"""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data.check import Floats, Ints

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


Singles = NDArray[np.float32]


@njit(cache=True, nogil=True)
def _load(
    cells: Ints,
    base: int,
    n: int,
    m: int,
    flip: int,
    table: Singles,
    lex: Floats,
) -> None:
    """``lex[j, i]``: the n words that make, the m that are made."""
    for i in range(n):
        for j in range(m):
            at = base + j * n + i if flip else base + i * m + j
            lex[j, i] = table[cells[at]]


@njit(cache=True, nogil=True)
def _count(
    cells: Ints,
    base: int,
    n: int,
    m: int,
    flip: int,
    posterior: Floats,
    counts: Singles,
) -> None:
    for i in range(n):
        for j in range(m):
            at = base + j * n + i if flip else base + i * m + j
            counts[cells[at]] += posterior[j, i]


@njit(cache=True, nogil=True)
def _ibm1(lex: Floats, none: Floats, n: int, m: int, posterior: Floats) -> float:
    """Posteriors under IBM Model 1 and the log likelihood; no one is one more word."""
    likelihood = -m * np.log(n + 1.0)
    for j in range(m):
        total = none[j]
        for i in range(n):
            total += lex[j, i]
        for i in range(n):
            posterior[j, i] = lex[j, i] / total
        likelihood += np.log(total)
    return likelihood


@njit(cache=True, nogil=True)
def _count_none(
    made: Ints, low: int, n: int, m: int, posterior: Floats, counts: Floats
) -> None:
    for j in range(m):
        rest = 1.0
        for i in range(n):
            rest -= posterior[j, i]
        counts[made[low + j]] += max(rest, 0.0)


@njit(cache=True, nogil=True)
def _best(n: int, m: int, posterior: Floats, low: int, best: Ints) -> None:
    """``best[low + j]``: the position most probably behind word j, -1 for none."""
    for j in range(m):
        rest, value, arg = 1.0, 0.0, -1
        for i in range(n):
            rest -= posterior[j, i]
            if posterior[j, i] > value:
                value, arg = posterior[j, i], i
        best[low + j] = arg if value >= rest else -1


@njit(cache=True, nogil=True)
def _agree(n: int, m: int, ahead: Floats, back: Floats) -> None:
    """Both posteriors become their product (Liang, Taskar & Klein 2006)."""
    for j in range(m):
        for i in range(n):
            both = ahead[j, i] * back[i, j]
            ahead[j, i] = both
            back[i, j] = both


@njit(cache=True, nogil=True)
def expect(
    first: int,
    stop: int,
    cells: Ints,
    cell_at: Longs,
    ids: tuple[Ints, Ints],
    at: tuple[Longs, Longs],
    size: int,
    tables: tuple[Singles, Singles],
    nones: tuple[Floats, Floats],
    jumps: tuple[Floats, Floats],
    p_none: float,
    uniform: float,
    ordered: int,
    agree: int,
    counts: tuple[Singles, Singles],
    none_counts: tuple[Floats, Floats],
    jump_counts: tuple[Floats, Floats],
) -> float:
    """Add the expected counts of pairs ``first`` to ``stop - 1``; the log likelihood.

    Of each two the first belongs to the source, or to the source making the target:
    ``nones[0]``: how probably no one makes each target type. ``ordered``: under the
    HMM, else under Model 1. ``agree``: the counts are the products of both directions'
    posteriors, into ``counts[0]`` alone. ``size``: of the longest sentence.
    """
    lex, posterior = np.empty((size, size)), np.empty((2, size, size))
    fwd, made = np.empty((size + 1, size + 1)), np.empty((size, size))
    move, passed = np.empty((size + 1, size)), np.empty((size + 1, size))
    back, leave = np.empty((3, size + 1)), np.empty(size + 1)
    empty, scale = np.empty(size), np.empty(size)
    likelihood = 0.0
    for p in range(first, stop):
        if cell_at[p + 1] == cell_at[p]:
            continue
        for d in range(2):
            n, m = at[d][p + 1] - at[d][p], at[1 - d][p + 1] - at[1 - d][p]
            _load(cells, cell_at[p], n, m, d, tables[d], lex)
            for j in range(m):
                empty[j] = nones[d][ids[1 - d][at[1 - d][p] + j]]
            if not ordered:
                likelihood += _ibm1(lex, empty, n, m, posterior[d])
                continue
            moves(jumps[d], n, uniform, move, leave)
            likelihood += forward_backward(
                lex, empty, n, m, p_none, move, leave,
                fwd, made, scale, back, posterior[d], passed,
            )  # fmt: skip
            pool_jumps(n, move, passed, fwd[m], leave, jump_counts[d])
        n, m = at[0][p + 1] - at[0][p], at[1][p + 1] - at[1][p]
        if agree:
            _agree(n, m, posterior[0], posterior[1])
        _count(cells, cell_at[p], n, m, 0, posterior[0], counts[0])
        _count_none(ids[1], at[1][p], n, m, posterior[0], none_counts[0])
        if not agree:
            _count(cells, cell_at[p], m, n, 1, posterior[1], counts[1])
        _count_none(ids[0], at[0][p], m, n, posterior[1], none_counts[1])
    return likelihood


@njit(cache=True, nogil=True)
def link(
    first: int,
    stop: int,
    cells: Ints,
    cell_at: Longs,
    ids: tuple[Ints, Ints],
    at: tuple[Longs, Longs],
    size: int,
    tables: tuple[Singles, Singles],
    nones: tuple[Floats, Floats],
    jumps: tuple[Floats, Floats],
    p_none: float,
    uniform: float,
    ordered: int,
    best: tuple[Ints, Ints],
) -> None:
    """``best[0]``: for each target token the most probable position of its source
    token, -1 for none; ``best[1]``: for each source token. Else as ``expect``."""
    lex, posterior = np.empty((size, size)), np.empty((size, size))
    fwd, made = np.empty((size + 1, size + 1)), np.empty((size, size))
    move, passed = np.empty((size + 1, size)), np.empty((size + 1, size))
    back, leave = np.empty((3, size + 1)), np.empty(size + 1)
    empty, scale = np.empty(size), np.empty(size)
    for p in range(first, stop):
        if cell_at[p + 1] == cell_at[p]:
            continue
        for d in range(2):
            n, low = at[d][p + 1] - at[d][p], at[1 - d][p]
            m = at[1 - d][p + 1] - low
            _load(cells, cell_at[p], n, m, d, tables[d], lex)
            for j in range(m):
                empty[j] = nones[d][ids[1 - d][low + j]]
            if ordered:
                moves(jumps[d], n, uniform, move, leave)
                forward_backward(
                    lex, empty, n, m, p_none, move, leave,
                    fwd, made, scale, back, posterior, passed,
                )  # fmt: skip
            else:
                _ibm1(lex, empty, n, m, posterior)
            _best(n, m, posterior, low, best[d])


@njit(cache=True, nogil=True)
def normalise(counts: Singles, groups: Ints, n_groups: int, table: Singles) -> None:
    """Turn counts into relative frequencies within each group of entries.

    ``groups``: the making type of each entry. No entry falls under 1e-10.
    """
    totals = np.zeros(n_groups)
    for k in range(counts.shape[0]):
        totals[groups[k]] += counts[k]
    for k in range(counts.shape[0]):
        total = totals[groups[k]]
        table[k] = max(float(counts[k]) / total, 1e-10) if total > 0 else 1e-10


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
