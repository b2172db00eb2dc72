"""How much of a pair's chart is searched, and what is said of the rest."""

import numpy as np
import pytest

from core.errors import SentenceTooLong
from core.itg.biparse import best_biparse
from core.itg.grammar import ItgWeights

WHOLE = 5**4  # cells of the chart of four words and four: (4 + 1)^2 corners, squared


def pair(gains: list[list[float]], straight: float, inverted: float) -> ItgWeights:
    links = np.array(gains)
    n, m = links.shape
    return ItgWeights(links, np.zeros(n), np.zeros(m), straight, inverted)


def wanted_twice(straight: float = 0.0) -> ItgWeights:
    """All words of the source gain most by one word of the target."""
    return pair([[2.0, 1.0, 1.0, 1.0]] * 4, straight, straight)


def turned(weights: ItgWeights) -> ItgWeights:
    links = weights.gains.T.tolist()
    return pair(links, weights.straight, weights.inverted)


def test_a_chart_that_just_fits_is_searched_whole() -> None:
    both = [[2.0, 2.0, 2.0, 2.0], *[[2.0, 1.0, 1.0, 1.0]] * 3]
    assert best_biparse(pair(both, 0.0, 0.0), max_cells=WHOLE).is_exact
    assert not best_biparse(pair(both, 0.0, 0.0), max_cells=WHOLE - 1).is_exact


def test_both_sides_must_fit_to_be_searched_whole() -> None:
    crossed = [[0.1, 0.1, 0.1, 0.1, 0.1, 2.0], [2.0, 0.1, 0.1, 0.1, 0.1, 0.1]]
    whole = (3 * 7) ** 2
    assert best_biparse(pair(crossed, 0.0, -0.5), max_cells=whole).is_exact
    # Blocks of two words a side: all of the source, not of the target.
    assert not best_biparse(pair(crossed, 0.0, -0.5), max_cells=300).is_exact


def test_blocks_of_two_words_are_the_least_that_are_searched() -> None:
    cells = 25 * 3**2
    assert best_biparse(wanted_twice(), max_cells=cells).score > 0.0
    with pytest.raises(SentenceTooLong) as refused:
        best_biparse(wanted_twice(), max_cells=cells - 1)
    assert (refused.value.n_tokens, refused.value.limit) == (4, 4)


@pytest.mark.parametrize(
    ("rule", "bound"),
    [
        (0.0, 5.0),  # the best of each target word: 2 + 1 + 1 + 1
        (-0.25, 4.25),  # four links hold three rules
        (0.5, 7.0),  # four links and a rule each: more than there can be
    ],
)
def test_no_biparse_gains_more_than_the_best_link_of_each_word(
    rule: float, bound: float
) -> None:
    weights = wanted_twice(rule)
    for one in (weights, turned(weights)):
        cut = best_biparse(one, max_cells=WHOLE - 1)
        assert cut.bound == pytest.approx(bound)
        assert best_biparse(one).score <= cut.bound


def test_words_that_gain_little_bound_the_best_by_as_little() -> None:
    weights = pair([[0.2, 0.1, 0.1, 0.1]] * 4, 0.0, 0.0)
    assert best_biparse(weights, max_cells=WHOLE - 1).bound == pytest.approx(0.5)
