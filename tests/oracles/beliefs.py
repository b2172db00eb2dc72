"""Labelled trees of linked sentences and what their disagreements cost, enumerated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from core.data.deps import DepAnalysis
from tests.oracles.arcs import Heads, dependency_trees, weight

Tree = tuple[Heads, tuple[int, ...]]


@dataclass(frozen=True)
class RootFactor:
    """Word ``s`` of sentence ``a`` and ``t`` of ``b`` are linked with probability
    ``prob``, and ROOT with ROOT."""

    s: int
    t: int
    prob: float
    a: int = 0
    b: int = 1


def labelled_trees(
    deps: DepAnalysis, *, projective: bool
) -> Iterator[tuple[float, Tree]]:
    """Every tree with every choice of relations, and its weight in nats."""
    assert deps.arcs is not None
    assert deps.relations is not None
    n = len(deps.tree)
    for heads in dependency_trees(n, projective=projective):
        for labels in product(range(len(deps.relation_names)), repeat=n):
            cells = zip(heads, range(n), labels, strict=True)
            nats = sum(deps.relations[h + 1, m + 1, r] for h, m, r in cells)
            yield weight(heads, deps.arcs) + float(nats), (heads, labels)


def worths(
    sides: Sequence[DepAnalysis],
    factors: Sequence[RootFactor],
    of: int,
    *,
    slack: float,
    projective: bool,
) -> dict[Tree, float]:
    """Of each labelled tree of sentence ``of``: the log of the summed weights of all
    joint choices that hold it."""
    spaces = [list(labelled_trees(one, projective=projective)) for one in sides]
    weights: dict[Tree, float] = {}
    for choice in product(*spaces):
        nats = sum(value for value, _ in choice)
        for factor in factors:  # ROOT is linked for certain
            ours = _state(choice[factor.a][1], factor.s)
            theirs = _state(choice[factor.b][1], factor.t)
            nats -= slack * factor.prob * (ours != theirs)
        tree = choice[of][1]
        weights[tree] = float(np.logaddexp(weights.get(tree, -np.inf), nats))
    return weights


def _state(tree: Tree, m: int) -> int | None:
    """The relation of the arc from ROOT to m; None if there is none."""
    return tree[1][m] if tree[0][m] == -1 else None
