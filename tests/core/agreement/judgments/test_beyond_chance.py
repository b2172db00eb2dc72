"""Agreement of one annotator with the others, beyond chance."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from core.agreement.figures import Estimate, Undefined
from core.agreement.judgments.people import beyond_chance
from core.data.ratings import Ratings, Scale

SCALE = Scale.span("s", 1, 5)


def ratings(*rows: str) -> Ratings:
    """Each row an annotator, a digit an item, "." = none."""
    table = [
        (f"i{item}", f"A{who}", value)
        for who, row in enumerate(rows)
        for item, value in enumerate(row)
        if value != "."
    ]
    return Ratings.of(table, scale=SCALE, name="s")


def of(*rows: str) -> list[tuple[float | None, int]]:
    figures = beyond_chance(ratings(*rows))
    return [(getattr(one, "value", None), one.n) for one in figures]


def drawn(n: int, noise: float) -> tuple[str, str]:
    """Two people on ``n`` items, the second a noisy copy of the first."""
    rng = np.random.default_rng(3)
    first = rng.integers(1, 6, n)
    second = np.where(rng.random(n) < noise, rng.integers(1, 6, n), first)
    return "".join(map(str, first)), "".join(map(str, second))


def test_the_same_is_one_and_the_opposite_below_zero() -> None:
    assert of("12345", "12345") == [(1.0, 5), (1.0, 5)]
    (first, n), _ = of("12345", "54321")
    assert n == 5
    assert first == pytest.approx(-1.0)


def test_random_answers_are_near_zero() -> None:
    rng = np.random.default_rng(3)
    rows = ["".join(map(str, rng.integers(1, 6, 4000))) for _ in range(2)]
    assert of(*rows)[0][0] == pytest.approx(0, abs=0.06)


def test_what_nobody_shares_or_cannot_differ_is_none() -> None:
    assert of("12...", "..345") == [(None, 0), (None, 0)]
    assert of("333", "333") == [(None, 3), (None, 3)]


def test_two_people_agree_as_weighted_kappa_says() -> None:
    first, second = drawn(300, 0.4)
    known = cohen_kappa_score(list(first), list(second), weights="quadratic")
    assert of(first, second)[0][0] == pytest.approx(known)


def test_the_interval_covers_the_value_and_narrows_with_items() -> None:
    widths = []
    for n in (50, 800):
        (one,) = beyond_chance(ratings(*drawn(n, 0.4)), [0], replicates=500)
        assert isinstance(one, Estimate)
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.value < one.high
        widths.append(one.high - one.low)
    assert widths[0] > 2.5 * widths[1]


def test_the_reason_for_no_value_is_said() -> None:
    alone, same = (
        beyond_chance(ratings("12", "..3"))[0],
        beyond_chance(ratings("3", "3"))[0],
    )
    assert isinstance(alone, Undefined)
    assert isinstance(same, Undefined)
    assert alone.reason != same.reason
