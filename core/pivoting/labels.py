r"""What a phrase is in a tree: constituents, and categories that lack something.

    S         the phrase is an S
    S/NP      an S that lacks an NP on its right
    S\NP      one that lacks it on its left
    S\NP VP/. lacking NP and VP on its left and a full stop on its right

Sisters stand in the order of the sentence, a space between. A part that the phrase
covers in part stands for itself in parentheses, as what it is without its missing
words: ``VP/(NP/NNS)``. Where that is missing on the right alone it is the first on the
right, otherwise the last on the left (Callison-Burch 2008, figure 2).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from core.data.tree import Tree
from core.errors import InvalidValue

__all__ = ["TOPS", "Labeller", "ccg_labels", "constituent_labels", "is_constituent"]

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
    """Of each node its label, its span and its children, in preorder."""

    @property
    def labels(self) -> Sequence[str]: ...

    @property
    def spans(self) -> Sequence[tuple[int, int]]: ...

    @property
    def children(self) -> Sequence[Sequence[int]]: ...

    def __len__(self) -> int: ...


class NodeNames:
    """What the nodes of a tree are without some of their words; each is made once.

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
                raise InvalidValue("labels: a tree without crossing branches wanted")
        return parts

    def name(self, v: int, start: int, end: int) -> str:
        """What ``v`` is if only its tokens within the span are there."""
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
