import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.formats import ptb
from core.grammar.binarize import How, binarize, is_made, undo
from tests.oracles import strategies

HOWS: tuple[How, ...] = ("left", "right", "head")


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("left", "(VP (@VP (@VP (RB not) (VB go)) (RB home)) (RB now))"),
        ("right", "(VP (RB not) (@VP (VB go) (@VP (RB home) (RB now))))"),
        ("head", "(VP (RB not) (@VP (@VP (VB go) (RB home)) (RB now)))"),
    ],
)
def test_wide_phrases_get_nodes_in_between(how: How, expected: str) -> None:
    tree = ptb.parse_one("(VP (RB not) (VB go) (RB home) (RB now))")
    assert ptb.bracket(binarize(tree, how)) == expected


@pytest.mark.parametrize("how", HOWS)
@given(tree=strategies.trees(max_tokens=9))
def test_binarisation_is_undone_exactly(how: How, tree: Tree) -> None:
    binary = binarize(tree, how)
    assert all(len(children) <= 2 for children in binary.children)
    assert binary.words == tree.words
    assert undo(binary) == tree
    assert sum(map(is_made, binary.labels)) == len(binary) - len(tree)


@given(st.text("@%4025A", min_size=1))
def test_labels_that_look_like_ours_survive(label: str) -> None:
    tree = Tree(
        (label, "X", "X", label),
        (-1, 0, 0, 0),
        (-1, 0, 1, 2),
        ("", "a", "b", "c"),
    )
    assert undo(binarize(tree)) == tree


@pytest.mark.parametrize("how", HOWS)
def test_traces_edges_and_crossing_branches_survive(how: How) -> None:
    tree = Tree(
        ("S", "VP", "V", "N", "X", "Adv"),
        (-1, 0, 1, 1, 1, 0),
        (-1, -1, 0, 2, -1, 1),
        ("", "", "a", "c", "*", "b"),
        ("", "HD", "", "OA", "", "MO"),
    )
    assert undo(binarize(tree, how)) == tree
