"""How probable phrases are together. Conventions as in ``core.forests.inside``."""

from collections.abc import Collection

import numpy as np

from core.data.check import Floats
from core.data.forest import Forest
from core.forests.derivation import Phrase
from core.forests.inside import inside_log
from core.forests.prune import max_marginals

__all__ = ["weight_of_phrases"]


def weight_of_phrases(
    forest: Forest, weights: Floats, phrases: Collection[Phrase]
) -> float:
    """The log of the summed weights of the derivations whose named nodes are exactly
    ``phrases``, each once; ``-inf`` if there is none.

    A span has one named node in a derivation. So one of these phrases alone has them
    all where it has as many, and its edges are those through which that count goes:
    one pass that maximises, one that sums. Linear in the forest.
    """
    if not forest.n_nodes:
        return -np.inf
    chosen = set(phrases)
    names = [forest.names[x] for x in forest.labels.tolist()]
    rows = zip(forest.starts.tolist(), forest.ends.tolist(), names, strict=True)
    counts = np.array([_count(row, chosen) for row in rows])
    has_all = max_marginals(forest, counts[forest.heads]) == len(chosen)
    return float(inside_log(forest, np.where(has_all, weights, -np.inf))[-1])


def _count(row: Phrase, chosen: Collection[Phrase]) -> float:
    if row in chosen:
        return 1.0
    return -np.inf if row[2] else 0.0
