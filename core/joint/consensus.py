"""Minimum-Bayes-risk parsing of two linked sentences: arc marginals, added up.

Each arc is worth how probable its own parser thinks it, plus how probable the other
sentence's parser thinks the arc between the linked words; the tree of most worth has
the most expected arcs right (Goodman 1996, "Parsing Algorithms and Metrics").
"""

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
    and m, times that of both links; 0 where either has none.
    """
    through = linked.matrix(n_source, len(p_target) - 1)
    return np.asarray(through @ p_target @ through.T)


def consensus_heads(
    p_source: Floats, p_carried: Floats, *, trust: float, projective: bool
) -> Ints:
    """Heads, int32 ``(n,)``, of the tree of most worth ``p_source + trust p_carried``.

    O(n^3) projective, else O(n^2).
    """
    worth = p_source + trust * p_carried
    worth[:, 0] = -np.inf
    np.fill_diagonal(worth, -np.inf)
    n = len(worth) - 1
    decoder = EisnerDecoder(n) if projective else MstDecoder(n)
    return decoder.argmax(worth, bonus=np.zeros_like(worth))[1].copy()
