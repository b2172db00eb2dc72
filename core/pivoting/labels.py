r"""The labels of a phrase in a tree: constituents, and categories with missing parts.

    S         the phrase is an S
    S/NP      an S that lacks an NP on its right
    S\NP      one that lacks it on its left
    S\NP VP/. lacking NP and VP on its left and a full stop on its right

Siblings are in sentence order, separated by spaces. A part that the phrase covers only
partly is in parentheses, as what it is without its missing words: ``VP/(NP/NNS)``. If
words are missing on the right alone, it is the first on the right, otherwise the last
on the left (Callison-Burch 2008, figure 2).

The labels of many spans at once, as numbers; ``labels`` spells them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.data.tree import MAX_DEPTH, Tree
from core.errors import InvalidValue
from core.formats import ptb
from core.pivoting.extract import Rows, WordHashes
from core.pivoting.kernels import phrases as kernels

TOPS = frozenset({"", "ROOT", "TOP", "S1"})  # names of the whole, not of a phrase


def is_constituent(label: str) -> bool:
    r"""Whether nothing is missing: no ``/`` and no ``\``."""
    return "/" not in label and "\\" not in label


def constituent_labels(tree: Tree, start: int, end: int) -> tuple[str, ...]:
    """The labels of the nodes over tokens ``start`` to ``end - 1``, sorted."""
    return Labeller(tree).constituents(start, end)


def ccg_labels(tree: Tree, start: int, end: int) -> tuple[str, ...]:
    """All labels of tokens ``start`` to ``end - 1``, sorted; each once.

    One for each node over exactly these tokens, and one for each that covers more.
    Empty for a discontinuous tree's broken phrases only, never for a plain one.
    """
    return Labeller(tree).labels(start, end)


class Spanned(Protocol):
    """The label, span and children of each node, in preorder."""

    @property
    def labels(self) -> Sequence[str]: ...

    @property
    def spans(self) -> Sequence[tuple[int, int]]: ...

    @property
    def children(self) -> Sequence[Sequence[int]]: ...

    def __len__(self) -> int: ...


class NodeNames:
    """The names of a tree's nodes without some of their words; each is made once.

    O(depth x branching) a name. Raises InvalidValue for a discontinuous tree.
    """

    def __init__(self, tree: Spanned) -> None:
        self._nodes = tree
        self._below = [self._parts(v) for v in range(len(tree))]
        self._known: dict[tuple[int, int, int], str] = {}

    def _parts(self, v: int) -> list[int]:
        """The parts of ``v`` that have words, left to right."""
        spans = self._nodes.spans
        parts = [c for c in self._nodes.children[v] if spans[c][0] < spans[c][1]]
        for left, right in pairwise(parts):
            if spans[left][1] > spans[right][0]:
                raise InvalidValue("labels: expected a tree without crossing branches")
        return parts

    def name(self, v: int, start: int, end: int) -> str:
        """The name of ``v`` if only its tokens within the span are present."""
        first, last = self._nodes.spans[v]
        i, j = max(start, first), min(end, last)
        if (i, j) == (first, last):
            return self._nodes.labels[v]
        key = (v, i, j)
        if key not in self._known:
            self._known[key] = self._missing(v, i, j)
        return self._known[key]

    def _missing(self, v: int, start: int, end: int) -> str:
        left: list[str] = []
        right: list[str] = []
        for part in self._below[v]:
            first, last = self._nodes.spans[part]
            if last <= start:
                left.append(self._nodes.labels[part])
            elif first >= end:
                right.append(self._nodes.labels[part])
            elif start > first:  # parts come in order: this is the last on the left
                left.append(f"({self.name(part, start, end)})")
            elif end < last:
                right.append(f"({self.name(part, start, end)})")
        return compose(self._nodes.labels[v], left, right)


class Labeller(NodeNames):
    """All labels of a tree's spans; what a span shares with others is made once.

    Raises InvalidValue for a discontinuous tree, and for a span that is empty or
    outside the sentence.
    """

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._tree = tree

    def labels(self, start: int, end: int) -> tuple[str, ...]:
        names = {self.name(v, start, end) for v in self._above(start, end)}
        return tuple(sorted(names))

    def constituents(self, start: int, end: int) -> tuple[str, ...]:
        tree = self._tree
        nodes = (v for v in self._above(start, end) if tree.spans[v] == (start, end))
        return tuple(sorted({tree.labels[v] for v in nodes}))

    def _above(self, start: int, end: int) -> Iterator[int]:
        """The nodes that cover the span, lowest first, without the top's name."""
        tree = self._tree
        if not 0 <= start < end <= tree.n_tokens:
            raise InvalidValue(f"span [{start}, {end}) is not in the sentence")
        for v in tree.path(tree.leaf_of[start]):
            if tree.spans[v][1] >= end and tree.labels[v] not in TOPS:
                yield v


def compose(label: str, left: list[str], right: list[str]) -> str:
    r"""``label\left/right``; a side without anything missing is not written."""
    return (
        label
        + ("\\" + " ".join(left) if left else "")
        + ("/" + " ".join(right) if right else "")
    )


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
            raise InvalidValue("labels: expected a tree without crossing branches")
        nodes = [(p, *span) for p, span in zip(tree.parents, spans, strict=True)]
        return cls._made(nodes, tree.labels, parts, tree.leaf_of, names)

    @classmethod
    def read(cls, text: str, names: WordHashes) -> "TreeArrays":
        """The labels of a bracketed tree; raises FormatError or InvalidValue if it is
        not one.

        Text written by Gemel is read without a Tree in between, ten times as fast.
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
    """The input of labelling: the label, span and children of each node."""

    labels: Sequence[str]
    spans: Sequence[tuple[int, int]]
    children: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def read(cls, text: str) -> "PlainTree":
        """The tree of one bracketing. Raises FormatError if it is not one."""
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

    The codec then reads it, and reports an error if it is not a tree.
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
