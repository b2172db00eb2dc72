"""Two shares compared: the likelihood ratio, by its definition and by SciPy's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from core.agreement.paired import g_test
from core.errors import InvalidValue

parts = st.integers(1, 10**5).flatmap(
    lambda n: st.tuples(st.integers(0, n), st.just(n))
)


@given(parts, parts)
def test_g_is_what_scipy_says(one: tuple[int, int], other: tuple[int, int]) -> None:
    (a, n), (b, m) = one, other
    g2, p = g_test(a, n, b, m)
    if a + b in (0, n + m):
        assert (g2, p) == (pytest.approx(0, abs=1e-6), pytest.approx(1, abs=1e-3))
        return
    table = [[a, n - a], [b, m - b]]
    known = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert g2 == pytest.approx(known.statistic, rel=1e-6, abs=1e-6)
    assert p == pytest.approx(known.pvalue, rel=1e-4, abs=1e-3)


def test_equal_shares_and_empty_samples_do_not_differ() -> None:
    assert g_test(10, 100, 20, 200)[0] == pytest.approx(0, abs=1e-9)
    assert g_test(0, 0, 3, 5) == (0.0, 1.0)
    with pytest.raises(InvalidValue):
        g_test(3, 2, 0, 1)
