"""Packed supports unpacked by the compiled loop: as its plain twin does it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats.ptb import parse_one
from core.phrase_alignment.sides import side_of_tree
from core.phrase_alignment.supports import pack
from tests.core.phrase_alignment.test_phrase_align import ACTIVE, COSTS, PASSIVE, pairs
from tests.oracles import unpacking as plain


@settings(max_examples=150)
@given(
    pairs(max_tokens=4),
    st.sampled_from(COSTS),
    st.sampled_from(COSTS),
    st.integers(1, 12),
    st.booleans(),
)
def test_the_best_of_forests_are_those_of_the_twin(
    found, cross_cost: float, null_cost: float, k: int, ties: bool
) -> None:
    source, target, gain = found
    gain = np.round(gain) if ties else gain
    packed = pack(source, target, gain, cross_cost=cross_cost, null_cost=null_cost)
    assert list(packed.k_best(k)) == list(plain.k_best(packed, k))


@pytest.mark.parametrize("barred", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("seed", range(8))
def test_the_best_of_trees_are_those_of_the_twin(seed: int, barred: float) -> None:
    source, target = (side_of_tree(parse_one(x)) for x in (ACTIVE, PASSIVE))
    rng = np.random.default_rng(seed)
    gain = rng.normal(0, 3, (source.n_nodes, target.n_nodes)).round(seed % 3)
    gain[rng.random(gain.shape) < barred] = -np.inf
    packed = pack(source, target, gain, cross_cost=2.0, null_cost=1.0)
    assert list(packed.k_best(60)) == list(plain.k_best(packed, 60))
