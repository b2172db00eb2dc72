"""Posteriors of links, and the best biparse by them, against all alignments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidScores, SentenceTooLong
from core.itg.biparse import SHARPNESS, best_biparse, likeliest_biparse, link_posteriors
from core.itg.grammar import ItgWeights
from tests.core.itg.test_biparse import weights
from tests.oracles import itg as oracle
from tests.oracles.itg import edit_weights


@given(weights(), st.sampled_from([0.5, 1.0, SHARPNESS]))
@settings(max_examples=150)
def test_posteriors_are_the_shares_of_all_alignments(
    pair: ItgWeights, sharpness: float
) -> None:
    wanted = oracle.posteriors(pair, sharpness=sharpness)
    posteriors = link_posteriors(pair, sharpness=sharpness)
    assert posteriors == pytest.approx(wanted, abs=1e-9)


@given(weights(), st.sampled_from([0.0, 0.05, 0.5]))
@settings(max_examples=200)
def test_of_equally_good_biparses_the_posteriors_choose(
    pair: ItgWeights, margin: float
) -> None:
    biparse = likeliest_biparse(pair, margin=margin)
    posteriors = oracle.posteriors(pair, sharpness=SHARPNESS)
    tied = oracle.best_links(pair, within=1e-6)
    assert biparse.links in tied
    sums = [sum(posteriors[link] for link in links) for links in tied]
    mine = sum(posteriors[link] for link in biparse.links)
    first = best_biparse(pair)
    assert biparse.score == pytest.approx(first.score, abs=1e-5)
    if biparse.links == first.links:
        assert mine >= max(sums) - margin - 1e-6
    else:
        assert mine == pytest.approx(max(sums), abs=1e-6)
        assert mine > sum(posteriors[link] for link in first.links) + margin


def test_a_word_that_stands_twice_is_linked_where_its_neighbours_are() -> None:
    """ "door b door" and "c door": only with the last door can b answer to c in order,
    though that gains a little less than nothing."""
    distance = np.array([[2.5, 0.0], [2.1, 2.5], [2.5, 0.0]])
    pair = edit_weights(distance, inversion=1.0)
    assert oracle.best_links(pair, within=1e-6) == [((0, 1),), ((2, 1),)]
    assert likeliest_biparse(pair, margin=0).links == ((2, 1),)


def test_posteriors_of_large_gains_stay_finite() -> None:
    rng = np.random.default_rng(5)
    pair = edit_weights(400.0 * rng.random((9, 12)), null=300.0)
    posteriors = link_posteriors(pair)
    assert np.isfinite(posteriors).all()
    assert posteriors.sum(axis=0).max() <= 1 + 1e-9
    assert posteriors.sum(axis=1).max() <= 1 + 1e-9
    best = set(likeliest_biparse(pair).links)
    assert {tuple(link) for link in np.argwhere(posteriors > 0.5).tolist()} <= best
    with pytest.raises(InvalidScores, match="sharpness"):
        link_posteriors(pair, sharpness=SHARPNESS)


def test_a_pair_whose_chart_is_too_large_is_refused() -> None:
    with pytest.raises(SentenceTooLong):
        link_posteriors(edit_weights(np.zeros((9, 9))), max_cells=2000)
    with pytest.raises(SentenceTooLong):
        likeliest_biparse(edit_weights(np.zeros((60, 60))))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_sides_without_words_have_no_links(shape: tuple[int, int]) -> None:
    pair = edit_weights(np.full(shape, 5.0))
    assert link_posteriors(pair).shape == shape
    assert likeliest_biparse(pair).links == ()
