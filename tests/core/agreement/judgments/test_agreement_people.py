"""What is said of one annotator, counted by hand."""

import numpy as np
import pytest

from core.agreement.figures import Estimate, Undefined
from core.agreement.judgments.people import (
    against_gold,
    changes,
    drift,
    gaps,
    judge_rows,
    moved,
)
from core.data.ratings import Ratings, Scale

FIVE = Scale.span("meaning", 1, 5)
ROWS = [
    ("i", "ann", "5"),
    ("i", "ben", "3"),
    ("i", "cat", "4"),
    ("j", "ann", "4"),
    ("j", "ben", "2"),
    ("k", "ann", "1"),
    ("i", "ann", "4"),
    ("j", "ann", "4"),
]


def test_bias_is_the_distance_from_the_others_on_the_same_item() -> None:
    ann, ben, cat = judge_rows(Ratings.of(ROWS, scale=FIVE))
    assert isinstance(ann.bias, Estimate)
    assert isinstance(ben.bias, Estimate)
    assert isinstance(cat.bias, Estimate)
    assert ann.bias.value == pytest.approx((1.5 + 2) / 2)
    assert ann.bias.n == 2
    assert ben.bias.value == pytest.approx((-1.5 - 2) / 2)
    assert (cat.bias.value, cat.bias.low) == (0, None)


def test_use_of_the_scale_and_repeats_are_counted() -> None:
    ann, ben, _ = judge_rows(Ratings.of(ROWS, scale=FIVE))
    assert (ann.n, ann.used) == (3, (1, 0, 0, 1, 1))
    assert ann.repeat == Estimate(0.5, None, None, 2)
    assert ben.repeat == Undefined("judged no item twice")


def test_labels_without_order_have_no_bias() -> None:
    rows = [("i", "ann", "yes"), ("i", "ben", "no")]
    (ann, _) = judge_rows(Ratings.of(rows))
    assert isinstance(ann.bias, Undefined)
    assert "no order" in ann.bias.reason


def test_an_annotator_alone_has_no_bias() -> None:
    (ann,) = judge_rows(Ratings.of([("i", "ann", "5")], scale=FIVE))
    assert ann.bias == Undefined("shares no items with others")


def test_gold_is_compared_item_by_item() -> None:
    ratings = Ratings.of(ROWS[:6], scale=FIVE)
    figures = against_gold(ratings, np.array([4, 3, -1], np.int32))
    ann, ben, cat = figures["raw"]
    assert ann == Estimate(1.0, None, None, 2, "no bootstrap was asked for")
    assert isinstance(ben, Estimate)
    assert ben.value == 0
    assert isinstance(cat, Estimate)
    assert cat.n == 1
    nobody = against_gold(ratings, np.full(3, -1, np.int32))
    assert nobody["cohen"][0] == Undefined("judged no gold item")


def test_a_move_is_told_from_chance_and_has_the_sign_of_its_direction() -> None:
    steady = np.tile([1.0, -1.0], 50)
    still = moved(steady)
    assert still is not None
    assert still.value == 0
    assert still.low < 0 < still.high
    rising = moved(steady + np.linspace(0, 3, 100))
    assert rising is not None
    assert 0 < rising.low < rising.value < rising.high
    falling = moved(steady - np.linspace(0, 3, 100))
    assert falling is not None
    assert falling.value == pytest.approx(-rising.value)
    assert moved(steady[:9]) is None


def test_drift_follows_the_order_of_judging() -> None:
    ratings = Ratings.of(ROWS[:6], scale=FIVE)
    gap = gaps(ratings)
    assert np.isnan(gap[ratings.item == 2]).all()
    moving = np.r_[np.zeros(4), np.nan, np.ones(4), np.full(2, 2.0)]
    assert drift(moving, parts=5) == [(2, 0), (2, 0), (2, 1), (2, 1), (2, 2)]
    assert drift(np.full(3, np.nan)) == []


def test_a_change_of_guideline_is_placed_by_the_items_before_it() -> None:
    assert changes(np.array([1, 1, 1, 2, 2, 4, 4, 4, 4, 4])) == [(2, 0.3), (4, 0.5)]
    assert changes(np.array([0, 0, 3, 3])) == [(3, 0.5)]
    assert changes(np.array([3, 0])) == []  # gone back to none: nothing to point to
    assert changes(np.array([2, 2])) == changes(np.zeros(0, np.int32)) == []
