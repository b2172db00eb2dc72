"""The mean of several forests over the same tokens, as one forest.

A list of trees with their log-probabilities as one forest.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from core.data.check import Floats, Ints
from core.data.forest import EMPTY_FOREST, Forest, ForestBuilder, Symbols
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.derivation import chain_name
from core.forests.inside import forest_log_partition


def mixture(forests: Sequence[tuple[Forest, Floats]]) -> tuple[Forest, Floats]:
    """A forest whose derivations are those of all, and its edge weights, nats.

    Each forest counts equally: a derivation's weight is its log-probability in its own
    forest, minus the log of the number of forests, so all sum to 1. The root is a node
    "" over the roots. Forests without a derivation are left out; no forests give None.
    Raises InvalidValue if they are over different numbers of tokens. Linear time.
    """
    some = [(f, w, z) for f, w in forests if (z := _log_z(f, w)) > -np.inf]
    if not some:
        return EMPTY_FOREST, np.empty(0)
    if len({forest.n_tokens for forest, _, _ in some}) > 1:
        raise InvalidValue("cannot average forests over different numbers of tokens")
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


Key = tuple[str, str, int, int, tuple[int, ...]]  # name, tag of a leaf, span, tails


def ranked_forest(trees: Sequence[tuple[float, Tree]]) -> tuple[Forest, Floats]:
    """The forest that has these trees and no other, and its edge weights, nats.

    Each derivation is one of ``trees`` with exactly its weight, which is on its edge of
    the root; all other edges weigh 0. Trees share the nodes of equal parts (label, tag,
    span, and everything below), so a span may be two nodes of one label. The root has
    the trees' common top label, or "" above their own tops. Equal trees become one,
    with the larger weight. No trees give None; traces are left out.

    Raises InvalidValue if the trees are over different numbers of tokens, or one is
    discontinuous. Time is linear in the trees.
    """
    if not trees:
        return EMPTY_FOREST, np.empty(0)
    n = trees[0][1].n_tokens
    if any(tree.n_tokens != n for _, tree in trees):
        raise InvalidValue(
            "cannot pack trees over different numbers of tokens into one forest"
        )
    return _Packer().forest(trees, n)


class _Packer:
    def __init__(self) -> None:
        self._builder = ForestBuilder()
        self._weights: list[float] = []
        self._nodes: dict[Key, int] = {}

    def forest(
        self, trees: Sequence[tuple[float, Tree]], n: int
    ) -> tuple[Forest, Floats]:
        tops = [self._top(tree) for _, tree in trees]
        common = tops[0][0] if len({name for name, _ in tops}) == 1 else None
        ways: dict[tuple[int, ...], float] = {}
        for (weight, _), (name, tails) in zip(trees, tops, strict=True):
            if common is None:
                tails = (self._node(name, "", 0, n, tails),)
            ways[tails] = max(weight, ways.get(tails, -np.inf))
        root = self._builder.node(common or "", 0, n)
        for tails, weight in ways.items():
            self._builder.edge(root, tails)
            self._weights.append(weight)
        return self._builder.freeze(), np.array(self._weights)

    def _top(self, tree: Tree) -> tuple[str, tuple[int, ...]]:
        """The name of the topmost chain, and the nodes below it."""
        name, below = _chain(tree, 0)
        return name, tuple(self._grow(tree, v) for v in below)

    def _grow(self, tree: Tree, v: int) -> int:
        start, end = tree.spans[v]
        if tree.tokens[v] >= 0:
            return self._node("", tree.labels[v], start, end, ())
        name, below = _chain(tree, v)
        tails = tuple(self._grow(tree, child) for child in below)
        return self._node(name, "", start, end, tails)

    def _node(
        self, name: str, tag: str, start: int, end: int, tails: tuple[int, ...]
    ) -> int:
        key = (name, tag, start, end, tails)
        if key not in self._nodes:
            self._nodes[key] = self._builder.node(name, start, end)
            self._builder.edge(self._nodes[key], tails)
            self._weights.append(0.0)
        return self._nodes[key]


def _chain(tree: Tree, v: int) -> tuple[str, list[int]]:
    """The name of the unary chain from ``v`` down, and the nodes below its end."""
    labels = []
    while True:
        below = tree.with_words(v)
        if not below:  # the tree is a word
            return "", [v]
        labels.append(tree.labels[v])
        if len(below) > 1 or tree.tokens[below[0]] >= 0:
            break
        v = below[0]
    ends = [tree.spans[c] for c in below]
    if any(a[1] != b[0] for a, b in pairwise(ends)):
        raise InvalidValue(f"node {v} is discontinuous: no forest can hold it")
    return chain_name(labels), below
