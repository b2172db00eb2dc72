"""Words split and joined in constituent trees: one takes the other back."""

from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import ptb
from core.trees.editing import read
from core.trees.splitting import Join, Split
from core.trees.stepping import Restore
from tests.core.trees.test_editing import trees

OPENS = "(S (NP (PRP I)) (VP (MD cannot) (VP (VB open) (NP (NNS doors)))))"
EDGED = Tree(("S", "A", "B"), (-1, 0, 0), (-1, 1, 0), ("", "b", "a"), ("", "HD", "MO"))


@st.composite
def splits(draw: st.DrawFn, tree: Tree) -> Split:
    forms = st.sampled_from(["can", "not", "’s"])
    tags = st.none() | st.tuples(st.sampled_from("XY"), st.sampled_from("XY"))
    token = draw(st.integers(0, tree.n_tokens - 1))
    return Split(token, (draw(forms), draw(forms)), draw(tags), draw(tags))


def joined(data: st.DataObject, tree: Tree) -> tuple[Join, Tree]:
    """A join that this tree allows, and what it makes."""
    allowed = []
    for token in range(tree.n_tokens - 1):
        with suppress(InvalidValue):
            Join(token).on(tree)
            allowed.append(token)
    assume(allowed)
    tag = data.draw(st.none() | st.sampled_from("XY"))
    step = Join(data.draw(st.sampled_from(allowed)), tag=tag)
    return step, step.on(tree).tree


@given(st.data())
def test_a_split_is_taken_back_by_a_join(data: st.DataObject) -> None:
    tree = data.draw(trees())
    step = data.draw(splits(tree))
    after = step.on(tree).tree
    assert after.words == (
        *tree.words[: step.token], *step.forms, *tree.words[step.token + 1 :],
    )  # fmt: skip
    word, edges = tree.leaf_of[step.token], tree.edges or ("",) * len(tree)
    back = Join(step.token, tree.forms[word], tree.labels[word], edges[word])
    assert back.on(after).tree == tree


@given(st.data())
def test_a_join_is_undone(data: st.DataObject) -> None:
    tree = data.draw(trees())
    step, after = joined(data, tree)
    i, words = step.token, tree.words
    assert after.words == (*words[:i], words[i] + words[i + 1], *words[i + 2 :])
    assert Restore(tree).on(after).tree == tree


@given(st.data())
def test_all_other_nodes_are_where_it_is_said(data: st.DataObject) -> None:
    tree = data.draw(trees())
    step = data.draw(splits(tree))
    edited = step.on(tree)
    assert set(edited.moved) == set(range(len(tree)))
    for old, new in edited.moved.items():
        assert edited.tree.parents[new] == edited.moved.get(tree.parents[old], -1)
        if old != tree.leaf_of[step.token]:
            assert edited.tree.labels[new] == tree.labels[old]
            assert edited.tree.forms[new] == tree.forms[old]


@given(st.data())
def test_they_are_the_same_after_a_trip_through_json(data: st.DataObject) -> None:
    step = data.draw(splits(data.draw(trees())))
    join = Join(3, data.draw(st.sampled_from(["", "x"])), data.draw(st.none() | LABEL))
    assert (read(step.to_json()), read(join.to_json())) == (step, join)


LABEL = st.sampled_from(["X", "Y"])


def test_both_parts_stand_below_the_mother_of_the_word() -> None:
    tree = ptb.parse_one(OPENS)
    edited = Split(1, ("can", "not"), ("MD", "RB")).on(tree)
    assert ptb.bracket(edited.tree) == OPENS.replace("(MD cannot)", "(MD can) (RB not)")
    assert edited.tree.labels[edited.at] == "MD"
    assert ptb.bracket(Join(1).on(edited.tree).tree) == OPENS


def test_a_word_out_of_place_is_split_with_its_edge() -> None:
    after = Split(0, ("a1", "a2")).on(EDGED).tree
    assert (after.tokens, after.edges) == ((-1, 2, 0, 1), ("", "HD", "MO", "MO"))


@pytest.mark.parametrize(
    ("step", "text", "said"),
    [
        (Join(0), OPENS, "have different parents: move one"),
        (Join(3), OPENS, "no word 5"),
        (Join(0), "(S (X a) (-NONE- *) (X b))", "empty element is between"),
        (Split(4, ("a", "b")), OPENS, "no word 5"),
        (Split(1, ("can", "")), OPENS, "is not a word"),
        (Split(1, ("a", "b"), ("X", "")), OPENS, "is not a label"),
    ],
)
def test_what_cannot_be_is_refused_with_what_helps(step, text: str, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        step.on(ptb.parse_one(text))


def test_a_tree_of_one_word_wants_a_phrase_first() -> None:
    with pytest.raises(InvalidValue, match="add a phrase over it"):
        Split(0, ("a", "b")).on(Tree(("X",), (-1,), (0,), ("ab",)))


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"op": "split", "token": 0},
        {"op": "split", "token": 0, "forms": "abc"},
        {"op": "glue", "token": 0},
        {"op": "join", "token": "x"},
    ],
)
def test_nothing_else_is_read(sent) -> None:
    with pytest.raises(InvalidValue):
        read(sent)
