"""Biparsing under bracketing ITG: the best, the k best, all alignments of a pair."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.data.blocks import Block
from core.errors import SentenceTooLong
from core.itg.grammar import ItgWeights, blocks_of, n_inverted
from core.itg.kernels import search as itg_search

__all__ = ["Biparse", "best_biparse", "biparse_of"]

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
    cells = itg_search.best_links(gains, penalty, (span, width), FIRST_TRY, ROUNDING)
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
