"""Every pair of dependency trees of two linked sentences, from the definition."""

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np

from core.data.check import Floats, Ints
from tests.oracles.arcs import Heads, dependency_trees, weight


def cost_of(a: Heads, b: Heads, pairs: Ints, low: Floats, high: Floats) -> float:
    """What the disagreements of two trees over linked words cost."""
    total = 0.0
    for (i, (s, t)), (j, (u, v)) in product(enumerate(pairs), enumerate(pairs)):
        if i == j or u == 0:
            continue
        d = int(a[u - 1] + 1 == s) - int(b[v - 1] + 1 == t)
        if d:
            total += high[i, j] if d < 0 else -low[i, j]
    return total


def best_pair(
    source: Floats,
    target: Floats,
    pairs: Ints,
    low: Floats,
    high: Floats,
    *,
    projective: bool,
) -> float:
    """The score of the best pair of all; -inf if none is allowed."""
    best = -np.inf
    ours, theirs = (
        [(w, tree) for tree in trees if (w := weight(tree, arcs)) > -np.inf]
        for arcs, trees in (
            (arcs, dependency_trees(len(arcs) - 1, projective=projective))
            for arcs in (source, target)
        )
    )
    for (x, a), (y, b) in product(ours, theirs):
        if x + y > best:
            best = max(best, x + y - cost_of(a, b, pairs, low, high))
    return best


def best_set(
    sides: Sequence[Floats], groups: Ints, slack: float, *, projective: bool
) -> float:
    """The score of the best trees of a set, ``slack`` for each sentence that differs
    from most of those with words in two groups."""
    spaces = [
        [
            (nats, tree)
            for tree in dependency_trees(len(arcs) - 1, projective=projective)
            if (nats := weight(tree, arcs)) > -np.inf
        ]
        for arcs in sides
    ]
    best = -np.inf
    for choice in product(*spaces):
        cost = 0.0
        for i, j in permutations(range(len(groups)), 2):
            has = [
                tree[groups[j, k] - 1] + 1 == groups[i, k]
                for k, (_, tree) in enumerate(choice)
                if groups[i, k] >= 0 and groups[j, k] > 0
            ]
            if minority := min(sum(has), len(has) - sum(has)):
                cost += slack * minority
        best = max(best, sum(nats for nats, _ in choice) - cost)
    return best


def programme(
    source: Floats, target: Floats, pairs: Ints, *, hard: bool, slack: float = 0.0
) -> float:
    """The best pair, arcs crossing or not, as an integer programme; -inf if none.

    An arc is a variable of 0 or 1; every token has one head, ROOT one modifier, and no
    set of tokens is without an arc into it from outside. ``hard``: linked arcs are
    equal; else each difference is a variable that costs ``slack``.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    sizes = [len(source), len(target)]
    start = [0, sizes[0] ** 2]
    ends = [
        ((s, t), (u, v))
        for (i, (s, t)), (j, (u, v)) in product(enumerate(pairs), enumerate(pairs))
        if i != j and u != 0
    ]
    n = sizes[0] ** 2 + sizes[1] ** 2 + len(ends)
    cost, most = np.zeros(n), np.ones(n)
    rows: list[tuple[Floats, float, float]] = []
    for size, at, arcs in zip(sizes, start, (source, target), strict=True):
        table = np.arange(at, at + size**2).reshape(size, size)
        banned = np.isneginf(arcs) | np.eye(size, dtype=bool)
        banned[:, 0] = True
        cost[table] = -np.where(banned, 0.0, arcs)
        most[table[banned]] = 0.0
        groups = [(table[:, m], 1.0, 1.0) for m in range(1, size)]
        groups.append((table[0, 1:], 1.0, 1.0))
        for bits in range(1, 2 ** (size - 1)):
            inside = [m for m in range(1, size) if bits >> (m - 1) & 1]
            outside = [h for h in range(size) if h not in inside]
            groups.append((table[np.ix_(outside, inside)].ravel(), 1.0, np.inf))
        rows += [(_row(n, which), low, high) for which, low, high in groups]
    for k, ((s, t), (u, v)) in enumerate(ends):
        a, b, d = s * sizes[0] + u, start[1] + t * sizes[1] + v, n - len(ends) + k
        cost[d] = 0.0 if hard else slack
        most[d] = 0.0 if hard else 1.0
        for x, y in ((a, b), (b, a)):
            row = _row(n, np.array([x]))
            row[y], row[d] = -1.0, -1.0
            rows.append((row, -np.inf, 0.0))
    table_of_rows = np.array([row for row, _, _ in rows])
    lows, highs = (np.array([one[k] for one in rows]) for k in (1, 2))
    solution = milp(
        cost,
        constraints=LinearConstraint(table_of_rows, lows, highs),
        bounds=Bounds(0, most),
        integrality=np.ones(n),
    )
    return -float(solution.fun) if solution.success else -np.inf


def _row(n: int, which: Ints) -> Floats:
    row = np.zeros(n)
    row[which] = 1.0
    return row
