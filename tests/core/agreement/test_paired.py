"""Approximate randomisation of means of ratios, against all swaps there are."""

from itertools import product

import numpy as np
import pytest

from core.agreement.paired import f1_gain, mcnemar_p, ratio_swap_p
from core.data.check import Floats
from core.errors import InvalidValue


def statistic(counts: Floats) -> float:
    sums = counts.sum(0)
    return float(np.mean([above / max(below, 1) for above, below in sums]))


def enumerated(before: Floats, after: Floats) -> float:
    """The share of all swaps whose difference is as large as the one seen."""
    seen = abs(statistic(after) - statistic(before))
    hits = []
    for swaps in product((False, True), repeat=len(before)):
        swapped = np.array(swaps)[:, None, None]
        one, other = (
            np.where(swapped, a, b) for a, b in ((after, before), (before, after))
        )
        hits.append(abs(statistic(other) - statistic(one)) >= seen - 1e-12)
    return float(np.mean(hits))


@pytest.mark.parametrize("seed", range(4))
def test_p_is_the_share_of_swaps_that_differ_as_much(seed: int) -> None:
    rng = np.random.default_rng(seed)
    below = rng.integers(1, 6, (2, 8, 3, 1))
    above = rng.integers(0, below + 1)
    before, after = np.concatenate([above, below], axis=3).astype(np.float64)
    p = ratio_swap_p(before, after, np.random.default_rng(0), draws=20_000)
    assert p == pytest.approx(enumerated(before, after), abs=0.02)


def test_sizes_that_differ_count_too() -> None:
    """All links right on both sides, but of very different numbers: no difference."""
    before = np.array([[[1.0, 1.0]], [[9.0, 9.0]]] * 4)
    after = np.array([[[5.0, 5.0]], [[2.0, 2.0]]] * 4)
    assert ratio_swap_p(before, after, np.random.default_rng(0), draws=200) == 1.0


def test_nothing_differs() -> None:
    same = np.ones((3, 2, 2))
    assert ratio_swap_p(same, same, np.random.default_rng(0)) == 1.0


@pytest.mark.parametrize(
    ("counts", "p"), [((0, 0), 1.0), ((0, 5), 0.0625), ((8, 2), 0.109375)]
)
def test_mcnemar_is_exact_for_few(counts: tuple[int, int], p: float) -> None:
    assert mcnemar_p(*counts) == pytest.approx(p)
    assert mcnemar_p(*counts[::-1]) == pytest.approx(p)


def test_mcnemar_goes_on_smoothly_from_exact_to_the_normal_curve() -> None:
    assert mcnemar_p(530, 470) == pytest.approx(mcnemar_p(531, 470), rel=0.1)


def test_a_gain_of_f1_has_its_interval() -> None:
    before = np.array([[1.0, 4.0], [2.0, 4.0], [0.0, 3.0], [1.0, 2.0]])
    rng = np.random.default_rng(0)
    assert f1_gain(before, before, rng) == (0.0, 0.0, 0.0)
    after = before + np.array([1.0, 0.0])
    gain, low, high = f1_gain(before, after, rng)
    assert gain == pytest.approx(2 * 8 / 13 - 2 * 4 / 13)
    assert 0 < low < gain < high
    with pytest.raises(InvalidValue):
        f1_gain(before[:0], before[:0], rng)
