"""Biparsing under bracketing ITG: the best, the k best, all alignments of a pair."""

import heapq
import itertools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.data.blocks import Block
from core.data.check import Floats
from core.errors import InvalidScores, SentenceTooLong
from core.grammar.itg import ItgWeights, blocks_of, n_inverted
from core.kernels import itg_search, itg_sums

__all__ = ["Biparse", "Expectations", "best_biparse", "inside_outside", "k_best"]

Floats32 = NDArray[np.float32]
CELLS = 2**25  # of the best-only chart: 128 MiB; exact to 75 x 75 words
ROUNDING = 3e-5  # of float32 sums, as a share of the most that words can gain
HOPE = 0.15  # how far between what is reached and the bound the first try aims
SUM_CELLS = 2**24  # of each chart over all alignments: 128 MiB; to 63 x 63 words


@dataclass(frozen=True, slots=True)
class Biparse:
    """One alignment of a pair that ITG can build, with its one tree.

    ``score`` in nats. ``links``: (source, target) words, sorted by source; all other
    words are null. ``n_inverted``: rules of its tree. ``bound``: no biparse of the pair
    scores above it; equal to ``score`` where the search was exact.
    """

    score: float
    links: tuple[tuple[int, int], ...]
    n_inverted: int
    bound: float

    @property
    def is_exact(self) -> bool:
        return self.score >= self.bound

    @property
    def tree(self) -> Block | None:
        """Built anew each time: O(n^2) for n links; None if there are none."""
        return blocks_of(self.links)


class _Reduced(NamedTuple):
    """The gains that matter: positive, with rows and columns that have one."""

    gains: Floats32
    penalty: float
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    is_mirrored: bool


def best_biparse(weights: ItgWeights, *, max_cells: int = CELLS) -> Biparse:
    """The best-scoring biparse of a pair (Viterbi; Wu 2005, section 3).

    Exact, to float32 rounding of the gains in the search (the score itself is summed
    in float64), for every pair whose chart fits ``max_cells``: 75 x 75 words by
    default, counting only words that some link could help. Beyond that no *inverted*
    block is longer than fits (30 or more words a side to 160 x 160); the score is
    still that of a real biparse, and ``bound`` says how far the best could be.

    O(T^3 V^3) at worst; pruning that never loses the best is described in
    ``core.kernels.itg.best_blocks``. 4 bytes a cell.
    """
    reduced = _reduce(weights)
    links, is_whole = _best_links(reduced, max_cells)
    links = links or _lone_link(weights)
    biparse = _scored(weights, links)
    if biparse.score < weights.all_null:
        biparse = _scored(weights, ())
    if is_whole:
        return biparse
    bound = _upper_bound(weights, reduced)
    return replace(biparse, bound=bound)


def _reduce(weights: ItgWeights) -> _Reduced:
    """Make the cheaper orientation free, drop links and words that cannot help.

    With a the larger rule weight, K links hold K - 1 rules: give each link a, take one
    a off at the end, and charge the other orientation the difference. A link that then
    gains nothing is never better than two nulls.
    """
    favourite = max(weights.straight, weights.inverted)
    gains = np.maximum(weights.gains + favourite, 0.0)
    rows, columns = (np.flatnonzero(gains.any(axis=k)) for k in (1, 0))
    is_mirrored = weights.inverted > weights.straight
    if is_mirrored:
        columns = columns[::-1]
    kept = np.ascontiguousarray(gains[np.ix_(rows, columns)], dtype=np.float32)
    penalty = abs(weights.straight - weights.inverted)
    return _Reduced(kept, penalty, rows, columns, is_mirrored)


def _best_links(
    reduced: _Reduced, max_cells: int
) -> tuple[tuple[tuple[int, int], ...], bool]:
    gains, penalty = reduced.gains, np.float32(reduced.penalty)
    n_source, n_target = gains.shape
    if not n_source:
        return (), True
    span, width = _reach(n_source, n_target, max_cells)
    found = itg_search.best_links(gains, penalty, (span, width), HOPE, ROUNDING)
    rows, columns = reduced.rows[found[:, 0]], reduced.columns[found[:, 1]]
    links = sorted(zip(rows.tolist(), columns.tolist(), strict=True))
    return tuple(links), span == n_source and width == n_target


