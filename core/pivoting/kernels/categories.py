"""Labels of spans as numbers: hashes of how they are composed (see ``labels``)."""

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit

Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
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
    """Node ``v`` with nothing outside i .. j; ``left``, ``right``: what the part cut
    at i, or else at j, is by itself."""
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
    """Of each span's labels, each taken once; 0 if it has none."""
    for s in range(len(sets)):
        total = np.uint64(0)
        for k in range(at[s], at[s + 1]):
            seen = False
            for before in range(at[s], k):
                seen = seen or hashes[before] == hashes[k]
            if not seen:
                total += mixed(hashes[k], _INNER)
        sets[s] = total
