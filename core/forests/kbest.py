"""The best derivations of a forest. Conventions as in ``core.forests.inside``."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.data.tree import Tree
from core.errors import Contradiction, InvalidValue
from core.forests.derivation import phrases_of, tree_of_phrases
from core.forests.inside import check_weights
from core.forests.kernels import forest as chart_kernels
from core.forests.kernels import kbest as kernels
from core.protocols import Analysis


def viterbi(forest: Forest, weights: Floats) -> tuple[float, Ints]:
    """The best derivation's weight and its edges in preorder, int32.

    Raises Contradiction if there is none. Ties: the lowest edge of every node.
    """
    values, best_edge = inside_max(forest, weights)
    if not len(values) or values[-1] == -np.inf:
        raise Contradiction("the forest has no derivation of finite weight")
    edges = chart_kernels.read_off(best_edge, forest.first_tail, forest.tails)
    return float(values[-1]), edges


def inside_max(forest: Forest, weights: Floats) -> tuple[Floats, Ints]:
    """Per node, the weight of the best derivation below it, and its edge."""
    check_weights(forest, weights)
    values = np.empty(forest.n_nodes)
    best_edge = np.empty(forest.n_nodes, dtype=np.int32)
    chart_kernels.inside_max(
        weights,
        forest.first_edge,
        forest.first_tail,
        forest.tails,
        values,
        best_edge,
    )
    return values, best_edge


def k_best(
    forest: Forest, weights: Floats, k: int, *, named: bool = False
) -> list[tuple[float, Ints]]:
    """The k best derivations, best first: weight and edges in preorder.

    Fewer if there are fewer; none from an empty forest. Ties: lower edges, then lower
    ranks of the tails, first. O(edges + k depth log k); lazy: a node is opened only
    when a rank of it is asked for. Huang & Chiang 2005, "Better k-best Parsing",
    algorithm 3. ``named``: of derivations that differ only in nodes named "", the best
    alone; each node drops those below it, so at most O(edges k^2) are met.
    """
    if k < 1:
        raise InvalidValue(f"k: expected at least 1, got {k}")
    values, best_edge = inside_max(forest, weights)
    if not len(values) or values[-1] == -np.inf:
        return []
    scores, offsets, edges = kernels.k_best(
        weights,
        values,
        best_edge,
        forest.first_edge,
        forest.first_tail,
        forest.tails,
        _random_by_name(forest) if named else np.empty(0, dtype=np.int64),
        k,
    )
    return [
        (float(score), edges[begin:end])
        for score, begin, end in zip(scores, offsets[:-1], offsets[1:], strict=True)
    ]


def best_trees(
    forest: Forest,
    weights: Floats,
    k: int,
    *,
    words: Sequence[str],
    tags: Sequence[str],
) -> list[tuple[float, Tree]]:
    """The k best different trees, best first, each with its best derivation's weight.

    Derivations that differ only in nodes named "" are one tree. Time as of ``k_best``.
    """
    return [
        (score, tree_of_phrases(phrases_of(forest, edges), words=words, tags=tags))
        for score, edges in k_best(forest, weights, k, named=True)
    ]


def forest_trees(
    analysis: Analysis, k: int, *, words: Sequence[str] | None = None
) -> list[tuple[float, Tree]]:
    """The k best trees of a back-end's forest as ``best_trees`` has them; none if there
    is no forest or no parse. ``words``: for the leaves, if not the sentence's forms."""
    if analysis.forest is None or analysis.edge_weights is None:
        return []
    words = analysis.sentence.forms if words is None else words
    tags = analysis.xpos or ("X",) * len(words)
    return best_trees(analysis.forest, analysis.edge_weights, k, words=words, tags=tags)


def _random_by_name(forest: Forest) -> NDArray[np.int64]:
    """A random number of 62 bits for each span and name; 0 for nodes named ""."""
    ids = {name: i for i, name in enumerate(forest.names)}
    names = np.array([ids[name] for name in forest.names])[forest.labels]
    width = int(forest.ends.max(initial=0)) + 1
    kinds = (names * width + forest.starts) * width + forest.ends
    distinct, kind = np.unique(kinds, return_inverse=True)
    own = np.random.default_rng(0).integers(1, 1 << 62, len(distinct))[kind]
    own[names == ids.get("", -1)] = 0
    return own


def trees_of(
    analysis: Analysis, k: int, *, words: Sequence[str] | None = None
) -> list[tuple[float, Tree]]:
    """Up to k different trees of a back-end's answer with their weights, nats.

    First the back-end's own choice, if it gives one, then the heaviest others in order:
    the first may weigh less than the second. None if there is no forest or no parse.
    ``words``: the words for the leaves, if not the sentence's forms.
    """
    if analysis.forest is None or analysis.edge_weights is None:
        return []
    words = analysis.sentence.forms if words is None else words
    tags = analysis.xpos or ("X",) * len(words)
    trees: list[tuple[float, Tree]] = []
    if analysis.best is not None:
        score, phrases = analysis.best
        trees = [(score, tree_of_phrases(phrases, words=words, tags=tags))]
    if len(trees) < k:
        ranked = forest_trees(analysis, k, words=words)
        trees += [row for row in ranked if not trees or row[1] != trees[0][1]]
    return trees[:k]
