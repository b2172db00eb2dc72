"""Several forests over the same tokens as one: the mean of their distributions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.data.check import Floats, Ints
from core.data.forest import EMPTY_FOREST, Forest
from core.data.symbols import Symbols
from core.errors import InvalidValue
from core.forests.inside import forest_log_partition

__all__ = ["mixture"]


def mixture(forests: Sequence[tuple[Forest, Floats]]) -> tuple[Forest, Floats]:
    """A forest whose derivations are those of all, and its edge weights, nats.

    Each forest counts alike: a derivation's weight is its log-probability in its own
    forest, less the log of their number; so the whole sums to 1. The root is a node ""
    over the roots. Forests without a derivation are left out; nothing from none.
    Raises InvalidValue if they are over different numbers of tokens. Linear.
    """
    some = [(f, w, z) for f, w in forests if (z := _log_z(f, w)) > -np.inf]
    if not some:
        return EMPTY_FOREST, np.empty(0)
    if len({forest.n_tokens for forest, _, _ in some}) > 1:
        raise InvalidValue("forests over different numbers of tokens have no mean")
    shares = np.array([-z - np.log(len(some)) for _, _, z in some])
    weights = np.concatenate([*(w for _, w, _ in some), shares])
    return _side_by_side([forest for forest, _, _ in some]), weights


def _side_by_side(parts: Sequence[Forest]) -> Forest:
    """Their nodes and edges one after another, then a root with an edge to each."""
    names = Symbols()
    numbers = [np.array([names.add(x) for x in f.names], np.int32) for f in parts]
    top, k = names.add(""), len(parts)
    nodes = np.cumsum([0, *(f.n_nodes for f in parts)])
    edges = np.cumsum([0, *(f.n_edges for f in parts)])
    tails = np.cumsum([0, *(len(f.tails) for f in parts)])
    first_edge = [f.first_edge[:-1] + e for f, e in zip(parts, edges, strict=False)]
    first_tail = [f.first_tail[:-1] + t for f, t in zip(parts, tails, strict=False)]
    labels = [number[f.labels] for f, number in zip(parts, numbers, strict=True)]
    return Forest(
        tuple(names),
        _joined([*labels, [top]]),
        _joined([*(f.starts for f in parts), [0]]),
        _joined([*(f.ends for f in parts), [parts[0].n_tokens]]),
        _joined([*first_edge, [edges[-1], edges[-1] + k]]),
        _joined([*first_tail, tails[-1] + np.arange(k + 1)]),
        _joined(
            [*(f.tails + v for f, v in zip(parts, nodes, strict=False)), nodes[1:] - 1]
        ),
    )


def _log_z(forest: Forest, weights: Floats) -> float:
    return forest_log_partition(forest, weights) if forest.n_nodes else -np.inf


def _joined(parts: Sequence[ArrayLike]) -> Ints:
    return np.concatenate([np.asarray(part, np.int32) for part in parts])
