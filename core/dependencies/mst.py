"""Non-projective dependency parsing: best arborescences and their marginals, one root.

``arcs``: float64 ``(n + 1, n + 1)``, nats, ``[head, modifier]``, index 0 = ROOT; column
0 and the diagonal are ignored, ``-inf`` forbids. Exactly one token has ROOT as head.
Heads are tokens from 0, ROOT = -1. All functions raise InvalidScores on another shape
or dtype, on NaN or +inf.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from core.data import check
from core.data.check import Floats, Ints
from core.dependencies.kernels import arcs as kernels
from core.dependencies.kernels import trees
from core.errors import Contradiction

LEAST_LOG_DET = -12.0  # of columns scaled to 1: e^-12 costs five of sixteen digits


def mst(arcs: Floats) -> tuple[float, Ints]:
    """The best tree's score and heads, int32 ``(n,)``. O(n^2).

    Raises Contradiction if every tree uses a forbidden arc. Chu & Liu 1965, Edmonds
    1967. Ties between arcs into one token go to the lowest head.
    """
    check.arc_nats(arcs=arcs)
    score, heads = MstDecoder(len(arcs) - 1).argmax(arcs, bonus=np.zeros_like(arcs))
    return score, heads.copy()


def best_msts(arcs: Floats, k: int) -> list[tuple[float, Ints]]:
    """The k best trees, best first, fewer if there are fewer. O(k n^3)."""
    check.arc_nats(arcs=arcs)
    scores, heads = kernels.best_arborescences(arcs, k)
    return [(float(score), row) for score, row in zip(scores, heads, strict=True)]


class MstDecoder:
    """``mst`` for sentences of ``n`` tokens, without allocation between calls."""

    def __init__(self, n: int) -> None:
        size = 2 * n + 1
        self._w = np.empty((size, size))
        self._real = np.empty((size, size), dtype=np.int32)
        self._entering = np.empty(size)
        self._nodes = np.empty((5, size), dtype=np.int32)
        self._heads = np.empty(n, dtype=np.int32)

    def argmax(self, weights: Floats, *, bonus: Floats) -> tuple[float, Ints]:
        """The score of the best tree under ``weights + bonus``, and its heads.

        The heads are a view, good until the next call; the arrays are trusted. Raises
        Contradiction if every tree is forbidden.
        """
        score = kernels.arborescence(
            weights,
            bonus,
            self._w,
            self._real,
            self._entering,
            self._nodes,
            self._heads,
        )
        if score == -np.inf:
            raise Contradiction("every tree uses a forbidden arc")
        return score, self._heads


def tree_marginals(arcs: Floats) -> Floats:
    """The probability of each arc, shaped as ``arcs``; zeros if every tree is
    forbidden.

    Matrix-tree theorem, O(n^3). Koo et al. 2007, "Structured Prediction Models via the
    Matrix-Tree Theorem", with the root row in place of the first. Where cycles of good
    arcs outweigh all trees by far, the inverse has no digits left, and the O(n^4) way
    of ``core.dependencies.kernels.trees`` is taken.
    """
    check.arc_nats(arcs=arcs)
    n = len(arcs) - 1
    inner = arcs[:, 1:].copy()
    inner[np.arange(1, n + 1), np.arange(n)] = -np.inf
    scale = inner.max(axis=0)  # (n,), the best arc into each token
    if np.isneginf(scale).any():
        return np.zeros_like(arcs)
    p_arcs = _by_inverse(np.exp(inner - scale))
    if p_arcs is not None:
        return p_arcs
    p_arcs = np.zeros_like(arcs)
    trees.stable_marginals(arcs, p_arcs)
    roots = p_arcs[0].sum()  # far from 1 if all trees with one root are forbidden
    return p_arcs if 0.5 < roots < 1.5 else np.zeros_like(arcs)


def _by_inverse(weights: Floats) -> Floats | None:
    """Marginals for arc weights ``(n + 1, n)``, not in logs; None where it is weak."""
    root, between = weights[0], weights[1:]
    n = len(root)
    laplace = np.diag(between.sum(axis=0)) - between
    laplace[0] = root
    sign, log_det = np.linalg.slogdet(laplace)
    if sign <= 0 or log_det <= LEAST_LOG_DET:
        return None
    inverse = np.linalg.inv(laplace)  # (n, n)
    not_first = np.arange(n) > 0
    diagonal = np.where(not_first, np.diag(inverse), 0.0)
    crossing = np.where(not_first[:, None], inverse.T, 0.0)
    p_arcs = np.zeros((n + 1, n + 1))
    p_arcs[1:, 1:] = between * (diagonal[None, :] - crossing)
    p_arcs[0, 1:] = root * inverse[:, 0]
    return np.asarray(p_arcs.clip(0.0, 1.0))


Heads = Sequence[int]
HeadStep = tuple[Heads, Heads, int]
"""Heads before and after a step, and the word that it was about, -1 for all of them."""


def decided_heads(steps: Iterable[HeadStep]) -> dict[int, int]:
    """The head of each word as decided by steps: of each word that got another head,
    and of the word of a step. Later steps override earlier ones."""
    decided: dict[int, int] = {}
    for before, after, at in steps:
        decided |= {
            m: head
            for m, (was, head) in enumerate(zip(before, after, strict=True))
            if head != was or m == at
        }
    return decided


def arcs_under(arcs: Floats, decided: Mapping[int, int]) -> Floats:
    """The weights, with no other head than the decided one for these words.

    ``arcs``: as in ``core.dependencies.mst``. A decided arc is possible, with weight 0,
    also where the parser has forbidden it. Several roots, or a circle, leave no tree.
    """
    under = arcs.copy()
    for m, head in decided.items():
        weight = arcs[head + 1, m + 1]
        under[:, m + 1] = -np.inf
        under[head + 1, m + 1] = weight if np.isfinite(weight) else 0.0
    return under
