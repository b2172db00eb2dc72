"""Phrase pairs that are consistent with word links (Och and Ney 2004, section 3.1), and
labels of spans as numbers: hashes of how they are composed (see ``labels``).
"""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit

Rows = NDArray[np.int64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@njit(cache=True)
def consistent(
    sizes: Rows, n_links: Rows, links: Rows, limit: int, phrases: Rows
) -> int:
    """The number of phrase pairs; they are written to ``phrases`` if it has rows.

    ``sizes`` (S, 2): English and foreign tokens of each sentence pair; ``n_links``
    (S + 1,): where its rows of ``links`` (n, 2) begin. Rows of ``phrases``: pair,
    English start and end, foreign start and end, unaligned words at the borders.
    """
    count = 0
    for pair in range(len(sizes)):
        n_e, n_f = sizes[pair]
        mine = links[n_links[pair] : n_links[pair + 1]]
        low = np.full(n_e, n_f, dtype=np.int64)  # leftmost foreign word of a word
        high = np.full(n_e, -1, dtype=np.int64)
        many = np.zeros(n_e, dtype=np.int64)
        before = np.zeros(n_f + 1, dtype=np.int64)  # links of foreign words before
        for row in range(len(mine)):
            e, f = mine[row]
            low[e], high[e] = min(low[e], f), max(high[e], f)
            many[e] += 1
            before[f + 1] += 1
        for f in range(n_f):
            before[f + 1] += before[f]
        for i in range(n_e):
            lo, hi, inside = n_f, -1, 0
            for j in range(i + 1, min(i + limit, n_e) + 1):
                lo, hi = min(lo, low[j - 1]), max(hi, high[j - 1])
                inside += many[j - 1]
                if hi - lo >= limit:
                    break  # it can only become wider
                if not inside or before[hi + 1] - before[lo] != inside:
                    continue
                loose = _loose(many, i, j)
                count = _borders(
                    before, lo, hi + 1, limit, pair, i, j, loose, phrases, count
                )
    return count


@njit(cache=True)
def _loose(many: Rows, i: int, j: int) -> int:
    """Unaligned words at either end of the English phrase, which has a link."""
    k, last = i, j - 1
    while many[k] == 0:
        k += 1
    while many[last] == 0:
        last -= 1
    return (k - i) + (j - 1 - last)


@njit(cache=True)
def _borders(
    before: Rows,
    lo: int,
    hi: int,
    limit: int,
    pair: int,
    i: int,
    j: int,
    loose: int,
    phrases: Rows,
    count: int,
) -> int:
    """Every foreign phrase around ``lo .. hi`` that only adds unaligned words."""
    start = lo
    while start >= 0 and before[lo] == before[start] and hi - start <= limit:
        end = hi
        while end < len(before) and before[end] == before[hi] and end - start <= limit:
            if len(phrases):
                row = phrases[count]
                row[0], row[1], row[2], row[3], row[4] = pair, i, j, start, end
                row[5] = loose + (lo - start) + (end - hi)
            count += 1
            end += 1
        start -= 1
    return count


@njit(cache=True)
def spans_hashed(
    words: NDArray[np.uint64],
    first: Rows,
    owners: Rows,
    starts: Rows,
    ends: Rows,
    hashes: NDArray[np.uint64],
) -> None:
    """A hash of each phrase: of its words' hashes, in order, and of their number.

    ``words`` uint64: all sentences' words; ``first[s]``: where sentence s begins.
    The finaliser is that of splitmix64 (Steele, Lea and Flood 2014).
    """
    for row in range(len(owners)):
        base = first[owners[row]]
        total = np.uint64(ends[row] - starts[row])
        for at in range(base + starts[row], base + ends[row]):
            total = (total ^ words[at]) * _GOLDEN
            total = (total ^ (total >> np.uint64(30))) * _FIRST
            total = (total ^ (total >> np.uint64(27))) * _SECOND
            total ^= total >> np.uint64(31)
        hashes[row] = total


Hashes = NDArray[np.uint64]
_LEFT, _RIGHT, _INNER = np.uint64(1), np.uint64(2), np.uint64(3)


@njit(cache=True)
def mixed(total: np.uint64, value: np.uint64) -> np.uint64:
    """The finaliser of splitmix64 over both."""
    total = (total ^ value) * _GOLDEN
    total = (total ^ (total >> np.uint64(30))) * _FIRST
    total = (total ^ (total >> np.uint64(27))) * _SECOND
    return total ^ (total >> np.uint64(31))


@njit(cache=True)
def _lacking(
    v: int,
    i: int,
    j: int,
    left: np.uint64,
    right: np.uint64,
    labels: Hashes,
    nodes: Rows,
    first: Rows,
    children: Rows,
) -> np.uint64:
    """Node ``v`` restricted to i .. j; ``left``, ``right``: the category of the part
    cut at i, or else at j."""
    total = mixed(labels[v], np.uint64(0))
    for at in range(first[v], first[v + 1]):
        part = children[at]
        if nodes[part, 2] <= i:
            total = mixed(mixed(total, _LEFT), labels[part])
        elif nodes[part, 1] >= j:
            total = mixed(mixed(total, _RIGHT), labels[part])
        elif nodes[part, 1] < i:
            total = mixed(mixed(mixed(total, _LEFT), _INNER), left)
        elif nodes[part, 2] > j:
            total = mixed(mixed(mixed(total, _RIGHT), _INNER), right)
    return total


@njit(cache=True)
def _below(
    leaf: int,
    i: int,
    j: int,
    top: int,
    labels: Hashes,
    nodes: Rows,
    first: Rows,
    children: Rows,
) -> np.uint64:
    """What the part of ``top`` above ``leaf`` is that i .. j cuts; 0: none is cut."""
    v, lacked = leaf, np.uint64(0)
    while v != top:
        if nodes[v, 1] < i or nodes[v, 2] > j:
            lacked = _lacking(v, i, j, lacked, lacked, labels, nodes, first, children)
        v = nodes[v, 0]
    return lacked


@njit(cache=True)
def categories(
    spans: Rows,
    leaves: Rows,
    labels: Hashes,
    nodes: Rows,
    first: Rows,
    children: Rows,
    exact: int,
    at: Rows,
    hashes: Hashes,
    where: Rows,
) -> int:
    """All labels of all spans; how many. They are written if ``hashes`` has room.

    ``spans`` (S, 2): the first and the last leaf of each; ``leaves``: of each, where
    in its sentence. ``nodes`` (N, 3): parent, -1 for a root, and tokens from and to;
    ``labels``: hashes of names, 0 for the name of a whole. ``first, children``: parts
    of each node. Labels of span s are ``hashes[at[s] : at[s + 1]]``, of the nodes
    ``where``. ``exact`` 1: those of constituents only.
    """
    count = 0
    for s in range(len(spans)):
        low, high = spans[s]
        i, j = leaves[low], leaves[high] + 1
        at[s] = count
        top = low
        while nodes[top, 2] < j:
            top = nodes[top, 0]
        left = _below(low, i, j, top, labels, nodes, first, children)
        right = _below(high, i, j, top, labels, nodes, first, children)
        v = top
        while v >= 0:
            cut = nodes[v, 1] < i or nodes[v, 2] > j
            if cut:
                if exact:
                    break
                own = _lacking(v, i, j, left, right, labels, nodes, first, children)
                left = right = own
            else:
                own = labels[v]
            if labels[v] != 0:
                if len(hashes):
                    hashes[count], where[count] = own, v
                count += 1
            v = nodes[v, 0]
    at[len(spans)] = count
    return count


@njit(cache=True)
def sums(hashes: Hashes, at: Rows, sets: Hashes) -> None:
    """The sum over each span's distinct labels; 0 if it has none."""
    for s in range(len(sets)):
        total = np.uint64(0)
        for k in range(at[s], at[s + 1]):
            seen = False
            for before in range(at[s], k):
                seen = seen or hashes[before] == hashes[k]
            if not seen:
                total += mixed(hashes[k], _INNER)
        sets[s] = total
