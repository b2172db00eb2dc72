"""Orders of correcting: a random one has a half on average, none more than the best."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.forests.mixture import ranked_forest
from core.protocols import Analysis
from lab.evaluation.correcting import distance
from lab.evaluation.orders import (
    ORDERS,
    UnreadTree,
    area,
    candidate,
    compared,
    fixed_after,
)
from lab.tests.evaluation.test_correcting import FLAT, NESTED

counts = st.lists(
    st.tuples(st.integers(1, 9), st.integers(0, 5)), min_size=1, max_size=5
)


def _areas(rows: list[tuple[int, int]]) -> list[float]:
    drawn = [np.array(one, float) for one in permutations(rows)]
    return [area(one[:, 0], one[:, 1]) for one in drawn]


@given(counts)
def test_all_orders_have_a_half_on_average(rows: list[tuple[int, int]]) -> None:
    assert np.mean(_areas(rows)) == pytest.approx(0.5)


@given(counts)
def test_most_wrong_a_word_first_is_the_best_order(rows: list[tuple[int, int]]) -> None:
    best = np.array(sorted(rows, key=lambda one: -one[1] / one[0]), float)
    assert area(best[:, 0], best[:, 1]) == pytest.approx(max(_areas(rows)))


@given(counts, st.data())
def test_a_sentence_drawn_twice_is_read_twice(rows, data) -> None:
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(rows)))[: len(rows)]
    twice = [row for row, n in zip(rows, times, strict=True) for _ in range(n)]
    one, many = np.array(rows, float), np.array(twice, float).reshape(-1, 2)
    weighted = area(one[:, 0], one[:, 1], np.array(times, float))
    assert weighted == pytest.approx(area(many[:, 0], many[:, 1]))


def test_a_sentence_counts_when_it_is_read_to_its_end() -> None:
    tokens, wrong = np.array([2.0, 6.0, 2.0]), np.array([1.0, 2.0, 1.0])
    shares = (0.1, 0.2, 0.5, 0.8, 1.0)
    after = fixed_after(tokens, wrong, shares)
    assert after == list(zip(shares, (0.0, 0.25, 0.25, 0.75, 1.0), strict=True))


def test_what_is_known_of_a_parsed_sentence() -> None:
    forest, weights = ranked_forest([(0.0, FLAT), (-2.0, NESTED)])
    answer = Analysis(Sentence.of(FLAT.words), forest, weights)
    sentence = candidate(answer, NESTED, 3)
    values = dict(zip(ORDERS, sentence.values, strict=True))
    wrong = distance(FLAT, NESTED)
    other = np.exp(-2) / (1 + np.exp(-2))
    assert (sentence.cluster, sentence.n_tokens, sentence.wrong) == (3, 10, wrong)
    assert values["best"] == wrong / 10
    assert values["two decoders"] == 0.0
    assert values["longest"] == -values["shortest"] == 10.0
    assert values["doubt"] == pytest.approx(other)  # "with a hat" is flat alone
    assert values["doubt a word"] == pytest.approx(values["doubt"] / 10)


def test_what_is_not_parsed_is_all_to_be_done_and_comes_last() -> None:
    sentence = candidate(InvalidValue("too long"), NESTED, 0)
    assert sentence.wrong == sum(1 for v in range(len(NESTED)) if NESTED.children[v])
    assert set(sentence.values) == {-1.0}


def test_orders_are_compared_over_documents() -> None:
    easy = UnreadTree(0, 5, 0, (0.0, 0.0, 0.0, 0.0, 5.0, -5.0, 0.0))
    hard = UnreadTree(1, 5, 4, (2.0, 0.4, 0.0, 0.0, 5.0, -5.0, 0.8))
    orders = compared([easy, hard], replicates=50)
    assert orders["doubt"]["area"] == orders["best"]["area"] == 0.75
    assert orders["doubt"]["fixed_after"]["50%"] == 1.0
    assert orders["shortest"]["area"] == 0.25
    assert orders["doubt"]["interval"] == [0.5, 0.75]
