"""Columns of judgments: what is selected, and which items stand behind a figure."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.judgments.dataset import Dataset, Question, Selection
from core.agreement.judgments.items import (
    ItemChoice,
    behind,
    distance,
    item_agreement,
    leverage,
)
from core.agreement.judgments.report import ReportOptions, build
from core.agreement.measures import measure_all
from core.data.ratings import Ratings, Scale

MEANING = Question(Scale.span("meaning", 1, 5), "Meaning", 3.0)
GRAMMAR = Question(Scale.span("grammar", 1, 5), "Grammar", 4.0)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def small() -> Dataset:
    """Four items, the last a check; A1 saw item 0 twice; A3 came as an extra judge.

    meaning, item 0: A1 5 (then 4), A2 3, A3 1 (extra); item 1: A1 2, A2 2;
    item 2: A2 4.
    """
    return Dataset.of(
        [MEANING, GRAMMAR],
        ["i0", "i1", "i2", "check"],
        ["A1", "A2", "A3"],
        ints(0, 0, 0, 1, 1, 2, 3, 0),
        ints(0, 1, 2, 0, 1, 1, 0, 0),
        np.array(
            [[4, 4], [2, 3], [0, 0], [1, -1], [1, 1], [3, 3], [4, 4], [3, 4]], np.int32
        ),
        round=ints(1, 1, 1, 1, 1, 1, 1, 2),
        is_extra=np.array([0, 0, 1, 0, 0, 0, 0, 0], bool),
        at=np.array([10.0, 20, 30, 40, 50, 60, 70, 90]),
        guideline=ints(1, 1, 2, 1, 2, 2, 1, 2),
        is_check=np.array([0, 0, 0, 1], bool),
        gold=np.array([[-1, -1], [-1, -1], [-1, -1], [4, 4]], np.int32),
        conditions=("base", "other"),
        credit=np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 2, 3]], np.int32),
        cluster=ints(0, 0, 1, 2),
    )


def items(data: Dataset) -> set[str]:
    return {data.items[i] for i in data.item[data.counted]}


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Selection(), {"i0", "i1", "i2"}),
        (Selection(with_checks=True), {"i0", "i1", "i2", "check"}),
        (Selection(annotators=("A1",)), {"i0", "i1"}),
        (Selection(conditions=("base",)), {"i0", "i1"}),
        (Selection(conditions=("other",)), {"i0"}),
        (Selection(conditions=("other",), max_rank=0), {"i0", "i2"}),
        (Selection(since=35, until=60), {"i1"}),
        (Selection(guideline=2), {"i0", "i1", "i2"}),
    ],
)
def test_a_selection_keeps_what_it_asks_for(
    chosen: Selection, expected: set[str]
) -> None:
    assert items(small().select(chosen)) == expected


def test_second_looks_are_repeats_and_extra_judges_are_left_out() -> None:
    ratings = small().select(Selection()).in_order().ratings(0)
    assert ratings.n == 5
    assert ratings.repeats.tolist() == [[0, 0, 4, 3]]
    assert 2 not in ratings.annotator


def test_conditions_read_first_looks_of_all_judges() -> None:
    judged = small().select(Selection()).judged()
    assert judged.item.tolist() == [0, 0, 0, 1, 1, 2]
    assert judged.values[:, 0].tolist() == [5, 3, 1, 2, 2, 4]
    assert np.isnan(judged.values[3, 1])


def test_a_decision_stands_in_for_all_judges_of_its_item() -> None:
    decided = np.full((4, 2), -1, np.int32)
    decided[0] = 4
    data = replace(small(), adjudicated=decided).select(Selection())
    judged = data.judged(adjudicated=True)
    rows = dict(zip(judged.item.tolist(), judged.values.tolist(), strict=True))
    assert rows[0] == [5, 5]
    assert judged.item.tolist().count(0) == 1
    assert data.judged().item.tolist().count(0) == 3


def test_thresholds_can_be_moved() -> None:
    moved = small().with_thresholds({"meaning": 5.0})
    assert [q.threshold for q in moved.questions] == [5.0, 4.0]


def test_the_digest_sees_every_change() -> None:
    data = small()
    again = small()
    assert data.digest() == again.digest()
    values = data.values.copy()
    values[0, 0] = 0
    assert replace(data, values=values).digest() != data.digest()
    assert replace(data, annotators=("A1", "A2", "B")).digest() != data.digest()
    assert data.with_thresholds({"meaning": 1.0}).digest() != data.digest()


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (ItemChoice(), {0, 1, 2}),
        (ItemChoice(shared=True), {0, 1}),
        (ItemChoice(shared=False), {2}),
        (ItemChoice(same=True), {1}),
        (ItemChoice(pair=(0, 1)), {0, 1}),
        (ItemChoice(values=((4, 4), (2, 2))), {0}),
        (ItemChoice(values=((2, 2), (4, 4))), set()),
        (ItemChoice(values=((0, 4), (0, 1))), {1}),
        (ItemChoice(by=1), {0, 1, 2}),
        (ItemChoice(by=1, value=(3, 3)), {2}),
        (ItemChoice(condition=1), {0, 2}),
        (ItemChoice(correct=True), {0, 2}),
        (ItemChoice(correct=False), {1}),
        (ItemChoice(correct=True, together=True), {0, 2}),
        (ItemChoice(correct=False, together=True), {1}),
        (ItemChoice(again=True), {0}),
        (ItemChoice(by=1, again=True), set()),
        (ItemChoice(gold=True), {3}),
        (ItemChoice(question=1, shared=False), {1, 2}),
    ],
)
def test_a_case_finds_its_items(case: ItemChoice, expected: set[int]) -> None:
    data = small().select(Selection(max_rank=0)).in_order()
    assert set(behind(data, case).tolist()) == expected


def test_gold_items_stand_behind_gold_figures_and_no_others() -> None:
    data = small().select(Selection())
    assert behind(data, ItemChoice(gold=True)).tolist() == [3]
    judge = build(data, ReportOptions(replicates=0))["scales"][0]["judges"][0]
    assert judge["gold"]["value"] == 1.0
    assert judge["n"] == 2


def test_instances_of_checks_are_not_to_be_covered() -> None:
    assert len(small().select(Selection()).credits().cluster) == 2
    with_checks = small().select(Selection(with_checks=True)).credits()
    assert len(with_checks.cluster) == 3
    assert with_checks.instance.tolist() == [0, 0, 0]


def random_ratings(seed: int, scale: Scale) -> Ratings:
    rng = np.random.default_rng(seed)
    rows = [
        (f"i{i}", f"a{a}", scale.labels[rng.integers(scale.size)])
        for i in range(12)
        for a in range(4)
        if rng.random() < 0.7
    ]
    return Ratings.of(rows, scale=scale)


@given(st.integers(0, 5000), st.booleans())
def test_leverage_equals_leaving_the_item_out(seed: int, ordered: bool) -> None:
    scale = Scale.span("s", 1, 4) if ordered else Scale("s", ("x", "y", "z"))
    name = "alpha_interval" if ordered else "alpha_nominal"
    ratings = random_ratings(seed, scale)
    whole = alpha(ratings, name)
    leverages = leverage(ratings)
    for item in range(len(ratings.items)):
        keep = ratings.item != item
        rest = replace(
            ratings,
            item=ratings.item[keep],
            annotator=ratings.annotator[keep],
            value=ratings.value[keep],
        )
        if (ratings.item == item).sum() >= 2 and not np.isnan(whole):
            expected = alpha(rest, name) - whole
            if np.isfinite(expected):
                assert leverages[item] == pytest.approx(expected, abs=1e-9)


def alpha(ratings: Ratings, name: str) -> float:
    figure = measure_all(ratings, replicates=0).figures[name]
    return getattr(figure, "value", float("nan"))


def test_distance_and_agreement_of_items() -> None:
    rows = [("i", "a", "5"), ("i", "b", "1"), ("i", "c", "5"), ("j", "a", "2")]
    ratings = Ratings.of(rows, scale=MEANING.scale)
    assert distance(ratings).tolist() == [4, 0]
    agreed = item_agreement(ratings)
    assert agreed[0] == pytest.approx(1 / 3)
    assert np.isnan(agreed[1])
    labels = Ratings.of([("i", "a", "x"), ("i", "b", "y"), ("i", "c", "z")])
    assert distance(labels).tolist() == [2]
