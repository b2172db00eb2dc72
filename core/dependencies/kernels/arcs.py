"""Dependency charts (Eisner) and spanning arborescences (Chu-Liu/Edmonds), one root.

Arc arrays are ``[head, modifier]`` with index 0 = ROOT; heads come out as tokens from
0, ROOT = -1. Exactly one token has ROOT as head.

Eisner's items over tokens i <= j; ``L`` items have their head at j, ``R`` items at i:

    open[i, j]    = (+) over i <= k < j of  R[i, k] + L[k + 1, j]
    goR[i, j]     = open[i, j] + arc(i -> j)       goL[i, j] = open[i, j] + arc(j -> i)
    R[i, j]       = (+) over i < k <= j of  goR[i, k] + R[k, j]
    L[i, j]       = (+) over i <= k < j of  L[i, k] + goL[k, j]
    tree          = (+) over r of  arc(ROOT -> r) + L[0, r] + R[r, n - 1]

Every projective tree has one derivation. Eisner 1996, "Three New Probabilistic Models
for Dependency Parsing". ``chart``, ``(6, n, n)``: R, L, goR, goL, R and L transposed.
"""

import numpy as np

from core.compiled import njit
from core.data.check import Floats, Ints


@njit(cache=True)
def eisner_max(arcs: Floats, bonus: Floats, chart: Floats, split: Ints) -> float:
    """The best projective tree's score; ``split`` ``(4, n, n)``: open, R, L, and the
    root in ``split[3, 0, 0]``. Ties: lowest k, lowest root."""
    n = arcs.shape[0] - 1
    right, left, go_right, go_left, right_t, left_t = (
        chart[0],
        chart[1],
        chart[2],
        chart[3],
        chart[4],
        chart[5],
    )
    for i in range(n):
        right[i, i] = left[i, i] = right_t[i, i] = left_t[i, i] = 0.0
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            best, arg = -np.inf, i
            for k in range(i, j):
                value = right[i, k] + left_t[j, k + 1]
                if value > best:
                    best, arg = value, k
            split[0, i, j] = arg
            go_right[i, j] = best + arcs[i + 1, j + 1] + bonus[i + 1, j + 1]
            go_left[i, j] = best + arcs[j + 1, i + 1] + bonus[j + 1, i + 1]
            best, arg = -np.inf, i + 1
            for k in range(i + 1, j + 1):
                value = go_right[i, k] + right_t[j, k]
                if value > best:
                    best, arg = value, k
            split[1, i, j] = arg
            right[i, j] = right_t[j, i] = best
            best, arg = -np.inf, i
            for k in range(i, j):
                value = left[i, k] + go_left[k, j]
                if value > best:
                    best, arg = value, k
            split[2, i, j] = arg
            left[i, j] = left_t[j, i] = best
    score, root = -np.inf, 0
    for r in range(n):
        value = arcs[0, r + 1] + bonus[0, r + 1] + left[0, r] + right[r, n - 1]
        if value > score:
            score, root = value, r
    split[3, 0, 0] = root
    return score


@njit(cache=True)
def eisner_read_off(split: Ints, stack: Ints, heads: Ints) -> None:
    """Write the heads of the best tree; ``stack``: ``(2 n + 4, 3)``: kind, i, j."""
    n = heads.shape[0]
    root = split[3, 0, 0]
    heads[root] = -1
    stack[0, 0], stack[0, 1], stack[0, 2] = 2, 0, root
    stack[1, 0], stack[1, 1], stack[1, 2] = 1, root, n - 1
    depth = 2
    while depth:
        depth -= 1
        kind, i, j = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        if i == j:
            continue
        if kind == 1:
            start, end = i, split[1, i, j]
            heads[end] = i
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 1, end, j
        else:
            start, end = split[2, i, j], j
            heads[start] = j
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 2, i, start
        k = split[0, start, end]
        stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = 1, start, k
        stack[depth + 2, 0], stack[depth + 2, 1], stack[depth + 2, 2] = 2, k + 1, end
        depth += 3


@njit(cache=True)
def _log_dot(a: Floats, b: Floats) -> float:
    """Log of the sum of exp(a + b)."""
    best = -np.inf
    for k in range(a.shape[0]):
        best = max(best, a[k] + b[k])
    if best == -np.inf:
        return best
    total = 0.0
    for k in range(a.shape[0]):
        total += np.exp(a[k] + b[k] - best)
    return best + np.log(total)


