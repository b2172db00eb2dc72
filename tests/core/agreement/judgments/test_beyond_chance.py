"""Agreement of one annotator with the others, beyond chance."""

import numpy as np
import pytest

from core.agreement.judgments.people import beyond_chance
from core.data.ratings import Ratings, Scale

SCALE = Scale.span("s", 1, 5)


def of(*rows: str) -> list[tuple[float | None, int]]:
    """Each row an annotator, a digit an item, "." = none."""
    table = [
        (f"i{item}", f"A{who}", value)
        for who, row in enumerate(rows)
        for item, value in enumerate(row)
        if value != "."
    ]
    return beyond_chance(Ratings.of(table, scale=SCALE, name="s"))


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