def _reach(n_source: int, n_target: int, max_cells: int) -> tuple[int, int]:
    """The longest block, in words of each side, that fits the memory."""
    area = (n_source + 1) * (n_target + 1)
    if area * area <= max_cells:
        return n_source, n_target
    side = int((max_cells / area) ** 0.5) - 1
    if side < 2:
        raise SentenceTooLong(max(n_source, n_target), int(max_cells**0.5 / 3))
    return min(side, n_source), min(side, n_target)


def _lone_link(weights: ItgWeights) -> tuple[tuple[int, int], ...]:
    """The best single link: with no rule to pay it may help where two cannot."""
    gains = weights.gains
    if not gains.size or gains.max() <= 0:
        return ()
    row, column = np.unravel_index(int(gains.argmax()), gains.shape)
    return ((int(row), int(column)),)


def _upper_bound(weights: ItgWeights, reduced: _Reduced) -> float:
    """No alignment at all weighs more: each word takes its best link, no rule paid."""
    favourite = max(weights.straight, weights.inverted)
    best = min(float(reduced.gains.max(axis=k).sum()) for k in (0, 1))
    return weights.all_null + max(best - min(favourite, 0.0), 0.0)


def _scored(weights: ItgWeights, links: tuple[tuple[int, int], ...]) -> Biparse:
    inverted, gains = n_inverted(links), weights.gains
    score = weights.all_null + sum(float(gains[i, j]) for i, j in links)
    score += weights.straight * max(len(links) - 1 - inverted, 0)
    score += weights.inverted * inverted
    return Biparse(float(score), links, inverted, float(score))


@dataclass(frozen=True, slots=True, eq=False)
class Expectations:
    """Sums over all alignments of a pair, each counted once.

    ``log_total`` in nats. ``links`` ``(T, V)``: the share of the total in which the
    two are linked. ``straight``, ``inverted``: the expected number of rules.
    """

    log_total: float
    links: Floats
    straight: float
    inverted: float

    @property
    def source_nulls(self) -> Floats:
        return np.asarray(1.0 - self.links.sum(axis=1))

    @property
    def target_nulls(self) -> Floats:
        return np.asarray(1.0 - self.links.sum(axis=0))


def inside_outside(weights: ItgWeights) -> Expectations:
    """The total over all alignments, and what to expect of them.

    Sums plain products, scaled so that the best alignment is 1: no underflow hides it.
    Raises SentenceTooLong beyond 63 x 63 words, InvalidScores if weights differ so
    much (over 700 nats) that a product overflows. O(T^3 V^3), 48 bytes a cell.
    """
    best = best_biparse(weights)
    n_source, n_target = weights.shape
    full, turned, level = _charts(n_source, n_target, 0.0)
    scale = np.zeros(n_source)
    gains = weights.gains
    for i, j in best.links:
        scale[i] = gains[i, j]
    rules = np.exp(np.array([weights.straight, weights.inverted]))
    factors = np.exp(gains - scale[:, None])
    offsets = np.concatenate([[0.0], np.cumsum(scale)])
    nulls = np.exp(np.minimum(offsets[:, None] - offsets[None, :], 700.0))
    total = itg_sums.inside_sums(factors, nulls, rules, full, turned, level)
    counts = np.zeros((n_source, n_target))
    n_straight, n_inverted = itg_sums.outside_sums(
        factors, nulls, rules, full, turned, level, counts
    )
    if not (np.isfinite(total) and total > 0 and np.isfinite(counts).all()):
        raise InvalidScores("weights differ by more than float64 can multiply")
    log_total = float(np.log(total)) + weights.all_null + float(scale.sum())
    return Expectations(
        log_total, counts / total, n_straight / total, n_inverted / total
    )


def _charts(
    n_source: int, n_target: int, value: float
) -> tuple[Floats, Floats, Floats]:
    if ((n_source + 1) * (n_target + 1)) ** 2 > SUM_CELLS:
        raise SentenceTooLong(max(n_source, n_target), int(SUM_CELLS**0.25) - 1)
    shape = (n_source + 1, n_source + 1, n_target + 1, n_target + 1)
    full, turned, level = (np.full(shape, value) for _ in range(3))
    return full, turned, level


