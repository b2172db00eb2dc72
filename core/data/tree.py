"""Constituency trees over token positions, as parallel arrays in preorder."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.errors import InvalidValue

MAX_DEPTH = 500  # deeper trees are noise, and recursion over them is not
Secondary = tuple[tuple[int, int, str], ...]
"""Node, target, and label or "", of each further edge between two nodes."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A labelled ordered tree; node ids are preorder numbers, the root is 0.

    ``labels[v]``: phrase label, or the tag where v is a leaf. ``parents[v]``: -1 for
    the root. ``tokens[v]``: the token of a leaf, else -1. A leaf with token -1 is an
    empty element (trace); its text is ``forms[v]``. ``forms[v]`` is the word of a leaf,
    "" for phrases. ``edges[v]``: label of the edge to the parent, or "".
    ``secondary``: sorted, each once, never from a node to itself.

    Derived: ``children[v]``; ``spans[v]`` = half-open hull of the tokens below v, ``(k,
    k)`` for a node over traces alone, where k is the next token; the leaf of token i is
    ``leaf_of[i]``. Trees may be discontinuous (TigerXML): then the hull is wider than
    the yield. Raises InvalidValue if the arrays do not form such a tree.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    tokens: tuple[int, ...]
    forms: tuple[str, ...]
    edges: tuple[str, ...] = ()
    secondary: Secondary = ()
    children: tuple[tuple[int, ...], ...] = field(init=False, compare=False)
    spans: tuple[tuple[int, int], ...] = field(init=False, compare=False)
    leaf_of: tuple[int, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        n = len(self.labels)
        if not n or not len(self.parents) == len(self.tokens) == len(self.forms) == n:
            raise InvalidValue(
                "tree: expected arrays of the same length, with at least one node"
            )
        if self.edges and len(self.edges) != n:
            raise InvalidValue("tree: expected one edge label per node")
        if self.secondary:
            self._check_secondary()
        object.__setattr__(self, "children", self._children())
        object.__setattr__(self, "leaf_of", self._leaf_of())
        object.__setattr__(self, "spans", self._spans())

    def _check_secondary(self) -> None:
        nodes = range(len(self.labels))
        for v, target, _ in self.secondary:
            if v not in nodes or target not in nodes or v == target:
                raise InvalidValue(f"tree: no secondary edge from {v} to {target}")
        if list(self.secondary) != sorted(set(self.secondary)):
            raise InvalidValue("tree: expected sorted secondary edges, each once")

    def _children(self) -> tuple[tuple[int, ...], ...]:
        lists: list[list[int]] = [[] for _ in self.labels]
        if self.parents[0] != -1:
            raise InvalidValue("tree: node 0 must be the root")
        path = [0]
        for v in range(1, len(self.parents)):
            parent = self.parents[v]
            while path and path[-1] != parent:
                path.pop()
            if not path:
                raise InvalidValue(f"tree: node {v} is not in preorder")
            lists[parent].append(v)
            path.append(v)
            if len(path) > MAX_DEPTH:
                raise InvalidValue(f"tree: deeper than {MAX_DEPTH} levels")
        return tuple(tuple(below) for below in lists)

    def _leaf_of(self) -> tuple[int, ...]:
        leaves = {token: v for v, token in enumerate(self.tokens) if token >= 0}
        n_leaves = sum(token >= 0 for token in self.tokens)
        if sorted(leaves) != list(range(n_leaves)):
            raise InvalidValue("tree: leaves must be tokens 0 to n - 1, one each")
        for v, below in enumerate(self.children):
            if below and (self.tokens[v] >= 0 or self.forms[v]):
                raise InvalidValue(f"tree: node {v} has children and a word")
            if not below and not self.forms[v]:
                raise InvalidValue(f"tree: node {v} has neither children nor a word")
        return tuple(leaves[i] for i in range(n_leaves))

    def _spans(self) -> tuple[tuple[int, int], ...]:
        n, following = len(self.labels), len(self.leaf_of)
        starts, ends = [following] * n, [-1] * n  # ends -1: no word below
        for v in range(n - 1, -1, -1):
            if self.tokens[v] >= 0:
                following = self.tokens[v]
                starts[v], ends[v] = following, following + 1
            if ends[v] < 0:
                starts[v] = ends[v] = following
                continue
            above = self.parents[v]
            if above >= 0:
                starts[above] = min(starts[above], starts[v])
                ends[above] = max(ends[above], ends[v])
        return tuple(zip(starts, ends, strict=True))

    @property
    def n_tokens(self) -> int:
        return len(self.leaf_of)

    @property
    def words(self) -> tuple[str, ...]:
        """The words in sentence order, traces left out."""
        return tuple(self.forms[v] for v in self.leaf_of)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self.labels[v] for v in self.leaf_of)

    def is_leaf(self, v: int) -> bool:
        return not self.children[v]

    def is_trace(self, v: int) -> bool:
        return not self.children[v] and self.tokens[v] < 0

    def subtree_end(self, v: int) -> int:
        """One past the last preorder number below ``v``."""
        while self.children[v]:
            v = self.children[v][-1]
        return v + 1

    def yield_of(self, v: int) -> tuple[int, ...]:
        """The tokens below ``v`` in sentence order."""
        below = self.tokens[v : self.subtree_end(v)]
        return tuple(sorted(token for token in below if token >= 0))

    def with_words(self, v: int) -> list[int]:
        """The children of ``v`` that have words, traces and phrases of them left
        out."""
        spans = self.spans
        return [c for c in self.children[v] if spans[c][0] < spans[c][1]]

    def path(self, v: int) -> Iterator[int]:
        """The nodes from ``v`` up to the root, both included."""
        while v >= 0:
            yield v
            v = self.parents[v]

    def depth(self, v: int) -> int:
        return sum(1 for _ in self.path(v)) - 1

    def below_root(self) -> "Tree":
        """The tree of the root's only child, without secondary edges."""
        return Tree(
            self.labels[1:],
            tuple(parent - 1 for parent in self.parents[1:]),
            self.tokens[1:],
            self.forms[1:],
            self.edges[1:],
        )

    def __len__(self) -> int:
        return len(self.labels)


