"""Derivations drawn at random. Conventions as in ``core.inference.inside``."""

import numpy as np

from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.errors import Contradiction
from core.inference.inside import inside_log

__all__ = ["sample"]


def sample(
    forest: Forest, weights: Floats, n_samples: int, rng: np.random.Generator
) -> list[Ints]:
    """Independent derivations, each drawn with its probability; edges in preorder.

    Raises Contradiction if there is none. O(size of the derivation x edges per node)
    each, after one inside pass.
    """
    values = inside_log(forest, weights)
    if not len(values) or values[-1] == -np.inf:
        raise Contradiction("the forest has no derivation of finite weight")
    return [_draw(forest, weights, values, rng) for _ in range(n_samples)]


def _draw(
    forest: Forest, weights: Floats, values: Floats, rng: np.random.Generator
) -> Ints:
    drawn: list[int] = []
    waiting = [forest.root]
    while waiting:
        edges = forest.edges_of(waiting.pop())
        here = [weights[e] + values[forest.tails_of(e)].sum() for e in edges]
        shares = np.exp(np.array(here) - np.logaddexp.reduce(here))
        e = edges[int(rng.choice(len(edges), p=shares / shares.sum()))]
        drawn.append(e)
        waiting += forest.tails_of(e)[::-1].tolist()
    return np.array(drawn, dtype=np.int32)
