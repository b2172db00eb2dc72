"""Which piece of work next, of several kinds: trees, links and judgments, played.

A piece is worth the errors that it is expected to remove, for each minute that it is
expected to take. One error is one wrong bracket of a parse, one wrong link or null of
an alignment, one paraphrase on the wrong side of what most people say of it. In each
order people work off all pieces; the curve has the errors removed over the minutes
worked, both as shares. Its area is 0.5 of a random order, on average.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from math import comb

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from lab.evaluation.orders import area

MIXED, RANDOM = "mixed", "random"
LEARNING, SEEN = "mixed, learning", "trees and links mixed, learning"
MIXES, OTHERS = (MIXED, LEARNING, SEEN), (RANDOM, "in turn", "kind by kind", "best")
PLAYED = (*MIXES, *OTHERS)
BEFORE = 10.0  # errors, and minutes, that count as found as expected from the start


Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WorkPiece:
    """``kind``: from 0; ``cluster``: what is resampled together, from 0 over all kinds;
    ``minutes`` as expected; ``expected``: errors that it should remove, ``removed``:
    those that it does; ``row``: of a judgment, whatever names it;
    ``is_seen``: whether people who do it see what was wrong."""

    kind: int
    cluster: int
    minutes: float
    expected: float
    removed: float
    row: int = -1
    is_seen: bool = True


def wrong_majority(n: int) -> float:
    """The chance that the majority of ``n`` judges is not that of all people, where all
    shares of yes are as likely; half of ties count. 0.5 without a judge.

    After a of ``n`` said yes the share is Beta(a + 1, n - a + 1), whose part below one
    half is a binomial tail. O(n^2). Raises InvalidValue below 0.
    """
    if n < 0:
        raise InvalidValue("judges are at least 0")
    below = [sum(comb(n + 1, i) for i in range(a + 1, n + 2)) for a in range(n + 1)]
    whole: int = 2 ** (n + 1)
    return sum(min(b, whole - b) for b in below) / (whole * (n + 1))


def in_order(
    pieces: Sequence[WorkPiece], order: str, taken: Floats, rng: np.random.Generator
) -> Places:
    """The pieces' places in an order of ``PLAYED``; equals are drawn by chance.

    In turn, and kind by kind: the best of each kind first. ``taken``: their minutes.
    """
    turn = rng.permutation(len(pieces))
    if order == RANDOM:
        return turn
    is_best = order == "best"
    worth = [one.removed if is_best else one.expected for one in pieces]
    minutes = taken if is_best else np.array([one.minutes for one in pieces])
    ranked = sorted(turn.tolist(), key=lambda at: -worth[at] / minutes[at])
    if order in (MIXED, "best"):
        return np.array(ranked)
    kinds = {
        kind: [at for at in ranked if pieces[at].kind == kind]
        for kind in _kinds(pieces, rng)
    }
    if order == LEARNING:
        return np.array([*_learning(pieces, kinds, taken)])
    if order == SEEN:
        return np.array([*_in_thirds(pieces, kinds, taken)])
    if order == "kind by kind":
        return np.array([*chain.from_iterable(kinds.values())])
    rows = chain.from_iterable(zip_longest(*kinds.values()))
    return np.array([at for at in rows if at is not None])


def _learning(
    pieces: Sequence[WorkPiece], kinds: dict[int, list[int]], taken: Floats
) -> Iterator[int]:
    """By what a kind was worth so far, over what was expected of it: errors found,
    where people see them, and minutes."""
    found, spent = ({kind: np.full(2, BEFORE) for kind in kinds} for _ in range(2))
    queues = {kind: iter(queue) for kind, queue in kinds.items()}
    heads = {kind: next(queue) for kind, queue in queues.items()}

    def worth(kind: int) -> float:
        one = pieces[heads[kind]]
        times = np.divide(*found[kind]) / np.divide(*spent[kind])
        return float(times * one.expected / one.minutes)

    while heads:
        kind = max(heads, key=worth)
        at = heads.pop(kind)
        yield at
        one = pieces[at]
        spent[kind] += taken[at], one.minutes
        if one.is_seen:
            found[kind] += one.removed, one.expected
        if (after := next(queues[kind], None)) is not None:
            heads[kind] = after


def _in_thirds(
    pieces: Sequence[WorkPiece], kinds: dict[int, list[int]], taken: Floats
) -> Iterator[int]:
    """Two of the kinds whose errors people see, as they are worth, then another one."""
    seen = {k: some for k, some in kinds.items() if some and pieces[some[0]].is_seen}
    mixed = _learning(pieces, seen, taken)
    others = chain.from_iterable(some for k, some in kinds.items() if k not in seen)
    for three in zip_longest(mixed, mixed, others):
        yield from (at for at in three if at is not None)


def _kinds(pieces: Sequence[WorkPiece], rng: np.random.Generator) -> list[int]:
    kinds = sorted({one.kind for one in pieces})
    return [kinds[at] for at in rng.permutation(len(kinds))]


@dataclass(frozen=True, slots=True)
class WorkCourse:
    """One order played: in it, of each piece the cluster, and the minutes that it took
    and the errors that it removed."""

    places: Places
    cluster: Places
    minutes: Floats
    removed: Floats

    def areas(self, drawn: Floats) -> Floats:
        """``drawn (replicates, clusters)``: how often each cluster counts."""
        weights = drawn[:, self.cluster]
        return np.array([area(self.minutes, self.removed, one) for one in weights])

    def rates(self, drawn: Floats, minutes: float) -> Floats:
        """Errors removed a minute in the first ``minutes``, a last piece in part."""
        weights = drawn[:, self.cluster]
        rates = []
        for one in weights:
            spent = np.r_[0.0, np.cumsum(self.minutes * one)]
            removed = np.r_[0.0, np.cumsum(self.removed * one)]
            rates.append(np.interp(minutes, spent, removed) / min(minutes, spent[-1]))
        return np.array(rates)

    def until(self, minutes: float) -> Places:
        """The places of the pieces done by then."""
        return self.places[np.cumsum(self.minutes) <= minutes]


def play(
    pieces: Sequence[WorkPiece],
    order: str,
    rng: np.random.Generator,
    *,
    taken: Floats | None = None,
) -> WorkCourse:
    """``taken``: minutes that the pieces really take, where not as expected."""
    if order not in PLAYED:
        raise InvalidValue(f"no order {order!r}; there are {', '.join(PLAYED)}")
    minutes = np.array([one.minutes for one in pieces]) if taken is None else taken
    places = in_order(pieces, order, minutes, rng)
    return WorkCourse(
        places,
        np.array([one.cluster for one in pieces])[places],
        minutes[places],
        np.array([one.removed for one in pieces], float)[places],
    )
