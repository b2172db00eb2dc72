"""The labels of many spans at once, as numbers; ``labels`` spells them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

import numpy as np
from numpy.typing import NDArray

from core.data.tree import MAX_DEPTH, Tree
from core.errors import InvalidValue
from core.formats import ptb
from core.pivoting.extract import Rows, WordHashes
from core.pivoting.kernels import categories as kernels
from core.pivoting.labels import TOPS

__all__ = ["PlainTree", "SpanLabels", "TreeArrays", "set_names", "span_labels"]

_PIECE = re.compile(r" ?\(([^\s()]+)(?: ([^\s()]+)\))?|\)")
_PRUNED = 0  # the hash of a name that is none of a phrase


@dataclass(frozen=True, slots=True)
class TreeArrays:
    """A tree as arrays: ``nodes`` (N, 3) parent, start, end; ``labels`` (N,) hashes;
    the parts of node v are ``children[first[v] : first[v + 1]]``; ``leaves[i]``."""

    nodes: Rows
    labels: NDArray[np.uint64]
    first: Rows
    children: Rows
    leaves: Rows

    @classmethod
    def of(cls, tree: Tree, names: WordHashes) -> "TreeArrays":
        """``names`` hashes labels. Raises InvalidValue on crossing branches."""
        spans = tree.spans
        parts = [
            [c for c in below if spans[c][0] < spans[c][1]] for below in tree.children
        ]
        if any(spans[a][1] > spans[b][0] for x in parts for a, b in pairwise(x)):
            raise InvalidValue("labels: a tree without crossing branches wanted")
        nodes = [(p, *span) for p, span in zip(tree.parents, spans, strict=True)]
        return cls._made(nodes, tree.labels, parts, tree.leaf_of, names)

    @classmethod
    def read(cls, text: str, names: WordHashes) -> "TreeArrays":
        """Those of a bracketed tree; raises FormatError or InvalidValue if it is none.

        What Gemel writes is read without a Tree between, ten times as fast.
        """
        plain = _plain(text)
        if plain is None:
            return cls.of(ptb.parse_one(text), names)
        nodes, labels, leaves = plain
        parts: list[list[int]] = [[] for _ in nodes]
        for v, (parent, _, _) in enumerate(nodes):
            if parent >= 0:
                parts[parent].append(v)
        return cls._made(nodes, labels, parts, leaves, names)

    @classmethod
    def _made(
        cls,
        nodes: Sequence[tuple[int, int, int]],
        labels: Sequence[str],
        parts: Sequence[Sequence[int]],
        leaves: Sequence[int],
        names: WordHashes,
    ) -> "TreeArrays":
        hashes = [_PRUNED if x in TOPS else names[x] for x in labels]
        return cls(
            np.array(nodes, dtype=np.int64),
            np.array(hashes, dtype=np.uint64),
            np.array([0, *accumulate(map(len, parts))], dtype=np.int64),
            np.array(list(chain.from_iterable(parts)), dtype=np.int64),
            np.array(leaves, dtype=np.int64),
        )


@dataclass(frozen=True, slots=True)
class PlainTree:
    """What labels are read off: of each node its label, span and children."""

    labels: Sequence[str]
    spans: Sequence[tuple[int, int]]
    children: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def read(cls, text: str) -> "PlainTree":
        """That of one bracketed tree. Raises FormatError if it is none."""
        plain = _plain(text)
        if plain is None:
            tree = ptb.parse_one(text)
            return cls(tree.labels, tree.spans, tree.children)
        nodes, labels, _ = plain
        children: list[list[int]] = [[] for _ in nodes]
        for v, (parent, _, _) in enumerate(nodes):
            if parent >= 0:
                children[parent].append(v)
        return cls(labels, [(i, j) for _, i, j in nodes], children)


def _plain(
    text: str,
) -> tuple[list[tuple[int, int, int]], list[str], list[int]] | None:
    """Nodes, labels and leaves of a tree on one line without traces; None: it is not.

    Then the codec reads it, and says what is wrong if it is no tree at all.
    """
    nodes: list[tuple[int, int, int]] = []
    labels: list[str] = []
    leaves: list[int] = []
    stack: list[int] = []
    at = 0
    for piece in _PIECE.finditer(text):
        if piece.start() != at or (nodes and not stack) or len(stack) >= MAX_DEPTH:
            return None
        at = piece.end()
        label, word = piece.groups()
        if label is None:
            v = stack.pop()
            if nodes[v][1] == len(leaves):
                return None
            nodes[v] = (nodes[v][0], nodes[v][1], len(leaves))
            continue
        if label == "-NONE-":
            return None
        i = len(leaves)
        nodes.append((stack[-1] if stack else -1, i, i + 1))
        labels.append(label)
        (leaves if word else stack).append(len(nodes) - 1)
    return None if at != len(text) or stack or not nodes else (nodes, labels, leaves)


@dataclass(frozen=True, slots=True)
class SpanLabels:
    """The labels of span s are ``labels[at[s] : at[s + 1]]``, names as int64; they
    belong to these ``nodes`` of its tree. ``sets[s]`` names them all, 0: none."""

    at: Rows
    labels: Rows
    nodes: Rows
    sets: Rows


def span_labels(
    trees: Sequence[TreeArrays], spans: Rows, *, exact: bool = False
) -> SpanLabels:
    """All labels of the ``spans`` (S, 3): tree, start and end; as ``labels`` has them.

    ``exact``: of constituents only. Two labels of one span may be the same.
    O(depth x branching) a label; 24 bytes each.
    """
    sizes = np.array([len(tree.nodes) for tree in trees], dtype=np.int64)
    base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    leaves = np.array([len(t.leaves) for t in trees], dtype=np.int64)
    word = np.concatenate([[0], np.cumsum(leaves)]).astype(np.int64)
    table = _together(trees, base)
    leaf_nodes = _stacked([t.leaves + b for t, b in zip(trees, base, strict=False)])
    ends = np.column_stack(
        [
            leaf_nodes[word[spans[:, 0]] + spans[:, 1]],
            leaf_nodes[word[spans[:, 0]] + spans[:, 2] - 1],
        ]
    ).astype(np.int64)
    starts = table[1][:, 1].copy()
    at = np.zeros(len(spans) + 1, dtype=np.int64)
    none, nowhere = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    count = kernels.categories(ends, starts, *table, int(exact), at, none, nowhere)
    hashes = np.empty(count, dtype=np.uint64)
    where = np.empty(count, dtype=np.int64)
    if count:
        kernels.categories(ends, starts, *table, int(exact), at, hashes, where)
    owner = np.repeat(spans[:, 0], np.diff(at))
    return SpanLabels(
        at, hashes.view(np.int64), where - base[owner], set_names(hashes, at)
    )


def _together(
    trees: Sequence[TreeArrays], base: Rows
) -> tuple[NDArray[np.uint64], Rows, Rows, Rows]:
    """All trees as one array of nodes."""
    nodes = []
    for tree, at in zip(trees, base, strict=False):
        moved = tree.nodes.copy()
        moved[1:, 0] += at
        nodes.append(moved)
    parts = np.concatenate([[0], np.cumsum([len(t.children) for t in trees])])
    first = [t.first[:-1] + p for t, p in zip(trees, parts, strict=False)]
    children = [t.children + b for t, b in zip(trees, base, strict=False)]
    labels = [tree.labels for tree in trees]
    return (
        np.concatenate([np.empty(0, dtype=np.uint64), *labels]),
        np.concatenate([np.empty((0, 3), dtype=np.int64), *nodes]),
        np.concatenate([_stacked(first), parts[-1:]]).astype(np.int64),
        _stacked(children),
    )


def _stacked(arrays: Sequence[Rows]) -> Rows:
    return np.concatenate([np.empty(0, dtype=np.int64), *arrays]).astype(np.int64)


def set_names(hashes: NDArray[np.uint64], at: Rows) -> Rows:
    """A name for each span's labels, whatever their order."""
    sets = np.zeros(len(at) - 1, dtype=np.uint64)
    kernels.sums(hashes, at, sets)
    return sets.view(np.int64)
