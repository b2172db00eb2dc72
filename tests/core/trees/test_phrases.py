"""Phrases split and joined: one takes the other back, and words stay where they are."""

from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import ptb
from core.trees.editing import read
from core.trees.phrases import JoinPhrases, SplitPhrase
from tests.core.trees.test_editing import LABELS, trees

TEA = "(S (NP (DT the) (NN tea) (NN cup)) (VP (VB is) (ADJP (RB very) (JJ hot))) (. .))"
PARTED = "(S (NP (DT the) (NN tea)) (NP (NN cup)) (VP (VB is) (ADJP (RB very) (JJ hot))) (. .))"  # fmt: skip  # noqa: E501


@st.composite
def phrase_steps(draw: st.DrawFn, tree: Tree) -> SplitPhrase | JoinPhrases:
    """Any split or join that the tree allows."""
    allowed: list[SplitPhrase | JoinPhrases] = []
    for v in range(1, len(tree)):
        allowed += [SplitPhrase(v, (i,)) for i in range(1, len(tree.children[v]))]
        siblings = tree.children[tree.parents[v]]
        for last in siblings[siblings.index(v) + 1 :]:
            with suppress(InvalidValue):
                JoinPhrases(v, last).on(tree)
                allowed.append(JoinPhrases(v, last, draw(st.none() | LABELS)))
    assume(allowed)
    return draw(st.sampled_from(allowed))


@given(st.data())
def test_children_keep_their_order_and_words_their_places(data: st.DataObject) -> None:
    tree = data.draw(trees())
    edited = data.draw(phrase_steps(tree)).on(tree)
    after, moved = edited.tree, edited.moved
    assert (after.words, after.tags) == (tree.words, tree.tags)
    leaves = [v for v in range(len(tree)) if tree.is_leaf(v)]
    assert [moved[v] for v in leaves] == [
        v for v in range(len(after)) if after.is_leaf(v)
    ]
    assert len(after) - len(tree) in range(-len(tree), 2)


def test_a_phrase_becomes_two_sisters_of_its_label_and_one_again() -> None:
    tree = ptb.parse_one(TEA)
    split = SplitPhrase(1, (2,)).on(tree)
    assert ptb.bracket(split.tree) == PARTED
    assert split.tree.labels[split.at] == "NP"
    assert split.tree.parents[split.at] == 0
    joined = JoinPhrases(1, 4).on(split.tree)
    assert (ptb.bracket(joined.tree), joined.at) == (TEA, 1)


def test_several_sisters_become_one_with_the_label_of_the_first_or_another() -> None:
    tree = ptb.parse_one("(S (A (X a)) (B (X b) (X c)) (C (X d)))")
    assert ptb.bracket(JoinPhrases(1, 6).on(tree).tree) == (
        "(S (A (X a) (X b) (X c) (X d)))"
    )
    named = JoinPhrases(1, 3, "NP")
    assert ptb.bracket(named.on(tree).tree) == "(S (NP (X a) (X b) (X c)) (C (X d)))"
    apart = {"op": "split_phrase", "node": 1, "at": 1, "labels": ["A", "B"]}
    assert read(apart).on(named.on(tree).tree).tree == tree  # as older ledgers undo it


def test_edges_stay_with_their_phrases() -> None:
    tree = Tree(
        ("S", "NP", "D", "N", "PP", "P"), (-1, 0, 1, 1, 0, 4), (-1, -1, 0, 1, -1, 2),
        ("", "", "the", "tea", "", "in"), ("", "SB", "NK", "NK", "MO", "AC"),
    )  # fmt: skip
    split = SplitPhrase(1, (1,)).on(tree).tree
    assert split.edges == ("", "SB", "NK", "SB", "NK", "MO", "AC")
    joined = JoinPhrases(1, 4)
    assert joined.on(tree).tree.edges == ("", "SB", "NK", "NK", "AC")


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (SplitPhrase(0, (1,)), "Insert a new root above"),
        (SplitPhrase(2, (1,)), "word cannot be split"),
        (SplitPhrase(1, (0,)), "not the first"),
        (SplitPhrase(1, (3,)), "not the first"),
        (SplitPhrase(1, ()), "not the first"),
        (SplitPhrase(1, (2, 1)), "not the first"),
        (SplitPhrase(1, (1,), ("A",)), "2 parts need 2 labels"),
        (SplitPhrase(99, (1,)), "no node n99"),
        (JoinPhrases(1, 1), "phrases with the same parent"),
        (JoinPhrases(1, 6), "phrases with the same parent"),
        (JoinPhrases(0, 1), "phrases with the same parent"),
        (JoinPhrases(1, 10), "is a word, and only phrases can be joined"),
        (JoinPhrases(1, 5, "N P"), "not a label"),
        (JoinPhrases(1, 99), "no node n99"),
    ],
)
def test_what_cannot_be_is_refused_with_what_helps(step, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        step.on(ptb.parse_one(TEA))
