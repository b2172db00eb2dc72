"""One side of a bitext as numbers, and the table of types that occur together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.check import Ints
from core.errors import InvalidValue
from core.word_alignment.kernels import cooccurrence as kernels

__all__ = ["Cooccurrence", "TokenCorpus", "cooccurrence"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TokenCorpus:
    """Sentence p is ``ids[at[p]:at[p + 1]]``; ids are below ``n_types``."""

    ids: Ints
    at: Longs
    n_types: int

    def __len__(self) -> int:
        return len(self.at) - 1

    @property
    def lengths(self) -> Longs:
        return np.diff(self.at)

    @classmethod
    def of(
        cls,
        sentences: Iterable[str | Sequence[str]],
        *,
        lower: bool = True,
        prefix: int = 0,
    ) -> "TokenCorpus":
        """The corpus of token lists, or of lines with spaces between tokens.

        ``lower``: letter case is ignored; ``prefix`` > 0: only so many first letters
        count, a stemmer for any language. Streamed: 4 bytes a token, and the types.
        """
        known: dict[str, int] = {}
        chunks, ends, last = [], [0], 0
        for sentence in sentences:
            words = sentence.split() if isinstance(sentence, str) else sentence
            if lower:
                words = [word.lower() for word in words]
            if prefix:
                words = [word[:prefix] for word in words]
            ids = [known.setdefault(word, len(known)) for word in words]
            chunks.append(np.array(ids, dtype=np.int32))
            last += len(ids)
            ends.append(last)
        tokens = np.concatenate(chunks) if chunks else np.empty(0, dtype=np.int32)
        return cls(tokens, np.array(ends, dtype=np.int64), len(known))


@dataclass(frozen=True, slots=True)
class Cooccurrence:
    """The pairs of types that occur in one pair of sentences, row by row, and where.

    ``source[k]``, ``target[k]``: the types of entry k. ``cells[cell_at[p] + i * J +
    j]``: the entry of words i and j of pair p. A pair left out has no cells.
    """

    source: Ints  # (K,)
    target: Ints  # (K,)
    cells: Ints  # (sum of I J,)
    cell_at: Longs  # (P + 1,)


def cooccurrence(
    source: TokenCorpus, target: TokenCorpus, *, max_tokens: int
) -> Cooccurrence:
    """The table of two sides of a bitext. Pairs with an empty side, or with one of more
    than ``max_tokens`` tokens, are left out.

    Raises InvalidValue if the sides have different numbers of sentences. Time and
    memory: 4 bytes and one step for each of the sum of I J cells.
    """
    if len(source) != len(target):
        raise InvalidValue(f"{len(source)} source sentences, {len(target)} target")
    n, m = source.lengths, target.lengths
    area = np.where((n <= max_tokens) & (m <= max_tokens), n * m, 0)
    cell_at = np.concatenate([[0], np.cumsum(area)]).astype(np.int64)
    pair_of = np.repeat(np.arange(len(n), dtype=np.int32), n)
    postings = np.argsort(source.ids, kind="stable")
    postings = postings[area[pair_of[postings]] > 0].astype(np.int64)
    per_type = np.bincount(source.ids[postings], minlength=source.n_types)
    starts = np.concatenate([[0], np.cumsum(per_type)]).astype(np.int64)
    lengths = np.zeros(source.n_types, dtype=np.int64)
    stamp = np.full(target.n_types, -1, dtype=np.int32)
    kernels.count_types(
        postings, starts, pair_of, target.ids, target.at, stamp, lengths
    )
    rows = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = np.empty(rows[-1], dtype=np.int32)
    cells = np.empty(cell_at[-1], dtype=np.int32)
    slot = np.full(target.n_types, -1, dtype=np.int64)
    kernels.fill_cells(
        postings, starts, pair_of, source.at, target.ids, target.at,
        cell_at, rows, slot, entries, cells,
    )  # fmt: skip
    of_row = np.repeat(np.arange(source.n_types, dtype=np.int32), lengths)
    return Cooccurrence(of_row, entries, cells, cell_at)
