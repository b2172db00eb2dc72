"""The share that is right, from a sample stratified by score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from core.agreement.figures import Stratum, stratified_share


def stratum(judged: int, right: int, size: int = 100) -> Stratum:
    return Stratum(size, judged, right)


counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(counts)
def test_one_stratum_has_wilsons_interval(count: tuple[int, int]) -> None:
    judged, right = count
    shown = stratified_share([stratum(judged, right)])
    low, high = proportion_confint(right, judged, method="wilson")
    assert (shown.low, shown.high) == pytest.approx((low, high), abs=1e-6)
    assert shown.value == right / judged


@given(st.lists(st.tuples(counts, st.integers(1, 500)), min_size=1, max_size=6))
def test_strata_count_by_their_size(drawn: list) -> None:
    strata = [stratum(*count, size) for count, size in drawn]
    shown = stratified_share(strata)
    sizes = np.array([one.size for one in strata])
    shares = np.array([one.right / one.judged for one in strata])
    assert shown.value == pytest.approx(sizes @ shares / sizes.sum())
    assert 0 <= shown.low <= shown.value + 1e-12
    assert shown.value - 1e-12 <= shown.high <= 1
    assert shown.n == sum(one.judged for one in strata)


def test_without_a_judgment_in_each_stratum_there_is_no_estimate() -> None:
    assert stratified_share([]) is None
    assert stratified_share([stratum(5, 4), stratum(0, 0)]) is None
    assert stratified_share([stratum(5, 4), stratum(0, 0, size=0)]).value == 0.8
    assert stratum(0, 0).interval == (0.0, 1.0)


def test_the_interval_holds_the_share_in_19_of_20_samples() -> None:
    rng = np.random.default_rng(1)
    shares, sizes = (0.95, 0.8, 0.5, 0.3), (400, 300, 200, 100)
    true = np.average(shares, weights=sizes)
    held = 0
    for _ in range(2_000):
        drawn = [rng.binomial(20, share) for share in shares]
        shown = stratified_share(
            [stratum(20, right, size) for right, size in zip(drawn, sizes, strict=True)]
        )
        held += shown.low <= true <= shown.high
    assert 0.94 <= held / 2_000 <= 0.98
