"""Packed supports unpacked by the compiled loop: as its plain twin does it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats.ptb import parse_one
from core.phrase_alignment import supports
from core.phrase_alignment.sides import BinaryForest, side_of_tree
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
    case, cross_cost: float, null_cost: float, k: int, ties: bool
) -> None:
    source, target, gain = case
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


def two_words() -> BinaryForest:
    """The two, both in a node that cannot be linked, and the whole over it."""
    return BinaryForest(
        words=("a", "b"),
        tags=("NN", "NN"),
        labels=("", "", "", "TOP"),
        named=np.array([True, True, False, True]),
        first_edge=np.arange(5, dtype=np.int32),
        parts=np.array([[-1, -1], [-1, -1], [0, 1], [2, -1]], dtype=np.int32),
        weight=np.zeros(4),
        tops=(3,),
        members=np.array([[1, 0], [0, 1], [1, 1], [1, 1]], dtype=bool),
        origin=np.full(4, -1, dtype=np.int32),
        marginal=np.ones(4),
    )


def test_unpacking_ends_where_more_of_it_would_be_the_same(monkeypatch) -> None:
    """Some derivations are one alignment: fewer than wanted, and no end of asking."""
    source, target = two_words(), two_words()
    gain = np.zeros((source.n_nodes, target.n_nodes))
    packed = pack(source, target, gain, cross_cost=0.0, null_cost=0.0)
    unpacked = packed._unpacked(6)
    first = supports._different(unpacked)
    assert len(first) < len(unpacked[0]) == 6
    asked = []

    def different(rows: supports.Unpacked) -> list[int]:
        asked.append(len(rows[0]))
        assert len(asked) < 3, "asks again and again"
        return first

    monkeypatch.setattr(supports, "MOST", 1)
    monkeypatch.setattr(supports, "_different", different)
    assert len(list(packed.k_best(6))) == len(first)
    assert asked == [6]


def test_wholes_that_cannot_be_linked_have_no_alignment() -> None:
    source, target = two_words(), two_words()
    gain = np.full((source.n_nodes, target.n_nodes), -np.inf)
    packed = pack(source, target, gain)
    assert list(packed.k_best(3)) == []
