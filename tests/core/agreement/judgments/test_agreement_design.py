"""The designer's arithmetic against simulation and hand-made cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.judgments.design import (
    DesignPart,
    components,
    kappa_width,
    plan,
    shared_items,
)
from core.errors import InvalidValue


@given(st.integers(2, 6), st.integers(2, 4), st.integers(0, 5))
def test_expected_overlap_equals_the_mean_of_random_draws(
    people: int, m: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    names = tuple(f"a{i}" for i in range(people))
    m = min(m, people)
    n = 3000
    both = sum({0, 1} <= set(rng.permutation(people)[:m].tolist()) for _ in range(n))
    expected = shared_items([DesignPart("x", {m: n}, names)])["a0", "a1"]
    assert both == pytest.approx(expected, abs=4 * np.sqrt(n * 0.25))


def test_overlap_is_in_the_plan_with_its_price() -> None:
    made = plan(
        [DesignPart("x", {1: 800, 2: 200}, ("a", "b", "c"))],
        seconds_per_item=12,
        cost_per_hour=15,
    )
    assert (made.judgments, made.overlapping) == (1200, 200)
    assert made.hours == pytest.approx(4.0)
    assert made.cost == pytest.approx(60.0)
    assert made.shared["a", "b"] == pytest.approx(200 / 3)
    assert made.is_connected


def test_people_who_share_a_few_items_are_connected_and_called_thin() -> None:
    made = plan([DesignPart("x", {1: 32, 2: 8}, ("a", "b"))], seconds_per_item=10)
    assert made.is_connected
    assert made.fewest_shared == pytest.approx(8)
    assert made.is_thin
    more = plan([DesignPart("x", {2: 40}, ("a", "b"))], seconds_per_item=10)
    assert not more.is_thin


def test_two_teams_without_shared_items_are_not_connected() -> None:
    made = plan(
        [DesignPart("x", {2: 50}, ("a", "b")), DesignPart("y", {2: 50}, ("c", "d"))],
        seconds_per_item=10,
    )
    assert made.groups == (("a", "b"), ("c", "d"))
    assert not made.is_connected


def test_items_for_more_judges_than_there_are_people_are_told() -> None:
    assert (
        plan([DesignPart("x", {3: 7}, ("a", "b"))], seconds_per_item=1).impossible == 7
    )


def test_components_by_hand() -> None:
    parts = components(list("abcde"), [("a", "b"), ("b", "c"), ("d", "e")])
    assert parts == (("a", "b", "c"), ("d", "e"))


def test_width_of_kappa_covers_simulated_ones() -> None:
    # K at 47 % agreement on five points, 1391 items: Callison-Burch 2008
    rng = np.random.default_rng(1)
    raw = rng.binomial(1391, 0.47, 20_000) / 1391
    kappa = (raw - 0.2) / 0.8
    low, high = np.quantile(kappa, [0.025, 0.975])
    width = kappa_width(1391, agreement=0.47, categories=5)
    assert width == pytest.approx(high - low, rel=0.03)


def test_clusters_widen_the_interval() -> None:
    plain = kappa_width(100, agreement=0.5, categories=5)
    wide = kappa_width(100, agreement=0.5, categories=5, cluster=5, rho=0.25)
    assert plain is not None
    assert wide == pytest.approx(plain * np.sqrt(2))


def test_no_width_from_less_than_two_items() -> None:
    assert kappa_width(1, agreement=0.5, categories=5) is None


@pytest.mark.parametrize("bad", [-0.1, 1.2])
def test_shares_outside_are_refused(bad: float) -> None:
    with pytest.raises(InvalidValue):
        kappa_width(10, agreement=bad, categories=5)


def test_one_category_has_no_chance_correction() -> None:
    with pytest.raises(InvalidValue):
        kappa_width(10, agreement=0.5, categories=1)
