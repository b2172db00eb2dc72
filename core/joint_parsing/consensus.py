"""Parsing by the other sentence's arc marginals: least expected disagreement.

A tree is worth its own score and ``trust`` nats for each arc that the other sentence
is expected to have between the linked words: the probability of that arc, by its own
parser, times those of the links. So the risk that is least is expected over the trees
of the other sentence (Kumar & Byrne 2004 for minimum Bayes risk over alternatives).
Several other sentences add up.
"""

from collections.abc import Sequence

import numpy as np

from core.data.check import Floats, Ints
from core.dependencies.eisner import EisnerDecoder, eisner_marginals
from core.dependencies.mst import MstDecoder, tree_marginals
from core.joint_parsing.linked import LinkedWords

__all__ = ["arc_marginals", "carried", "consensus_heads"]


def arc_marginals(arcs: Floats, *, projective: bool) -> Floats:
    """How probable each arc is, ``(n + 1, n + 1)``."""
    return eisner_marginals(arcs) if projective else tree_marginals(arcs)


def carried(linked: LinkedWords, p_target: Floats, n_source: int) -> Floats:
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

    O(n^3) projective, else O(n^2). Raises Contradiction if every tree is forbidden.
    """
    bonus = np.zeros_like(arcs)
    for p_carried in others:
        bonus += trust * p_carried
    n = len(arcs) - 1
    decoder = EisnerDecoder(n) if projective else MstDecoder(n)
    return decoder.argmax(arcs, bonus=bonus)[1].copy()