@njit(cache=True)
def eisner_inside(arcs: Floats, chart: Floats, opened: Floats) -> float:
    """Log-sum over projective trees; fills ``chart`` (goL transposed), ``opened``."""
    n = arcs.shape[0] - 1
    right, left, go_right, go_left_t = chart[0], chart[1], chart[2], chart[3]
    right_t, left_t = chart[4], chart[5]
    for i in range(n):
        right[i, i] = left[i, i] = right_t[i, i] = left_t[i, i] = 0.0
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            total = _log_dot(right[i, i:j], left_t[j, i + 1 : j + 1])
            opened[i, j] = total
            go_right[i, j] = total + arcs[i + 1, j + 1]
            go_left_t[j, i] = total + arcs[j + 1, i + 1]
            right[i, j] = _log_dot(
                go_right[i, i + 1 : j + 1], right_t[j, i + 1 : j + 1]
            )
            right_t[j, i] = right[i, j]
            left[i, j] = _log_dot(left[i, i:j], go_left_t[j, i:j])
            left_t[j, i] = left[i, j]
    score = -np.inf
    for r in range(n):
        score = np.logaddexp(score, arcs[0, r + 1] + left[0, r] + right[r, n - 1])
    return score


@njit(cache=True)
def eisner_marginals(
    arcs: Floats, chart: Floats, opened: Floats, log_z: float, p_arcs: Floats
) -> None:
    """Fill ``p_arcs`` (zeros), shaped as ``arcs``: from wide to narrow items.

    ``chart``, ``opened`` and ``log_z`` are those of ``eisner_inside``; log_z finite.
    """
    n = arcs.shape[0] - 1
    right, left, go_right, go_left_t = chart[0], chart[1], chart[2], chart[3]
    p_right = np.zeros((n, n))
    p_left = np.zeros((n, n))
    for r in range(n):
        p = np.exp(arcs[0, r + 1] + left[0, r] + right[r, n - 1] - log_z)
        p_arcs[0, r + 1] = p
        p_left[0, r] += p
        p_right[r, n - 1] += p
    for width in range(n - 1, 0, -1):
        for i in range(n - width):
            j = i + width
            if p_right[i, j] > 0.0:
                for k in range(i + 1, j + 1):
                    w = go_right[i, k] + right[k, j] - right[i, j]
                    p = p_right[i, j] * np.exp(w)
                    p_arcs[i + 1, k + 1] += p
                    p_right[k, j] += p
            if p_left[i, j] > 0.0:
                for k in range(i, j):
                    w = left[i, k] + go_left_t[j, k] - left[i, j]
                    p = p_left[i, j] * np.exp(w)
                    p_arcs[j + 1, k + 1] += p
                    p_left[i, k] += p
            p = p_arcs[i + 1, j + 1] + p_arcs[j + 1, i + 1]
            if p > 0.0:
                for k in range(i, j):
                    share = p * np.exp(right[i, k] + left[k + 1, j] - opened[i, j])
                    p_right[i, k] += share
                    p_left[k + 1, j] += share


@njit(cache=True)
def _contract(
    cycle: Ints, new: int, alive: Ints, entering: Floats, w: Floats, real: Ints
) -> None:
    """Make node ``new`` of ``cycle``: arcs into it weigh what they gain over the arc
    they replace; ``real[h, m]`` is the arc between tokens that [h, m] represents."""
    for v in cycle:
        alive[v] = 0
    for y in range(new):
        if not alive[y]:
            continue
        w[y, new] = w[new, y] = -np.inf
        for v in cycle:
            if w[y, v] - entering[v] > w[y, new]:
                w[y, new] = w[y, v] - entering[v]
                real[y, new] = real[y, v]
            if w[v, y] > w[new, y]:
                w[new, y] = w[v, y]
                real[new, y] = real[v, y]
    alive[new] = 1


@njit(cache=True)
def _grow(n: int, w: Floats, real: Ints, entering: Floats, nodes: Ints) -> int:
    """Choose the best arc into every node, contracting cycles; how many nodes at the
    end, 0 if a node cannot be reached. Paths grow backwards from each token."""
    alive, state, path, arc, parent = nodes[0], nodes[1], nodes[2], nodes[3], nodes[4]
    count = n + 1
    alive[:count] = 1
    state[:] = 0  # 1: on the path, 2: reached from ROOT
    parent[:] = -1
    state[0] = 2
    for start in range(1, n + 1):
        if not alive[start] or state[start]:
            continue
        x, depth = start, 0
        while True:
            path[depth] = x
            depth += 1
            state[x] = 1
            best, head = -np.inf, -1
            for h in range(count):
                if alive[h] and h != x and w[h, x] > best:
                    best, head = w[h, x], h
            if head < 0:
                return 0
            entering[x] = best
            arc[x] = real[head, x]
            if state[head] == 2:
                break
            if state[head] == 0:
                x = head
                continue
            first = depth - 1
            while path[first] != head:
                first -= 1
            _contract(path[first:depth], count, alive, entering, w, real)
            parent[path[first:depth]] = count
            x, depth = count, first
            count += 1
        state[path[:depth]] = 2
    return count


