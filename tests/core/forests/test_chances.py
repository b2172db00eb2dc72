"""Chances of brackets and the F1 they promise, against every tree of the forest."""

import numpy as np
import pytest
from hypothesis import given

from core.data.check import Floats
from core.data.forest import Forest, ForestBuilder
from core.forests.derivation import chain_labels, chain_name
from core.forests.inside import bracket_chances, expected_f1
from tests.oracles import forests as oracle
from tests.oracles import strategies

Bracket = tuple[int, int, str]


def brackets_of(forest: Forest, edges: oracle.Edges) -> list[Bracket]:
    nodes = np.searchsorted(forest.first_edge, np.array(edges), side="right") - 1
    return [
        (int(forest.starts[v]), int(forest.ends[v]), label)
        for v in nodes.tolist()
        for label in chain_labels(forest.name(v))
    ]


@given(strategies.forests())
def test_expected_f1_counts_brackets_over_all_trees(
    given: tuple[Forest, Floats],
) -> None:
    forest, weights = given
    trees = oracle.allowed(forest, weights)
    if not trees:
        return
    top = max(trees.values())
    p = {edges: np.exp(weight - top) for edges, weight in trees.items()}
    total = sum(p.values())
    chances = bracket_chances(forest, weights)
    every = [brackets_of(forest, edges) for edges in trees]
    is_exact = all(len(set(one)) == len(one) for one in every)
    for edges in trees:
        mine = set(brackets_of(forest, edges))
        right = n_theirs = 0.0
        for other, share in p.items():
            theirs = set(brackets_of(forest, other))
            right += share / total * len(theirs & mine)
            n_theirs += share / total * len(theirs)
        wanted = 2 * right / (len(mine) + n_theirs) if mine or n_theirs else 0.0
        found = expected_f1(brackets_of(forest, edges), chances)
        assert not is_exact or found == pytest.approx(wanted)
        assert found <= 1 + 1e-9


def test_a_chain_of_one_label_twice_is_not_expected_to_be_more_than_right() -> None:
    builder = ForestBuilder()
    word = builder.node("NN", 0, 1)
    builder.edge(word)
    top = builder.node(chain_name(["NP", "NP"]), 0, 1)
    builder.edge(top, [word])
    forest = builder.freeze()
    chances = bracket_chances(forest, np.zeros(forest.n_edges))
    assert chances[0, 1, "NP"] == pytest.approx(1.0)
    twice = [(0, 1, "NP"), (0, 1, "NP"), (0, 1, "NN")]
    assert expected_f1(twice, chances) == pytest.approx(1.0)


def test_a_certain_tree_is_expected_to_be_right() -> None:
    assert expected_f1([(0, 2, "S")], {(0, 2, "S"): 1.0}) == 1.0
    assert expected_f1([], {}) == 0.0
