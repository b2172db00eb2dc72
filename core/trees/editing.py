"""A person's operations on a constituency tree: one frozen value each.

Words stay where they are, but for ``Split`` and ``Join``, and but for ``Retype`` what
they are; a tree whose brackets a line can hold stays one, but for a ``Move`` that may
make a gap. ``Restore``, the tree of before, undoes any operation.
Nodes are preorder numbers of the tree that the operation is done to.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from core.data.tree import Tree
from core.errors import InvalidValue
from core.trees.phrases import JoinPhrases, SplitPhrase
from core.trees.recorded import Recorded
from core.trees.splitting import Join, Split
from core.trees.stepping import (
    Edited,
    Replace,
    Restore,
    TreeEdit,
    built,
    check_node,
    checked_label,
    children_of,
    is_in_order,
    leaf_at,
    settled,
)
from core.trees.words import checked_form, with_forms


@dataclass(frozen=True, slots=True)
class Relabel(Recorded):
    """Another label for a phrase, another tag for a word."""

    op: ClassVar[str] = "relabel"
    node: int
    label: str

    def on(self, tree: Tree) -> Edited:
        check_node(tree, self.node)
        label = checked_label(self.label, empty=self.node == 0 and not tree.is_leaf(0))
        labels = [label if v == self.node else x for v, x in enumerate(tree.labels)]
        new = replace(tree, labels=tuple(labels))
        return Edited(new, {v: v for v in range(len(tree))}, self.node)


@dataclass(frozen=True, slots=True)
class RelabelAll(Recorded):
    """Other labels for several nodes at once: number and label of each."""

    op: ClassVar[str] = "relabel_all"
    labels: tuple[tuple[int, str], ...]

    def on(self, tree: Tree) -> Edited:
        if not self.labels:
            raise InvalidValue("Name the nodes to relabel.")
        new = tree
        for node, label in self.labels:
            new = Relabel(node, label).on(new).tree
        return Edited(new, {v: v for v in range(len(tree))}, self.labels[0][0])


@dataclass(frozen=True, slots=True)
class Insert(Recorded):
    """A new phrase over the siblings ``first`` to ``last``, or above the root."""

    op: ClassVar[str] = "insert"
    first: int
    last: int
    label: str
    edge: str = ""

    def on(self, tree: Tree) -> Edited:
        mother, i, j = self._place(tree)
        label = checked_label(self.label, empty=mother < 0)
        children = children_of(tree)
        new = len(tree)
        if mother < 0:
            children.append([0])
            root = new
        else:
            children.append(children[mother][i:j])
            children[mother][i:j] = [new]
            root = 0
        return built(tree, children, root, new, new=[(label, self.edge)])

    def _place(self, tree: Tree) -> tuple[int, int, int]:
        """The parent, and which of her children; -1 over the root."""
        check_node(tree, self.first)
        check_node(tree, self.last)
        mother = tree.parents[self.first]
        if tree.parents[self.last] != mother or self.last < self.first:
            raise InvalidValue(
                "A new phrase covers siblings: nodes with the same parent."
            )
        if mother < 0:
            return -1, 0, 1
        siblings = tree.children[mother]
        return mother, siblings.index(self.first), siblings.index(self.last) + 1


@dataclass(frozen=True, slots=True)
class Delete(Recorded):
    """Delete a phrase, whose children go up to its parent; or an empty element."""

    op: ClassVar[str] = "delete"
    node: int

    def on(self, tree: Tree) -> Edited:
        self._check(tree)
        children = children_of(tree)
        below = children[self.node]
        if self.node == 0:
            return built(tree, children, below[0], below[0])
        mother = tree.parents[self.node]
        at = children[mother].index(self.node)
        children[mother][at : at + 1] = below
        return settled(built(tree, children, 0, below[0] if below else mother))

    def _check(self, tree: Tree) -> None:
        check_node(tree, self.node)
        if tree.is_leaf(self.node):
            if tree.tokens[self.node] >= 0:
                raise InvalidValue("Only phrases can be deleted, not words.")
            if len(tree.children[tree.parents[self.node]]) == 1:
                raise InvalidValue("Delete the phrase above it instead.")
        if self.node == 0 and len(tree.children[0]) > 1:
            raise InvalidValue(
                "A root with several children cannot be deleted: a tree has one root."
            )


@dataclass(frozen=True, slots=True)
class Move(Recorded):
    """A node, with all below it, to another ``mother``.

    ``at``: which of her children it becomes, counted without the node; None: where its
    words belong among theirs. ``gap``: whether it may make the first gap of the tree,
    which brackets cannot hold then. ``last``: the siblings from the node to this one
    move together. ``tidy``: a phrase that is left empty is deleted, and so is one that
    is left with a single phrase of its own label.
    """

    op: ClassVar[str] = "move"
    node: int
    mother: int
    at: int | None = None
    gap: bool = False
    last: int | None = None
    tidy: bool = False

    def on(self, tree: Tree) -> Edited:
        edited = self._moved(tree)
        if not self.gap and is_in_order(tree) and not is_in_order(edited.tree):
            mother, node = name_of(tree, self.mother), name_of(tree, self.node)
            raise InvalidValue(
                f"{mother} is not next to {node}: there, its words would stand between "
                "the words of others. Move it in steps, or move what is between first."
            )
        return settled(edited)

    def makes_gap(self, tree: Tree) -> bool:
        """Whether a tree without gaps would have one; raises InvalidValue."""
        return is_in_order(tree) and not is_in_order(settled(self._moved(tree)).tree)

    def _moved(self, tree: Tree) -> Edited:
        run = self._run(tree)
        at = self._place(tree, run)
        children = children_of(tree)
        mother = tree.parents[self.node]
        children[mother] = [v for v in children[mother] if v not in run]
        children[self.mother][at:at] = run
        if self.tidy:
            _tidy(tree, children, mother)
        return built(tree, children, 0, self.node)

    def _run(self, tree: Tree) -> tuple[int, ...]:
        """All that moves: siblings. Raises InvalidValue."""
        check_node(tree, self.node)
        last = self.node if self.last is None else self.last
        check_node(tree, last)
        if self.node == 0:
            raise InvalidValue("The root has no parent: insert a new root above it.")
        siblings = tree.children[tree.parents[self.node]]
        if last not in siblings or last < self.node:
            raise InvalidValue("Only siblings move together: nodes of one parent.")
        return siblings[siblings.index(self.node) : siblings.index(last) + 1]

    def _place(self, tree: Tree, run: tuple[int, ...]) -> int:
        check_node(tree, self.mother)
        if tree.is_leaf(self.mother):
            raise InvalidValue("A word has no children: choose a phrase.")
        if any(self.mother in range(v, tree.subtree_end(v)) for v in run):
            raise InvalidValue("A phrase cannot move to a place below itself.")
        is_all = len(tree.children[tree.parents[self.node]]) == len(run)
        if is_all and not (self.tidy and tree.parents[self.node] != self.mother):
            mother = name_of(tree, tree.parents[self.node])
            raise InvalidValue(
                f"{mother} would have no words left: delete it, or move it instead."
            )
        rest = [v for v in tree.children[self.mother] if v not in run]
        if self.at is not None:
            if not 0 <= self.at <= len(rest):
                raise InvalidValue(f"The parent has {len(rest)} other children.")
            return self.at
        here = tree.spans[self.node]
        return sum(tree.spans[v] <= here for v in rest)


def _tidy(tree: Tree, children: list[list[int]], v: int) -> None:
    """Delete the phrase ``v`` where it is empty, and then those above it that are; or
    where it holds a single phrase of its own label."""
    while v > 0:
        below, siblings = children[v], children[tree.parents[v]]
        is_double = len(below) == 1 and (
            not tree.is_leaf(below[0]) and tree.labels[below[0]] == tree.labels[v]
        )
        if below and not is_double:
            return
        at = siblings.index(v)
        siblings[at : at + 1] = below
        if below:
            return
        v = tree.parents[v]


@dataclass(frozen=True, slots=True)
class EdgeLabel(Recorded):
    """Another grammatical function of a node, as TIGER trees have; "" for none."""

    op: ClassVar[str] = "edge"
    node: int
    edge: str

    def on(self, tree: Tree) -> Edited:
        check_node(tree, self.node)
        if self.edge:
            checked_label(self.edge)
        edges = list(tree.edges or ("",) * len(tree))
        edges[self.node] = self.edge
        new = replace(tree, edges=tuple(edges) if any(edges) else ())
        return Edited(new, {v: v for v in range(len(tree))}, self.node)


@dataclass(frozen=True, slots=True)
class _Secondary(Recorded):
    """A secondary edge from a node to ``target``; ``edge``: its label, or ""."""

    node: int
    target: int
    edge: str = ""


@dataclass(frozen=True, slots=True)
class AddSecondary(_Secondary):
    """A new secondary edge."""

    op: ClassVar[str] = "add_secondary"

    def on(self, tree: Tree) -> Edited:
        check_node(tree, self.node)
        check_node(tree, self.target)
        if self.edge:
            checked_label(self.edge)
        if self.node == self.target:
            raise InvalidValue("A secondary edge leads to another node: choose that.")
        new = (self.node, self.target, self.edge)
        if new in tree.secondary:
            raise InvalidValue("There is such a secondary edge already.")
        made = replace(tree, secondary=tuple(sorted((*tree.secondary, new))))
        return Edited(made, {v: v for v in range(len(tree))}, self.node)


@dataclass(frozen=True, slots=True)
class RemoveSecondary(_Secondary):
    """The secondary edge with these ends and this label goes."""

    op: ClassVar[str] = "remove_secondary"

    def on(self, tree: Tree) -> Edited:
        gone = (self.node, self.target, self.edge)
        if gone not in tree.secondary:
            raise InvalidValue("There is no such secondary edge.")
        made = replace(tree, secondary=tuple(x for x in tree.secondary if x != gone))
        return Edited(made, {v: v for v in range(len(tree))}, self.node)


@dataclass(frozen=True, slots=True)
class Trace(Recorded):
    """A new empty element before the node, or ``after`` it, under the same parent."""

    op: ClassVar[str] = "trace"
    node: int
    form: str
    label: str = "-NONE-"
    after: bool = False

    def on(self, tree: Tree) -> Edited:
        check_node(tree, self.node)
        if self.node == 0:
            raise InvalidValue("An empty element needs a sibling: choose another node.")
        texts = checked_label(self.label), checked_label(self.form)
        children = children_of(tree)
        siblings = children[tree.parents[self.node]]
        siblings.insert(siblings.index(self.node) + self.after, len(tree))
        children.append([])
        return built(tree, children, 0, len(tree), new=[(texts[0], "")], form=texts[1])


@dataclass(frozen=True, slots=True)
class Retype(Recorded):
    """Another form of the word at position ``token``."""

    op: ClassVar[str] = "retype"
    token: int
    form: str

    def on(self, tree: Tree) -> Edited:
        v = leaf_at(tree, self.token)
        new = with_forms(tree, {self.token: checked_form(self.form)})
        return Edited(new, {v: v for v in range(len(tree))}, v)


_KINDS: tuple[Any, ...] = (
    *(Relabel, RelabelAll, Insert, Delete, Move, EdgeLabel, Trace, Replace, Restore),
    *(Retype, Split, Join, SplitPhrase, JoinPhrases, AddSecondary, RemoveSecondary),
)
Read = Callable[[Mapping[str, Any]], TreeEdit]
OPS: dict[str, Read] = {kind.op: kind.read for kind in _KINDS}


def read(sent: Mapping[str, Any]) -> TreeEdit:
    """The operation that ``to_json`` gave; raises InvalidValue on anything else."""
    try:
        return OPS[sent["op"]](sent)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidValue(f"Not an operation on a tree: {error}") from error


def name_of(tree: Tree, v: int) -> str:
    """A node for people: its label and its words, the middle ones left out."""
    words = [tree.words[token] for token in tree.yield_of(v)]
    shown = " ".join(words if len(words) < 6 else [*words[:2], "…", words[-1]])
    return f"{tree.labels[v] or 'The root'} “{shown}”"
