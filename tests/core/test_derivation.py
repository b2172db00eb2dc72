import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.data.check import Floats
from core.data.tree import Tree
from core.formats import ptb
from core.grammar.binarize import binarize
from core.inference.derivation import (
    chain_labels,
    chain_name,
    forest_of,
    phrases_of,
    tree_of_phrases,
)
from core.inference.kbest import best_trees, k_best
from core.inference.packing import span_forest
from tests.oracles import strategies


@given(strategies.trees())
def test_a_tree_survives_the_way_through_a_forest(tree: Tree) -> None:
    forest, node_of = forest_of(tree)
    ((_, edges),) = k_best(forest, np.zeros(forest.n_edges), 9)
    again = tree_of_phrases(phrases_of(forest, edges), words=tree.words, tags=tree.tags)
    assert again == tree
    for v, node in enumerate(node_of):
        assert (forest.starts[node], forest.ends[node]) == tree.spans[v]


@given(strategies.trees())
def test_a_binarised_tree_gives_a_binary_forest_of_the_same_tree(tree: Tree) -> None:
    forest, _ = forest_of(binarize(tree))
    assert np.diff(forest.first_tail).max() <= 2
    ((_, edges),) = k_best(forest, np.zeros(forest.n_edges), 9)
    phrases = phrases_of(forest, edges)
    assert tree_of_phrases(phrases, words=tree.words, tags=tree.tags) == tree


@given(st.lists(st.text("AB+%-", min_size=1), min_size=1))
def test_chain_names_are_undone(labels: list[str]) -> None:
    assert list(chain_labels(chain_name(labels))) == labels


def test_traces_and_what_stands_over_them_alone_have_no_node() -> None:
    tree = ptb.parse_one("(S (NP (-NONE- *)) (VP (VB Leave)))")
    forest, node_of = forest_of(tree)
    assert node_of[1] == node_of[2] == -1
    assert [forest.name(v) for v in range(forest.n_nodes)] == ["", "VP", "S"]


def test_chains_are_opened_and_rests_dropped() -> None:
    phrases = [(0, 3, "S+VP"), (1, 3, "NP")]
    tree = tree_of_phrases(phrases, words=("see", "a", "cat"), tags=("VB", "DT", "NN"))
    assert ptb.bracket(tree) == "(S (VP (VB see) (NP (DT a) (NN cat))))"


def test_words_without_a_common_phrase_hang_from_root() -> None:
    tree = tree_of_phrases([(0, 1, "NP")], words=("a", "b"), tags=("X", "Y"))
    assert ptb.bracket(tree) == "(ROOT (NP (X a)) (Y b))"
    assert len(tree_of_phrases([], words=("a",), tags=("X",))) == 1


def test_best_trees_differ_and_fall() -> None:
    scores: Floats = np.random.default_rng(2).normal(size=(6, 6, 3))
    forest, weights = span_forest(scores, ("", "A", "B+A"), margin=20)
    words = tags = tuple("abcde")
    ranked = best_trees(forest, weights, 40, words=words, tags=tags)
    assert len({tree for _, tree in ranked}) == 40
    assert [s for s, _ in ranked] == sorted((s for s, _ in ranked), reverse=True)


def test_derivations_of_one_tree_are_counted_once() -> None:
    forest, weights = strategies.ambiguous_forest()
    ranked = best_trees(forest, weights, 9, words=tuple("abc"), tags=tuple("XYZ"))
    assert sorted(ptb.bracket(tree) for _, tree in ranked) == [
        "(S (A (X a) (Y b)) (Z c))",
        "(S (X a) (B (Y b) (Z c)))",
        "(S (X a) (Y b) (Z c))",
    ]
