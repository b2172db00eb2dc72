"""Divergences against an enumeration that shares no code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.substitution.divergence import definitions, divergences
from core.substitution.linking import LinkingCounts, Recorder
from tests.oracles import divergences as oracle

WORDS = "abcdef"
texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1)


def counts_of(text: list[list[str]]) -> LinkingCounts:
    recorder = Recorder()
    for sentence in text:
        recorder.add(sentence)
    return recorder.freeze()


@given(texts, st.integers(0, 4))
def test_definition_vectors_are_the_counts_of_neighbours(
    text: list[list[str]], n_contexts: int
) -> None:
    counts = counts_of(text)
    contexts = list(range(min(n_contexts, len(counts.words))))
    names = [counts.words[c] for c in contexts]
    rows = definitions(counts, range(len(counts.words)), contexts)
    dense = np.zeros((rows.n_rows, rows.n_cells))
    for row in range(rows.n_rows):
        at = slice(rows.first[row], rows.first[row + 1])
        dense[row, rows.cells[at]] = rows.counts[at]
    wanted = [oracle.definition(text, word, names) for word in counts.words]
    assert dense.tolist() == wanted


@given(texts, st.floats(0.01, 3))
def test_divergence_equals_the_sum_over_all_cells(
    text: list[list[str]], alpha: float
) -> None:
    counts = counts_of(text)
    everything = range(len(counts.words))
    contexts = [word for word in everything if word % 2 == 0]
    rows = definitions(counts, everything, contexts)
    values = divergences(rows, rows, alpha=alpha)
    names = [counts.words[c] for c in contexts]
    raw = [oracle.definition(text, word, names) for word in counts.words]
    dense = [oracle.smoothed(row, alpha) for row in raw]
    wanted = [[oracle.divergence(p, q) for q in dense] for p in dense]
    np.testing.assert_allclose(values, wanted, atol=1e-8)


def test_an_alpha_of_nothing_is_refused() -> None:
    rows = definitions(counts_of([["a"]]), [0], [0])
    with pytest.raises(InvalidValue, match="positive alpha"):
        divergences(rows, rows, alpha=0.0)
