"""Splitting and joining phrases of a constituency tree.

Operations as in ``core.trees.editing``. Children stay in their order, and words where
they are.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

from core.data.tree import Tree
from core.errors import InvalidValue
from core.trees.recorded import Recorded
from core.trees.stepping import (
    Edited,
    built,
    check_node,
    checked_label,
    children_of,
    settled,
)


@dataclass(frozen=True, slots=True)
class SplitPhrase(Recorded):
    """Siblings in the place of the phrase ``node``, which keep its parent.

    ``at``: which of its children, from 0, begin another; ``labels`` and ``edges``: of
    all parts; None: as the phrase had them.
    """

    op: ClassVar[str] = "split_phrase"
    node: int
    at: tuple[int, ...]
    labels: tuple[str, ...] | None = None
    edges: tuple[str, ...] | None = None

    def on(self, tree: Tree) -> Edited:
        self._check(tree)
        v, below = self.node, tree.children[self.node]
        ends = (0, *self.at, len(below))
        parts = [list(below[a:b]) for a, b in pairwise(ends)]
        edges = tree.edges or ("",) * len(tree)
        labels = tuple(map(checked_label, self._each(self.labels, tree.labels[v])))
        edged = self._each(self.edges, edges[v])
        children = children_of(tree)
        children[v] = parts[0]
        siblings = children[tree.parents[v]]
        after = siblings.index(v) + 1
        siblings[after:after] = range(len(tree), len(tree) + len(self.at))
        first = _named(tree, v, labels[0], edged[0])
        new = list(zip(labels[1:], edged[1:], strict=True))
        return settled(built(first, children + parts[1:], 0, v, new=new))

    def to_json(self) -> dict[str, Any]:
        row = Recorded.to_json(self)
        return row | {"at": self.at[0]} if len(self.at) == 1 else row

    def _each(self, asked: tuple[str, ...] | None, had: str) -> tuple[str, ...]:
        """What each part has, if not ``asked`` what the phrase had."""
        n = len(self.at) + 1
        texts = (had,) * n if asked is None else asked
        if len(texts) != n:
            raise InvalidValue(f"{n} parts need {n} labels and {n} edge labels.")
        return texts

    def _check(self, tree: Tree) -> None:
        check_node(tree, self.node)
        if tree.is_leaf(self.node):
            raise InvalidValue("A word cannot be split here: choose a phrase.")
        if self.node == 0:
            raise InvalidValue(
                "The root cannot be split: a tree has one root. Insert a new root "
                "above it first."
            )
        n, cuts = len(tree.children[self.node]), self.at
        if not cuts or sorted(set(cuts)) != list(cuts) or cuts[0] < 1 or cuts[-1] >= n:
            raise InvalidValue(
                "Choose the child with which the second phrase begins, but not the "
                "first child."
            )


@dataclass(frozen=True, slots=True)
class JoinPhrases(Recorded):
    """One phrase in the place of the siblings ``first`` to ``last``, with the children
    of all. ``label`` and ``edge``: None for those of the first."""

    op: ClassVar[str] = "join_phrases"
    first: int
    last: int
    label: str | None = None
    edge: str | None = None

    def on(self, tree: Tree) -> Edited:
        joined = self._siblings(tree)
        had = tree.edges[self.first] if tree.edges else ""
        label = checked_label(
            tree.labels[self.first] if self.label is None else self.label
        )
        named = _named(tree, self.first, label, had if self.edge is None else self.edge)
        children = children_of(tree)
        children[self.first] = [child for v in joined for child in children[v]]
        siblings = children[tree.parents[self.first]]
        at = siblings.index(self.first)
        siblings[at : at + len(joined)] = [self.first]
        return settled(built(named, children, 0, self.first))

    def _siblings(self, tree: Tree) -> tuple[int, ...]:
        """All that are joined; raises InvalidValue where they cannot be."""
        check_node(tree, self.first)
        check_node(tree, self.last)
        mother = tree.parents[self.first]
        if mother < 0 or tree.parents[self.last] != mother or self.last <= self.first:
            raise InvalidValue(
                "Choose two or more phrases with the same parent to join."
            )
        siblings = tree.children[mother]
        ends = siblings.index(self.first), siblings.index(self.last) + 1
        joined = siblings[slice(*ends)]
        word = next((v for v in joined if tree.is_leaf(v)), None)
        if word is not None:
            raise InvalidValue(
                f"“{tree.forms[word]}” is a word, and only phrases can be joined: add "
                "a phrase over it first, or move it."
            )
        return joined


def _named(tree: Tree, v: int, label: str, edge: str) -> Tree:
    """The tree with another label of a node, and of its edge."""
    edges = tree.edges or ("",) * len(tree)
    new = [(*column[:v], text, *column[v + 1 :]) for column, text in (
        (tree.labels, label), (edges, edge))]  # fmt: skip
    edged = new[1] if any(new[1]) else ()
    return replace(tree, labels=new[0], edges=edged)
