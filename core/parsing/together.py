"""Compatible arcs and brackets: one analysis of a sentence.

A phrase is connected if exactly one word in it has its head outside. Every further arc
into a phrase costs a few nats: a tree of brackets Y and a tree of arcs Z weigh

    spans(Y) + arcs(Z) - cost * sum over phrases of max(0, arcs of Z into it - 1).

Which word of a phrase is its head does not matter, so no head rules are needed, and
UD's content heads do not contradict Penn's phrases. Punctuation is left out. Either
tree is decoded from its own scores minus the costs expected from the other one's
marginals (mean field). That is not an exact maximum, and gives no bound on the distance
to one. Zhou & Zhao 2019, "Head-Driven Phrase Structure Grammar Parsing on Penn
Treebank", decode both as one exactly, from heads found by rule, with span and arc
scores trained for it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.dependencies.mst import tree_marginals
from core.forests.cky import bracket_marginals, summed

Phrase = tuple[int, int, str]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Coupling:
    """The cost of a further arc into a phrase, in nats: for brackets, and for arcs.

    The defaults are those with the highest F1 and LAS together on every other sentence
    of GUM dev, of nine (lab/notes/model-card.md).
    """

    brackets: float = 0.5
    arcs: float = 0.25
    rounds: int = 1


def coupled(
    scores: Floats, arcs: Floats, counted: Flags, coupling: Coupling
) -> tuple[Floats, Floats]:
    """``scores`` and ``arcs`` less what they would cost each other; new arrays.

    ``scores`` as in ``core.forests.cky``, ``arcs`` as in ``core.dependencies.mst``,
    ``counted[i]``: the word is not punctuation. O(rounds (n^3 + n^2 labels)).
    """
    new_scores, new_arcs = scores, arcs
    for _ in range(coupling.rounds):
        p_arcs, p_phrases = tree_marginals(new_arcs), _phrases(new_scores)
        second = np.maximum(leaving(p_arcs, counted) - 1.0, 0.0)
        new_scores = scores.copy()
        new_scores[:, :, 1:] -= coupling.brackets * second[:, :, None]
        new_arcs = arcs - coupling.arcs * crossed(p_phrases, counted)
    return new_scores, new_arcs


def leaving(p_arcs: Floats, counted: Flags) -> Floats:
    """``[i, j]``: how many words of i to j - 1 have their head outside, expected.

    ``p_arcs[head, modifier]`` are probabilities, 0 = ROOT. O(n^2).
    """
    n = len(counted)
    p = p_arcs * np.append(False, counted)
    inner = np.zeros((n + 1, n + 1))
    inner[1:, 1:] = p[1:, 1:].cumsum(0).cumsum(1)
    all_arcs = p.sum(0).cumsum()
    own = np.diag(inner)
    inside = own[None, :] - inner - inner.T + own[:, None]
    expected: Floats = all_arcs[None, :] - all_arcs[:, None] - inside
    return expected


def crossed(p_phrases: Floats, counted: Flags) -> Floats:
    """``[head, modifier]``: how many phrases hold the modifier, not the head, expected.

    ``p_phrases[i, j]``: how probable a phrase over i to j - 1 is. O(n^2).
    """
    n = len(counted)
    around = p_phrases.cumsum(0)[:, ::-1].cumsum(1)[:, ::-1]  # from <= i, to >= j
    word = np.arange(n)
    low = np.minimum(word[:, None], word[None, :])
    both = around[low, np.maximum(word[:, None], word[None, :]) + 1]
    of_arcs = np.zeros((n + 1, n + 1))
    of_arcs[0, 1:] = np.diag(both)
    of_arcs[1:, 1:] = np.diag(both)[None, :] - both
    expected: Floats = of_arcs * np.append(False, counted)
    return expected


def fitting(
    phrases: Iterable[Phrase], heads: Sequence[int], counted: Sequence[bool]
) -> tuple[int, int]:
    """Return how many spans of two or more words are connected, and how many there are.

    ``heads``: from 0, the root -1.
    """
    spans = {(i, j) for i, j, _ in phrases if j - i > 1}
    arcs_in = (
        sum(counted[m] and not i <= heads[m] < j for m in range(i, j)) for i, j in spans
    )
    return sum(n <= 1 for n in arcs_in), len(spans)


def _phrases(scores: Floats) -> Floats:
    """How probable each span of two words and more is; the whole sentence is not one:
    nothing but the root arc leaves it."""
    null, phrase = summed(scores)
    _, p, _ = bracket_marginals(phrase, null)
    word = np.arange(len(p) - 1)
    p[word, word + 1] = 0.0
    p[0, -1] = 0.0
    return p
