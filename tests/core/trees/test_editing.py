"""Trees by hand: every operation can be taken back, and words stay where they are."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.data.tree import Tree, TreeBuilder
from core.errors import InvalidValue
from core.forests.constraints import can_follow
from core.formats import ptb
from core.trees import brackets
from core.trees.editing import (
    AddSecondary,
    Delete,
    EdgeLabel,
    Insert,
    Move,
    Relabel,
    RelabelAll,
    RemoveSecondary,
    Trace,
    read,
)
from core.trees.phrases import JoinPhrases, SplitPhrase
from core.trees.splitting import Join, Split
from core.trees.stepping import Replace, Restore, TreeEdit

LABELS = st.sampled_from(["S", "NP", "VP", "PP", "X-1"])
SAW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN in) (NN town)))) (. .))"  # fmt: skip  # noqa: E501


@st.composite
def trees(draw: st.DrawFn, most: int = 8) -> Tree:
    """Trees with unary chains, traces, edge labels and secondary edges."""
    builder = TreeBuilder()
    edge = draw(st.booleans())

    def grow(n: int, depth: int) -> None:
        if n == 1 and (depth > 3 or draw(st.booleans())):
            builder.leaf(draw(LABELS), "w", edge="HD" if edge else "")
            return
        builder.open(draw(LABELS), edge="OC" if edge else "")
        if draw(st.integers(0, 5)) == 0:
            builder.trace("-NONE-", "*")
        places = st.lists(st.integers(1, n - 1), unique=True, min_size=int(depth > 3))
        cuts = draw(places) if n > 1 else []
        ends = [0, *sorted(cuts), n]
        for a, b in pairwise(ends):
            grow(b - a, depth + 1)
        builder.close()

    builder.open("S")
    grow(draw(st.integers(1, most)), 0)
    builder.close()
    tree = builder.freeze()
    node = st.integers(0, len(tree) - 1)
    ends = st.tuples(node, node, st.sampled_from(["", "SB"]))
    drawn = draw(st.sets(ends.filter(lambda one: one[0] != one[1]), max_size=3))
    return replace(tree, secondary=tuple(sorted(drawn)))


@st.composite
def steps(draw: st.DrawFn, tree: Tree, *, may_gap: bool = False) -> TreeEdit:
    node = st.integers(0, len(tree) - 1)
    v = draw(node)
    kinds = ["relabel", "insert", "delete", "move", "replace", "relabel_all"]
    kinds += ["edge", "trace", "add_secondary", "remove_secondary"]
    kind = draw(st.sampled_from([*kinds, "split_phrase", "join_phrases"]))
    if kind == "relabel_all":
        chosen = draw(st.lists(node, min_size=1, unique=True))
        return RelabelAll(tuple((one, draw(LABELS)) for one in chosen))
    if kind == "relabel":
        return Relabel(v, draw(LABELS))
    if kind == "split_phrase":
        places = st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True)
        return SplitPhrase(v, tuple(sorted(draw(places))))
    if kind in ("insert", "join_phrases"):
        mother = tree.parents[v]
        siblings = [
            u for u in (tree.children[mother] if mother >= 0 else [0]) if u >= v
        ]
        last = draw(st.sampled_from(siblings))
        if kind == "join_phrases":
            return JoinPhrases(v, last, draw(st.none() | LABELS))
        return Insert(v, last, draw(LABELS))
    if kind == "delete":
        return Delete(v)
    if kind == "replace":
        return Replace(tree)
    if kind == "edge":
        return EdgeLabel(v, draw(st.sampled_from(["", "SB"])))
    if kind == "add_secondary":
        return AddSecondary(v, draw(node), draw(st.sampled_from(["", "OA"])))
    if kind == "remove_secondary":
        return RemoveSecondary(*draw(st.sampled_from(tree.secondary or ((v, 0, ""),))))
    if kind == "trace":
        return Trace(v, "*T*-1", after=draw(st.booleans()))
    at = draw(st.none() | st.integers(0, 3))
    siblings = tree.children[tree.parents[v]] if v else (0,)
    last = draw(st.none() | st.sampled_from([u for u in siblings if u >= v]))
    gap, tidy = may_gap and draw(st.booleans()), draw(st.booleans())
    return Move(v, draw(node), at, gap, last, tidy)


@given(st.data())
def test_every_operation_can_be_undone(data: st.DataObject) -> None:
    tree = data.draw(trees())
    step = data.draw(steps(tree))
    try:
        after = step.on(tree).tree
    except InvalidValue:
        assume(False)
    back = read(Restore(tree).to_json())
    assert back.on(after).tree == tree


NAMES = {"relabel", "relabel_all", "edge", "replace"}  # they have twins of their own


@given(st.data())
def test_secondary_edges_stay_with_their_nodes_or_go(data: st.DataObject) -> None:
    """The twin names each node by a label of its own, and looks where the names are."""
    tree = data.draw(trees())
    tree = replace(tree, labels=tuple(f"N{v}" for v in range(len(tree))))
    step = data.draw(steps(tree))
    assume((step.op not in NAMES and getattr(step, "label", None) is None)
           or step.op in ("insert", "trace"))  # fmt: skip
    try:
        after = step.on(tree).tree
    except InvalidValue:
        assume(False)
    at = {name: after.labels.index(name) for name in set(after.labels)}
    ends = [(f"N{v}", f"N{to}", label) for v, to, label in tree.secondary]
    wanted = {(at[v], at[to], x) for v, to, x in ends if v in at and to in at}
    if isinstance(step, AddSecondary):
        wanted |= {(step.node, step.target, step.edge)}
    if isinstance(step, RemoveSecondary):
        wanted -= {(step.node, step.target, step.edge)}
    assert set(after.secondary) == wanted


def test_secondary_edges_that_cannot_be_are_refused() -> None:
    tree = AddSecondary(1, 3, "SB").on(ptb.parse_one(SAW)).tree
    assert tree.secondary == ((1, 3, "SB"),)
    assert AddSecondary(1, 3).on(tree).tree.secondary == ((1, 3, ""), (1, 3, "SB"))
    for step, why in (
        (AddSecondary(1, 1), "another node"),
        (AddSecondary(1, 99), "no node n99"),
        (AddSecondary(1, 3, "SB"), "already"),
        (AddSecondary(1, 3, "S B"), "not a label"),
        (RemoveSecondary(1, 3, "OA"), "no such secondary edge"),
    ):
        with pytest.raises(InvalidValue, match=why):
            step.on(tree)
    for edges in (((1, 1, ""),), ((0, 99, ""),), ((2, 1, ""), (1, 2, ""))):
        with pytest.raises(InvalidValue, match="secondary"):
            replace(tree, secondary=edges)


def test_a_split_word_keeps_them_at_its_first_part_and_joining_drops_the_second() -> (
    None
):
    tree = replace(
        ptb.parse_one(SAW), secondary=((7, 2, "X"), (8, 2, "Y"), (12, 8, "Z"))
    )
    split = Split(2, ("an", "other")).on(tree).tree
    assert split.secondary == ((7, 2, "X"), (9, 2, "Y"), (13, 9, "Z"))
    assert split.forms[7] == "an"
    joined = Join(2).on(tree).tree
    assert joined.secondary == ((7, 2, "X"),)
    assert joined.forms[7] == "aman"
    assert not can_follow(tree)
    assert can_follow(replace(tree, secondary=()))


def test_typed_brackets_keep_secondary_edges_of_what_stays() -> None:
    tree = ptb.parse_one(SAW)
    tree = replace(tree, secondary=((1, 3, "SB"), (1, 6, "OA"), (2, 8, "X")))
    assert brackets.typed(brackets.shown(tree), tree) == tree
    flat = SAW.replace("(NP (NP (DT a) (NN man))", "(NP (DT a) (NN man)")
    assert brackets.typed(flat, tree).secondary == ((1, 3, "SB"), (2, 7, "X"))


@given(st.data())
def test_words_stay_and_brackets_can_hold_the_tree(data: st.DataObject) -> None:
    tree = data.draw(trees())
    for _ in range(4):
        try:
            edited = data.draw(steps(tree)).on(tree)
        except InvalidValue:
            continue
        assert edited.tree.words == tree.words
        for v, (start, end) in enumerate(edited.tree.spans):
            assert edited.tree.yield_of(v) == tuple(range(start, end))
        for old, new in edited.moved.items():
            if tree.is_leaf(old):
                assert edited.tree.tokens[new] == tree.tokens[old]
        tree = edited.tree


@given(st.data())
def test_an_operation_is_the_same_after_a_trip_through_json(
    data: st.DataObject,
) -> None:
    step = data.draw(steps(data.draw(trees()), may_gap=True))
    assert read(step.to_json()) == step


def after(step: TreeEdit, text: str = SAW) -> str:
    return ptb.bracket(step.on(ptb.parse_one(text)).tree)


def test_a_prepositional_phrase_goes_from_the_noun_to_the_verb() -> None:
    assert after(Move(9, 3)) == (
        "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man))) "
        "(PP (IN in) (NN town))) (. .))"
    )


def test_siblings_move_together_and_leave_no_phrase_over_its_like() -> None:
    low = (
        "(VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) "
        "(NP (NP (DT a) (NN hat)) (CC and) (NP (DT a) (NN dog))))))"
    )
    assert after(Move(12, 2, last=13, tidy=True), low) == (
        "(VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) "
        "(NP (DT a) (NN hat))) (CC and) (NP (DT a) (NN dog))))"
    )
    assert "(NP (NP (DT a) (NN hat)))" in after(Move(12, 2, last=13), low)


def test_a_phrase_left_without_words_is_tidied_away() -> None:
    assert after(Move(2, 3, tidy=True)) == (
        "(S (VP (PRP I) (VBD saw) (NP (NP (DT a) (NN man)) "
        "(PP (IN in) (NN town)))) (. .))"
    )


def test_an_empty_element_is_added_and_deleted() -> None:
    made = Trace(4, "*T*-1", after=True).on(ptb.parse_one(SAW))
    assert "(VP (VBD saw) (-NONE- *T*-1) (NP" in ptb.bracket(made.tree)
    assert made.tree.words == ptb.parse_one(SAW).words
    assert Delete(made.at).on(made.tree).tree == ptb.parse_one(SAW)


def test_a_phrase_is_put_over_sisters_and_taken_away() -> None:
    over = Insert(4, 5, "VP").on(ptb.parse_one(SAW))
    assert over.tree.labels[over.at] == "VP"
    assert over.tree.children[3] == (4,)
    assert Delete(over.at).on(over.tree).tree == ptb.parse_one(SAW)


def test_a_root_goes_above_a_bare_word() -> None:
    assert after(Insert(0, 0, "ROOT"), "(VB wait)") == "(ROOT (VB wait))"


def test_a_new_root_goes_above_the_old_one_and_may_be_empty() -> None:
    assert after(Insert(0, 0, ""), "(NP (NN tea))") == "( (NP (NN tea)))"
    assert after(Delete(0), "( (NP (NN tea)))") == "(NP (NN tea))"


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Relabel(99, "NP"), "no node n99"),
        (Relabel(1, "N P"), "is not a label"),
        (Relabel(1, ""), "is not a label"),
        (Relabel(1, "N" * 61), "is not a label"),
        (Insert(1, 4, "X"), "siblings"),
        (Delete(2), "Only phrases can be deleted"),
        (Delete(0), "one root"),
        (Move(0, 1), "no parent"),
        (Move(5, 9), "below itself"),
        (Move(1, 2), "no children"),
        (Move(2, 3), "no words left"),
        (Move(1, 9), "not next to"),
        (Move(9, 3, 7), "other children"),
        (Move(1, 3, last=6), "Only siblings"),
        (Replace(ptb.parse_one("(S (NN tea))")), "other words"),
    ],
)
def test_what_a_tree_does_not_allow_is_refused_with_the_reason(
    step: TreeEdit, said: str
) -> None:
    with pytest.raises(InvalidValue, match=said):
        step.on(ptb.parse_one(SAW))


@pytest.mark.parametrize("sent", [{}, {"op": "fold"}, {"op": "delete", "node": "x"}])
def test_what_is_no_operation_is_refused(sent: dict) -> None:
    with pytest.raises(InvalidValue, match="Not an operation"):
        read(sent)
