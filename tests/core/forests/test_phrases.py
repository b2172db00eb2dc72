"""The weight of phrases together, against every derivation of the forest."""

import numpy as np
import pytest
from hypothesis import assume, given

from core.data.check import Floats
from core.data.forest import EMPTY_FOREST, Forest
from core.forests.derivation import phrases_of
from core.forests.packing import weight_of_phrases
from tests.oracles import strategies
from tests.oracles.forests import derivations, weigh


@given(strategies.forests())
def test_phrases_weigh_what_their_derivations_weigh(
    case: tuple[Forest, Floats],
) -> None:
    forest, weights = case
    weight_of: dict[tuple[object, ...], list[float]] = {}
    for edges in derivations(forest):
        phrases = tuple(sorted(phrases_of(forest, np.array(edges))))
        assume(len({row[:2] for row in phrases}) == len(phrases))
        weight_of.setdefault(phrases, []).append(weigh(edges, weights))
    for phrases, all_weights in weight_of.items():
        expected = np.logaddexp.reduce(all_weights)
        assert weight_of_phrases(forest, weights, phrases) == pytest.approx(expected)
        fewer = phrases[1:]
        if fewer not in weight_of:
            assert weight_of_phrases(forest, weights, fewer) == -np.inf


def test_a_derivation_that_lacks_a_phrase_does_not_count() -> None:
    forest, weights = strategies.ambiguous_forest()
    flat = weight_of_phrases(forest, weights, [(0, 3, "S")])
    assert flat == pytest.approx(0.5 - 0.25 + 2.0)
    both = [(0, 3, "S"), (0, 2, "A"), (1, 3, "B")]
    assert weight_of_phrases(forest, weights, both) == -np.inf


def test_an_empty_forest_has_no_phrases() -> None:
    assert weight_of_phrases(EMPTY_FOREST, np.empty(0), []) == -np.inf
