"""Trees as rows, one per node, in which every relation is a comparison of numbers.

Grust 2002, "Accelerating XPath location steps", SIGMOD (dominance as an interval of
preorder numbers); Lai and Bird 2010, "Querying linguistic trees", JoLLI 19.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from core.data.deps import DepTree
from core.data.tree import Tree
from core.trees.heads import head_child

HEAD = "HD"  # the edge of a head, in TIGER and its like


class Kind(IntEnum):
    """The kind of a row."""

    PHRASE = 0
    TAG = 1
    WORD = 2
    TOKEN = 3  # of a dependency tree


@dataclass(frozen=True, slots=True)
class NodeRow:
    """``pre``: preorder number, words counted as nodes below their tags; ``last``: the
    greatest one below it, its own for a leaf. ``parent``: -1 for a root. ``ord``,
    ``rord``: place among the siblings from 1, from either end. ``uend``: the lowest
    node that only children lead to. ``lo``, ``hi``: the leaves below, half-open, with
    empty elements. ``label``: of a word its form, of a token its relation. ``node``:
    the number in ``Tree``; of a word or token its position, -1 for an empty element.
    ``head``: of a constituent the word that heads it, as its ``pre``; otherwise -1.
    """

    pre: int
    last: int
    parent: int
    depth: int
    ord: int
    rord: int
    kids: int
    uend: int
    lo: int
    hi: int
    label: str
    kind: Kind
    node: int
    head: int = -1


def tree_rows(tree: Tree) -> list[NodeRow]:
    """A row for each node of a constituency tree, and one for each word below a tag."""
    nodes: list[tuple[int, Kind, str]] = []  # node, kind, label; by preorder number
    parents: list[int] = []
    number: dict[int, int] = {}  # of a node of the tree
    for v in range(len(tree)):
        pre = number[v] = len(nodes)
        parents.append(number[tree.parents[v]] if v else -1)
        leaf = tree.is_leaf(v)
        nodes.append((v, Kind.TAG if leaf else Kind.PHRASE, tree.labels[v]))
        if leaf:
            parents.append(pre)
            nodes.append((tree.tokens[v], Kind.WORD, tree.forms[v]))
    kids = _children(parents)
    places = _leaf_places(tree)
    spans = [(0, 0)] * len(nodes)
    for v, place in places.items():
        spans[number[v] + 1] = place, place + 1
    for v in range(len(nodes) - 1, -1, -1):
        if kids[v]:
            below = [spans[child] for child in kids[v]]
            spans[v] = min(lo for lo, _ in below), max(hi for _, hi in below)
    heads = [-1] * len(nodes)
    for v, word in enumerate(_head_leaves(tree)):
        if word >= 0:
            heads[number[v]] = number[word] + 1
        if tree.is_leaf(v):
            heads[number[v]] = heads[number[v] + 1] = number[v] + 1
    return list(_rows(parents, kids, spans, nodes, heads))


def dep_rows(tree: DepTree) -> list[NodeRow]:
    """A row for each token, heads above their dependents, these in their order.

    ``lo``, ``hi`` are those of the token itself, whatever depends on it.
    """
    below = _children(list(tree.heads))
    order: list[int] = []
    waiting = [m for m in range(len(tree) - 1, -1, -1) if tree.heads[m] < 0]
    while waiting:
        token = waiting.pop()
        order.append(token)
        waiting += reversed(below[token])
    number = {token: pre for pre, token in enumerate(order)}
    parents = [number.get(tree.heads[token], -1) for token in order]
    nodes = [(token, Kind.TOKEN, tree.labels[token]) for token in order]
    spans = [(token, token + 1) for token in order]
    none = [-1] * len(order)
    return list(_rows(parents, _children(parents), spans, nodes, none))


def _children(parents: Sequence[int]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in parents]
    for v, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(v)
    return below


def _head_leaves(tree: Tree) -> list[int]:
    """The leaf that heads each node: by the edges HD of its children where there are
    some, else by Collins' rules; -1 above empty elements alone."""
    leaves = [v if tree.tokens[v] >= 0 else -1 for v in range(len(tree))]
    for v in range(len(tree) - 1, -1, -1):
        full = [child for child in tree.children[v] if leaves[child] >= 0]
        if full:
            named = [
                child for child in full if tree.edges and tree.edges[child] == HEAD
            ]
            leaves[v] = leaves[named[0] if named else head_child(tree, v)]
    return leaves


def _leaf_places(tree: Tree) -> dict[int, int]:
    """By leaf its place in the sentence; an empty one before what follows."""
    leaves = [v for v in range(len(tree)) if tree.is_leaf(v)]
    leaves.sort(key=lambda v: (tree.spans[v][0], tree.tokens[v] >= 0, v))
    return {v: place for place, v in enumerate(leaves)}


def _rows(
    parents: list[int],
    kids: list[list[int]],
    spans: list[tuple[int, int]],
    nodes: list[tuple[int, Kind, str]],
    heads: list[int],
) -> Iterator[NodeRow]:
    n = len(nodes)
    last, uend = list(range(n)), list(range(n))
    for v in range(n - 1, -1, -1):
        if kids[v]:
            last[v] = last[kids[v][-1]]
        if len(kids[v]) == 1:
            uend[v] = uend[kids[v][0]]
    depth = [0] * n
    ords = [1] * n
    for v, parent in enumerate(parents):
        depth[v] = depth[parent] + 1 if parent >= 0 else 0
        for place, child in enumerate(kids[v], 1):
            ords[child] = place
    for v, (node, kind, label) in enumerate(nodes):
        parent = parents[v]
        siblings = len(kids[parent]) if parent >= 0 else 1
        yield NodeRow(
            v, last[v], parent, depth[v], ords[v], siblings + 1 - ords[v],
            len(kids[v]), uend[v], *spans[v], label, kind, node, heads[v],
        )  # fmt: skip
