"""Among the n best trees of two sentences, the pair that agrees most.

Choe & McClosky 2015, algorithm 3: least c(a, b), then greatest f(a) + f(b).
"""

from collections.abc import Sequence

from core.data.check import Floats
from core.data.tree import Tree
from core.dependencies.eisner import best_eisners
from core.dependencies.mst import best_msts
from core.forests.kbest import best_trees
from core.joint_parsing.linked import LinkedWords, disagreements
from core.protocols import Analysis
from core.trees.heads import SEMANTIC, to_dependencies

__all__ = ["Ranked", "best_pair", "ranked_heads", "ranked_trees"]

Heads = tuple[int, ...]
Ranked = list[tuple[float, Heads]]
"""Trees as heads by token (ROOT = -1), each with its score in nats, best first."""


def best_pair(
    source: Ranked, target: Ranked, linked: LinkedWords
) -> tuple[int, int, int]:
    """Indices of the pair that agrees most, and its c(a, b).

    Of pairs that agree and score alike the first. O(n m tokens).
    """
    candidates = [
        (disagreements(linked, a, b), -(x + y), i, j)
        for i, (x, a) in enumerate(source)
        for j, (y, b) in enumerate(target)
    ]
    count, _, i, j = min(candidates)
    return i, j, count


def ranked_heads(arcs: Floats, k: int, *, projective: bool) -> Ranked:
    """The k best dependency trees."""
    ranked = (best_eisners if projective else best_msts)(arcs, k)
    return [(score, tuple(int(h) for h in heads)) for score, heads in ranked]


def ranked_trees(analysis: Analysis, k: int) -> tuple[Ranked, Sequence[Tree]]:
    """The k best constituency trees, converted, and the trees themselves.

    Of trees with the same dependencies only the best is kept, as in the paper. Both
    empty where the analysis has no forest or no parse.
    """
    if analysis.forest is None or analysis.edge_weights is None:
        return [], []
    words = analysis.sentence.forms
    tags = analysis.xpos or ("X",) * len(words)
    ranked = best_trees(
        analysis.forest, analysis.edge_weights, k, words=words, tags=tags
    )
    first: dict[Heads, tuple[float, Tree]] = {}
    for score, tree in ranked:
        first.setdefault(to_dependencies(tree, SEMANTIC).heads, (score, tree))
    trees = [tree for _, tree in first.values()]
    return [(score, heads) for heads, (score, _) in first.items()], trees