def k_best(weights: ItgWeights, k: int) -> list[Biparse]:
    """The k best alignments, best first, no two the same; fewer if there are fewer.

    Best-first search over partial trees, from the root down, with the exact best of
    every open cell as its outlook (Pauls & Klein 2009, "K-best A* parsing"): the first
    k that are complete are the k best. Ties: lowest words first. Raises
    SentenceTooLong beyond 63 x 63 words. O(T^3 V^3 + k (T + V) T V).
    """
    search = _Search(weights, k)
    return [_scored(weights, links) for links in search.run()]


_Cell = tuple[str, int, int, int, int]
_Links = tuple[tuple[int, int], ...]
_Option = tuple[float, tuple[_Cell, ...], _Links]


class _Search:
    """The agenda of ``k_best``: (−outlook, number, open cells, links)."""

    def __init__(self, weights: ItgWeights, k: int) -> None:
        self.k = k
        self.gains = np.ascontiguousarray(weights.gains)
        self.rules = np.array([weights.straight, weights.inverted])
        n_source, n_target = weights.shape
        charts = _charts(n_source, n_target, -np.inf)
        itg_sums.max_gains(self.gains, self.rules, *charts)
        self.charts = dict(zip("FTL", charts, strict=True))
        self.numbers = itertools.count()
        self.agenda: list[tuple[float, int, tuple[_Cell, ...], _Links]] = []

    def run(self) -> list[_Links]:
        n, m = self.gains.shape
        self._push(0.0, (), ())
        roots: list[tuple[tuple[int, int], _Cell]] = [
            ((u, s), ("F", s, n, u, m)) for s in range(n) for u in range(m)
        ]
        options: list[_Option] = [
            (self._outlook(cell), (cell,), ()) for _, cell in sorted(roots)
        ]
        self._push_best(0.0, (), (), options)
        found: list[_Links] = []
        while self.agenda and len(found) < self.k:
            outlook, _, cells, links = heapq.heappop(self.agenda)
            if not cells:
                found.append(tuple(sorted(links)))
                continue
            rest = -outlook - self._outlook(cells[0])
            self._push_best(rest, cells[1:], links, self._options(cells[0]))
        return found

    def _outlook(self, cell: _Cell) -> float:
        kind, *block = cell
        return float(self.charts[kind][tuple(block)])

    def _push(self, outlook: float, cells: tuple[_Cell, ...], links: _Links) -> None:
        if outlook > -np.inf:
            entry = (-outlook, next(self.numbers), cells, links)
            heapq.heappush(self.agenda, entry)

    def _push_best(
        self,
        rest: float,
        cells: tuple[_Cell, ...],
        links: _Links,
        options: list[_Option],
    ) -> None:
        """Push the k best ways on: a worse one has k better siblings, all distinct."""
        for gain, new, linked in heapq.nlargest(self.k, options, key=lambda o: o[0]):
            self._push(rest + gain, (*new, *cells), (*links, *linked))

    def _options(self, cell: _Cell) -> list[_Option]:
        kind, s, t, u, v = cell
        full, turned, level = (self.charts[name] for name in "FTL")
        options: list[_Option] = [(float(self.gains[s, u]), (), ((s, u),))]
        inner = (slice(s + 1, t), slice(u + 1, v))
        if kind != "T":
            gains = turned[s, inner[0], u, inner[1]] + full[inner[0], t, inner[1], v]
            for gain, i, j in self._top(gains + self.rules[0], s, u):
                options.append((gain, (("T", s, i, u, j), ("F", i, t, j, v)), ()))
        if kind != "L":
            gains = full[s, inner[0], inner[1], v] + level[inner[0], t, u, inner[1]]
            for gain, i, j in self._top(gains + self.rules[1], s, u):
                options.append((gain, (("F", s, i, j, v), ("L", i, t, u, j)), ()))
        return [option for option in options if option[0] > -np.inf]

    def _top(self, gains: Floats, s: int, u: int) -> list[tuple[float, int, int]]:
        """The k best splits of a table of splits, as (gain, fence-posts)."""
        order = np.argsort(-gains, axis=None, kind="stable")[: self.k]
        places = zip(*np.unravel_index(order, gains.shape), strict=True)
        return [(float(gains[i, j]), s + 1 + int(i), u + 1 + int(j)) for i, j in places]
