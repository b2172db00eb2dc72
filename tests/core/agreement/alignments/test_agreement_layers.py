"""Agreement of alignments: counted by hand, and bounded by what it means."""

import pytest

from core.agreement.alignments.layers import (
    agreed_share,
    alignment_error_rate,
    human_row,
    link_f1,
    score_layer,
)
from core.agreement.figures import Estimate, Figure, Undefined


def links(*sentences: str) -> list[frozenset[str]]:
    return [frozenset(text.split()) for text in sentences]


A = links("0-0 1-1 2-2", "0-1")
B = links("0-0 1-1 2-3", "0-1 1-1")
C = links("0-0 1-2", "0-1")


def number(figure: Figure) -> float:
    assert isinstance(figure, Estimate)
    return figure.value


def test_recall_is_on_the_intersection_and_precision_on_the_union() -> None:
    score = score_layer(A, [B, C], replicates=0)
    # B & C: 0-0 | 0-1, both found; B | C holds 0-0, 1-1 and 0-1 of A's four.
    assert number(score.recall) == 1.0
    assert number(score.precision) == 3 / 4


def test_several_pairs_of_annotators_are_averaged() -> None:
    layer = links("0-0 1-2", "")
    pairs = [(A, B), (A, C), (B, C)]
    each = [score_layer(layer, pair, replicates=0) for pair in pairs]
    mean = score_layer(layer, [A, B, C], replicates=0)
    recalls = [number(one.recall) for one in each]
    assert recalls == [1 / 3, 1 / 2, 1 / 2]
    assert number(mean.recall) == pytest.approx(sum(recalls) / 3)


def test_the_human_row_leaves_one_annotator_out() -> None:
    row = human_row([A, B, C], replicates=100)
    each = [
        score_layer(A, [B, C], replicates=0),
        score_layer(B, [A, C], replicates=0),
        score_layer(C, [A, B], replicates=0),
    ]
    assert number(row.recall) == pytest.approx(sum(number(e.recall) for e in each) / 3)
    assert isinstance(row.recall, Estimate)
    assert row.recall.low is not None
    assert row.recall.low <= row.recall.value


def test_two_annotators_have_no_human_row() -> None:
    row = human_row([A, B])
    assert row.recall == Undefined(
        "leaving one out needs three annotators, there are 2", 2
    )


def test_share_of_links_that_all_made() -> None:
    assert number(agreed_share([A, B, C])) == pytest.approx(2 / 7)
    assert agreed_share([links(""), links("")]) == Undefined("no one made a link", 1)


def test_f1_and_error_rate_by_hand() -> None:
    assert number(link_f1(A, B)) == pytest.approx(2 * 3 / 9)
    assert number(link_f1(A, A)) == 1
    sure, possible = links("0-0 1-1"), links("0-0 1-1 2-2")
    guess = links("0-0 2-2 3-3")
    # |A&S| = 1, |A&P| = 2, |A| = 3, |S| = 2
    assert number(alignment_error_rate(guess, sure, possible)) == pytest.approx(0.4)
    assert number(alignment_error_rate(possible, sure, possible)) == 0
    assert isinstance(link_f1(links(""), links("")), Undefined)
