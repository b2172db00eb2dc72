"""Steps made on one tree, done on another of the same words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.formats import ptb
from core.trees.arc_splitting import SplitWord
from core.trees.arcs import Arcs, Attach, Relation
from core.trees.editing import Delete, Insert, Move, Relabel, Retype
from core.trees.phrases import JoinPhrases, SplitPhrase
from core.trees.rebasing import (
    replayed,
    replayed_arcs,
)
from core.trees.splitting import Join
from core.trees.stepping import Replace
from tests.core.trees.test_editing import SAW, steps, trees

MAN = "(NP (DT a) (NN man))"
# S NP PRP VP VBD NP NP DT NN PP IN NP NN . : the numbers of the nodes of SAW


@pytest.mark.parametrize(
    ("theirs", "mine", "now"),
    [
        (Insert(1, 1, "X"), Delete(9), Delete(10)),
        (Delete(6), Relabel(9, "X"), Relabel(8, "X")),
        (Insert(1, 1, "X"), Move(9, 3), Move(10, 4)),
        (Insert(1, 1, "X"), SplitPhrase(3, (1,)), SplitPhrase(4, (1,))),
        (Insert(1, 1, "X"), JoinPhrases(6, 9), JoinPhrases(7, 10)),
        (Insert(1, 1, "X"), Retype(3, "woman"), Retype(3, "woman")),
        (Insert(1, 1, "X"), Join(2), Join(2)),
        (Insert(7, 7, "X"), SplitPhrase(6, (1,)), SplitPhrase(6, (1,))),
    ],
)
def test_nodes_and_words_are_found_where_they_are(theirs, mine, now) -> None:
    tree = ptb.parse_one(SAW)
    assert replayed([mine], tree, theirs.on(tree).tree) == ([now], [])


@pytest.mark.parametrize(
    ("theirs", "mine", "said"),
    [
        (Delete(6), Delete(6), "NP “a man” has changed"),
        (JoinPhrases(6, 9), Relabel(6, "X"), "NP “a man” has changed"),
        (Insert(7, 8, "X"), SplitPhrase(6, (1,)), "Another phrase is now"),
    ],
)
def test_what_has_no_place_is_named(theirs, mine, said) -> None:
    tree = ptb.parse_one(SAW)
    done, (left,) = replayed([mine], tree, theirs.on(tree).tree)
    assert done == []
    assert said in left


def lines(*rows: tuple[str, int, str]) -> Arcs:
    return Arcs("\n".join(
        f"{n}\t{form}\t_\tX\t_\t_\t{head}\t{name}\t_\t_"
        for n, (form, head, name) in enumerate(rows, 1)
    ))  # fmt: skip


SHE = lines(
    ("she", 2, "nsubj"), ("cannot", 0, "root"), ("go", 2, "dep"), ("now", 3, "x")
)


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
    with pytest.raises(InvalidValue, match="different words"):
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
    assert "cycle" in circle[1][0]
