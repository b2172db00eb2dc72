"""Computed shuffles are permutations, and differ by seed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.orders import mix, nth


@given(st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_every_seed_gives_a_permutation(n: int, seed: int) -> None:
    assert sorted(nth(i, n, seed) for i in range(n)) == list(range(n))


def test_two_seeds_give_two_orders() -> None:
    orders = {tuple(nth(i, 40, seed) for i in range(40)) for seed in range(50)}
    assert len(orders) == 50


def test_first_places_are_spread_over_all_items() -> None:
    first = [nth(0, 10, seed) for seed in range(2000)]
    counts = [first.count(place) for place in range(10)]
    assert min(counts) > 140
    assert max(counts) < 260


def test_a_place_outside_is_refused() -> None:
    with pytest.raises(IndexError):
        nth(3, 3, 0)


def test_mixing_is_the_same_everywhere() -> None:
    assert mix(1, 2) == mix(1, 2) != mix(2, 1)
    assert mix(0) == 16294208416658607535  # first output of splitmix64 from 0
