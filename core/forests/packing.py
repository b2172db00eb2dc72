"""Span scores to a packed forest that loses no tree within a margin of the best.

Smaller forests. Conventions as in ``core.forests.inside``.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.data.forest import EMPTY_FOREST, Forest
from core.errors import Contradiction, InvalidValue
from core.forests.cky import SpanDecoder
from core.forests.derivation import Phrase
from core.forests.inside import inside_log
from core.forests.kbest import inside_max
from core.forests.kernels import forest as kernels
from core.forests.kernels import packing, spans

MAX_EDGES = 50_000


def span_forest(
    scores: Floats,
    names: tuple[str, ...],
    *,
    margin: float = 10.0,
    max_edges: int = MAX_EDGES,
) -> tuple[Forest, Floats]:
    """The packed forest of ``scores`` and its edge weights; both empty if no parse.

    ``scores`` as in ``core.forests.cky``; ``names[x]`` is label x, ``names[0]`` "".
    An edge weighs the score of its head's bracket. Every tree that weighs at least
    the best less ``margin`` nats is in it, and only brackets and steps of such trees.
    If that takes more than ``max_edges`` edges, the margin is narrowed by a quarter
    until it does not (50,000 edges take 1 MB).

    Raises InvalidScores as ``cky`` does, InvalidValue if a label has no name.
    """
    decoder = SpanDecoder(scores)
    if len(names) != scores.shape[2] or (names and names[0]):
        raise InvalidValue('names: expected one per label, the first ""')
    try:
        best = decoder.argmax(decoder.phrase, bonus=np.zeros_like(decoder.null))[0]
    except Contradiction:
        return EMPTY_FOREST, np.empty(0)
    packed = None
    while packed is None:
        packed = _pack(scores, names, decoder, best - margin - 1e-9, max_edges)
        margin *= 0.75
    return packed


def _pack(
    scores: Floats,
    names: tuple[str, ...],
    decoder: SpanDecoder,
    threshold: float,
    max_edges: int,
) -> tuple[Forest, Floats] | None:
    """The forest above ``threshold``, or None if it has too many edges."""
    free, outside = spans.max_marginals(
        decoder.null, decoder.phrase, decoder.complete, decoder.either_t
    )
    n = len(scores) - 1
    first_node = np.zeros((n + 1, n + 1), dtype=np.int32)
    nodes = np.empty((max_edges, 3), dtype=np.int32)
    value = np.empty(max_edges)
    count = packing.keep_nodes(
        scores,
        free,
        outside,
        decoder.complete,
        decoder.either_t,
        decoder.split,
        threshold,
        first_node,
        nodes,
        value,
    )
    if count > max_edges:
        return None
    nodes = nodes[:count]
    first_edge, first_tail, tails, weights = packing.keep_edges(
        scores, free, outside, threshold, first_node, nodes, value, max_edges
    )
    too_many = len(first_tail) - 1 > max_edges
    if too_many or not np.diff(first_edge).all():  # rounding may cut a last edge
        return None
    top = np.array([[0, 0, n]], dtype=np.int32)
    label, start, end = np.ascontiguousarray(np.concatenate([nodes, top]).T)
    forest = Forest(names, label, start, end, first_edge, first_tail, tails)
    return forest, weights


def prune(forest: Forest, weights: Floats, *, margin: float) -> tuple[Forest, Floats]:
    """Return the edges used by a derivation within ``margin`` nats of the best, and
    their weights; both empty if there is no derivation."""
    through = max_marginals(forest, weights)
    best = through.max(initial=-np.inf)
    if best == -np.inf:
        return EMPTY_FOREST, np.empty(0)
    return restrict(forest, weights, through >= best - margin - 1e-9)


def max_marginals(forest: Forest, weights: Floats) -> Floats:
    """Per edge, the weight of the best derivation through it, ``-inf`` if none."""
    values, _ = inside_max(forest, weights)
    through = np.empty(forest.n_edges)
    if forest.n_nodes:
        kernels.max_marginals(
            weights,
            values,
            forest.first_edge,
            forest.first_tail,
            forest.tails,
            np.empty(forest.n_nodes),
            through,
        )
    return through


def restrict(
    forest: Forest, weights: Floats, kept: NDArray[np.bool_]
) -> tuple[Forest, Floats]:
    """The forest of the edges where ``kept`` (bool) holds; what no longer leads from
    words to the root is left out too. Both empty if nothing does."""
    arity = np.diff(forest.first_tail)
    owner = np.repeat(np.arange(forest.n_edges), arity)  # edge of each tail
    alive = kernels.connected(
        kept, forest.first_edge, forest.first_tail, forest.tails, forest.n_nodes
    )
    if not alive.any():
        return EMPTY_FOREST, np.empty(0)
    nodes = np.unique(forest.heads[alive])
    new_id = np.zeros(forest.n_nodes, dtype=np.int32)
    new_id[nodes] = np.arange(len(nodes))
    n_edges = np.bincount(forest.heads[alive], minlength=forest.n_nodes)[nodes]
    smaller = Forest(
        forest.names,
        forest.labels[nodes],
        forest.starts[nodes],
        forest.ends[nodes],
        np.concatenate([[0], np.cumsum(n_edges)]).astype(np.int32),
        np.concatenate([[0], np.cumsum(arity[alive])]).astype(np.int32),
        new_id[forest.tails[alive[owner]]],
    )
    return smaller, weights[alive]


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
