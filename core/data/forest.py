"""Packed parse forests: directed hypergraphs as integer arrays, without weights."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.data.check import Ints
from core.errors import InvalidValue


class Symbols:
    """A growing two-way table of strings and their ids, in order of first sight."""

    __slots__ = ("_ids", "_names")

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: list[str] = []
        self._ids: dict[str, int] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> int:
        """The id of ``name``, made if it is new."""
        known = self._ids.setdefault(name, len(self._names))
        if known == len(self._names):
            self._names.append(name)
        return known

    def get(self, name: str) -> int:
        """The id of ``name``, or -1."""
        return self._ids.get(name, -1)

    def __getitem__(self, index: int) -> str:
        return self._names[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._ids


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Nodes in topological order (parts before wholes), edges grouped by head.

    ``labels[v]``: index into ``names``; ``starts[v], ends[v]``: half-open span. The
    edges with head v are ``first_edge[v] .. first_edge[v + 1] - 1``; the tails of
    edge e are ``tails[first_tail[e] : first_tail[e + 1]]``, left to right; an edge
    without tails makes a leaf. The root is the last node. No nodes = no parse.

    Names: "S+VP" is a unary chain collapsed to one node, top first; "" marks a node
    that only binarisation made, dropped when a derivation becomes a Tree.
    Weights are float64 nats per edge and travel apart: ``inside(forest, weights)``.
    """

    names: tuple[str, ...]
    labels: Ints
    starts: Ints
    ends: Ints
    first_edge: Ints  # (n_nodes + 1,)
    first_tail: Ints  # (n_edges + 1,)
    tails: Ints
    heads: Ints = field(init=False)  # (n_edges,)

    def __post_init__(self) -> None:
        arrays = (self.labels, self.starts, self.ends, self.first_edge)
        for array in (*arrays, self.first_tail, self.tails):
            if array.dtype != np.int32 or array.ndim != 1:
                raise InvalidValue("forest: expected one-dimensional int32 arrays")
        n = len(self.labels)
        if not len(self.starts) == len(self.ends) == n == len(self.first_edge) - 1:
            raise InvalidValue("forest: node arrays differ in length")
        _check_offsets(self.first_edge, len(self.first_tail) - 1)
        _check_offsets(self.first_tail, len(self.tails))
        heads = np.repeat(np.arange(n, dtype=np.int32), np.diff(self.first_edge))
        object.__setattr__(self, "heads", heads)
        self._check(n)

    def _check(self, n: int) -> None:
        if n and (self.labels.min() < 0 or self.labels.max() >= len(self.names)):
            raise InvalidValue("forest: label out of range")
        if n and (np.diff(self.first_edge) < 1).any():
            raise InvalidValue("forest: a node without an edge derives nothing")
        owner = np.repeat(self.heads, np.diff(self.first_tail))
        if (self.tails >= owner).any() or (self.tails < 0).any():
            raise InvalidValue("forest: tails must come before their head")

    @property
    def n_nodes(self) -> int:
        return len(self.labels)

    @property
    def n_edges(self) -> int:
        return len(self.heads)

    @property
    def root(self) -> int:
        """The last node; -1 if there is no parse."""
        return self.n_nodes - 1

    @property
    def n_tokens(self) -> int:
        return int(self.ends[-1] - self.starts[-1]) if self.n_nodes else 0

    def edges_of(self, v: int) -> range:
        return range(int(self.first_edge[v]), int(self.first_edge[v + 1]))

    def tails_of(self, e: int) -> Ints:
        return self.tails[self.first_tail[e] : self.first_tail[e + 1]]

    def name(self, v: int) -> str:
        return self.names[int(self.labels[v])]


def _check_offsets(offsets: Ints, total: int) -> None:
    """Raises InvalidValue unless they rise from 0 to ``total``: what they divide is
    made in memory, so no one may claim more than there is."""
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != total:
        raise InvalidValue("forest: offsets must run from 0 to the end of their array")
    if (np.diff(offsets) < 0).any():
        raise InvalidValue("forest: offsets must not decrease")


class ForestBuilder:
    """Collects nodes and edges in any order of edges; ``freeze`` sorts and checks."""

    def __init__(self) -> None:
        self._names = Symbols()
        self._nodes: list[tuple[int, int, int]] = []  # label, start, end
        self._edges: list[list[tuple[int, ...]]] = []

    def node(self, name: str, start: int, end: int) -> int:
        """The id of a new node. Make parts before wholes, the root last."""
        if not 0 <= start < end:
            raise InvalidValue(f"forest: node {name} over empty span [{start}, {end})")
        self._nodes.append((self._names.add(name), start, end))
        self._edges.append([])
        return len(self._nodes) - 1

    def edge(self, head: int, tails: Sequence[int] = ()) -> None:
        """One way to make ``head`` out of ``tails``, left to right."""
        if any(t >= head for t in tails):
            raise InvalidValue(f"forest: edge into {head} from a later node")
        self._edges[head].append(tuple(tails))

    def freeze(self) -> Forest:
        """The forest; its edges are numbered by head, then in order of ``edge``."""
        flat = [tails for edges in self._edges for tails in edges]
        nodes = np.array(self._nodes, dtype=np.int32).reshape(-1, 3)
        return Forest(
            tuple(self._names),
            np.ascontiguousarray(nodes[:, 0]),
            np.ascontiguousarray(nodes[:, 1]),
            np.ascontiguousarray(nodes[:, 2]),
            _offsets([len(edges) for edges in self._edges]),
            _offsets([len(tails) for tails in flat]),
            np.array([t for tails in flat for t in tails], dtype=np.int32),
        )


def _offsets(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


EMPTY_FOREST = ForestBuilder().freeze()
