"""How probable each link is over all biparses of a pair, and the best that says so.

Many biparses of a pair have the same score: a word that stands twice on one side, a
substitution that could be of any two words. Among them the links to be shown are those
that most of the probability speaks for.
"""

from math import isqrt

import numpy as np

from core.data.check import Floats
from core.errors import InvalidScores, SentenceTooLong
from core.forests.kernels.assignment import best_assignment
from core.itg.biparse import Biparse, best_biparse, biparse_of
from core.itg.grammar import ItgWeights
from core.itg.kernels import whole

__all__ = ["SHARPNESS", "likeliest_biparse", "link_posteriors"]

CELLS = 2**20  # of each of six charts: 48 MiB; 44 x 44 words
SHARPNESS = 16.0  # edit costs are no log-probabilities: nearly the best alone count
MARGIN = 0.05
FARTHEST = 600.0  # nats below 1: exp of it is still a number
TIE = 1e-7  # nats that a link of posterior 1 is preferred by


def link_posteriors(
    weights: ItgWeights, *, sharpness: float = 1.0, max_cells: int = CELLS
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
    weights: ItgWeights, *, margin: float = MARGIN, max_cells: int = CELLS
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
