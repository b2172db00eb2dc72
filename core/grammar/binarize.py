"""Binary trees, and the way back.

A phrase with more than two children gets nodes in between, labelled "@" and the
phrase's own label; a label that already holds an "@" is escaped, so that ``undo``
gives back exactly the tree that came in. Unary steps stay as they are.
"""

from collections.abc import Callable
from typing import Literal

from core.data.tree import Tree, TreeBuilder
from core.grammar.heads import SYNTACTIC, HeadRules, head_child

__all__ = ["MARK", "binarize", "is_made", "undo"]

MARK = "@"
How = Literal["left", "right", "head"]


def binarize(tree: Tree, how: How = "right", *, rules: HeadRules = SYNTACTIC) -> Tree:
    """``tree`` with at most two children a node.

    "left": a b c is ((a b) c); "right": (a (b c)); "head": the head child takes what
    stands right of it first, from near to far, then what stands left.
    """

    def head_of(v: int) -> int:
        start, end = tree.spans[v]
        if how != "head" or start == end:
            return 0
        return tree.children[v].index(head_child(tree, v, rules))

    return _Copier(tree).copy(lambda v: (how, head_of(v)))


def is_made(label: str) -> bool:
    """Whether only binarisation made a node of this label."""
    return label.startswith(MARK)


def undo(tree: Tree) -> Tree:
    """The tree that was binarised: made nodes dissolved, labels unescaped."""
    builder = TreeBuilder()

    def grow(v: int) -> None:
        edge = tree.edges[v] if tree.edges else ""
        if not tree.children[v]:
            _leaf(builder, tree, v, _unescaped(tree.labels[v]), edge)
            return
        made = is_made(tree.labels[v])
        if not made:
            builder.open(_unescaped(tree.labels[v]), edge=edge)
        for child in tree.children[v]:
            grow(child)
        if not made:
            builder.close()

    grow(0)
    return builder.freeze()


class _Copier:
    """Copies a tree, splitting the children of wide phrases in two."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._builder = TreeBuilder()

    def copy(self, plan: Callable[[int], tuple[How, int]]) -> Tree:
        self._plan = plan
        self._grow(0)
        return self._builder.freeze()

    def _grow(self, v: int) -> None:
        tree, label = self._tree, _escaped(self._tree.labels[v])
        edge = tree.edges[v] if tree.edges else ""
        if not tree.children[v]:
            _leaf(self._builder, tree, v, label, edge)
            return
        self._builder.open(label, edge=edge)
        children = tree.children[v]
        if len(children) == 1:
            self._grow(children[0])
        else:
            how, head = self._plan(v)
            self._split(children, how, head, MARK + label)
        self._builder.close()

    def _split(self, parts: tuple[int, ...], how: How, head: int, label: str) -> None:
        """Grow two nodes over two or more ``parts``; ``head``: its place there."""
        first_alone = how == "right" or (how == "head" and head > 0)
        cut = 1 if first_alone else len(parts) - 1
        for side, place in ((parts[:cut], head), (parts[cut:], head - cut)):
            if len(side) == 1:
                self._grow(side[0])
            else:
                self._builder.open(label)
                self._split(side, how, place, label)
                self._builder.close()


def _leaf(builder: TreeBuilder, tree: Tree, v: int, label: str, edge: str) -> None:
    if tree.is_trace(v):
        builder.trace(label, tree.forms[v], edge=edge)
    else:
        builder.leaf(label, tree.forms[v], token=tree.tokens[v], edge=edge)


def _escaped(label: str) -> str:
    return label.replace("%", "%25").replace(MARK, "%40")


def _unescaped(label: str) -> str:
    return label.replace("%40", MARK).replace("%25", "%")
