"""Labels as numbers are the labels in words, for any tree and span."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.errors import GemelError
from core.formats import ptb
from core.pivoting.extract import WordHashes
from core.pivoting.labels import (
    Labeller,
    TreeArrays,
    ccg_labels,
    constituent_labels,
    span_labels,
)
from tests.core.pivoting.test_phrase_labels import FIGURE_2, trees


def every_span(trees: list[Tree]) -> np.ndarray:
    spans = [
        (t, i, j)
        for t, tree in enumerate(trees)
        for i in range(tree.n_tokens)
        for j in range(i + 1, tree.n_tokens + 1)
    ]
    return np.array(spans, dtype=np.int64)


@given(forest=st.lists(trees(), min_size=1, max_size=3), exact=st.booleans())
def test_two_spans_share_a_number_where_they_share_a_label(
    forest: list[Tree], exact: bool
) -> None:
    names = WordHashes()
    spans = every_span(forest)
    arrays = [TreeArrays.of(tree, names) for tree in forest]
    labels = span_labels(arrays, spans, exact=exact)
    words: dict[int, str] = {}
    sets: dict[int, tuple[str, ...]] = {}
    for s, (t, i, j) in enumerate(spans.tolist()):
        inside = slice(labels.at[s], labels.at[s + 1])
        labeller = Labeller(forest[t])
        spelled = [labeller.name(int(v), i, j) for v in labels.nodes[inside]]
        wanted = (constituent_labels if exact else ccg_labels)(forest[t], i, j)
        assert tuple(sorted(set(spelled))) == wanted
        for number, word in zip(labels.labels[inside].tolist(), spelled, strict=True):
            assert words.setdefault(number, word) == word
        assert sets.setdefault(int(labels.sets[s]), wanted) == wanted
    assert len(set(words.values())) == len(words)
    assert len(set(sets.values())) == len(sets)


def test_create_equal_has_three_numbers() -> None:
    tree = ptb.parse_one(" ".join(FIGURE_2.split()))
    arrays = [TreeArrays.of(tree, WordHashes())]
    assert len(span_labels(arrays, np.array([[0, 3, 5]])).labels) == 3


@given(tree=trees())
def test_a_line_is_read_as_the_codec_reads_it(tree: Tree) -> None:
    names = WordHashes()
    wanted, read = TreeArrays.of(tree, names), TreeArrays.read(ptb.bracket(tree), names)
    for name in ("nodes", "labels", "first", "children", "leaves"):
        assert np.array_equal(getattr(wanted, name), getattr(read, name))


@pytest.mark.parametrize(
    "text", ["( (S (NP x)))", "(S (NP (-NONE- *)) (VP (VB Go)))", "(S  (NP x)\n(VP y))"]
)
def test_other_lines_are_left_to_the_codec(text: str) -> None:
    names = WordHashes()
    wanted = TreeArrays.of(ptb.parse_one(text), names)
    assert np.array_equal(TreeArrays.read(text, names).nodes, wanted.nodes)


@pytest.mark.parametrize("text", ["(S (NP x)", "(S (NP ) (VP y))", "(S x) (S y)", "x"])
def test_what_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(GemelError):
        TreeArrays.read(text, WordHashes())
