"""The trees that an engine offers for one sentence, and how good each is said to be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.models import Parse, Sentence
from annotator.services.parses.marginals import sureness
from core.data.tree import Tree
from core.forests.inside import expected_f1
from core.formats.forest_npz import StoredForest


@dataclass(frozen=True, slots=True)
class RankedTree:
    """One tree of an engine's n-best list, its figures in percent.

    ``share``: the probability that all of it is right. ``f1``: the F1 of brackets that
    the engine's forest expects of it; None without a forest.
    """

    rank: int
    share: float
    f1: float | None


def stored(
    sentence: Sentence, engine: str, version: str, forest: StoredForest | None
) -> list[RankedTree]:
    """The stored trees of an engine: the one it chose, then the likeliest wholes."""
    rows = Parse.objects.filter(
        sentence=sentence,
        engine=engine,
        version=version,
        kind=Parse.Kind.CONSTITUENCY,
    )
    trees = [(row.score or 0.0, row.to_tree()) for row in rows.order_by("rank")]
    return ranked(trees, forest)


def ranked(
    trees: Sequence[tuple[float, Tree]], forest: StoredForest | None
) -> list[RankedTree]:
    """Trees, each with its log-probability, in this order."""
    chances = sureness(forest) if forest else None
    return [
        RankedTree(
            rank,
            100 * float(np.exp(min(0.0, score))),
            None if chances is None else 100 * expected_f1(_brackets(tree), chances),
        )
        for rank, (score, tree) in enumerate(trees, 1)
    ]


def _brackets(tree: Tree) -> list[tuple[int, int, str]]:
    return [
        (*tree.spans[v], label)
        for v, label in enumerate(tree.labels)
        if not tree.is_leaf(v)
    ]
