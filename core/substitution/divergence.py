"""Divergences between definition vectors: how different the neighbours of two words
are.

A divergence is a sum over all cells, yet only cells that were seen cost anything: a row
is alpha in every cell plus a sparse part (``_Rows``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.data.check import Floats
from core.errors import InvalidValue
from core.substitution.kernels import products
from core.substitution.kernels.products import Whole
from core.substitution.linking import LinkingCounts

Numbers = Sequence[int] | Whole
_EXACT = 1e-9  # divergences this small are rounding


@dataclass(frozen=True, slots=True, eq=False)
class Definitions:
    """Definition vectors of some words as sparse rows over ``n_cells`` cells.

    With N contexts there are 2 (N + 1) cells: ``[w c]`` for each context, ``[w x]``
    for all other words x together, then ``[c w]`` and ``[x w]`` likewise (section
    3.1). ``first``: int64 ``(rows + 1,)``; ``cells``: int32; ``counts``: float64.
    """

    n_cells: int
    first: Whole
    cells: Whole
    counts: Floats

    @property
    def n_rows(self) -> int:
        return len(self.first) - 1


def definitions(
    linking: LinkingCounts,
    words: Sequence[int] | Whole,
    contexts: Sequence[int] | Whole,
) -> Definitions:
    """The rows of ``words`` over ``contexts``, all given by their numbers.

    O(bigrams + entries log entries).
    """
    n, rows = len(contexts), np.asarray(words, np.int64)
    context_of = np.full(len(linking.words), n, np.int64)
    context_of[np.asarray(contexts, np.int64)] = np.arange(n)
    right = _entries(rows, linking.first, linking.second, linking.times, context_of)
    left = _entries(rows, *linking.by_second, context_of + n + 1)
    n_cells = 2 * (n + 1)
    keys = np.concatenate([right[0] * n_cells + right[1], left[0] * n_cells + left[1]])
    values = np.concatenate([right[2], left[2]])
    keys, where = np.unique(keys, return_inverse=True)
    counts = np.bincount(where, values, minlength=len(keys))
    first = np.searchsorted(keys, np.arange(len(rows) + 1) * n_cells)
    cells = (keys % n_cells).astype(np.int32)
    return Definitions(n_cells, first.astype(np.int64), cells, counts.astype(float))


def _entries(
    rows: Whole, owners: Whole, others: Whole, times: Whole, cell_of: Whole
) -> tuple[Whole, Whole, Whole]:
    """Row, cell and count of every bigram of ``rows``; ``owners`` is sorted."""
    wanted = rows.astype(owners.dtype)  # else numpy copies all owners to compare
    begin = np.searchsorted(owners, wanted)
    length = np.searchsorted(owners, wanted, side="right") - begin
    start = np.repeat(begin - np.cumsum(length) + length, length)
    at = start + np.arange(length.sum())
    return np.repeat(np.arange(len(rows)), length), cell_of[others[at]], times[at]


def background(linking: LinkingCounts, contexts: Numbers) -> Floats:
    """The average distribution of a word's neighbours: sums to 1, no cell is 0.

    Half the mass to the cells on either side, by the words' frequency.
    """
    uses = linking.unigrams[np.asarray(contexts, np.int64)].astype(float)
    others = float(linking.unigrams.sum() - uses.sum())
    side = np.append(uses, max(others, 0.0)) + 0.5
    side /= 2 * side.sum()
    return np.concatenate([side, side])


def divergences(
    queries: Definitions, candidates: Definitions, *, alpha: float
) -> Floats:
    """D(query || candidate) in nats, float64 ``(queries, candidates)``, at least 0.

    ``alpha``: what stands in a cell that was never seen (section 3.1). Exact: every
    cell counts, seen or not. O(query entries * candidates) time, O(cells + result)
    memory. Raises InvalidValue if the cells differ or ``alpha`` is not positive.
    """
    n = queries.n_cells
    if n != candidates.n_cells or not alpha > 0:
        raise InvalidValue("divergences: expected the same cells and a positive alpha")
    prior = np.full(n, alpha)
    q, c = _Rows.of(queries, prior, alpha), _Rows.of(candidates, prior, alpha)
    result = _cross(q, c, prior)
    np.negative(result, out=result)
    result += _own(q, prior)[:, None]
    result[result < _EXACT] = 0.0
    return result


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Unnormalised rows ``prior + extra``, ``extra`` sparse; ``mass``: their sums."""

    of_counts: Definitions
    extra: Floats
    mass: Floats

    @classmethod
    def of(cls, rows: Definitions, prior: Floats, taken: float) -> "_Rows":
        extra = rows.counts - taken  # alpha is for cells never seen
        sums = np.concatenate([[0.0], np.cumsum(extra)])
        own = sums[rows.first[1:]] - sums[rows.first[:-1]]
        return cls(rows, extra, prior.sum() + own)


def _cross(q: _Rows, c: _Rows, prior: Floats) -> Floats:
    """Sum over cells of q's probability times the log of c's."""
    log_prior = np.log(prior)
    seen = prior[c.of_counts.cells]
    gain = np.log(seen + c.extra) - log_prior[c.of_counts.cells]
    out = np.empty((q.of_counts.n_rows, c.of_counts.n_rows))
    products.sparse_products(
        q.of_counts.first,
        q.of_counts.cells,
        q.extra,
        c.of_counts.first,
        c.of_counts.cells,
        gain,
        c.of_counts.n_cells,
        out,
    )
    out += _row_sums(c.of_counts, seen * gain)[None, :]  # the prior's share of gains
    flat = prior @ log_prior + _row_sums(
        q.of_counts, q.extra * log_prior[q.of_counts.cells]
    )
    out += flat[:, None]
    out /= q.mass[:, None]
    out -= np.log(c.mass)[None, :]
    return out


def _own(q: _Rows, prior: Floats) -> Floats:
    """Sum over cells of q's probability times its log."""
    rest = prior * np.log(prior)
    seen = prior[q.of_counts.cells]
    whole = (seen + q.extra) * np.log(seen + q.extra)
    sums = rest.sum() + _row_sums(q.of_counts, whole - rest[q.of_counts.cells])
    terms: Floats = sums / q.mass - np.log(q.mass)
    return terms


def _row_sums(rows: Definitions, values: Floats) -> Floats:
    sums = np.concatenate([[0.0], np.cumsum(values)])
    row_sums: Floats = sums[rows.first[1:]] - sums[rows.first[:-1]]
    return row_sums
