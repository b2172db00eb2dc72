"""One side of a pair as the aligner uses it: a binary packed forest.

A phrase of k > 2 parts becomes binary in all ways at once: unnamed nodes over every run
of its parts. So no binarisation is preferred, every reordering of parts that is
separable can be aligned, and undoing it means leaving unnamed nodes out.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.derivation import chain_labels
from core.forests.inside import forest_marginals
from core.forests.kernels import forest as forest_kernels
from core.trees.heads import SEMANTIC, category, head_of_names

TOP = "ROOT"


@dataclass(frozen=True, eq=False)
class BinaryForest:
    """``n`` nodes, parts before wholes; the last ``tops`` cover the sentence.

    ``labels``: name, chains as "S+VP", "" where unnamed. ``named``: can be linked;
    words always can. ``first_edge`` (n + 1), ``parts`` (edges, 2): -1 for none, the
    second for one; ``weight`` in nats per edge. ``tops``: nodes over the whole
    sentence. ``members`` (n, tokens): whose words. ``origin``: node of the tree it
    came from, top of its chain, or -1. ``marginal``: how probable in the parse.

    No ``core.data.forest.Forest``, whose nodes are spans under one root: a phrase of a
    tree by hand may have gaps, and a parse several tops. Edges and tails lie as there,
    so that inside is the same kernel.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    named: NDArray[np.bool_]
    first_edge: Ints
    parts: Ints
    weight: Floats
    tops: tuple[int, ...]
    members: NDArray[np.bool_]
    origin: Ints
    marginal: Floats
    below: Floats = field(init=False)  # best derivation of each node
    _best: Ints = field(init=False)  # its edge, the lowest of several

    def __post_init__(self) -> None:
        below = np.empty(len(self.labels))
        lowest = np.empty(len(self.labels), dtype=np.int32)
        first_tail, tails = self._tails
        forest_kernels.inside_max(
            self.weight, self.first_edge, first_tail, tails, below, lowest
        )
        object.__setattr__(self, "below", below)
        object.__setattr__(self, "_best", lowest)

    @property
    def n_nodes(self) -> int:
        return len(self.labels)

    @cached_property
    def heads(self) -> Ints:
        """The head token of each node."""
        return _heads(self)

    @cached_property
    def bits(self) -> list[int]:
        """``members`` as a number each: bit i is token i."""
        rows = np.packbits(self.members, axis=1, bitorder="little")
        return [int.from_bytes(row.tobytes(), "little") for row in rows]

    @cached_property
    def packed(self) -> NDArray[np.uint64]:
        """``members`` as ``(n, tokens / 64)``, bit i of the row is token i."""
        rows = np.packbits(self.members, axis=1, bitorder="little")
        filled = np.zeros((self.n_nodes, -(-rows.shape[1] // 8) * 8), dtype=np.uint8)
        filled[:, : rows.shape[1]] = rows
        return filled.view("<u8").astype(np.uint64)

    @cached_property
    def linkable(self) -> frozenset[int]:
        """The named nodes."""
        return frozenset(np.flatnonzero(self.named).tolist())

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """The half-open span of each node, first word to last."""
        return [((b & -b).bit_length() - 1, b.bit_length()) for b in self.bits]

    @cached_property
    def over(self) -> dict[tuple[int, int], list[int]]:
        """The named nodes over each half-open span."""
        nodes: dict[tuple[int, int], list[int]] = {}
        for v in sorted(self.linkable):
            nodes.setdefault(self.places[v], []).append(v)
        return nodes

    def weighed(self, weight: Floats) -> "BinaryForest":
        """The same nodes and edges with other weights; what was found out about them
        is kept."""
        other = copy(self)
        for name in _OF_WEIGHT:
            other.__dict__.pop(name, None)
        object.__setattr__(other, "weight", weight)
        other.__post_init__()
        return other

    @cached_property
    def _tails(self) -> tuple[Ints, Ints]:
        """The parts as ``core.data.forest.Forest`` holds them: first tail, tails."""
        there = self.parts >= 0
        first = np.zeros(len(self.parts) + 1, dtype=np.int32)
        np.cumsum(there.sum(axis=1), out=first[1:])
        return first, self.parts[there]

    @cached_property
    def _edges(self) -> list[range]:
        first = self.first_edge.tolist()
        return [range(a, b) for a, b in pairwise(first)]

    @cached_property
    def _parts(self) -> list[tuple[int, ...]]:
        return [tuple(c for c in row if c >= 0) for row in self.parts.tolist()]

    def edges_of(self, v: int) -> range:
        return self._edges[v]

    def parts_of(self, e: int) -> tuple[int, ...]:
        return self._parts[e]

    def best_edge(self, v: int) -> int:
        """The edge of the node's best derivation; the lowest of several."""
        return int(self._best[v])

    def category(self, v: int) -> str:
        """The topmost label without function tags; the tag of a bare word."""
        chain = chain_labels(self.labels[v])
        if chain:
            return category(chain[0])
        token = int(self.heads[v])
        return self.tags[token] if self.named[v] else ""


_OF_WEIGHT = ("heads",)  # what is found out by the best derivations


class _BinaryBuilder:
    """Collects nodes in topological order."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.labels: list[str] = []
        self.named: list[bool] = []
        self.origin: list[int] = []
        self.marginal: list[float] = []
        self.members: list[NDArray[np.bool_]] = []
        self.edges: list[list[tuple[int, int, float]]] = []

    def node(
        self, label: str, members: NDArray[np.bool_], *, named: bool, origin: int = -1
    ) -> int:
        self.labels.append(label)
        self.named.append(named)
        self.origin.append(origin)
        self.marginal.append(1.0)
        self.members.append(members)
        self.edges.append([])
        return len(self.labels) - 1

    def edge(self, head: int, parts: Sequence[int], weight: float = 0.0) -> None:
        padded = [*parts, -1, -1][:2]
        self.edges[head].append((padded[0], padded[1], weight))

    def word(self, label: str, members: NDArray[np.bool_], *, origin: int) -> int:
        leaf = self.node(label, members, named=True, origin=origin)
        self.edge(leaf, [])
        return leaf

    def phrase(self, label: str, parts: list[int], *, origin: int) -> int:
        """A named node over these parts, made binary in all ways."""
        over = {(i, i + 1): part for i, part in enumerate(parts)}
        n = len(parts)
        for width in range(2, n + 1):
            for i in range(n - width + 1):
                j = i + width
                members = self.members[over[i, i + 1]] | self.members[over[j - 1, j]]
                if width > 2:
                    members = members | self.members[over[i + 1, j - 1]]
                whole = width == n
                over[i, j] = self.node(
                    label if whole else "",
                    members,
                    named=whole,
                    origin=origin if whole else -1,
                )
                for k in range(i + 1, j):
                    self.edge(over[i, j], [over[i, k], over[k, j]])
        return over[0, n]

    def side(self, tags: Sequence[str], tops: Sequence[int]) -> BinaryForest:
        flat = [edge for edges in self.edges for edge in edges]
        counts = [len(edges) for edges in self.edges]
        return BinaryForest(
            self.words,
            tuple(tags),
            tuple(self.labels),
            np.array(self.named),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            np.array([e[:2] for e in flat], dtype=np.int32).reshape(-1, 2),
            np.array([e[2] for e in flat], dtype=np.float64),
            tuple(tops),
            np.array(self.members).reshape(len(self.labels), len(self.words)),
            np.array(self.origin, dtype=np.int32),
            np.array(self.marginal),
        )


def collapsed(tree: Tree) -> list[int]:
    """The nodes that count, in preorder: with words, the topmost of a unary chain."""

    def has_words(v: int) -> bool:
        return tree.spans[v][0] < tree.spans[v][1]

    def has_sibling(v: int) -> bool:
        parent = tree.parents[v]
        return parent < 0 or sum(has_words(c) for c in tree.children[parent]) > 1

    return [v for v in range(len(tree)) if has_words(v) and has_sibling(v)]


def side_of_tree(tree: Tree, *, words_apart: bool = False) -> BinaryForest:
    """A tree as a forest with one tree; traces are left out, chains are one node.

    ``words_apart``: a chain over one word is two nodes, the phrases and the word.
    """
    grower = _BinaryBuilder(tree.words)
    unit = np.eye(tree.n_tokens, dtype=bool)

    def grow(v: int) -> int:
        names, origin = [], v
        below = tree.with_words(v)
        while len(below) == 1:
            names.append(tree.labels[v])
            v, below = below[0], tree.with_words(below[0])
        if not below:
            label, word = "+".join(names), unit[tree.tokens[v]]
            if not (words_apart and names):
                return grower.word(label, word, origin=origin)
            part = grower.word("", word, origin=v)
            over = grower.node(label, word, named=True, origin=origin)
            grower.edge(over, [part])
            return over
        names.append(tree.labels[v])
        parts = sorted(below, key=lambda c: (tree.spans[c], c))
        return grower.phrase("+".join(names), [grow(c) for c in parts], origin=origin)

    top = grow(0)
    return grower.side(tree.tags, [top])


def side_of_forest(
    forest: Forest, weights: Floats, *, words: Sequence[str], tags: Sequence[str]
) -> BinaryForest:
    """A parser's forest: edges of at most two tails, its top node dissolved.

    ``weights`` in nats per edge. An unnamed node over the whole sentence becomes the
    phrase ROOT. Raises InvalidValue if there is no parse, or a wider edge.
    """
    if not forest.n_nodes:
        raise InvalidValue("there is no parse to align")
    if forest.n_tokens != len(words) or np.diff(forest.first_tail).max() > 2:
        raise InvalidValue("expected a forest over these words with binary edges")
    grower = _BinaryBuilder(words)
    marginals, _ = forest_marginals(forest, weights)
    top = forest.root
    at_top = [forest.tails_of(e).tolist() for e in forest.edges_of(top)]
    dissolve = not forest.name(top) and all(len(tails) == 1 for tails in at_top)
    tops = {t for (t,) in at_top} if dissolve else {top}
    places = np.arange(len(words))
    for v in range(forest.n_nodes - dissolve):
        start, end = int(forest.starts[v]), int(forest.ends[v])
        label = forest.name(v) or (TOP if v in tops and end - start > 1 else "")
        named = bool(label) or end - start == 1
        grower.node(label, (places >= start) & (places < end), named=named)
        grower.marginal[v] = float(marginals[v])
        for e in forest.edges_of(v):
            grower.edge(v, forest.tails_of(e).tolist(), float(weights[e]))
    if dissolve:
        _lift(grower, forest, weights)
    return grower.side(tags, sorted(tops))


def _lift(grower: _BinaryBuilder, forest: Forest, weights: Floats) -> None:
    """Move the weights of the dissolved top's edges to the edges below."""
    for e in forest.edges_of(forest.root):
        (v,) = forest.tails_of(e).tolist()
        grower.edges[v] = [(a, b, w + float(weights[e])) for a, b, w in grower.edges[v]]


def _heads(side: BinaryForest) -> Ints:
    """The head token of each node, by semantic head rules over its best derivation."""
    heads = np.zeros(side.n_nodes, dtype=np.int32)
    for v in range(side.n_nodes):
        parts = list(_children(side, v))
        if not parts:
            heads[v] = int(side.members[v].argmax())
            continue
        names = [
            category(chain_labels(side.labels[c])[0])
            if side.labels[c]
            else side.tags[heads[c]]
            for c in parts
        ]
        label = chain_labels(side.labels[v])[-1] if side.labels[v] else names[-1]
        heads[v] = heads[parts[head_of_names(category(label), names, SEMANTIC)]]
    return heads


def _children(side: BinaryForest, v: int) -> Iterator[int]:
    """The named nodes right below ``v`` in its best derivation, left to right."""
    for c in side.parts_of(side.best_edge(v)):
        if side.named[c]:
            yield c
        else:
            yield from _children(side, c)
