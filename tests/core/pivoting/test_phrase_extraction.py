"""Phrase pairs: consistent with the links, unaligned words at the borders included."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.pivoting import extract
from core.pivoting.extract import (
    Rows,
    WordHashes,
    phrase_hash,
    span_hashes,
)
from tests.oracles.pivoting.phrases import consistent_pairs, loose_words

SPANISH = [
    "el",
    "proyecto",
    "europeo",
    "no",
    "ha",
    "conseguido",
    "la",
    "igualdad",
    "de",
    "oportunidades",
    ".",
]
ENGLISH = [
    "the",
    "european",
    "project",
    "has",
    "failed",
    "to",
    "create",
    "equal",
    "opportunities",
    ".",
]
# Figure 1: nothing is linked to "to", "create", "la" or "de".
FIGURE_1 = [(0, 0), (1, 2), (2, 1), (3, 4), (4, 3), (4, 5), (7, 7), (8, 9), (9, 10)]


@dataclass(frozen=True, slots=True)
class Linked:
    """The numbers of tokens of both sides, and their links ``(english, foreign)``."""

    n_english: int
    n_foreign: int
    links: Sequence[tuple[int, int]]


def phrase_pairs(pairs: Sequence[Linked], *, max_length: int = 7) -> Rows:
    sizes = np.array([(p.n_english, p.n_foreign) for p in pairs], dtype=np.int64)
    counts = [len(p.links) for p in pairs]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    flat = chain.from_iterable(chain.from_iterable(p.links for p in pairs))
    links = np.fromiter(flat, dtype=np.int64).reshape(-1, 2)
    return extract.consistent_pairs(sizes.reshape(-1, 2), first, links, max_length)


@st.composite
def linked(draw: st.DrawFn) -> Linked:
    n_e, n_f = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cell = st.tuples(st.integers(0, n_e - 1), st.integers(0, n_f - 1))
    return Linked(n_e, n_f, sorted(draw(st.sets(cell, max_size=8))))


@given(pairs=st.lists(linked(), max_size=4), limit=st.integers(1, 6))
def test_extraction_equals_the_definition(pairs: list[Linked], limit: int) -> None:
    rows = phrase_pairs(pairs, max_length=limit)
    for at, pair in enumerate(pairs):
        mine = [tuple(int(x) for x in row[1:]) for row in rows if row[0] == at]
        wanted = consistent_pairs(pair.n_english, pair.n_foreign, pair.links, limit)
        assert len(mine) == len(wanted)
        assert {row[:4] for row in mine} == wanted
        for i, j, k, m, loose in mine:
            assert loose == loose_words(i, j, k, m, pair.links)


def test_one_foreign_phrase_goes_with_all_phrases_that_add_unaligned_words() -> None:
    pair = Linked(len(ENGLISH), len(SPANISH), FIGURE_1)
    phrases = {
        " ".join(ENGLISH[i:j])
        for _, i, j, k, m, _ in phrase_pairs([pair])
        if SPANISH[k:m] == ["la", "igualdad"]
    }
    assert phrases == {"equal", "create equal", "to create equal"}


def test_longer_phrases_are_left_out() -> None:
    pair = Linked(4, 4, [(i, i) for i in range(4)])
    rows = phrase_pairs([pair], max_length=2)
    assert int((rows[:, 2] - rows[:, 1]).max()) == 2
    assert len(rows) == 4 + 3


def test_a_sentence_without_links_has_no_phrase_pairs() -> None:
    assert len(phrase_pairs([Linked(3, 3, [])])) == 0


@pytest.mark.parametrize("links", [[(2, 0)], [(0, -1)], [(0, 0), (0, 0)]])
def test_wrong_links_are_refused(links: list[tuple[int, int]]) -> None:
    with pytest.raises(InvalidValue, match=r"outside|twice"):
        phrase_pairs([Linked(2, 2, links)])


def test_a_phrase_has_one_name_wherever_it_stands() -> None:
    sentences = [["the", "old", "sea"], ["at", "the", "old", "sea"], ["sea"]]
    words, first = WordHashes().of(sentences)
    owners = np.array([0, 1, 0, 2, 1])
    starts, ends = np.array([0, 1, 2, 0, 3]), np.array([2, 3, 3, 1, 4])
    names = span_hashes(words, first, owners, starts, ends)
    assert names[0] == names[1] == phrase_hash("the old")
    assert names[2] == names[3] == names[4] == phrase_hash("sea")
    assert len({int(name) for name in names} | {phrase_hash("old the")}) == 3
