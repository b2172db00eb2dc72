"""What every operation on a constituent tree is, and what it gives.

``Restore``, the tree of before, undoes any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from core.data.tree import Secondary, Tree
from core.errors import InvalidValue

Children = list[list[int]]
"""By node its children, to be changed."""

MAX_LABEL = 60
_SIGNS = frozenset("() \t\n\r\f\v\0")


@dataclass(frozen=True, slots=True)
class Edited:
    """The tree after an operation, and where its nodes are by then.

    ``moved``: old number to new; ``at``: the node that the operation was about.
    """

    tree: Tree
    moved: Mapping[int, int]
    at: int


class TreeEdit(Protocol):
    """``on`` raises InvalidValue where the tree does not allow it."""

    @property
    def op(self) -> str: ...
    def on(self, tree: Tree) -> Edited: ...
    def to_json(self) -> dict[str, Any]: ...


def checked_label(label: str, *, empty: bool = False) -> str:
    """The label; "" for an ``empty`` root alone. Raises InvalidValue."""
    if (not label and not empty) or len(label) > MAX_LABEL or _SIGNS & set(label):
        raise InvalidValue(
            f"{label!r} is not a label: write one word without brackets, at most "
            f"{MAX_LABEL} characters."
        )
    return label


def check_node(tree: Tree, v: int) -> None:
    """Raises InvalidValue if there is no such node."""
    if not 0 <= v < len(tree):
        raise InvalidValue(f"There is no node n{v} in this tree.")


def leaf_at(tree: Tree, token: int) -> int:
    """The leaf of the word at this position. Raises InvalidValue if there is none."""
    if not 0 <= token < tree.n_tokens:
        raise InvalidValue(f"There is no word {token + 1} in this sentence.")
    return tree.leaf_of[token]


def is_in_order(tree: Tree) -> bool:
    """Whether brackets on a line can hold the tree."""
    tokens = [token for token in tree.tokens if token >= 0]
    return tokens == sorted(tokens)


def children_of(tree: Tree) -> Children:
    return [list(below) for below in tree.children]


def carried(tree: Tree, moved: Mapping[int, int]) -> Secondary:
    """The secondary edges whose two nodes are still there; ``moved``: old to new."""
    edges = ((moved.get(v, -1), moved.get(to, -1), x) for v, to, x in tree.secondary)
    return tuple(sorted(one for one in edges if -1 not in one[:2]))


def built(
    tree: Tree,
    children: Children,
    root: int,
    at: int,
    *,
    new: Sequence[tuple[str, str]] = (),
    form: str = "",
) -> Edited:
    """The nodes in preorder again; ``new``: label and edge of each further node, which
    are numbered on from the last of ``tree``; ``form``: of new ones without words."""
    order: list[int] = []
    parents: list[int] = []
    waiting = [(root, -1)]
    while waiting:
        v, parent = waiting.pop()
        waiting += [(child, len(order)) for child in reversed(children[v])]
        order.append(v)
        parents.append(parent)
    n_new = len(new)
    edges = (*(tree.edges or ("",) * len(tree)), *(edge for _, edge in new))
    texts = (
        (*tree.labels, *(label for label, _ in new)),
        (*tree.forms, *(form,) * n_new),
    )
    labels, forms = (tuple(column[v] for v in order) for column in texts)
    tokens = tuple((*tree.tokens, *(-1,) * n_new)[v] for v in order)
    edged = tuple(edges[v] for v in order)
    edged = edged if any(edged) else ()
    moved = {v: number for number, v in enumerate(order) if v < len(tree)}
    kept = carried(tree, moved)
    made = Tree(labels, tuple(parents), tokens, forms, edged, kept)
    return Edited(made, moved, order.index(at))


def settled(edited: Edited) -> Edited:
    """Siblings in the order of their first words, where a tree has gaps: so one whose
    last gap was closed can be held by brackets again."""
    tree = edited.tree
    if is_in_order(tree):
        return edited
    children = [sorted(below, key=tree.spans.__getitem__) for below in tree.children]
    new = built(tree, children, 0, edited.at)
    moved = {old: new.moved[v] for old, v in edited.moved.items()}
    return Edited(new.tree, moved, new.at)


@dataclass(frozen=True, slots=True)
class Replace:
    """Another tree over the same words, as typed in brackets."""

    op: ClassVar[str] = "replace"
    tree: Tree

    @classmethod
    def read(cls, sent: Mapping[str, Any]) -> "Replace":
        """Inverse of ``to_json``; raises KeyError, TypeError or ValueError."""
        labels, parents, tokens, forms, edges, *more = map(tuple, sent["tree"])
        secondary = tuple(map(tuple, more[0])) if more else ()
        return cls(Tree(labels, parents, tokens, forms, edges, secondary))

    def on(self, tree: Tree) -> Edited:
        if self.tree.words != tree.words:
            raise InvalidValue("This tree has other words than its sentence.")
        return Edited(self.tree, {}, 0)

    def to_json(self) -> dict[str, Any]:
        new = self.tree
        rows = (new.labels, new.parents, new.tokens, new.forms, new.edges)
        more = [[list(one) for one in new.secondary]] if new.secondary else []
        return {"op": self.op, "tree": [*map(list, rows), *more]}


@dataclass(frozen=True, slots=True)
class Restore(Replace):
    """The tree of before, on the words of before."""

    op: ClassVar[str] = "restore"

    def on(self, tree: Tree) -> Edited:
        return Edited(self.tree, {}, 0)
