from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.check import Floats
from core.errors import Contradiction, InvalidScores
from core.forests.cky import SpanDecoder, bracket_marginals, cky, log_partition, summed
from tests.oracles import strategies
from tests.oracles.brackets import cells, weights


def _sum(values: Iterable[float]) -> float:
    return float(np.logaddexp.reduce(list(values)))


@given(strategies.label_scores(max_tokens=4))
def test_cky_finds_the_best_of_all_trees(scores: Floats) -> None:
    trees = weights(scores)
    if max(trees.values()) == -np.inf:
        with pytest.raises(Contradiction):
            cky(scores)
        return
    score, brackets = cky(scores)
    assert score == pytest.approx(max(trees.values()), abs=1e-9)
    tree = frozenset((int(i), int(j), int(x)) for i, j, x in brackets)
    assert trees[tree] == pytest.approx(score, abs=1e-9)


@given(strategies.label_scores(max_tokens=4))
def test_log_partition_sums_every_tree_once(scores: Floats) -> None:
    assert log_partition(scores) == pytest.approx(
        _sum(weights(scores).values()), abs=1e-9
    )


@given(strategies.label_scores(max_tokens=4))
def test_span_marginals_are_shares_of_the_trees_that_have_the_span(
    scores: Floats,
) -> None:
    trees = weights(scores)
    expected = np.zeros_like(scores)
    total = _sum(trees.values())
    for tree, row in cells(len(scores) - 1, scores.shape[2]).items():
        for cell in row if total > -np.inf else ():
            expected[cell] += np.exp(trees[tree] - total)
    null, phrase = summed(scores)
    _, p_phrase, p_null = bracket_marginals(phrase, null)
    assert p_null == pytest.approx(expected[:, :, 0], abs=1e-9)
    assert p_phrase == pytest.approx(expected[:, :, 1:].sum(axis=2), abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_six_tokens_equal_enumeration(n: int) -> None:
    scores = np.random.default_rng(n).normal(size=(n + 1, n + 1, 2))
    trees = weights(scores)
    assert cky(scores)[0] == pytest.approx(max(trees.values()), abs=1e-9)
    assert log_partition(scores) == pytest.approx(_sum(trees.values()), abs=1e-9)


@settings(max_examples=30)
@given(strategies.label_scores(max_tokens=4), st.randoms(use_true_random=False))
def test_bonus_counts_for_phrases_only(
    scores: Floats, random: np.random.Generator
) -> None:
    bonus = np.random.default_rng(random.randint(0, 99)).normal(size=scores.shape[:2])
    raised = scores.copy()
    raised[:, :, 1:] += bonus[:, :, None]
    decoder = SpanDecoder(scores)
    trees = weights(raised)
    if max(trees.values()) == -np.inf:
        with pytest.raises(Contradiction):
            decoder.argmax(decoder.phrase, bonus=bonus)
        return
    score, brackets = decoder.argmax(decoder.phrase, bonus=bonus)
    assert score == pytest.approx(max(trees.values()), abs=1e-9)
    tree = frozenset((int(i), int(j), int(x)) for i, j, x in brackets)
    assert trees[tree] == pytest.approx(score, abs=1e-9)  # rounding may part ties


def test_a_decoder_used_twice_forgets_the_first_bonus() -> None:
    scores = np.random.default_rng(0).normal(size=(5, 5, 3))
    decoder = SpanDecoder(scores)
    zero = np.zeros((5, 5))
    first = decoder.argmax(decoder.phrase, bonus=zero)[1].copy()
    decoder.argmax(decoder.phrase, bonus=zero - 3.0)
    assert decoder.argmax(decoder.phrase, bonus=zero)[1].tolist() == first.tolist()


def test_ties_go_to_the_lowest_split_and_label() -> None:
    _, brackets = cky(np.zeros((4, 4, 3)))
    assert brackets.tolist() == [[0, 3, 1], [0, 1, 1], [1, 3, 1], [1, 2, 1], [2, 3, 1]]


def test_extreme_scores_neither_overflow_nor_vanish() -> None:
    scores = np.random.default_rng(1).normal(size=(31, 31, 4)) * 1e4
    score, _ = cky(scores)
    assert log_partition(scores) >= score - 1e-6
    null, phrase = summed(scores)
    _, p_phrase, p_null = bracket_marginals(phrase, null)
    words = np.arange(30), np.arange(1, 31)
    assert (p_phrase + p_null)[words] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "scores",
    [
        np.zeros((3, 3)),
        np.zeros((3, 4, 2)),
        np.zeros((1, 1, 2)),
        np.full((3, 3, 2), np.nan),
    ],
)
def test_what_is_no_score_array_is_refused(scores: Floats) -> None:
    with pytest.raises(InvalidScores):
        cky(scores)
