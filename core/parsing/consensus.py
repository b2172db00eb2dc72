"""The consensus tree: all brackets with a probability above one half."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from core.data.check import Floats
from core.data.forest import Forest
from core.forests.cky import SpanDecoder, bracket_marginals, cky, summed
from core.forests.derivation import Phrase, chain_labels, phrases_of
from core.forests.kbest import viterbi

COST = 0.4  # of a bracket, with given posteriors: chosen on wsj 0131 to 0160


def consensus(
    scores: Floats, names: tuple[str, ...]
) -> tuple[float, float, tuple[Phrase, ...]]:
    """The consensus tree's score and phrases in preorder, the log partition between.

    ``scores`` as in ``core.forests.cky``, ``names[x]`` the unary chain of label x.
    A bracket is one label of a chain. It is kept if trees of more than half of the
    probability have it; no two such brackets cross. Where the labels kept make up no
    chain of ``names``, the chain is taken whose brackets' probabilities, each less one
    half, sum highest. So the tree maximises expected right less half of all brackets,
    where Viterbi maximises the chance that every bracket is right.

    Raises InvalidScores as ``cky`` does, Contradiction if this tree is forbidden. Time
    is O(n^2 labels + n^3). Goodman 1996, "Parsing Algorithms and Metrics".
    """
    null, phrase = summed(scores)
    log_z, p_phrase, _ = bracket_marginals(phrase, null)
    i, j = np.nonzero(p_phrase > 0.5)
    p = np.exp(scores[i, j, 1:] - phrase[i, j, None]) * p_phrase[i, j, None]
    has = _brackets_of(names)[1:]
    gain = (p @ has - 0.5) @ has.T
    label = gain.argmax(1) + 1 if len(i) else np.empty(0, dtype=np.int64)
    kept = gain.max(1, initial=0.0) > 0.0
    i, j, label = i[kept], j[kept], label[kept]
    order = np.lexsort((-j, i))
    rows = zip(i[order].tolist(), j[order].tolist(), label[order], strict=True)
    phrases = tuple((start, end, names[x]) for start, end, x in rows)
    return score_of(scores, names, phrases), log_z, phrases


def score_of(
    scores: Floats, names: tuple[str, ...], phrases: Sequence[Phrase]
) -> float:
    """The weight of the tree of ``phrases`` under ``scores``, in nats.

    Raises Contradiction if it is forbidden, ValueError for a chain not in ``names``.
    """
    i, j = (np.array([x[k] for x in phrases], dtype=np.int64) for k in (0, 1))
    label = np.array([names.index(x[2]) for x in phrases], dtype=np.int64)
    decoder = SpanDecoder(scores)
    decoder.null[i, j] = -np.inf
    decoder.phrase[:] = -np.inf
    decoder.phrase[i, j] = scores[i, j, label]
    score, _ = decoder.argmax(decoder.phrase, bonus=np.zeros_like(decoder.null))
    return score


def of_posteriors(posterior: Floats, names: tuple[str, ...]) -> tuple[Phrase, ...]:
    """The phrases, in preorder, of the tree with the highest sum of its brackets'
    posteriors, each less 0.4 (Goodman 1996).

    ``posterior[i, j, x]``, ``(n + 1, n + 1, names)``: how probable the chain
    ``names[x]`` is over the span; ``names[0]`` is "". Time as ``consensus``.
    """
    i, j = np.nonzero(posterior[:, :, 1:].sum(2) > COST / 4)
    scores = np.full_like(posterior, -np.inf)
    scores[:, :, 0] = 0.0
    scores[i, j, 1:] = _gains(posterior[i, j], names)[:, 1:]
    _, brackets = cky(scores)
    return tuple((a, b, names[x]) for a, b, x in brackets.tolist() if x)


def in_forest(forest: Forest, posterior: Floats) -> tuple[Phrase, ...]:
    """As ``of_posteriors``, among the trees of a forest; ``posterior[i, j, x]``: the
    probability of the chain ``forest.names[x]`` over the span.

    Raises Contradiction if the forest has no tree. Time is linear in the forest.
    """
    over_spans = _gains(posterior[forest.starts, forest.ends], forest.names)
    gain = over_spans[np.arange(forest.n_nodes), forest.labels]
    _, edges = viterbi(forest, gain[forest.heads])
    return tuple(phrases_of(forest, edges))


def _gains(posterior: Floats, names: tuple[str, ...]) -> Floats:
    """What each chain's brackets gain over each span, 0 of no chain; of the same shape
    as the posteriors, ``(spans, names)``."""
    has = _brackets_of(names)
    gains: Floats = (posterior @ has - COST) @ has.T
    return gains


@lru_cache(maxsize=8)
def _brackets_of(names: tuple[str, ...]) -> Floats:
    """``(names, brackets)``, 1: a chain has a label, for the first, second … time."""
    chains = [chain_labels(name) for name in names]
    rows = [{(x, c[:k].count(x)) for k, x in enumerate(c)} for c in chains]
    all_brackets = sorted(set().union(*rows))
    return np.array([[b in row for b in all_brackets] for row in rows], dtype=float)
