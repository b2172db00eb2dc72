"""Arcs edited by hand: what is not touched stays, and every step is taken back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.tokens import Sentence
from core.errors import FormatError, InvalidValue
from core.trees import arcs
from core.trees.arc_lines import Arcs
from core.trees.arcs import Attach, Field, Relation, Restore

LINES = (
    "1-2\tCannot\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tCan\tcan\tAUX\tMD\t_\t3\taux\t3:aux\t_\n"
    "2\tnot\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
    "3\topen\topen\tVERB\tVB\t_\t0\troot\t0:root\t_\n"
    "3.1\topen\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "4\tdoors\tdoor\tNOUN\tNNS\tNumber=Plur\t3\tobj\t3:obj\tSpaceAfter=No"
)
TREE = Arcs(LINES)


def test_one_word_gets_another_head_and_all_else_stays() -> None:
    edited = Attach(1, 0).on(TREE)
    assert edited.at == 1
    assert edited.tree.deps.heads == (2, 0, -1, 2)
    assert edited.tree.lines == LINES.replace("RB\t_\t3\tadv", "RB\t_\t1\tadv")


def test_a_relation_is_changed_alone() -> None:
    edited = Relation(3, "obl").on(TREE).tree
    assert edited.deps.labels == ("aux", "advmod", "root", "obl")
    assert edited.deps.heads == TREE.deps.heads


def test_a_new_root_takes_the_former_one_and_gives_it_back() -> None:
    step = Attach(3, -1)
    made = step.on(TREE).tree
    assert made.deps.labels == ("aux", "advmod", "dep", "root")
    assert made.deps.heads.count(-1) == 1
    assert made.deps.heads[2] == 3


@pytest.mark.parametrize(
    ("column", "value", "kept"),
    [
        ("feats", "b=2|A=1", "A=1|b=2"),
        ("deps", "4:conj|1:obj", "1:obj|4:conj"),
        ("misc", " SpaceAfter=No ", "SpaceAfter=No"),
        ("upos", "", ""),
    ],
)
def test_a_column_of_a_word_is_changed_alone(column, value, kept) -> None:
    step = Field(1, column, value)
    made = step.on(TREE).tree
    assert made.field(1, column) == kept
    assert made.deps == TREE.deps


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("head", "1", "no column"),
        ("feats", "Nom", "Case=Nom"),
        ("deps", "99:obj", "numbers of words"),
        ("xpos", "N N", "spaces"),
    ],
)
def test_a_value_that_a_column_cannot_hold_is_refused(column, value, said) -> None:
    with pytest.raises(InvalidValue, match=said):
        Field(1, column, value).on(TREE)


def test_a_circle_is_refused_with_what_helps() -> None:
    with pytest.raises(InvalidValue, match="give “doors” another head first"):
        Attach(2, 3).on(TREE)


@pytest.mark.parametrize(
    "step", [Attach(9, 0), Attach(0, 9), Relation(-1, "x"), Relation(0, "a b")]
)
def test_what_there_is_not_is_refused(step) -> None:
    with pytest.raises(InvalidValue):
        step.on(TREE)


steps = st.one_of(
    st.builds(
        Attach, st.integers(0, 3), st.integers(-1, 3), st.sampled_from(["", "x"])
    ),
    st.builds(
        Field,
        st.integers(0, 3),
        st.sampled_from(["lemma", "misc", "feats", "deps"]),
        st.sampled_from(["", "B=2|a=1", "3:obj|1:conj"]),
    ),
    st.builds(Relation, st.integers(0, 3), st.sampled_from(["obj", "nsubj:pass"])),
)


@given(st.lists(steps, max_size=6))
def test_every_step_is_taken_back_and_read_again(asked) -> None:
    tree, done = TREE, []
    for step in asked:
        try:
            edited = step.on(tree)
        except InvalidValue:
            continue
        back = arcs.read(Restore(tree.lines).to_json())
        assert back.on(edited.tree).tree == tree
        done.append(arcs.read(step.to_json()))
        tree = edited.tree
    again = TREE
    for step in done:
        again = step.on(again).tree
    assert again == tree


def test_lines_are_typed_with_comments_and_spaces() -> None:
    text = "# text = Cannot open doors\n" + LINES.replace("\tobj\t", "\tobl\t") + "\n\n"
    new = arcs.typed(text, TREE)
    assert new.on(TREE).tree.deps.labels[3] == "obl"
    spaced = arcs.typed("1 Rain _ NOUN _ _ 0 root _ _", arcs.started(
        Sentence.of("Rain").tokens))  # fmt: skip
    assert spaced.lines.count("\t") == 9


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("3\topen", "3\tclose", 5, "word 3 is 'close' and should be 'open'"),
        ("\t3\tobj", "\t9\tobj", 7, "head '9' is not a word"),
        ("NOUN\tNNS", "NOUN", 7, "9 columns"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_place(old, new, line, said) -> None:
    text = "# a comment\n" + LINES.replace(old, new, 1)
    with pytest.raises(FormatError, match=said) as refused:
        arcs.typed(text, TREE)
    assert refused.value.line == line


def test_a_word_too_few_or_too_many_is_named() -> None:
    two = arcs.started(Sentence.of("It rains").tokens)
    with pytest.raises(FormatError, match="word 2 is 'missing' and should be 'rains'"):
        arcs.typed(two.lines.split("\n")[0], two)
    one = arcs.started(Sentence.of("It").tokens)
    with pytest.raises(FormatError, match="shorter"):
        arcs.typed(two.lines, one)
