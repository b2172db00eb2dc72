"""Minimum-Bayes-risk parsing of two linked sentences: arc marginals, carried over.

What the other sentence's parser thinks of the arc between the linked words, its
marginal, is worth ``trust`` nats at most; of the trees so reweighted the one with the
most expected arcs right is chosen (Goodman 1996, "Parsing Algorithms and Metrics").
Several other sentences add up.
"""

from collections.abc import Sequence

import numpy as np

from core.data.check import Floats, Ints
from core.inference.eisner import EisnerDecoder, eisner_marginals
from core.inference.mst import MstDecoder, tree_marginals
from core.joint.linked import Linked

__all__ = ["arc_marginals", "carried", "consensus_heads"]


def arc_marginals(arcs: Floats, *, projective: bool) -> Floats:
    """How probable each arc is, ``(n + 1, n + 1)``."""
    return eisner_marginals(arcs) if projective else tree_marginals(arcs)


def carried(linked: Linked, p_target: Floats, n_source: int) -> Floats:
    """``p_target`` seen through the links: ``(n_source + 1, n_source + 1)``.

    Cell [h, m] is the probability of the target's arc between the words linked to h
    and m, times that of both links; 0 where either has none. O(n^2 m).
    """
    through = linked.matrix(n_source, len(p_target) - 1)
    return np.asarray(through @ p_target @ through.T)


def consensus_heads(
    arcs: Floats, others: Sequence[Floats], *, trust: float, projective: bool
) -> Ints:
    """Heads, int32 ``(n,)``; ``others``: ``carried`` of each other sentence.

    O(n^3). Raises Contradiction if every tree is forbidden.
    """
    tilted = np.array(arcs)
    for p_carried in others:
        tilted += trust * p_carried
    p_arcs = arc_marginals(tilted, projective=projective)
    n = len(arcs) - 1
    decoder = EisnerDecoder(n) if projective else MstDecoder(n)
    worth = np.where(np.isneginf(arcs), -np.inf, p_arcs)
    return decoder.argmax(worth, bonus=np.zeros_like(worth))[1].copy()
