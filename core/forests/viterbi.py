"""The best derivation of a forest. Conventions as in ``core.forests.inside``."""

import numpy as np

from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.errors import Contradiction
from core.forests.inside import check_weights
from core.forests.kernels import forest as kernels

__all__ = ["inside_max", "viterbi"]


def viterbi(forest: Forest, weights: Floats) -> tuple[float, Ints]:
    """The best derivation's weight and its edges in preorder, int32.

    Raises Contradiction if there is none. Ties: the lowest edge of every node.
    """
    values, best_edge = inside_max(forest, weights)
    if not len(values) or values[-1] == -np.inf:
        raise Contradiction("the forest has no derivation of finite weight")
    edges = kernels.read_off(best_edge, forest.first_tail, forest.tails)
    return float(values[-1]), edges


def inside_max(forest: Forest, weights: Floats) -> tuple[Floats, Ints]:
    """Per node, the weight of the best derivation below it, and its edge."""
    check_weights(forest, weights)
    values = np.empty(forest.n_nodes)
    best_edge = np.empty(forest.n_nodes, dtype=np.int32)
    kernels.inside_max(
        weights,
        forest.first_edge,
        forest.first_tail,
        forest.tails,
        values,
        best_edge,
    )
    return values, best_edge
