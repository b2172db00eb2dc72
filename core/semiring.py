"""Semirings: what (+) and (x) mean in a pass over a forest.

A question is a choice of semiring (Goodman 1999, "Semiring Parsing", CL 25(4)): is
there a parse (BOOL), how many (COUNT), how much do all weigh (LOG), the best (MAX),
the k best (KBEST), what does a value come to on average (EXPECTATION).
"""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["BOOL", "COUNT", "EXPECTATION", "KBEST", "LOG", "MAX", "Semiring"]

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
