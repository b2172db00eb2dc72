"""A whole constituent tree in the place of another, and how a step is undone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from core.data.tree import Tree
from core.errors import InvalidValue
from core.trees.stepping import Edited, TreeEdit


@dataclass(frozen=True, slots=True)
class Replace:
    """Another tree over the same words, as typed in brackets."""

    op: ClassVar[str] = "replace"
    tree: Tree

    @classmethod
    def read(cls, sent: Mapping[str, Any]) -> "Replace":
        """What ``to_json`` gave; raises KeyError, TypeError or ValueError."""
        labels, parents, tokens, forms, edges = (tuple(row) for row in sent["tree"])
        return cls(Tree(labels, parents, tokens, forms, edges))

    def on(self, tree: Tree) -> Edited:
        if self.tree.words != tree.words:
            raise InvalidValue("This tree has other words than its sentence.")
        return Edited(self.tree, {}, 0)

    def inverse(self, tree: Tree) -> "Replace":
        return Replace(tree)

    def to_json(self) -> dict[str, Any]:
        new = self.tree
        rows = (new.labels, new.parents, new.tokens, new.forms, new.edges)
        return {"op": self.op, "tree": [list(row) for row in rows]}


def way_back(tree: Tree, after: Tree, simple: TreeEdit) -> TreeEdit:
    """``simple`` where it leads from ``after`` to ``tree``; else ``tree`` as a whole,
    as where siblings of a tree with gaps came into another order."""
    try:
        leads = simple.on(after).tree == tree
    except InvalidValue:
        leads = False
    return simple if leads else Replace(tree)
