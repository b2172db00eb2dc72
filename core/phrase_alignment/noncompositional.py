"""Links that no composition of supports gives (Arase & Tsujii 2017, section 4.3).

A derivation of packed supports joins parts that are neighbours in some binarisation of
both phrases. Where the order differs more than that, the paper lets a phrase fill a
null of an alignment that is already there (Algorithm 4.2). Here the same is done to an
unpacked derivation, link after link, the best first: every pair of null nodes of the
two chosen trees with a positive gain is a candidate.

TRACE goes from the root pair down the supports to the link under whose nulls the
candidate falls. DOWN then compares it with the supports there: each must be inside the
candidate on both sides, or outside on both sides. If so, the candidate becomes a
support itself, and takes over the supports inside it: all of Definition 3.2 but the
lowest common ancestor of 3.1 still holds. If not, it breaks the order of the links
around it: it costs ``order_cost`` nats for each support it splits, and is crossing.

Choices: candidates are taken greedily (the paper tries the supports of its beam), and
the supports of crossing links are left as they are.
"""

from dataclasses import replace

import numpy as np

from core.data.check import Floats, Ints
from core.phrase_alignment.kernels import filling
from core.phrase_alignment.sides import BinaryForest
from core.phrase_alignment.supports import Derivation, Pair

__all__ = ["fill_nulls", "nodes_of"]


def fill_nulls(
    derivation: Derivation,
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    *,
    order_cost: float,
) -> Derivation:
    """``derivation`` with further links between its nulls; its score grows with it.

    ``order_cost`` in nats; infinite: no crossing links. O(candidates * links).
    """
    links = derivation.links
    row = {pair: at for at, pair in enumerate(links)}
    above = np.full(len(links), -1, dtype=np.int32)
    for pair, below in derivation.supports.items():
        for one in below:
            above[row[one]] = row[pair]
    score, pairs, above, crossing = filling.fill_nulls(
        derivation.score,
        np.array(links, dtype=np.int32).reshape(-1, 2),
        above,
        _free(derivation, source, 0),
        _free(derivation, target, 1),
        gain,
        source.packed,
        target.packed,
        float(order_cost),
    )
    if len(pairs) == len(links):
        return derivation
    every = [(s, t) for s, t in pairs.tolist()]
    supports: dict[Pair, list[Pair]] = {pair: [] for pair in sorted(every)}
    for pair, up in sorted(zip(every, above.tolist(), strict=True)):
        if up >= 0:
            supports[every[up]].append(pair)
    over = frozenset(every[at] for at in np.flatnonzero(crossing))
    return replace(
        derivation,
        score=score,
        links=tuple(supports),
        supports={pair: tuple(below) for pair, below in supports.items()},
        crossing=derivation.crossing | over,
    )


def nodes_of(derivation: Derivation, side: BinaryForest, which: int) -> list[int]:
    """The named nodes of the chosen tree of one side (0 source, 1 target)."""
    return sorted(side.linkable.intersection(derivation.edges[which]))


def _free(derivation: Derivation, side: BinaryForest, which: int) -> Ints:
    """The nodes of the chosen tree that are null."""
    linked = {pair[which] for pair in derivation.links}
    free = side.linkable.intersection(derivation.edges[which]) - linked
    return np.array(sorted(free), dtype=np.int32)
