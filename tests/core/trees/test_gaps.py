"""Trees with gaps: the first is made by a move, and every step can be taken back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import ptb, treetext
from core.trees.editing import Delete, Move, read
from core.trees.stepping import Restore, is_in_order
from tests.core.trees.test_editing import steps, trees

TALK = "(S (VP (V told) (NP (D a) (N tale)) (ADV then)) (PP (P of) (N elves)))"


@given(st.data())
def test_the_ledger_played_again_gives_the_tree_and_backwards_the_first(
    data: st.DataObject,
) -> None:
    first = tree = data.draw(trees())
    done, back = [], []
    for _ in range(5):
        step = data.draw(steps(tree, may_gap=True))
        try:
            after = step.on(tree).tree
        except InvalidValue:
            continue
        done.append(step.to_json())
        back.append(Restore(tree).to_json())
        tree = after
    again = first
    for one in done:
        again = read(one).on(again).tree
    assert again == tree
    for one in reversed(back):
        again = read(one).on(again).tree
    assert again == first


@given(st.data())
def test_what_has_no_gap_any_more_can_be_held_by_brackets(data: st.DataObject) -> None:
    tree = data.draw(trees())
    for _ in range(4):
        try:
            tree = data.draw(steps(tree, may_gap=True)).on(tree).tree
        except InvalidValue:
            continue
        hulls = (range(*span) for span in tree.spans)
        is_whole = all(tree.yield_of(v) == tuple(hull) for v, hull in enumerate(hulls))
        assert is_in_order(tree) == is_whole


def test_the_first_gap_is_made_by_a_move_where_it_may_be() -> None:
    tree = ptb.parse_one(TALK)
    move = Move(7, 3)  # "of elves" to "a tale", over "then"
    with pytest.raises(InvalidValue, match="between the words of others"):
        move.on(tree)
    assert move.makes_gap(tree)
    made = Move(7, 3, gap=True).on(tree)
    assert made.tree.yield_of(3) == (1, 2, 4, 5)
    assert not is_in_order(made.tree)
    assert treetext.load(*treetext.dump(made.tree)) == made.tree


def test_its_old_mother_may_be_what_has_the_gap() -> None:
    tree = ptb.parse_one(TALK)
    made = Move(3, 0, gap=True).on(tree)  # "a tale" out of "told a tale then"
    assert made.tree.yield_of(1) == (0, 3)
    assert made.tree.labels[1] == "VP"


def test_a_phrase_with_a_gap_is_deleted_and_its_words_stand_in_order() -> None:
    gapped = Move(7, 3, gap=True).on(ptb.parse_one(TALK)).tree
    step = Delete(3)
    after = step.on(gapped).tree
    assert [after.labels[v] for v in after.children[1]] == ["V", "D", "N", "ADV", "PP"]


def test_brackets_read_as_before_where_no_move_makes_a_gap() -> None:
    tree = Tree(("S", "A", "B"), (-1, 0, 0), (-1, 0, 1), ("", "a", "b"))
    assert not Move(1, 0).makes_gap(tree)
