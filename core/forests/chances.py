"""How probable each labelled bracket is, over all trees of a forest."""

from collections.abc import Mapping, Sequence

from core.data.check import Floats
from core.data.forest import Forest
from core.forests.constraints import Bracket
from core.forests.derivation import chain_labels
from core.forests.inside import forest_marginals

__all__ = ["bracket_chances", "bracket_of", "expected_f1"]


def bracket_chances(forest: Forest, weights: Floats) -> dict[Bracket, float]:
    """The probability of each label of each span; labels of a chain one by one."""
    chances: dict[Bracket, float] = {}
    p_node, _ = forest_marginals(forest, weights)
    for v, p in enumerate(p_node.tolist()):
        for label in chain_labels(forest.name(v)):
            place = bracket_of(forest, v, label)
            chances[place] = chances.get(place, 0.0) + p
    return chances


def bracket_of(forest: Forest, v: int, label: str) -> Bracket:
    """Where ``bracket_chances`` keeps a label of node ``v``."""
    return int(forest.starts[v]), int(forest.ends[v]), label


def expected_f1(brackets: Sequence[Bracket], chances: Mapping[Bracket, float]) -> float:
    """The F1, 0 to 1, that the forest expects of a tree with these brackets: twice the
    brackets expected right, over those given and those expected to be right in all.

    A quotient of expectations, not the expectation of a quotient. 0.0 of no brackets.
    ``chances``: of ``bracket_chances``. Goodman 1996, "Parsing Algorithms and Metrics".
    """
    right = sum(chances.get(bracket, 0.0) for bracket in brackets)
    n = len(brackets) + sum(chances.values())
    return 2 * right / n if n else 0.0
