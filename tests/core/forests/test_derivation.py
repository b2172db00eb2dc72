import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.data.check import Floats
from core.forests.derivation import (
    chain_labels,
    chain_name,
    tree_of_phrases,
)
from core.forests.kbest import best_trees
from core.forests.packing import span_forest
from core.formats import ptb
from tests.oracles import strategies


@given(st.lists(st.text("AB+%-", min_size=1), min_size=1))
def test_chain_names_are_undone(labels: list[str]) -> None:
    assert list(chain_labels(chain_name(labels))) == labels


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


def test_a_tree_of_countless_derivations_is_found_at_once() -> None:
    n = 30  # 1.0e15 ways to join thirty words two by two, one tree
    forest, weights = span_forest(np.zeros((n + 1, n + 1, 1)), ("",), margin=20)
    words = tags = tuple(f"w{i}" for i in range(n))
    ((_, tree),) = best_trees(forest, weights, 10, words=words, tags=tags)
    assert tree.words == words
