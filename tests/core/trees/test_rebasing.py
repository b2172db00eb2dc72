"""A step made on a former tree, done on what it has become since."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.formats import ptb
from core.trees.arc_splitting import JoinWords, SplitWord
from core.trees.arcs import Arcs, Attach, Relation
from core.trees.editing import Delete, Insert, Move, Relabel, Retype
from core.trees.phrases import JoinPhrases, SplitPhrase
from core.trees.rebasing import (
    rebased,
    rebased_arcs,
    replayed,
    replayed_arcs,
)
from core.trees.splitting import Join, Split
from core.trees.stepping import Replace
from tests.core.trees.test_editing import SAW, steps, trees

MAN = "(NP (DT a) (NN man))"
# S NP PRP VP VBD NP NP DT NN PP IN NP NN . : the numbers of the nodes of SAW


@given(st.data())
def test_on_the_tree_that_it_was_made_on_a_step_stays_as_it_is(
    data: st.DataObject,
) -> None:
    tree = data.draw(trees())
    step = data.draw(steps(tree))
    try:
        step.on(tree)
    except InvalidValue:
        assume(False)
    assert rebased(step, tree, []) == step


@given(st.data())
def test_a_step_on_top_is_refused_or_about_the_same_words(data: st.DataObject) -> None:
    tree = data.draw(trees())
    theirs, mine = data.draw(steps(tree)), data.draw(steps(tree))
    try:
        there = theirs.on(tree).tree
        mine.on(tree)
    except InvalidValue:
        assume(False)
    try:
        moved = rebased(mine, tree, [theirs])
        after = moved.on(there).tree
    except InvalidValue:
        return  # it says why: below
    assert after.words == tree.words
    if isinstance(mine, Relabel) and not isinstance(theirs, Replace):
        assert sorted(there.tokens) == sorted(after.tokens)
        assert there.forms[moved.node] == tree.forms[mine.node]
    assert moved.inverse(there).on(after).tree == there


@pytest.mark.parametrize(
    ("theirs", "mine", "now"),
    [
        (Insert(1, 1, "X"), Delete(9), Delete(10)),
        (Delete(6), Relabel(9, "X"), Relabel(8, "X")),
        (Move(9, 3), Move(5, 0), Move(5, 0)),
        (Insert(1, 1, "X"), SplitPhrase(3, (1,)), SplitPhrase(4, (1,))),
        (Insert(1, 1, "X"), JoinPhrases(6, 9), JoinPhrases(7, 10)),
        (Split(0, ("I", "I")), Retype(3, "woman"), Retype(4, "woman")),
        (Split(0, ("I", "I")), Join(2), Join(3)),
        (Insert(7, 7, "X"), SplitPhrase(6, (1,)), SplitPhrase(6, (1,))),
    ],
)
def test_nodes_and_words_are_where_they_went(theirs, mine, now) -> None:
    assert rebased(mine, ptb.parse_one(SAW), [theirs]) == now


def test_over_typed_brackets_phrases_of_the_same_words_are_found() -> None:
    tree = ptb.parse_one(SAW)
    typed = Replace(ptb.parse_one(SAW.replace("(PRP I)", "(X (PRP I))")))
    assert rebased(Delete(9), tree, [typed]) == Delete(10)
    flat = Replace(ptb.parse_one(SAW.replace(MAN, "(DT a) (NN man)")))
    with pytest.raises(InvalidValue, match="NP “a man” is not there any more"):
        rebased(Delete(6), tree, [flat])


@pytest.mark.parametrize(
    ("theirs", "mine", "said"),
    [
        (Delete(6), Delete(6), "NP “a man” is not there"),
        (JoinPhrases(6, 9), Relabel(6, "X"), "NP “a man” is not there"),
        (SplitPhrase(6, (1,)), Relabel(6, "X"), "NP “a man” is not there"),
        (Move(9, 3), JoinPhrases(6, 9), "side by side"),
        (Insert(7, 8, "X"), SplitPhrase(6, (1,)), "stands another"),
        (Split(3, ("ma", "n")), Retype(3, "woman"), "“man” is not there"),
        (Split(3, ("ma", "n")), Join(2), "“man” is not there"),
        (Delete(1), Delete(99), "no node n99"),
    ],
)
def test_what_is_not_there_any_more_is_named(theirs, mine, said) -> None:
    with pytest.raises(InvalidValue, match=said):
        rebased(mine, ptb.parse_one(SAW), [theirs])


def lines(*rows: tuple[str, int, str]) -> Arcs:
    return Arcs("\n".join(
        f"{n}\t{form}\t_\tX\t_\t_\t{head}\t{name}\t_\t_"
        for n, (form, head, name) in enumerate(rows, 1)
    ))  # fmt: skip


SHE = lines(
    ("she", 2, "nsubj"), ("cannot", 0, "root"), ("go", 2, "dep"), ("now", 3, "x")
)


@pytest.mark.parametrize(
    ("theirs", "mine", "now"),
    [
        (SplitWord(1, ("can", "not")), Attach(3, 0), Attach(4, 0)),
        (SplitWord(1, ("can", "not")), Relation(2, "conj"), Relation(3, "conj")),
        (JoinWords(0), Attach(3, -1), Attach(2, -1)),
        (Attach(3, 1), JoinWords(2), JoinWords(2)),
        (Relation(3, "y"), SplitWord(3, ("no", "w")), SplitWord(3, ("no", "w"))),
    ],
)
def test_arcs_are_about_the_same_words(theirs, mine, now) -> None:
    assert rebased_arcs(mine, SHE, [theirs]) == now


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        (SplitWord(1, ("can", "not")), Attach(0, 1)),
        (JoinWords(1), JoinWords(0)),
        (JoinWords(1), Relation(2, "x")),
    ],
)
def test_arcs_of_words_that_were_split_or_joined_are_refused(theirs, mine) -> None:
    with pytest.raises(InvalidValue, match="is not there any more as you saw it"):
        rebased_arcs(mine, SHE, [theirs])


def test_undone_by_them_a_split_leaves_the_other_words_where_they_were() -> None:
    split = SplitWord(1, ("can", "not"))
    undone = split.inverse(SHE)
    assert rebased_arcs(Attach(3, 2), SHE, [split, undone]) == Attach(3, 2)


@given(st.data())
def test_steps_replayed_on_their_own_first_tree_give_the_last(
    data: st.DataObject,
) -> None:
    first = tree = data.draw(trees())
    made = []
    for _ in range(4):
        step = data.draw(steps(tree))
        if isinstance(step, Replace):
            continue
        try:
            tree = step.on(tree).tree
        except InvalidValue:
            continue
        made.append(step)
    done, left = replayed(made, first, first)
    again = first
    for step in done:
        again = step.on(again).tree
    assert (again, left) == (tree, [])


def test_steps_go_on_another_tree_and_what_has_no_place_there_is_said() -> None:
    first = ptb.parse_one(SAW)
    other = ptb.parse_one(SAW.replace(MAN, "(DT a) (NN man)"))
    made = [Insert(1, 1, "X"), Relabel(1, "Y"), Relabel(7, "NX"), Delete(10)]
    done, left = replayed(made, first, other)
    assert done == [Insert(1, 1, "X"), Relabel(1, "Y"), Delete(9)]
    assert left == ["NP “a man” has changed since you saw it."]
    with pytest.raises(InvalidValue, match="other words"):
        replayed(made, first, ptb.parse_one("(S (NN tea))"))


def test_arcs_are_replayed_on_others() -> None:
    theirs = Attach(3, 1).on(SHE).tree
    made = [SplitWord(1, ("can", "not")), Relation(4, "advmod"), Attach(3, -1)]
    done, left = replayed_arcs(made, SHE, theirs)
    tree = theirs
    for step in done:
        tree = step.on(tree).tree
    assert (done, left) == (made, [])
    assert tree.deps.labels[4] == "advmod"
    circle = replayed_arcs([Attach(2, 3)], Attach(3, 1).on(SHE).tree, SHE)
    assert circle[0] == []
    assert "circle" in circle[1][0]
