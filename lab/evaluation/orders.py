"""In what order a parser's trees are best corrected, played on gold.

Who corrects reads one sentence after another to its end; the curve has the share of
all wrong brackets that are right by then, over the share of all words read. Its area is
0.5 of a random order, on average over all of them: an order and its reverse have 1
together. What the parser is expected to have wrong is what worklists go by.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.agreement.figures import resample
from core.data.check import Floats
from core.data.forest import Forest
from core.data.tree import Tree
from core.forests.constraints import Decisions, best_phrases, consensus_phrases
from core.forests.derivation import chain_labels
from core.forests.inside import bracket_chances
from core.forests.kbest import trees_of
from core.protocols import Analysis
from core.validation import sentences
from lab.evaluation.correcting import bare, distance

ORDERS = (
    "doubt", "doubt a word", "two decoders", "arcs and brackets", "longest", "shortest",
    "best",
)  # fmt: skip
SHARES = (0.1, 0.25, 0.5)


@dataclass(frozen=True, slots=True)
class UnreadTree:
    """A parsed sentence. ``wrong``: brackets that the parse or gold has alone;
    ``values``: by each of ``ORDERS``, high ones are read first; ``cluster``: its
    document."""

    cluster: int
    n_tokens: int
    wrong: int
    values: tuple[float, ...]


def candidate(answer: Analysis | Exception, gold: Tree, cluster: int) -> UnreadTree:
    """What is known of the sentence before it is read, and what is wrong in it; what
    was not parsed has all to be done, and comes last. Gold is ``bare``."""
    none = tuple(-1.0 for _ in ORDERS)
    if isinstance(answer, Exception) or answer.forest is None:
        return UnreadTree(cluster, gold.n_tokens, _phrases(gold), none)
    trees = trees_of(answer, 1, words=gold.words)
    if not trees or answer.edge_weights is None:
        return UnreadTree(cluster, gold.n_tokens, _phrases(gold), none)
    tree = trees[0][1]
    chances = bracket_chances(answer.forest, answer.edge_weights)
    places = [(*tree.spans[v], tree.labels[v]) for v in _of_phrases(tree)]
    doubt = sum(1.0 - min(1.0, chances.get(place, 0.0)) for place in places)
    wrong, n = distance(bare(tree), gold), gold.n_tokens
    unlike, against = (
        _unlike(answer.forest, answer.edge_weights),
        _against(tree, answer),
    )
    values = (doubt, doubt / n, unlike, against, n, -n, wrong / n)
    return UnreadTree(cluster, n, wrong, tuple(map(float, values)))


def _of_phrases(tree: Tree) -> list[int]:
    return [v for v in range(len(tree)) if not tree.is_leaf(v)]


def _phrases(tree: Tree) -> int:
    return len(_of_phrases(tree))


def _unlike(forest: Forest, weights: Floats) -> int:
    """Count brackets that only the heaviest tree or only the consensus has."""
    best, consensus = (
        Counter(
            (i, j, label)
            for i, j, chain in decode(forest, weights, Decisions())
            for label in chain_labels(chain)
        )
        for decode in (best_phrases, consensus_phrases)
    )
    return ((best - consensus) + (consensus - best)).total()


def _against(tree: Tree, answer: Analysis) -> int:
    """Count phrases that the parser's own arcs contradict."""
    return len(sentences.between(tree, answer.deps.tree)) if answer.deps else 0


def compared(
    sentences: Sequence[UnreadTree], *, replicates: int = 1000, seed: int = 1
) -> dict[str, dict[str, Any]]:
    """Of every order the area, what a bootstrap over documents says of it (95 %), and
    the share of the wrong brackets found after shares of the words."""
    clusters = np.array([one.cluster for one in sentences])
    tokens = np.array([one.n_tokens for one in sentences], float)
    wrong = np.array([one.wrong for one in sentences], float)
    drawn = resample(int(clusters.max()) + 1, replicates, np.random.default_rng(seed))
    weights = drawn[:, clusters]
    results: dict[str, dict[str, Any]] = {}
    for at, name in enumerate(ORDERS):
        values = np.array([one.values[at] for one in sentences])
        order = np.argsort(-values, kind="stable")
        areas = [area(tokens[order], wrong[order], w[order]) for w in weights]
        low, high = np.quantile(areas[1:], [0.025, 0.975])
        after = fixed_after(tokens[order], wrong[order], SHARES)
        results[name] = {
            "area": round(areas[0], 3),
            "interval": [round(float(low), 3), round(float(high), 3)],
            "fixed_after": {f"{share:.0%}": round(y, 3) for share, y in after},
        }
    return results


def area(tokens: Floats, wrong: Floats, weights: Floats | None = None) -> float:
    """Under the curve, of sentences in the order in which they are read, each taken
    ``weights`` times; 0.5 if nothing is wrong."""
    weights = np.ones(len(tokens)) if weights is None else weights
    read, fixed = np.cumsum(tokens * weights), np.cumsum(wrong * weights)
    if not len(read) or not fixed[-1]:
        return 0.5
    x, y = np.r_[0.0, read / read[-1]], np.r_[0.0, fixed / fixed[-1]]
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


def fixed_after(
    tokens: Floats, wrong: Floats, shares: Sequence[float]
) -> list[tuple[float, float]]:
    """The share of the wrong brackets in the sentences read to their end, after each
    share of the words."""
    read: Floats = np.cumsum(tokens) / tokens.sum()
    n_read = np.searchsorted(read, np.array(shares) + 1e-12, side="right")
    total = wrong.sum() or 1.0
    fixed = np.r_[0.0, np.cumsum(wrong)] / total
    return [(s, float(fixed[n])) for s, n in zip(shares, n_read, strict=True)]
