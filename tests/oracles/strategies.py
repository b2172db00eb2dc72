"""Random inputs: score arrays with forbidden cells, forests, trees."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from core.data.check import Floats
from core.data.forest import Forest, ForestBuilder
from core.data.tree import Tree, TreeBuilder

LABELS = ("NP", "VP", "S", "PP", "SBAR")


def nats(spread: float = 4.0) -> st.SearchStrategy[float]:
    """Mostly ordinary weights, now and then a round one (ties) or a forbidden one."""
    usual = st.floats(-spread, spread, allow_nan=False, width=32)
    return st.one_of(usual, usual, st.sampled_from([-np.inf, 0.0, 1.0, 0.0]))


@st.composite
def arrays(draw: Callable[..., Any], shape: tuple[int, ...], spread: float) -> Floats:
    size = int(np.prod(shape))
    cells = draw(st.lists(nats(spread), min_size=size, max_size=size))
    return np.array(cells, dtype=np.float64).reshape(shape)


@st.composite
def label_scores(
    draw: Callable[..., Any], max_tokens: int = 5, max_labels: int = 3
) -> Floats:
    """``(n + 1, n + 1, labels)``, label 0 = none."""
    n = draw(st.integers(1, max_tokens))
    n_labels = draw(st.integers(1, max_labels))
    scores: Floats = draw(arrays((n + 1, n + 1, n_labels), 4.0))
    return scores


@st.composite
def arc_scores(
    draw: Callable[..., Any], max_tokens: int = 5, spread: float = 4.0
) -> Floats:
    """``(n + 1, n + 1)``, ``[head, modifier]``, 0 = ROOT."""
    n = draw(st.integers(1, max_tokens))
    scores: Floats = draw(arrays((n + 1, n + 1), spread))
    return scores


@st.composite
def forests(draw: Callable[..., Any], max_tokens: int = 3) -> tuple[Forest, Floats]:
    """A forest with ambiguity in splits, labels and unary steps; weights per edge."""
    n = draw(st.integers(1, max_tokens))
    builder = ForestBuilder()
    over: dict[tuple[int, int], list[int]] = {}
    for width in range(1, n + 1):
        for i in range(n + 1 - width):
            over[i, i + width] = _span_nodes(draw, builder, over, i, i + width)
    top = builder.node("TOP", 0, n)
    for v in over[0, n]:
        builder.edge(top, [v])
    forest = builder.freeze()
    return forest, draw(arrays((forest.n_edges,), 4.0))


def _span_nodes(
    draw: Callable[..., Any],
    builder: ForestBuilder,
    over: dict[tuple[int, int], list[int]],
    i: int,
    j: int,
) -> list[int]:
    ways: list[tuple[int, ...]] = [
        (a, b) for k in range(i + 1, j) for a in over[i, k] for b in over[k, j]
    ]
    names = draw(st.lists(st.sampled_from(("", "A", "B+C")), min_size=1, max_size=2))
    nodes = []
    for name in names:
        v = builder.node(name, i, j)
        if j - i == 1:
            builder.edge(v)
        chosen = draw(st.lists(st.sampled_from(ways), max_size=3)) if ways else []
        for tails in chosen or ways[:1]:
            builder.edge(v, tails)
        if nodes and draw(st.booleans()):
            builder.edge(v, [nodes[-1]])
        nodes.append(v)
    return nodes


@st.composite
def trees(draw: Callable[..., Any], max_tokens: int = 6) -> Tree:
    """A tree of any branching with unary chains; words w0, w1, …"""
    n = draw(st.integers(1, max_tokens))
    builder = TreeBuilder()
    _phrase(draw, builder, 0, n, 0)
    return builder.freeze()


def _phrase(
    draw: Callable[..., Any], builder: TreeBuilder, i: int, j: int, depth: int
) -> None:
    if j - i == 1 and (depth > 6 or draw(st.booleans())):
        builder.leaf(draw(st.sampled_from(("NN", "VB", ","))), f"w{i}")
        return
    builder.open(draw(st.sampled_from(LABELS)))
    unary = depth < 3 and draw(st.integers(0, 4)) == 0
    free = range(i + 1, j)
    inner = (
        [] if unary or not free else draw(st.sets(st.sampled_from(free), min_size=1))
    )
    posts = [i, *sorted(inner), j]
    for a, b in pairwise(posts):
        _phrase(draw, builder, a, b, depth + 1)
    builder.close()


def ambiguous_forest() -> tuple[Forest, Floats]:
    """Three tokens, five derivations, one of them forbidden."""
    builder = ForestBuilder()
    words = [builder.node("", i, i + 1) for i in range(3)]
    for v in words:
        builder.edge(v)
    left, right = builder.node("A", 0, 2), builder.node("B", 1, 3)
    builder.edge(left, words[:2])
    builder.edge(right, words[1:])
    builder.edge(right, words[1:])
    top = builder.node("S", 0, 3)
    for tails in ([left, words[2]], [words[0], right], words):
        builder.edge(top, tails)
    forest = builder.freeze()
    weights = np.zeros(forest.n_edges)
    weights[:] = [0.5, -0.25, 0.0, 1.0, 0.75, -np.inf, 0.5, 0.25, 2.0]
    return forest, weights
