"""First-order projective dependency parsing: best tree, log-sum, marginals.

``arcs``: float64 ``(n + 1, n + 1)``, nats, ``[head, modifier]``, index 0 = ROOT; column
0 and the diagonal are ignored, ``-inf`` forbids. Exactly one token has ROOT as head.
Heads are tokens from 0, ROOT = -1. O(n^3) time, O(n^2) space. All functions raise
InvalidScores on another shape or dtype, on NaN or +inf. Eisner 1996.
"""

import numpy as np

from core.data import check
from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.dependencies.kernels import arcs as kernels
from core.dependencies.kernels import trees
from core.errors import Contradiction
from core.forests.kbest import k_best


def eisner(arcs: Floats) -> tuple[float, Ints]:
    """The best projective tree's score and heads, int32 ``(n,)``.

    Raises Contradiction if every tree uses a forbidden arc. Ties: lowest split first.
    """
    check.arc_nats(arcs=arcs)
    score, heads = EisnerDecoder(len(arcs) - 1).argmax(arcs, bonus=np.zeros_like(arcs))
    return score, heads.copy()


class EisnerDecoder:
    """``eisner`` for sentences of ``n`` tokens, without allocation between calls."""

    def __init__(self, n: int) -> None:
        self._chart = np.empty((6, n, n))
        self._split = np.empty((4, n, n), dtype=np.int32)
        self._stack = np.empty((2 * n + 4, 3), dtype=np.int32)
        self._heads = np.empty(n, dtype=np.int32)

    def argmax(self, weights: Floats, *, bonus: Floats) -> tuple[float, Ints]:
        """The score of the best tree under ``weights + bonus``, and its heads.

        The heads are a view, good until the next call; the arrays are trusted. Raises
        Contradiction if every tree is forbidden.
        """
        score = kernels.eisner_max(weights, bonus, self._chart, self._split)
        if score == -np.inf:
            raise Contradiction("every projective tree uses a forbidden arc")
        kernels.eisner_read_off(self._split, self._stack, self._heads)
        return score, self._heads


def best_eisners(arcs: Floats, k: int) -> list[tuple[float, Ints]]:
    """The k best projective trees, best first, fewer if there are fewer.

    Every tree is one derivation of Eisner's items, so these are k-best derivations.
    """
    forest, weights = projective_forest(arcs)
    return [
        (score, _heads(forest, edges)) for score, edges in k_best(forest, weights, k)
    ]


def projective_forest(arcs: Floats) -> tuple[Forest, Floats]:
    """All projective trees as the derivations of a forest, and its edge weights.

    Nodes are Eisner's items, their names the kind of item. O(n^3) edges.
    """
    check.arc_nats(arcs=arcs)
    nodes, first_edge, first_tail, tails, weights = trees.items(arcs)
    kind, start, end = np.ascontiguousarray(nodes.T)
    names = trees.KINDS
    return Forest(names, kind, start, end, first_edge, first_tail, tails), weights


def _heads(forest: Forest, edges: Ints) -> Ints:
    """The heads said by the items of a derivation; the top splits at the root."""
    heads = np.full(forest.n_tokens, -1, dtype=np.int32)
    nodes = forest.heads[edges]
    kind, first, last = (
        forest.labels[nodes],
        forest.starts[nodes],
        forest.ends[nodes] - 1,
    )
    to_right, to_left = kind == trees.GO_RIGHT, kind == trees.GO_LEFT
    heads[last[to_right]] = first[to_right]
    heads[first[to_left]] = last[to_left]
    return heads


def eisner_marginals(arcs: Floats) -> Floats:
    """The probability of each arc, shaped as ``arcs``; zeros if no tree is allowed."""
    check.arc_nats(arcs=arcs)
    n = len(arcs) - 1
    chart, opened = np.empty((6, n, n)), np.empty((n, n))
    log_z = kernels.eisner_inside(arcs, chart, opened)
    p_arcs = np.zeros_like(arcs)
    if log_z > -np.inf:
        kernels.eisner_marginals(arcs, chart, opened, log_z, p_arcs)
    return p_arcs
