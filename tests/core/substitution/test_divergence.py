"""Divergences against an enumeration that shares no code."""

from math import lgamma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.substitution.divergence import Measure, definitions, divergences
from core.substitution.kernels.products import digamma
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


@given(texts, st.sampled_from(["alpha", "dirichlet"]), st.floats(0.01, 3))
def test_divergence_equals_the_sum_over_all_cells(
    text: list[list[str]], measure: Measure, strength: float
) -> None:
    counts = counts_of(text)
    everything = range(len(counts.words))
    contexts = [word for word in everything if word % 2 == 0]
    rows = definitions(counts, everything, contexts)
    values = divergences(rows, rows, measure=measure, strength=strength)
    names = [counts.words[c] for c in contexts]
    raw = [oracle.definition(text, word, names) for word in counts.words]
    prior = [strength / rows.n_cells] * rows.n_cells
    dense = [
        oracle.smoothed(row, strength)
        if measure == "alpha"
        else oracle.with_prior(row, prior)
        for row in raw
    ]
    wanted = [[oracle.divergence(p, q) for q in dense] for p in dense]
    np.testing.assert_allclose(values, wanted, atol=1e-8)


def test_expected_divergence_is_the_mean_over_both_posteriors() -> None:
    text = [["a", "b", "a", "c"], ["b", "a"], ["c", "b", "d"], ["a", "b"]]
    counts = counts_of(text)
    contexts = [0, 1, 2]
    rows = definitions(counts, [counts.number_of["a"], counts.number_of["c"]], contexts)
    values = divergences(rows, rows, measure="expected", strength=8.0)
    names = [counts.words[c] for c in contexts]
    prior = np.full(rows.n_cells, 8.0 / rows.n_cells)
    a, c = (np.array(oracle.definition(text, word, names)) + prior for word in "ac")
    rng = np.random.default_rng(1)
    mean, error = oracle.sampled_divergence(a, c, draws=40_000, rng=rng)
    assert values[0, 1] == pytest.approx(mean, abs=5 * error)


def test_digamma_is_the_slope_of_log_gamma() -> None:
    x = np.array([0.05, 0.4, 1.0, 3.7, 10.0, 250.0])
    values = np.empty(len(x))
    digamma(x, values)
    slope = [(lgamma(z * (1 + 1e-6)) - lgamma(z * (1 - 1e-6))) / (2e-6 * z) for z in x]
    np.testing.assert_allclose(values, slope, rtol=1e-6)
    one = np.empty(1)
    digamma(np.ones(1), one)
    assert one[0] == pytest.approx(-0.5772156649015329, abs=1e-12)


def test_divergence_of_a_rarer_word_is_the_larger_expectation() -> None:
    counts = counts_of([["a", "x", "b"]] * 40 + [["a", "y", "b"]] * 2)
    numbers = [counts.number_of[word] for word in "xxy"]
    rows = definitions(counts, numbers, range(len(counts.words)))
    values = divergences(rows, rows, measure="expected", strength=1.0)
    assert values[0, 2] > values[0, 1]


def test_a_strength_of_nothing_is_refused() -> None:
    rows = definitions(counts_of([["a"]]), [0], [0])
    with pytest.raises(InvalidValue, match="positive strength"):
        divergences(rows, rows, measure="alpha", strength=0.0)
