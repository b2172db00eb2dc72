"""A ranked list of trees as one forest: the same trees, the same weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.kbest import best_trees
from core.forests.mixture import ranked_forest
from core.formats.ptb import parse_one
from tests.oracles.semiring import COUNT, inside

TREES = [
    parse_one(text)
    for text in (
        "(S (NP (NN time)) (VP (VBZ flies) (PP (IN like) (NP (DT an) (NN arrow)))))",
        "(S (NP (NN time) (NNS flies)) (VP (VBP like) (NP (DT an) (NN arrow))))",
        "(S (VP (VB time) (NP (NNS flies)) (PP (IN like) (NP (DT an) (NN arrow)))))",
        "(NP (NP (NN time)) (NP (NNS flies) (PP (IN like) (NP (DT an) (NN arrow)))))",
    )
]


@given(st.lists(st.tuples(st.floats(-50, 0), st.sampled_from(TREES)), min_size=1))
def test_a_forest_of_ranked_trees_has_these_trees_and_no_other(
    ranked: list[tuple[float, Tree]],
) -> None:
    forest, weights = ranked_forest(ranked)
    best: dict[Tree, float] = {}
    for weight, tree in ranked:
        best[tree] = max(weight, best.get(tree, -np.inf))
    assert inside(forest, weights, COUNT)[-1] == len(best)
    words, tags = TREES[0].words, ("X",) * 5
    trees = best_trees(forest, weights, 9, words=words, tags=tags)
    assert [weight for weight, _ in trees] == sorted(best.values(), reverse=True)
    skeletons = {(tree.spans, _phrases(tree)) for tree in best}
    assert {(tree.spans, _phrases(tree)) for _, tree in trees} == skeletons


def _phrases(tree: Tree) -> tuple[str, ...]:
    return tuple(x for v, x in enumerate(tree.labels) if tree.children[v])


def test_equal_parts_are_shared() -> None:
    forest, _ = ranked_forest([(-1.0, TREES[0]), (-2.0, TREES[2])])
    arrows = [v for v in range(forest.n_nodes) if forest.name(v) == "NP"]
    assert [int(forest.starts[v]) for v in arrows].count(3) == 1


def test_a_word_alone_is_a_forest() -> None:
    forest, weights = ranked_forest([(-1.0, parse_one("(UH yes)"))])
    assert (forest.n_tokens, weights.sum()) == (1, -1.0)


def test_no_trees_are_no_parse() -> None:
    forest, weights = ranked_forest([])
    assert (forest.n_nodes, len(weights)) == (0, 0)


def test_trees_over_different_sentences_are_refused() -> None:
    with pytest.raises(InvalidValue, match="different numbers"):
        ranked_forest([(0.0, TREES[0]), (0.0, parse_one("(NP (NN time))"))])


def test_a_discontinuous_tree_is_refused() -> None:
    crossed = Tree(
        ("S", "VP", "A", "B", "C"),
        (-1, 0, 1, 1, 0),
        (-1, -1, 0, 2, 1),
        ("", "", "a", "b", "c"),
    )
    with pytest.raises(InvalidValue, match="discontinuous"):
        ranked_forest([(0.0, crossed)])
