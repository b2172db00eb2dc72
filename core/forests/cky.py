"""Span-CRF parsing: the best tree, its score, the sum over trees, span marginals.

A tree weighs the sum of ``scores[i, j, label]`` over its brackets, coded to the right
(``forests.kernels.spans``): label 0 is none, and only a right part of more than one
token, a word, or the whole sentence may go without. Unary chains are single labels.
``scores`` is float64 ``(n + 1, n + 1, n_labels)``, nats, read where i < j; ``-inf``
forbids. Time is O(n^2 labels + n^3), space O(n^2). All functions raise InvalidScores
on another shape or dtype, on NaN or +inf. Stern et al. 2017, "A Minimal Span-Based
Neural Constituency Parser"; Zhang et al. 2020, "Fast and Accurate Neural CRF
Constituency Parsing" (there with two stages).
"""

import numpy as np

from core.data import check
from core.data.check import Floats, Ints
from core.errors import Contradiction, InvalidScores
from core.forests.kernels import spans as kernels


def cky(scores: Floats) -> tuple[float, Ints]:
    """The best tree's score and its phrases ``(start, end, label)``, int32, preorder.

    Words without a phrase of their own are omitted. Raises Contradiction if every tree
    is forbidden. Ties: lowest split, then a phrase before none, then the lowest label.
    """
    decoder = SpanDecoder(scores)
    score, brackets = decoder.argmax(decoder.phrase, bonus=np.zeros_like(decoder.null))
    return score, brackets.copy()


class SpanDecoder:
    """``cky`` under changing bonuses on phrases, without allocation in between.

    ``phrase``: the best label's score per span, ``(n + 1, n + 1)``, the weights to
    pass to ``argmax``; ``label``: which it is; ``null``: the score without a label.
    ``complete``, ``either_t``, ``split``: the chart that ``argmax`` leaves behind.
    """

    def __init__(self, scores: Floats) -> None:
        n = _n_tokens(scores)
        self.null = np.full((n + 1, n + 1), -np.inf)
        self.phrase = np.full((n + 1, n + 1), -np.inf)
        self.label = np.zeros((n + 1, n + 1), dtype=np.int32)
        kernels.best_labels(scores, self.null, self.phrase, self.label)
        self.complete = np.empty((n + 1, n + 1))
        self.either_t = np.empty((n + 1, n + 1))
        self.split = np.empty((n + 1, n + 1), dtype=np.int32)
        self._stack = np.empty((n + 2, 3), dtype=np.int32)
        self._brackets = np.empty((2 * n, 3), dtype=np.int32)

    def argmax(self, weights: Floats, *, bonus: Floats) -> tuple[float, Ints]:
        """The best tree's score, bonuses counted, and its phrases.

        ``weights``: as ``phrase``; ``bonus``: ``(n + 1, n + 1)``, added to every phrase
        that the tree has. The phrases are a view, good until the next call. Raises
        Contradiction if every tree is forbidden. The arrays are trusted: this is
        called in loops.
        """
        score = kernels.inside_max(
            self.null, weights, bonus, self.complete, self.either_t, self.split
        )
        if score == -np.inf:
            raise Contradiction("every tree over this sentence has a forbidden bracket")
        count = kernels.read_off(self.split, self.label, self._stack, self._brackets)
        return score, self._brackets[:count]


def log_partition(scores: Floats) -> float:
    """The log of the summed weights of all trees; ``-inf`` if there is none."""
    null, phrase = summed(scores)
    return bracket_marginals(phrase, null)[0]


def bracket_marginals(phrase: Floats, null: Floats) -> tuple[float, Floats, Floats]:
    """Log partition, and how probable each span is as a phrase and without a label.

    ``phrase``, ``null``: ``(n + 1, n + 1)``, scores log-summed over labels and without
    one; give ``null`` ``-inf`` at words if ``phrase`` counts bare words there.
    """
    check.square_nats(phrase=phrase, null=null)
    complete, either_t = np.empty_like(phrase), np.empty_like(phrase)
    body = kernels.inside_log(null, phrase, complete, either_t)
    p_phrase, p_null = np.zeros_like(phrase), np.zeros_like(phrase)
    kernels.marginals(null, phrase, body, complete, either_t, p_phrase, p_null)
    return float(either_t[-1, 0]), p_phrase, p_null


def summed(scores: Floats) -> tuple[Floats, Floats]:
    """Per span, the score without a label and, log-summed, those with one."""
    n = _n_tokens(scores)
    null, phrase = (np.full((n + 1, n + 1), -np.inf) for _ in range(2))
    kernels.sum_labels(scores, null, phrase)
    return null, phrase


def _n_tokens(scores: Floats) -> int:
    check.nats(scores=scores)
    if scores.ndim != 3 or scores.shape[0] != scores.shape[1] or len(scores) < 2:
        raise InvalidScores(
            "scores: expected shape (n + 1, n + 1, labels) with n and labels at least "
            f"1, got {scores.shape}"
        )
    return len(scores) - 1
