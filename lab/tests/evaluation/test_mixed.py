"""Trees, links and judgments in one order of work, played."""

from fractions import Fraction
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest

from core.errors import InvalidValue
from lab.evaluation.commands.mixed_order import (
    JUDGMENTS,
    LINKS,
    TREES,
    Assumed,
    MixedWork,
    judgments,
    minutes_taken,
    played,
)
from lab.evaluation.mixed import (
    LEARNING,
    MIXED,
    PLAYED,
    SEEN,
    WorkPiece,
    play,
    wrong_majority,
)

OPTIONS = {"trees": 2}


def below_half(yes: int, no: int) -> Fraction:
    """The integral of p^yes (1 - p)^no from 0 to 1/2."""
    return sum(
        (
            Fraction((-1) ** i * comb(no, i), yes + i + 1) / 2 ** (yes + i + 1)
            for i in range(no + 1)
        ),
        Fraction(0),
    )


def enumerated(n: int) -> Fraction:
    """Over every sequence of answers, the chance that its majority is wrong."""
    wrong = Fraction(0)
    for answers in product((0, 1), repeat=n):
        yes, no = sum(answers), n - sum(answers)
        if yes == no:
            wrong += (below_half(yes, no) + below_half(no, yes)) / 2
        else:
            wrong += below_half(max(yes, no), min(yes, no))
    return wrong


@pytest.mark.parametrize("n", range(8))
def test_a_majority_is_as_often_wrong_as_enumeration_says(n: int) -> None:
    assert wrong_majority(n) == pytest.approx(float(enumerated(n)), abs=1e-12)


def test_a_negative_number_of_judges_is_refused() -> None:
    with pytest.raises(InvalidValue):
        wrong_majority(-1)


def piece(
    kind: int, minutes: float, expected: float, removed: float = 0.0
) -> WorkPiece:
    is_seen = kind != JUDGMENTS
    return WorkPiece(kind, kind, minutes, expected, removed, is_seen=is_seen)


WORK = [
    piece(TREES, 2, 4, removed=1),
    piece(LINKS, 1, 1, removed=9),
    piece(JUDGMENTS, 1, 0.5),
    piece(TREES, 1, 3),
    piece(LINKS, 1, 0.25, removed=2),
]


def places(order: str, work: list[WorkPiece] = WORK) -> list[int]:
    return [*map(int, play(work, order, np.random.default_rng(1)).places)]


@pytest.mark.parametrize("order", PLAYED)
def test_every_order_does_each_piece_once(order: str) -> None:
    assert sorted(places(order)) == [0, 1, 2, 3, 4]


def test_the_mixed_order_goes_by_expected_errors_a_minute() -> None:
    assert places(MIXED) == [3, 0, 1, 2, 4]


def test_the_best_order_goes_by_errors_removed_a_minute() -> None:
    assert places("best")[:3] == [1, 4, 0]


def test_kinds_take_turns_each_with_its_best_first() -> None:
    order = places("in turn")
    assert {WORK[at].kind for at in order[:3]} == {TREES, LINKS, JUDGMENTS}
    assert order.index(3) < order.index(0)
    assert order.index(1) < order.index(4)


def test_kind_by_kind_ends_one_kind_before_the_next() -> None:
    kinds = [WORK[at].kind for at in places("kind by kind")]
    assert sum(a != b for a, b in pairwise(kinds)) == 2


def test_an_order_that_learns_leaves_a_kind_that_holds_less_than_expected() -> None:
    trees = [piece(TREES, 1, 3) for _ in range(50)]
    links = [piece(LINKS, 1, 1, removed=1) for _ in range(50)]
    order = places(LEARNING, trees + links)
    assert order[0] < 50  # as expected at first
    assert max(order.index(at) for at in range(50, 100)) < 80
    assert max(places(MIXED, trees + links)[:50]) < 50


def test_an_order_that_learns_leaves_a_kind_that_takes_longer_than_expected() -> None:
    work = [piece(TREES, 1, 3, removed=3) for _ in range(20)]
    work += [piece(LINKS, 1, 1, removed=1) for _ in range(20)]
    taken = np.array([30.0] * 20 + [1.0] * 20)
    order = play(work, LEARNING, np.random.default_rng(1), taken=taken).places
    assert (order[1:21] >= 20).all()


def test_what_is_not_seen_has_every_third_place_where_the_rest_learns() -> None:
    work = [piece(TREES, 1, 9, removed=9) for _ in range(4)]
    work += [piece(JUDGMENTS, 1, 0.1) for _ in range(2)]
    assert [work[at].kind == JUDGMENTS for at in places(SEEN, work)] == [
        *(False, False, True),
        *(False, False, True),
    ]


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(InvalidValue, match="no order"):
        places("alphabetical")


def test_errors_a_minute_count_a_last_piece_in_part() -> None:
    course = play([piece(TREES, 4, 1, removed=2)], MIXED, np.random.default_rng(1))
    drawn = np.ones((1, 1))
    assert course.rates(drawn, 2) == pytest.approx([0.5])
    assert course.rates(drawn, 8) == pytest.approx([0.5])  # work ends after 4
    assert course.until(3).tolist() == []
    assert course.until(4).tolist() == [0]


def world() -> MixedWork:
    trees = [piece(TREES, 1, 1, removed=n) for n in (1.0, 2.0, 3.0)]
    links = [piece(LINKS, 2, 1, removed=1)]
    group = np.arange(4, dtype=np.int32)
    rows, people = np.zeros((4, 1)), np.array([0.0, 0.5, 1.0, 1.0])
    return MixedWork(trees, links, (rows, people, group), first=3, minutes=0.6)


def test_judges_of_one_mind_remove_half_an_error_and_none_where_people_are_split() -> (
    None
):
    pieces, shares = judgments(world(), range(4), np.random.default_rng(0))
    assert [one.removed for one in pieces] == [0.5, 0.0, 0.5, 0.5]
    assert shares[[0, 2, 3]].tolist() == [0.0, 1.0, 1.0]
    assert pieces[0].expected == pytest.approx(0.3125)


def test_a_proposal_that_counts_as_right_is_an_error_only_where_people_reject() -> None:
    rng = np.random.default_rng(0)
    pieces, _ = judgments(world(), range(4), rng, proposed=True)
    assert [one.removed for one in pieces] == [1.0, 0.0, 0.0, 0.0]


def test_the_two_halves_of_the_phrases_are_judged_once_each() -> None:
    halves = [played(world(), OPTIONS, Assumed(), (1, half)) for half in (0, 1)]
    rows = [
        {one.row for one in pieces if one.kind == JUDGMENTS}
        for _courses, pieces, _shares, _held in halves
    ]
    assert rows[0] | rows[1] == {0, 1, 2, 3}
    assert not rows[0] & rows[1]
    assert set(halves[0][3].tolist()) == rows[1]  # a phrase each


def test_minutes_that_go_with_errors_have_the_same_sum() -> None:
    pieces = [*world().trees, *world().links]
    taken = minutes_taken(pieces, Assumed(by_errors=True))
    assert taken.tolist() == [0.75, 1.0, 1.25, 2.0]
    doubled = minutes_taken(pieces, Assumed(taken=(2, 1, 1)))
    assert doubled.tolist() == [2.0, 2.0, 2.0, 2.0]
