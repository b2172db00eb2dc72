"""The best one-to-one links against all there are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidScores
from core.word_alignment.aligner import assign
from tests.oracles.itg import alignments


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 10_000))
def test_no_other_links_win_more(n: int, m: int, seed: int) -> None:
    gains = np.random.default_rng(seed).integers(-3, 6, (n, m)).astype(float)
    cells = assign(gains)
    best = max(sum(gains[cell] for cell in links) for links in alignments(n, m))
    assert sum(gains[cell] for cell in cells) == best
    assert len({i for i, _ in cells}) == len({j for _, j in cells}) == len(cells)
    assert all(gains[cell] > 0 for cell in cells)
    assert cells == sorted(cells)


def test_what_wins_nothing_stays_alone() -> None:
    assert assign(np.array([[-1.0, 0.0], [-2.0, 0.0]])) == []
    assert assign(np.array([[-1.0, 2.0], [-2.0, 3.0]])) == [(1, 1)]


def test_greedy_would_lose() -> None:
    assert assign(np.array([[5.0, 4.0], [4.0, 0.5]])) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("gains", [[[np.nan]], [[np.inf]], [1.0]])
def test_other_tables_are_refused(gains: list[float]) -> None:
    with pytest.raises(InvalidScores, match="finite"):
        assign(np.array(gains))
