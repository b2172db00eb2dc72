"""Nulls filled by the compiled loop: as its plain twin does it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats.ptb import parse_one
from core.phrase_alignment.sides import side_of_tree
from core.phrase_alignment.supports import fill_nulls, pack
from tests.core.phrase_alignment.test_phrase_align import ACTIVE, COSTS, PASSIVE, pairs
from tests.oracles import filling as plain

ORDER_COSTS = (0.0, 0.5, 3.0, np.inf)


@settings(max_examples=150)
@given(
    pairs(max_tokens=5),
    st.sampled_from(COSTS),
    st.sampled_from(ORDER_COSTS),
    st.booleans(),
)
def test_forests_are_filled_as_by_the_twin(
    case, null_cost: float, order_cost: float, ties: bool
) -> None:
    source, target, gain = case
    gain = np.round(gain) if ties else gain
    for one in pack(source, target, gain, null_cost=null_cost).k_best(5):
        mine, theirs = (
            fill(one, source, target, gain, order_cost=order_cost)
            for fill in (fill_nulls, plain.fill_nulls)
        )
        assert mine == theirs


@pytest.mark.parametrize("order_cost", ORDER_COSTS)
@pytest.mark.parametrize("seed", range(8))
def test_trees_are_filled_as_by_the_twin(seed: int, order_cost: float) -> None:
    source, target = (side_of_tree(parse_one(x)) for x in (ACTIVE, PASSIVE))
    rng = np.random.default_rng(seed)
    gain = rng.normal(0, 3, (source.n_nodes, target.n_nodes)).round(seed % 3)
    for one in pack(source, target, gain, null_cost=1.0).k_best(20):
        mine, theirs = (
            fill(one, source, target, gain, order_cost=order_cost)
            for fill in (fill_nulls, plain.fill_nulls)
        )
        assert mine == theirs


@pytest.mark.slow  # uncompiled, 80 words are packed in no reasonable time
def test_more_words_than_one_number_holds_are_told_apart() -> None:
    words = " ".join(f"(NP (NN a{i}) (NN b{i}))" for i in range(40))
    source = side_of_tree(parse_one(f"(S {words})"))
    gain = np.random.default_rng(1).normal(0, 3, (source.n_nodes, source.n_nodes))
    one = next(pack(source, source, gain, null_cost=1.0).k_best(1))
    mine = fill_nulls(one, source, source, gain, order_cost=1.0)
    assert mine == plain.fill_nulls(one, source, source, gain, order_cost=1.0)
    assert len(mine.links) > len(one.links)
