"""The readable pass over a forest, in any semiring: the twin of the compiled ones.

A semiring says what (+) and (x) mean.

A question is a choice of semiring (Goodman 1999, "Semiring Parsing", CL 25(4)): is
there a parse (BOOL), how many (COUNT), how much do all weigh (LOG), the best (MAX),
the k best (KBEST), what does a value come to on average (EXPECTATION).
"""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.data.check import Floats
from core.data.forest import Forest

T = TypeVar("T")
INF = math.inf


@dataclass(frozen=True, slots=True)
class Semiring(Generic[T]):
    """``lift`` turns the weight of an edge, in nats, into a value."""

    zero: T
    one: T
    plus: Callable[[T, T], T]
    times: Callable[[T, T], T]
    lift: Callable[[float], T]


def _log_plus(a: float, b: float) -> float:
    high, low = (a, b) if a >= b else (b, a)
    return high if low == -INF else high + math.log1p(math.exp(low - high))


def _add(a: float, b: float) -> float:
    return a + b


BOOL: Semiring[bool] = Semiring(
    zero=False,
    one=True,
    plus=lambda a, b: a or b,
    times=lambda a, b: a and b,
    lift=lambda weight: weight > -INF,
)
"""({false, true}, or, and): whether there is a derivation."""

COUNT: Semiring[int] = Semiring(
    0, 1, int.__add__, int.__mul__, lambda weight: int(weight > -INF)
)
"""(N, +, *): how many derivations, exactly, however many."""

LOG: Semiring[float] = Semiring(-INF, 0.0, _log_plus, _add, float)
"""(R with -inf, log-sum-exp, +): log of the summed weights."""

MAX: Semiring[float] = Semiring(-INF, 0.0, max, _add, float)
"""(R with -inf, max, +): weight of the best derivation."""


def KBEST(k: int) -> Semiring[tuple[float, ...]]:
    """(falling lists of up to k, merge, sums): weights of the k best derivations."""

    def times(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(heapq.nlargest(k, (x + y for x in a for y in b)))

    return Semiring(
        zero=(),
        one=(0.0,),
        plus=lambda a, b: tuple(heapq.nlargest(k, a + b)),
        times=times,
        lift=lambda weight: (weight,) if weight > -INF else (),
    )


def _mean_plus(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    total = _log_plus(a[0], b[0])
    if total == -INF:
        return a
    p, q = math.exp(a[0] - total), math.exp(b[0] - total)
    return total, p * a[1] + q * b[1]


EXPECTATION: Semiring[tuple[float, float]] = Semiring(
    zero=(-INF, 0.0),
    one=(0.0, 0.0),
    plus=_mean_plus,
    times=lambda a, b: (a[0] + b[0], a[1] + b[1]),
    lift=lambda weight: (weight, weight if weight > -INF else 0.0),
)
"""(log weight, mean of a value that adds up along a derivation); ``lift`` averages the
log weight itself, whence the entropy. Li & Eisner 2009, with means instead of sums."""


def inside(forest: Forest, weights: Floats, semiring: Semiring[T]) -> list[T]:
    """Per node, the (+)-sum of the derivations below it; the root's is the last."""
    values: list[T] = []
    for v in range(forest.n_nodes):
        total = semiring.zero
        for e in forest.edges_of(v):
            product = semiring.lift(float(weights[e]))
            for tail in forest.tails_of(e):
                product = semiring.times(product, values[tail])
            total = semiring.plus(total, product)
        values.append(total)
    return values


def outside(
    forest: Forest, weights: Floats, semiring: Semiring[T], below: list[T]
) -> list[T]:
    """Per node, the (+)-sum of what surrounds it in derivations of the root.

    ``below``: the result of ``inside``. (x) must commute.
    """
    values = [semiring.zero] * forest.n_nodes
    if values:
        values[-1] = semiring.one
    for v in range(forest.n_nodes - 1, -1, -1):
        for e in forest.edges_of(v):
            above = semiring.times(values[v], semiring.lift(float(weights[e])))
            tails = forest.tails_of(e).tolist()
            for at, tail in enumerate(tails):
                around = above
                for sibling in tails[:at] + tails[at + 1 :]:
                    around = semiring.times(around, below[sibling])
                values[tail] = semiring.plus(values[tail], around)
    return values
