"""Dual decomposition over the arcs of two sentences: the compiled loop.

A *side* is the tuple ``(arcs, bonus, chart, split, stack, w, real, entering, nodes,
heads)``: arc weights, what the duals add to them, the buffers of ``kernels.arcs``
(Eisner's three, Edmonds' four), and the heads found. ``pairs`` ``(l, 2)``: linked
positions, 0 = ROOT. ``duals, low, high`` ``(l, l)``: a dual for every ordered pair of
links, kept between two bounds; [i, j] is the arc from link i to link j.
"""

from typing import Any

import numpy as np

from core.compiled import njit
from core.data.check import Floats, Ints
from core.dependencies.kernels.arcs import arborescence, eisner_max, eisner_read_off


@njit(cache=True)
def _best_tree(projective: bool, side: Any) -> float:  # noqa: FBT001
    """The score of the best tree under weights and bonus; its heads in the side."""
    arcs, bonus, chart, split, stack, w, real, entering, nodes, heads = side
    if projective:
        score = eisner_max(arcs, bonus, chart, split)
        if score > -np.inf:
            eisner_read_off(split, stack, heads)
        return score
    return arborescence(arcs, bonus, w, real, entering, nodes, heads)


@njit(cache=True)
def _own_score(side: Any) -> float:
    """The score of the side's heads without bonus."""
    arcs, heads = side[0], side[9]
    score = 0.0
    for m in range(heads.shape[0]):
        score += arcs[heads[m] + 1, m + 1]
    return score


@njit(cache=True)
def _differ(pairs: Ints, i: int, j: int, heads_s: Ints, heads_t: Ints) -> int:
    """1: the source alone has the arc from link i to link j; -1: the target alone."""
    if i == j or pairs[j, 0] == 0:
        return 0
    in_source = heads_s[pairs[j, 0] - 1] + 1 == pairs[i, 0]
    in_target = heads_t[pairs[j, 1] - 1] + 1 == pairs[i, 1]
    return int(in_source) - int(in_target)


@njit(cache=True)
def _price(
    pairs: Ints, low: Floats, high: Floats, heads_s: Ints, heads_t: Ints
) -> tuple[float, int]:
    """What the disagreements of two trees cost, and how many they are."""
    cost, count = 0.0, 0
    for i in range(pairs.shape[0]):
        for j in range(pairs.shape[0]):
            d = _differ(pairs, i, j, heads_s, heads_t)
            if d != 0:
                cost += high[i, j] if d < 0 else -low[i, j]
                count += 1
    return cost, count


@njit(cache=True)
def descend(
    source: Any,
    target: Any,
    pairs: Ints,
    duals: Floats,
    low: Floats,
    high: Floats,
    projective: bool,  # noqa: FBT001
    step: float,
    trace: Floats,
    best_s: Ints,
    best_t: Ints,
) -> tuple[float, float, int]:
    """Projected subgradient descent; best primal, least dual, rounds used.

    ``trace`` ``(rounds, 3)``: dual, best primal so far, disagreements. ``best_*``: the
    heads of the best pair. ``step`` is halved whenever the dual rises (Rush et al.
    2010).
    """
    heads_s, heads_t = source[9], target[9]
    best, least, last = -np.inf, np.inf, np.inf
    rounds = trace.shape[0]
    # Choe & McClosky 2015, Algorithm 1: a* = argmax f(a) + u a, b* = argmax f(b) - u b,
    # then u moves by the step against a* - b*, until both agree.
    for k in range(rounds):
        for i in range(pairs.shape[0]):
            for j in range(pairs.shape[0]):
                if i != j:
                    source[1][pairs[i, 0], pairs[j, 0]] = duals[i, j]
                    target[1][pairs[i, 1], pairs[j, 1]] = -duals[i, j]
        dual = _best_tree(projective, source) + _best_tree(projective, target)
        if dual == -np.inf:
            return -np.inf, -np.inf, k
        cost, count = _price(pairs, low, high, heads_s, heads_t)
        primal = _own_score(source) + _own_score(target) - cost
        if primal > best or k == 0:
            best = primal
            best_s[:], best_t[:] = heads_s, heads_t
        least = min(least, dual)
        trace[k, 0], trace[k, 1], trace[k, 2] = dual, best, count
        if least - best <= 1e-9 * (1.0 + abs(least)):
            return best, least, k + 1
        if dual > last:
            step /= 2
        last = dual
        _move(pairs, duals, low, high, heads_s, heads_t, step)
    return best, least, rounds


@njit(cache=True)
def _move(
    pairs: Ints,
    duals: Floats,
    low: Floats,
    high: Floats,
    heads_s: Ints,
    heads_t: Ints,
    step: float,
) -> None:
    """One step against the disagreements, back into the bounds."""
    for i in range(pairs.shape[0]):
        for j in range(pairs.shape[0]):
            d = _differ(pairs, i, j, heads_s, heads_t)
            moved = duals[i, j] - step * d
            duals[i, j] = min(high[i, j], max(low[i, j], moved))


@njit(cache=True)
def respond(
    source: Any,
    target: Any,
    pairs: Ints,
    low: Floats,
    high: Floats,
    projective: bool,  # noqa: FBT001
    best: float,
    best_s: Ints,
    best_t: Ints,
) -> float:
    """Let each side answer the other's tree in turn until neither gains.

    Given one tree, the price of disagreeing is linear in the other's arcs, so every
    answer is one best tree. Bounds must be finite. The best pair's score.
    """
    for _ in range(10):
        before = best
        for turn in range(2):
            mine, theirs = (source, target) if turn == 0 else (target, source)
            theirs[9][:] = best_t if turn == 0 else best_s
            for i in range(pairs.shape[0]):
                for j in range(pairs.shape[0]):
                    if i == j or pairs[j, 0] == 0:
                        continue
                    head = theirs[9][pairs[j, 1 - turn] - 1] + 1
                    has = head == pairs[i, 1 - turn]
                    up = high[i, j] if turn == 0 else -low[i, j]
                    down = low[i, j] if turn == 0 else -high[i, j]
                    mine[1][pairs[i, turn], pairs[j, turn]] = up if has else down
            if _best_tree(projective, mine) == -np.inf:
                continue
            cost, _count = _price(pairs, low, high, source[9], target[9])
            value = _own_score(source) + _own_score(target) - cost
            if value > best + 1e-12:
                best = value
                best_s[:], best_t[:] = source[9], target[9]
        if best <= before:
            break
    return best
