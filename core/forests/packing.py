"""Span scores to a packed forest that loses no tree within a margin of the best."""

import numpy as np

from core.data.check import Floats
from core.data.forest import EMPTY_FOREST, Forest
from core.errors import Contradiction, InvalidValue
from core.forests.cky import SpanDecoder
from core.forests.kernels import packing, spans

__all__ = ["MAX_EDGES", "span_forest"]

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

    Raises InvalidScores as ``cky`` does, InvalidValue if a label lacks its name.
    """
    decoder = SpanDecoder(scores)
    if len(names) != scores.shape[2] or (names and names[0]):
        raise InvalidValue('names: one per label wanted, the first ""')
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