@njit(cache=True)
def _arborescence(
    arcs: Floats,
    bonus: Floats,
    penalty: float,
    w: Floats,
    real: Ints,
    entering: Floats,
    nodes: Ints,
    heads: Ints,
) -> int:
    """Best tree with any number of roots into ``heads``; how many, 0 if none."""
    n = heads.shape[0]
    for m in range(1, n + 1):
        for h in range(n + 1):
            w[h, m] = arcs[h, m] + bonus[h, m]
            real[h, m] = h * (n + 1) + m
        w[0, m] -= penalty
        w[m, 0] = w[m, m] = -np.inf
    count = _grow(n, w, real, entering, nodes)
    arc, parent = nodes[3], nodes[4]
    for c in range(count - 1, n, -1):  # the arc into c replaces one on its cycle
        v = arc[c] % (n + 1)
        while parent[v] != c:
            v = parent[v]
        arc[v] = arc[c]
    roots = 0
    for m in range(1, n + 1):
        heads[m - 1] = arc[m] // (n + 1) - 1
        roots += heads[m - 1] < 0
    return roots if count else 0


@njit(cache=True)
def arborescence(
    arcs: Floats,
    bonus: Floats,
    w: Floats,
    real: Ints,
    entering: Floats,
    nodes: Ints,
    heads: Ints,
) -> float:
    """The best single-root tree's score, its heads in ``heads``; -inf if none.

    Buffers for up to 2 n + 1 nodes: ``w`` and ``real`` square, ``entering``, ``nodes``
    with five rows. First tries without the root constraint; if that attaches several
    tokens to ROOT, every root arc is charged more than any other choice can win. Dense
    Chu-Liu/Edmonds, O(n^2) (Gabow et al. 1986 for growing paths).
    """
    n = heads.shape[0]
    roots = _arborescence(arcs, bonus, 0.0, w, real, entering, nodes, heads)
    if roots > 1:
        penalty = 1.0
        for m in range(1, n + 1):
            low, high = np.inf, -np.inf
            for h in range(n + 1):
                value = arcs[h, m] + bonus[h, m]
                if h != m and value > -np.inf:
                    low, high = min(low, value), max(high, value)
            penalty += high - low
        roots = _arborescence(arcs, bonus, penalty, w, real, entering, nodes, heads)
    if roots != 1:
        return -np.inf
    score = 0.0
    for m in range(n):
        score += arcs[heads[m] + 1, m + 1] + bonus[heads[m] + 1, m + 1]
    return score


@njit(cache=True)
def best_arborescences(arcs: Floats, k: int) -> tuple[Floats, Ints]:
    """Scores, falling, and heads ``(n_best, n)`` of the k best single-root trees.

    Murty 1968 / Lawler 1972: the trees other than the best are split by the first
    token whose head differs; k n trees are sought, O(k n^3).
    """
    n = arcs.shape[0] - 1
    size = 2 * n + 1
    w, real = np.empty((size, size)), np.empty((size, size), dtype=np.int32)
    entering, nodes = np.empty(size), np.empty((5, size), dtype=np.int32)
    capacity = k * n + 1
    score, first = np.full(capacity, -np.inf), np.zeros(capacity, dtype=np.int32)
    heads = np.empty((capacity, n), dtype=np.int32)
    banned = np.zeros((capacity, n + 1), dtype=np.bool_)  # heads of token first[c]
    zero, bent = np.zeros_like(arcs), arcs.copy()
    score[0] = arborescence(arcs, zero, w, real, entering, nodes, heads[0])
    used, n_best = 1, 0
    best_score, best_heads = np.empty(k), np.empty((k, n), dtype=np.int32)
    while n_best < k:
        c = np.argmax(score[:used])
        if score[c] == -np.inf:
            break
        best_score[n_best], best_heads[n_best] = score[c], heads[c]
        score[c] = -np.inf
        n_best += 1
        if n_best == k:
            break
        bent[:] = arcs
        for m in range(n):  # tokens before m keep their heads, m gets another
            if m >= first[c]:
                if m == first[c]:
                    banned[used] = banned[c]
                banned[used, heads[c, m] + 1] = True
                for h in range(n + 1):
                    if banned[used, h]:
                        bent[h, m + 1] = -np.inf
                first[used] = m
                score[used] = arborescence(
                    bent, zero, w, real, entering, nodes, heads[used]
                )
                used += 1
            bent[:, m + 1] = -np.inf
            bent[heads[c, m] + 1, m + 1] = arcs[heads[c, m] + 1, m + 1]
    return best_score[:n_best], best_heads[:n_best]
