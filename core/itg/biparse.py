"""Biparsing under bracketing ITG: the best, the k best, all alignments of a pair.

The probability of each link over all biparses of a pair, and the best biparse by these.

Many biparses of a pair have the same score: a word that occurs twice on one side, a
substitution that could be of any two words. Among them, those links are shown that have
the most probability.
"""

from dataclasses import dataclass, replace
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.data.blocks import Block
from core.data.check import Floats
from core.errors import InvalidScores, SentenceTooLong
from core.forests.kernels.assignment import best_assignment
from core.itg.grammar import ItgWeights, blocks_of, n_inverted
from core.itg.kernels import charts as search
from core.itg.kernels import whole

Floats32 = NDArray[np.float32]
CELLS = 2**25  # of the best-only chart: 128 MiB; exact to 75 x 75 words
ROUNDING = 3e-5  # of float32 sums, as a share of the most that words can gain
FIRST_TRY = 0.15  # how far between what is reached and the bound the first try aims


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
        """Built again each time: O(n^2) for n links; None if there are none."""
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
    ``core.itg.kernels.charts.best_blocks``. 4 bytes a cell.
    """
    reduced = _reduce(weights)
    links, is_whole = _best_links(reduced, max_cells)
    links = links or _lone_link(weights)
    biparse = biparse_of(weights, links)
    if biparse.score < weights.all_null:
        biparse = biparse_of(weights, ())
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
    cells = search.best_links(gains, penalty, (span, width), FIRST_TRY, ROUNDING)
    rows, columns = reduced.rows[cells[:, 0]], reduced.columns[cells[:, 1]]
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
    """No alignment at all weighs more: each word its best link, no rule counted."""
    favourite = max(weights.straight, weights.inverted)
    best = min(float(reduced.gains.max(axis=k).sum()) for k in (0, 1))
    return weights.all_null + max(best - min(favourite, 0.0), 0.0)


def biparse_of(weights: ItgWeights, links: tuple[tuple[int, int], ...]) -> Biparse:
    """The biparse of these links, which ITG must be able to order, with its score."""
    inverted, gains = n_inverted(links), weights.gains
    score = weights.all_null + sum(float(gains[i, j]) for i, j in links)
    score += weights.straight * max(len(links) - 1 - inverted, 0)
    score += weights.inverted * inverted
    return Biparse(float(score), links, inverted, float(score))


MAX_POSTERIOR_CELLS = 2**20  # of each of six charts: 48 MiB; 44 x 44 words
SHARPNESS = 16.0  # edit costs are not log-probabilities: in effect only the best count
MARGIN = 0.05
FARTHEST = 600.0  # nats below 1: exp of it is still a number
TIE = 1e-7  # nats that a link of posterior 1 is preferred by


def link_posteriors(
    weights: ItgWeights, *, sharpness: float = 1.0, max_cells: int = MAX_POSTERIOR_CELLS
) -> Floats:
    """``(T, V)``: the probability of each link, where a biparse has the probability
    exp(``sharpness`` * its score), normalised over all biparses of the pair.

    Raises SentenceTooLong beyond ``max_cells``, and InvalidScores where the best
    biparse is so far below the best assignment that float64 has no number for it.
    Inside-outside (Wu 1997) in O(T^3 V^3), each alignment counted once.
    """
    _check_size(weights, max_cells)
    orders = sharpness * np.array([weights.straight, weights.inverted])
    favourite = orders.max()
    rules = np.exp(orders - favourite)
    gains = sharpness * weights.gains + favourite  # of k - 1 rules k are counted so
    prices = _prices(np.maximum(gains, 0.0))
    charts = whole.inside_chart(gains, rules, prices)
    masses, total = whole.link_masses(gains, rules, prices, charts)
    total += np.exp(favourite - prices[0][-1] - prices[1][-1])  # of no link at all
    if not total > 0:
        raise InvalidScores("the weights are too far apart: lower the sharpness")
    return np.asarray(masses / total)


def likeliest_biparse(
    weights: ItgWeights, *, margin: float = MARGIN, max_cells: int = MAX_POSTERIOR_CELLS
) -> Biparse:
    """Of the best-scoring biparses, the one whose links' posteriors, of ``SHARPNESS``,
    have the largest sum; scores count as equal if they differ by less than a
    ten-millionth of a nat a link.

    ``margin``: so much larger than that of ``best_biparse``, which keeps words
    together; else it is that one. Raises SentenceTooLong beyond ``max_cells``.
    O(T^3 V^3), nothing is pruned.
    """
    _check_size(weights, max_cells)
    first = best_biparse(weights)
    sharpness = min(SHARPNESS, FARTHEST / max(_gap(weights, first), 1.0))
    posteriors = link_posteriors(weights, sharpness=sharpness, max_cells=max_cells)
    likeliest = _best_by(weights, weights.gains + TIE * posteriors)
    sums = [sum(posteriors[at] for at in one.links) for one in (first, likeliest)]
    return likeliest if sums[1] - sums[0] > margin else first


def _best_by(weights: ItgWeights, gains: Floats) -> Biparse:
    """The biparse of the greatest gain in a chart of which nothing is pruned."""
    rules = np.array([weights.straight, weights.inverted])
    charts = whole.best_chart(gains, rules)
    n, m = weights.shape
    starts = charts[0][_to_end(n)][:, _to_end(m)]
    if not starts.size or starts.max() <= 0:
        return biparse_of(weights, ())
    s, u = np.unravel_index(int(starts.argmax()), starts.shape)
    links = whole.trace_best(gains, rules, charts, (int(s), int(u)))
    return biparse_of(weights, tuple(sorted((int(i), int(j)) for i, j in links)))


def _gap(weights: ItgWeights, best: Biparse) -> float:
    """How far the best biparse is below the best assignment, in nats."""
    favourite = max(weights.straight, weights.inverted)
    prices = _prices(np.maximum(weights.gains + favourite, 0.0))
    gain = best.score - weights.all_null
    return float(prices[0][-1] + prices[1][-1] - gain - favourite)


def _to_end(n: int) -> list[int]:
    """The rows of all spans that end with the last of n words, by their start."""
    return [whole.first(s, n) + n for s in range(n)]


def _check_size(weights: ItgWeights, max_cells: int) -> None:
    n, m = weights.shape
    if whole.n_spans(n) * whole.n_spans(m) > max_cells:
        raise SentenceTooLong(max(n, m), (isqrt(8 * isqrt(max_cells) + 1) - 1) // 2)


def _prices(gains: Floats) -> tuple[Floats, Floats]:
    """Running sums of prices that no link gains more than: no sum overflows, and the
    best biparse is as far below 1 as it is below the best assignment."""
    n, m = gains.shape
    if not gains.size:
        return np.zeros(n + 1), np.zeros(m + 1)
    is_wide = n <= m
    prices = best_assignment(np.ascontiguousarray(gains if is_wide else gains.T))[0]
    rows, columns = (prices[:n], prices[n:]) if is_wide else (prices[m:], prices[:m])
    return np.r_[0.0, np.cumsum(rows)], np.r_[0.0, np.cumsum(columns)]
