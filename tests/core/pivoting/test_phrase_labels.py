"""Labels of phrases: constituents, and categories with something missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.tree import Tree, TreeBuilder
from core.errors import InvalidValue
from core.formats import ptb
from core.pivoting.labels import (
    ccg_labels,
    compose,
    constituent_labels,
    is_constituent,
)
from tests.oracles.pivoting import phrase_labels as oracle

FIGURE_2 = """(ROOT (SBARQ (WHADVP (WRB How)) (SQ (VBP do) (NP (PRP we))
  (VP (VB create) (NP (JJ equal) (NNS rights)))) (. ?)))"""


def tree_of(text: str) -> Tree:
    return ptb.parse_one(" ".join(text.split()))


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    builder = TreeBuilder()

    def grow(depth: int) -> None:
        if depth == 0 or draw(st.booleans()):
            builder.leaf(draw(st.sampled_from("xyz")), "word")
            return
        builder.open(draw(st.sampled_from("ABC")))
        for _ in range(draw(st.integers(1, 3))):
            grow(depth - 1)
        builder.close()

    builder.open("ROOT")
    for _ in range(draw(st.integers(1, 2))):
        grow(3)
    builder.close()
    return builder.freeze()


def test_create_equal_has_the_three_labels_of_figure_2() -> None:
    assert set(ccg_labels(tree_of(FIGURE_2), 3, 5)) == {
        "VP/(NP/NNS)",
        "SQ\\VBP NP/(VP/(NP/NNS))",
        "SBARQ\\WHADVP (SQ\\VBP NP/(VP/(NP/NNS)))/.",
    }


@given(tree=trees(), data=st.data())
def test_labels_equal_those_of_the_cut_tree(tree: Tree, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, tree.n_tokens - 1))
    j = data.draw(st.integers(i + 1, tree.n_tokens))
    assert set(ccg_labels(tree, i, j)) == oracle.labels(tree, i, j)


def test_all_labels_of_a_chain_are_constituents() -> None:
    tree = tree_of("(ROOT (S (NP (PRP We)) (VP (VBP are) (ADJP (JJ equal))) (. .)))")
    assert constituent_labels(tree, 2, 3) == ("ADJP", "JJ")
    assert set(constituent_labels(tree, 2, 3)) < set(ccg_labels(tree, 2, 3))
    assert [s for s in ccg_labels(tree, 2, 3) if not is_constituent(s)] == [
        "S\\NP (VP\\VBP)/.",
        "VP\\VBP",
    ]


def test_an_arbitrary_span_is_no_constituent() -> None:
    assert constituent_labels(tree_of(FIGURE_2), 3, 5) == ()


def test_traces_are_not_missing() -> None:
    tree = tree_of("(S (NP (-NONE- *)) (VP (VB Go) (ADVP (RB home))))")
    assert ccg_labels(tree, 0, 1) == ("S/(VP/ADVP)", "VB", "VP/ADVP")


def test_a_span_outside_the_sentence_is_refused() -> None:
    with pytest.raises(InvalidValue, match="span"):
        ccg_labels(tree_of(FIGURE_2), 3, 9)


def test_a_category_without_missing_parts_is_its_label() -> None:
    assert compose("NP", [], []) == "NP"
