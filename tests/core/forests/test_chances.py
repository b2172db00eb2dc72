"""Chances of brackets and the F1 they promise, against every tree of the forest."""

import numpy as np
import pytest
from hypothesis import given

from core.data.check import Floats
from core.data.forest import Forest
from core.forests.chances import bracket_chances, expected_f1
from core.forests.derivation import chain_labels
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
    for edges in trees:
        mine = brackets_of(forest, edges)
        right = n_theirs = 0.0
        for other, share in p.items():
            theirs = brackets_of(forest, other)
            right += share / total * sum(theirs.count(one) for one in mine)
            n_theirs += share / total * len(theirs)
        wanted = 2 * right / (len(mine) + n_theirs) if mine or n_theirs else 0.0
        assert expected_f1(mine, chances) == pytest.approx(wanted)


def test_a_certain_tree_is_expected_to_be_right() -> None:
    assert expected_f1([(0, 2, "S")], {(0, 2, "S"): 1.0}) == 1.0
    assert expected_f1([], {}) == 0.0
