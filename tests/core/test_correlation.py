"""Rank correlation, beside scipy's, and the models fitted on judged pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.correlation import spearman
from core.errors import InvalidValue
from core.learning.ridge import fit_ridge

columns = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30
)


@given(rows=columns)
def test_spearman_is_that_of_scipy(rows: list[tuple[int, int]]) -> None:
    stats = pytest.importorskip("scipy.stats", reason="comes with scikit-learn")
    one, other = np.array(rows, dtype=float).T
    rho = spearman(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert np.isnan(rho)
        return
    assert rho == pytest.approx(stats.spearmanr(one, other).statistic)


def test_ridge_finds_the_weights_that_made_the_targets() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 3))
    targets = 2 * rows[:, 0] - rows[:, 2] + 5
    model = fit_ridge(rows, targets, ("a", "b", "c"), penalty=1e-9)
    assert model.scores(rows) == pytest.approx(targets, abs=1e-6)
    with pytest.raises(InvalidValue, match="row of features"):
        fit_ridge(rows, targets[:5], ("a", "b", "c"))
