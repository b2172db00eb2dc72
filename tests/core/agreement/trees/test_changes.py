"""What gold says of a changed arc or bracket; trees as a whole agree with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.trees import attachment, changes, parseval
from core.data.deps import DepTree
from core.errors import InvalidValue
from core.formats import ptb

GOLD = DepTree((1, -1, 1), ("nsubj", "root", "obl"))


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ((0, "nmod"), (1, "obl"), "fixed"),
        ((0, "nmod"), (1, "obj"), "fixed"),  # heads decide where they differ
        ((1, "obl"), (0, "nmod"), "broken"),
        ((0, "nmod"), (-1, "root"), "neutral"),
        ((1, "obj"), (1, "obl"), "fixed"),
        ((1, "obl"), (1, "obj"), "broken"),
        ((1, "obj"), (1, "iobj"), "neutral"),
    ],
)
def test_opinion_of_an_arc(
    before: changes.Arc, after: changes.Arc, wanted: str
) -> None:
    assert changes.of_arc(2, before, after, GOLD) == wanted


def test_a_word_beyond_the_tree_is_refused() -> None:
    with pytest.raises(InvalidValue, match="word 3"):
        changes.of_arc(3, (0, ""), (1, ""), GOLD)


HEADS = st.tuples(st.sampled_from([-1, 1, 2]), st.sampled_from([-1, 1]))


@given(HEADS, HEADS)
def test_fixed_less_broken_is_the_gain_in_heads(
    before: tuple[int, int], after: tuple[int, int]
) -> None:
    old, new = (DepTree((a, -1, b), ("x", "y", "z")) for a, b in (before, after))
    said = [
        changes.of_arc(m, (old.heads[m], ""), (new.heads[m], ""), GOLD)
        for m in range(3)
        if old.heads[m] != new.heads[m]
    ]
    gain = attachment.compare(GOLD, new).heads - attachment.compare(GOLD, old).heads
    assert said.count("fixed") - said.count("broken") == gain


TREE = "(ROOT (S (NP (PRP I)) (VP (VBP see) (NP (NNS cats)) (PP (IN at) (NP (NN sea))))"
TREE += " (. .)))"
HIGH = ptb.parse_one(TREE)
LOW = ptb.parse_one(
    "(ROOT (S (NP (PRP I)) (VP (VBP see) (NP (NP (NNS cats)) (PP (IN at) (NP (NN"
    " sea))))) (. .)))"
)


def test_opinion_of_brackets_and_errors_of_trees() -> None:
    gone, new = (2, 5, "NP", False), (2, 5, "NP", True)
    assert changes.of_spans([gone, new], HIGH) == ["fixed", "broken"]
    assert changes.of_spans([gone, new], LOW) == ["broken", "fixed"]
    assert changes.wrong_brackets(LOW, HIGH) == 1
    assert changes.wrong_brackets(HIGH, HIGH) == 0


def test_brackets_are_those_of_parseval() -> None:
    functional = (1, 5, "VP-PRD", True), (1, 6, "VP", True)  # the dot does not count
    assert changes.of_spans(functional, HIGH) == ["fixed", "fixed"]
    uncounted = (0, 6, "ROOT", True), (5, 6, "X", False)
    assert changes.of_spans(uncounted, HIGH) == ["neutral", "neutral"]
    assert "ROOT" in parseval.UNCOUNTED
