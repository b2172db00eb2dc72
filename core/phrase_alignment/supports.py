"""Packed supports: the best alignments of two forests, bottom-up (Arase & Tsujii 2017).

Algorithm 4.1 keeps, for every pair of phrases, all pairs of descendants that support
it, packed, and finds their lowest common ancestors in tables. Here the two LCA tables
are walked at once, one edge of a forest at a time, so that equation 1 becomes a product
of forests: a support and its path products gamma are a derivation of

    full(s, t)    l-l' and r-r' (straight) or l-r' and r-l' (inverted), over all edges
    even(s, t)    the same, within the phrase s (t) though binarisation split it
    uneven(s, t)  supports whose LCA is s on one side, on the other side below t; or t,
                  and below s (two tables: below both they meet in two nulls)
    link(s, t)    s and t aligned; inside: nothing, even, one part of each, or uneven
    item(s, t)    link, or full with s and t both null
    top(s, t)     item at s and at t or below;   down(s, t): item at or below both

Every derivation uses one edge of each node it visits, on either side, so Same-Tree
holds by construction, in O(edges_s * edges_t) time for all trees of both forests: no
beam is needed for the best one. A gain is log P(s, t) - log P(s, null) - log
P(null, t): then the nulls of a whole tree are a constant, or in a forest part of the
edges' weights, and each null node counts once, off the paths of equation 1 too.

Where the paper leaves a choice:
- one support alone is enough if all next to it is null (see ``legitimacy``);
- a link without any support is a leaf: a word link, or an idiom;
- ``null_cost``: what leaving s and t null costs where links meet in them. Infinite is
  Maximum Set (3.2.6) taken strictly;
- ``cross_cost`` (mu_c): what an uneven link costs; it is marked as crossing.

Links that no composition of supports gives (Arase & Tsujii 2017, section 4.3).

A derivation of packed supports joins parts that are neighbours in some binarisation of
both phrases. Where the order differs more than that, the paper lets a phrase fill a
null of an alignment that is already there (Algorithm 4.2). Here the same is done to an
unpacked derivation, link after link, the best first: every pair of null nodes of the
two chosen trees with a positive gain is a candidate.

TRACE goes from the root pair down the supports to the link under whose nulls the
candidate falls. DOWN then compares it with the supports there: each must be inside the
candidate on both sides, or outside on both sides. If so, the candidate becomes a
support itself, and takes over the supports inside it: all of Definition 3.2 but the
lowest common ancestor of 3.1 still holds. If not, it breaks the order of the links
around it: it costs ``order_cost`` nats for each support it splits, and is crossing.

Choices: candidates are taken greedily (the paper tries the supports of its beam), and
the supports of crossing links are left as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import cast

import numpy as np

from core.data import check
from core.data.check import Floats, Ints
from core.errors import InvalidScores
from core.phrase_alignment.kernels import align
from core.phrase_alignment.kernels.align import fill
from core.phrase_alignment.kernels.unpacking import k_best
from core.phrase_alignment.kernels.ways import Edges
from core.phrase_alignment.sides import BinaryForest

MOST = 50  # derivations unpacked for each requested alignment; most are equal
Pair = tuple[int, int]
Unpacked = tuple[Floats, Ints, Ints, Ints]  # scores, edges of either side, links


@dataclass(frozen=True, slots=True)
class Derivation:
    """An alignment read off: links as node pairs, the trees, what supports what.

    ``edges[0], edges[1]``: the chosen edge of every node of the two trees.
    ``supports``: link to the links right below it. ``crossing``: the uneven ones.
    """

    score: float
    links: tuple[Pair, ...]
    edges: tuple[dict[int, int], dict[int, int]]
    supports: dict[Pair, tuple[Pair, ...]]
    crossing: frozenset[Pair] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class PackedSupports:
    """The filled tables; ``k_best`` unpacks what it needs."""

    source: BinaryForest
    target: BinaryForest
    gain: Floats
    cross_cost: float
    null_cost: float
    tables: Floats = field(repr=False)  # (8, n_s, n_t)

    def k_best(self, k: int) -> Iterator[Derivation]:
        """The ``k`` best different alignments, best first; fewer if there are fewer.

        Derivations with the same links and trees are one alignment; regions that are
        null keep their best tree.
        """
        n_unpacked = k
        while True:
            unpacked = self._unpacked(n_unpacked)
            first = _different(unpacked)
            if (
                len(first) >= k
                or len(unpacked[0]) < n_unpacked
                or n_unpacked >= MOST * k
            ):
                rows = (part[first[:k]].tolist() for part in unpacked)
                yield from starmap(_derivation, zip(*rows, strict=True))
                return
            n_unpacked = min(4 * n_unpacked, MOST * k)

    def _unpacked(self, k: int) -> Unpacked:
        """The ``k`` best derivations. Lazy (Huang & Chiang 2005, algorithm 3)."""
        goals = np.array([(s, t) for s in self.source.tops for t in self.target.tops])
        costs = np.array([self.cross_cost, self.null_cost], dtype=np.float64)
        sides = _edges(self.source), _edges(self.target)
        unpacked = k_best(*sides, self.gain, costs, self.tables, goals, k)
        n = int(np.count_nonzero(unpacked[0] > -np.inf))  # best first
        return cast(Unpacked, tuple(part[:n] for part in unpacked))


def _different(unpacked: Unpacked) -> list[int]:
    """The first row of each set of links in each two trees."""
    _, chosen_s, chosen_t, links = unpacked
    cells = np.sort(links[:, :, 0].astype(np.int64) << 32 | links[:, :, 1], axis=1)
    rows = np.concatenate([cells, chosen_s, chosen_t], axis=1)
    first: dict[bytes, int] = {}
    for at, row in enumerate(rows):
        first.setdefault(row.tobytes(), at)
    return list(first.values())


def _edges(side: BinaryForest) -> Edges:
    return Edges(side.first_edge, side.parts, side.weight, side.named, side.below)


def _derivation(
    score: float, chosen_s: list[int], chosen_t: list[int], rows: list[list[int]]
) -> Derivation:
    """One row of what the kernel found, as a value."""
    rows = [row for row in rows if row[0] >= 0]
    below: list[list[Pair]] = [[] for _ in rows]
    for s, t, above, _ in rows[1:]:
        below[above].append((s, t))
    supports = {
        (s, t): tuple(sorted(under))
        for (s, t, *_), under in zip(rows, below, strict=True)
    }
    crossing = frozenset((s, t) for s, t, _, uneven in rows if uneven)
    edges = tuple(
        {v: edge for v, edge in enumerate(chosen) if edge >= 0}
        for chosen in (chosen_s, chosen_t)
    )
    return Derivation(
        score, tuple(sorted(supports)), (edges[0], edges[1]), supports, crossing
    )


def pack(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    *,
    cross_cost: float = np.inf,
    null_cost: float = np.inf,
) -> PackedSupports:
    """The packed supports of all alignments. ``gain``: float64 ``(n_s, n_t)``, nats.

    ``-inf`` forbids a link. Costs are nats, at least 0; infinite: not allowed.
    Raises InvalidScores. O(edges_s * edges_t) time, 8 tables of n_s * n_t in space.
    """
    check.nats(gain=gain)
    if gain.shape != (source.n_nodes, target.n_nodes):
        wanted = source.n_nodes, target.n_nodes
        raise InvalidScores(f"gain: expected {wanted}, got {gain.shape}")
    tables = np.empty((8, *gain.shape))
    sides = *_edges(source), *_edges(target)
    fill(*sides, gain, float(cross_cost), float(null_cost), tables)
    return PackedSupports(source, target, gain, cross_cost, null_cost, tables)


def fill_nulls(
    derivation: Derivation,
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    *,
    order_cost: float,
) -> Derivation:
    """``derivation`` with further links between its nulls; its score grows with it.

    ``order_cost`` in nats; infinite: no crossing links. O(candidates * links).
    """
    links = derivation.links
    row = {pair: at for at, pair in enumerate(links)}
    above = np.full(len(links), -1, dtype=np.int32)
    for pair, below in derivation.supports.items():
        for one in below:
            above[row[one]] = row[pair]
    score, pairs, above, crossing = align.fill_nulls(
        derivation.score,
        np.array(links, dtype=np.int32).reshape(-1, 2),
        above,
        _free(derivation, source, 0),
        _free(derivation, target, 1),
        gain,
        source.packed,
        target.packed,
        float(order_cost),
    )
    if len(pairs) == len(links):
        return derivation
    every = [(s, t) for s, t in pairs.tolist()]
    supports: dict[Pair, list[Pair]] = {pair: [] for pair in sorted(every)}
    for pair, up in sorted(zip(every, above.tolist(), strict=True)):
        if up >= 0:
            supports[every[up]].append(pair)
    over = frozenset(every[at] for at in np.flatnonzero(crossing))
    return replace(
        derivation,
        score=score,
        links=tuple(supports),
        supports={pair: tuple(below) for pair, below in supports.items()},
        crossing=derivation.crossing | over,
    )


def nodes_of(derivation: Derivation, side: BinaryForest, which: int) -> list[int]:
    """The named nodes of the chosen tree of one side (0 source, 1 target)."""
    return sorted(side.linkable.intersection(derivation.edges[which]))


def _free(derivation: Derivation, side: BinaryForest, which: int) -> Ints:
    """The nodes of the chosen tree that are null."""
    linked = {pair[which] for pair in derivation.links}
    free = side.linkable.intersection(derivation.edges[which]) - linked
    return np.array(sorted(free), dtype=np.int32)