class TreeBuilder:
    """Grows a Tree top-down: ``open`` a phrase, ``leaf``/``trace``, ``close``."""

    def __init__(self) -> None:
        self._labels: list[str] = []
        self._parents: list[int] = []
        self._tokens: list[int] = []
        self._forms: list[str] = []
        self._edges: list[str] = []
        self._open: list[int] = []
        self._next = 0

    def open(self, label: str, *, edge: str = "") -> int:
        """The id of a new phrase under the innermost open one."""
        v = self._add(label, -1, "", edge)
        self._open.append(v)
        return v

    def leaf(
        self, tag: str, form: str, *, token: int | None = None, edge: str = ""
    ) -> int:
        """The id of a word; ``token`` defaults to the next position."""
        position = self._next if token is None else token
        self._next = position + 1
        return self._add(tag, position, form, edge)

    def trace(self, tag: str, form: str, *, edge: str = "") -> int:
        """The id of an empty element."""
        return self._add(tag, -1, form, edge)

    def close(self) -> None:
        self._open.pop()

    @property
    def depth(self) -> int:
        return len(self._open)

    def freeze(self) -> Tree:
        """The tree; raises InvalidValue if it is none."""
        if self._open:
            raise InvalidValue(f"tree: {len(self._open)} phrases still open")
        return Tree(
            tuple(self._labels),
            tuple(self._parents),
            tuple(self._tokens),
            tuple(self._forms),
            tuple(self._edges) if any(self._edges) else (),
        )

    def _add(self, label: str, token: int, form: str, edge: str) -> int:
        self._labels.append(label)
        self._parents.append(self._open[-1] if self._open else -1)
        self._tokens.append(token)
        self._forms.append(form)
        self._edges.append(edge)
        return len(self._labels) - 1
