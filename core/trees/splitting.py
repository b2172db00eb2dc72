"""Splitting and joining words of a constituency tree; later words change position.

Operations as in ``core.trees.editing``; ``Edited.moved`` leaves out the second leaf,
which comes or goes.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from core.data.tree import Tree
from core.errors import InvalidValue
from core.trees.recorded import Recorded
from core.trees.stepping import Edited, carried, checked_label, leaf_at
from core.trees.words import checked_form


@dataclass(frozen=True, slots=True)
class Split(Recorded):
    """Two words in the place of one, siblings. ``tags`` and ``edges``: of both; None:
    as the word had them."""

    op: ClassVar[str] = "split"
    token: int
    forms: tuple[str, str]
    tags: tuple[str, str] | None = None
    edges: tuple[str, str] | None = None

    def on(self, tree: Tree) -> Edited:
        v = self._leaf(tree)
        forms = tuple(checked_form(form) for form in self.forms)
        had = tree.labels[v]
        tags = tuple(checked_label(tag) for tag in self.tags or (had, had))
        edges = tree.edges
        if edges or self.edges:
            edges = edges or ("",) * len(tree)
            edges = _put(edges, v, 1, self.edges or (edges[v], edges[v]))
        tokens = tuple(t + (t > self.token) for t in tree.tokens)
        moved = {u: u + (u > v) for u in range(len(tree))}
        made = Tree(
            _put(tree.labels, v, 1, tags),
            _put(_shifted(tree.parents, v, 1), v, 1, (tree.parents[v],) * 2),
            _put(tokens, v, 1, (self.token, self.token + 1)),
            _put(tree.forms, v, 1, forms),
            edges if any(edges) else (),
            carried(tree, moved),
        )
        return Edited(made, moved, v)

    def _leaf(self, tree: Tree) -> int:
        v = leaf_at(tree, self.token)
        if v == 0:
            raise InvalidValue(
                "This word is the whole tree: add a phrase over it first."
            )
        return v


@dataclass(frozen=True, slots=True)
class Join(Recorded):
    """One word in the place of ``token`` and the next, which are siblings.

    ``form``: "" for both forms without a space; ``tag`` and ``edge``: None for those of
    the first.
    """

    op: ClassVar[str] = "join"
    token: int
    form: str = ""
    tag: str | None = None
    edge: str | None = None

    def on(self, tree: Tree) -> Edited:
        v = self._leaf(tree)
        form = checked_form(self.form or tree.forms[v] + tree.forms[v + 1])
        tag = checked_label(tree.labels[v] if self.tag is None else self.tag)
        edges = tree.edges
        if edges or self.edge:
            edges = edges or ("",) * len(tree)
            edges = _put(edges, v, 2, (edges[v] if self.edge is None else self.edge,))
        tokens = tuple(t - (t > self.token) for t in tree.tokens)
        moved = {u: u - (u > v) for u in range(len(tree)) if u != v + 1}
        made = Tree(
            _put(tree.labels, v, 2, (tag,)),
            _put(_shifted(tree.parents, v + 1, -1), v, 2, (tree.parents[v],)),
            _put(tokens, v, 2, (self.token,)),
            _put(tree.forms, v, 2, (form,)),
            edges if any(edges) else (),
            carried(tree, moved),
        )
        return Edited(made, moved, v)

    def _leaf(self, tree: Tree) -> int:
        """The first leaf; the second has the next number."""
        v, w = leaf_at(tree, self.token), leaf_at(tree, self.token + 1)
        if tree.parents[v] != tree.parents[w]:
            raise InvalidValue(
                f"“{tree.forms[v]}” and “{tree.forms[w]}” have different parents: move "
                "one next to the other first, or delete the phrase between them."
            )
        if w != v + 1:
            raise InvalidValue(
                f"“{tree.forms[v]}” and “{tree.forms[w]}” are not next to each other: "
                "an empty element is between them."
            )
        return v


def _put(row: tuple[Any, ...], v: int, n: int, new: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row with ``new`` in the place of ``n`` values from ``v`` on."""
    return (*row[:v], *new, *row[v + n :])


def _shifted(parents: tuple[int, ...], v: int, by: int) -> tuple[int, ...]:
    return tuple(parent + by * (parent > v) for parent in parents)
