"""Twins of the bilingual aligner: alignments enumerated, rules spelled out."""

import math
from itertools import product

Cells = set[tuple[int, int]]


def moves(jumps: list[float], n: int, uniform: float) -> dict[tuple[int, int], float]:
    """How probable each move is; n is the end, -1 the place before the first word."""
    half = len(jumps) // 2

    def weight(width: int) -> float:
        return jumps[half + max(-half, min(half, width))]

    probabilities = {}
    for q in range(-1, n):
        inside = sum(weight(i - q) for i in range(n))
        for i in range(n):
            probabilities[q, i] = (1 - uniform) * weight(i - q) / inside + uniform / n
        last = weight(n - q)
        probabilities[q, n] = (1 - uniform) * last / (inside + last) + uniform / (n + 1)
    return probabilities


def hmm(
    lex: list[list[float]],
    none: list[float],
    jumps: list[float],
    p_none: float,
    uniform: float,
) -> tuple[float, list[list[float]], dict[tuple[int, int], float]]:
    """Likelihood; posterior of word j at position i; expected number of each move."""
    m, n = len(lex), len(lex[0])
    move = moves(jumps, n, uniform)
    total, posterior = 0.0, [[0.0] * n for _ in range(m)]
    passed = dict.fromkeys(move, 0.0)
    for alignment in product([None, *range(n)], repeat=m):
        weight, q, steps = 1.0, -1, []
        for j, i in enumerate(alignment):
            if i is None:
                weight *= p_none * none[j]
            else:
                weight *= (1 - p_none) * lex[j][i] * move[q, i]
                steps.append((q, i))
                q = i
        weight *= move[q, n]
        total += weight
        for step in [*steps, (q, n)]:
            passed[step] += weight
        for j, i in enumerate(alignment):
            if i is not None:
                posterior[j][i] += weight
    return (
        total,
        [[value / total for value in row] for row in posterior],
        {step: value / total for step, value in passed.items()},
    )


def ibm1(
    pairs: list[tuple[list[str], list[str]]],
    t: dict[tuple[str | None, str], float],
) -> dict[tuple[str | None, str], float]:
    """One round of Model 1: each type's translations, as relative frequencies of the
    alignments, one by one (Brown et al. 1993)."""
    counts: dict[tuple[str | None, str], float] = dict.fromkeys(t, 0.0)
    for source, target in pairs:
        ways = list(product([None, *source], repeat=len(target)))
        weights = [
            math.prod(t[e, f] for e, f in zip(way, target, strict=True)) for way in ways
        ]
        for way, weight in zip(ways, weights, strict=True):
            for cell in zip(way, target, strict=True):
                counts[cell] += weight / sum(weights)
    totals: dict[str | None, float] = {}
    for (e, _), count in counts.items():
        totals[e] = totals.get(e, 0.0) + count
    return {cell: count / totals[cell[0]] for cell, count in counts.items()}


def grow_diag_final_and(forward: Cells, backward: Cells) -> Cells:
    """Koehn's figure, with sets: ``forward`` and ``backward`` hold cells (i, j)."""
    cells, union = forward & backward, forward | backward

    def free(cell: tuple[int, int]) -> tuple[bool, bool]:
        return all(i != cell[0] for i, _ in cells), all(j != cell[1] for _, j in cells)

    around = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
    grown = True
    while grown:
        grown = False
        rows = range(max((i for i, _ in union), default=-1) + 1)
        columns = range(max((j for _, j in union), default=-1) + 1)
        for i, j in product(rows, columns):
            if (i, j) not in cells:
                continue
            for a, b in around:
                near = (i + a, j + b)
                if near in union - cells and any(free(near)):
                    cells.add(near)
                    grown = True
    by_target = sorted(forward, key=lambda cell: cell[1])
    for cell in [*by_target, *sorted(backward)]:
        if all(free(cell)):
            cells.add(cell)
    return cells
