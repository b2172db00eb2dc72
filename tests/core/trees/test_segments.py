"""A sentence cut into words in two ways, and trees brought from one to the other."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import ptb
from core.trees.arc_lines import Arcs
from core.trees.segments import recut
from tests.core.trees.test_arcs import TREE
from tests.core.trees.test_editing import trees
from tests.core.trees.test_splitting import joined, splits


def shapes(was: str, now: str) -> list[tuple[int, int]]:
    cut = recut(was.split(), now.split())
    assert cut is not None
    return [(s.end - s.start, s.new_end - s.new_start) for s in cut.segments]


@pytest.mark.parametrize(
    ("was", "now", "shape"),
    [
        ("I cannot go", "I can not go", [(1, 1), (1, 2), (1, 1)]),
        ("I can not go", "I cannot go", [(1, 1), (2, 1), (1, 1)]),
        ("cannot wanna", "can not wan na", [(1, 2), (1, 2)]),
        ("don't tell em", "do n't tell them", [(1, 2), (1, 1), (1, 1)]),
        ("in New", "in New York", [(1, 1), (1, 2)]),
        ("York is", "New York is", [(1, 2), (1, 1)]),
        ("a b", "a b", [(1, 1), (1, 1)]),
        ("dontcha", "don t cha", [(1, 3)]),
        ("a zum b", "a zu dem b", [(1, 1), (1, 2), (1, 1)]),
    ],
)
def test_it_is_seen_what_became_of_which_word(was, now, shape) -> None:
    assert shapes(was, now) == shape


def test_what_was_never_one_sentence_has_no_segments() -> None:
    assert recut(["a"], list("bcdefgh")) is None


def test_changes_are_told_by_their_words_and_places() -> None:
    cut = recut(["I", "cannot", "go"], ["We", "can", "not", "go"])
    assert cut is not None
    assert cut.changed == {0: ("I", "We"), 1: ("cannot", "can not")}
    assert [cut.moved(i) for i in range(3)] == [(0,), (1, 2), (3,)]
    assert cut.sources() == [0, 1, 1, 2]


@given(st.data())
def test_a_tree_is_brought_to_the_words_of_a_split(data: st.DataObject) -> None:
    tree = data.draw(trees())
    now = data.draw(splits(tree)).on(tree).tree.words
    cut = recut(tree.words, now)
    assert cut is not None
    assert cut.on_tree(tree).words == now


@given(st.data())
def test_and_of_a_join_if_the_words_are_sisters(data: st.DataObject) -> None:
    tree = data.draw(trees())
    tree = data.draw(splits(tree)).on(tree).tree  # so that there are siblings
    _step, after = joined(data, tree)
    cut = recut(tree.words, after.words)
    assert cut is not None
    try:
        made: Tree = cut.on_tree(tree)
    except InvalidValue:  # letters allow several joins: another than was made
        assume(False)
        raise
    assert made.words == after.words


def test_words_of_two_mothers_are_not_joined() -> None:
    cut = recut(["a", "b"], ["ab"])
    assert cut is not None
    with pytest.raises(InvalidValue, match="different parents"):
        cut.on_tree(ptb.parse_one("(S (A (X a)) (B (X b)))"))
    with pytest.raises(InvalidValue, match="other words"):
        cut.on_tree(ptb.parse_one("(S (X a))"))


def test_arcs_are_brought_along() -> None:
    words = Arcs(TREE.lines).words
    now = (*words[:1], words[1] + "x", "y", *words[2:])
    cut = recut(words, now)
    assert cut is not None
    assert cut.on_arcs(TREE).words == now
    back = recut(now, words)
    assert back is not None
    assert back.on_arcs(cut.on_arcs(TREE)).deps == TREE.deps


@pytest.mark.parametrize(
    ("text", "was", "now", "new"),
    [
        ("I cannot  go.", "I cannot go .", "I can not go .", "I cannot  go."),
        ("I can not go", "I can not go", "I cannot go", "I cannot go"),
        ("Don't go", "Do n't go", "Don't go", "Don't go"),
        ("I 'm gonna go", "I 'm gonna go", "I 'm going to go", "I 'm going to go"),
        ("Other words", "I can not", "I cannot", None),
        ("a b c", "a b", "ab", None),
    ],
)
def test_the_raw_text_changes_where_the_letters_do(text, was, now, new) -> None:
    cut = recut(was.split(), now.split())
    assert cut is not None
    assert cut.in_text(text) == new
