"""Phrase pairs of a word-aligned sentence pair, and their ids."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue
from core.pivoting.kernels import phrases as kernels

Rows = NDArray[np.int64]
_MAX_LENGTH = 64


def consistent_pairs(sizes: Rows, first: Rows, links: Rows, max_length: int) -> Rows:
    """All phrase pairs consistent with the links, unaligned borders included.

    ``sizes`` (S, 2): tokens of either side; ``links`` (n, 2) English-foreign, those of
    pair s in rows ``first[s]`` to ``first[s + 1] - 1``; all int64.

    A row ``(pair, i, j, k, l, loose)``: tokens i to j - 1 of the English side go with
    k to l - 1 of the foreign one: at least one link joins them, and none leaves them.
    ``loose``: unaligned words at the four borders. Both phrases have at most
    ``max_length`` tokens. Rows are in the order of pair, i, j.

    Raises InvalidValue for a link outside its sentence or given twice.
    O(n max_length) spans a sentence, and constant time for each pair that is found;
    48 bytes a pair. Och and Ney 2004, "The Alignment Template Approach", CL 30(4).
    """
    if not 1 <= max_length <= _MAX_LENGTH:
        raise InvalidValue(f"phrases of 1 to {_MAX_LENGTH} words, not {max_length}")
    _check(sizes, first, links)
    none = np.empty((0, 6), dtype=np.int64)
    count = kernels.consistent(sizes, first, links, max_length, none)
    rows = np.empty((count, 6), dtype=np.int64)
    if count:
        kernels.consistent(sizes, first, links, max_length, rows)
    return rows


def _check(sizes: Rows, first: Rows, links: Rows) -> None:
    owner = np.repeat(np.arange(len(sizes)), np.diff(first))
    bad = (links < 0).any(axis=1) | (links >= sizes[owner]).any(axis=1)
    if bad.any():
        at = int(bad.argmax())
        e, f = links[at]
        raise InvalidValue(f"pair {owner[at]}: link {e}-{f} is outside the sentences")
    wide = int(sizes.max(initial=0)) + 1
    if len(np.unique((owner * wide + links[:, 0]) * wide + links[:, 1])) != len(links):
        raise InvalidValue("a link occurs twice")


class WordHashes(dict[str, int]):
    """64 bits for a word, the same in every run: BLAKE2b of its UTF-8."""

    def __missing__(self, word: str) -> int:
        digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
        self[word] = hashed = int.from_bytes(digest, "little")
        return hashed

    def of(self, sentences: Sequence[Sequence[str]]) -> tuple[NDArray[Any], Rows]:
        """The words of all sentences in a row, uint64, and where each begins."""
        flat = [self[word] for words in sentences for word in words]
        first = np.concatenate([[0], np.cumsum([len(words) for words in sentences])])
        return np.array(flat, dtype=np.uint64), first.astype(np.int64)


def span_hashes(
    words: NDArray[Any], first: Rows, owners: Rows, starts: Rows, ends: Rows
) -> Rows:
    """Each phrase's name: 64 bits as int64, so that databases can hold it.

    ``words, first`` as WordHashes gives them; a phrase is tokens ``starts`` to
    ``ends - 1`` of sentence ``owners``. Among n phrases two share a name with a
    probability of about n^2 / 2^65: one in 40,000 for thirty million.
    """
    hashes = np.empty(len(owners), dtype=np.uint64)
    kernels.spans_hashed(words, first, owners, starts, ends, hashes)
    return hashes.view(np.int64)


def phrase_hash(phrase: str) -> int:
    """The name of one phrase, its tokens with a space between."""
    tokens = phrase.split(" ")
    words, first = WordHashes().of([tokens])
    zero = np.zeros(1, dtype=np.int64)
    return int(span_hashes(words, first, zero, zero, zero + len(tokens))[0])
