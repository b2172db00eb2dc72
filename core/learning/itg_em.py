"""Expectation maximisation for bracketing ITG, from pairs without labels.

Wu 1997, section 5; Wu 2005 asks for it in section 6. The rules of A share one
distribution: straight, inverted, and all the ways to end in a link or a null. Which of
these are one parameter is the caller's choice: a number for every word pair makes a
translation lexicon, a number for every *kind* of word pair a handful of weights.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from core.grammar.itg import ItgWeights
from core.inference.biparse import inside_outside

__all__ = ["ItgModel", "TiedPair", "train_itg"]

Ints = NDArray[np.int64]
FORBIDDEN = -1
NEVER = 1e-100  # keeps the logarithm of what was never seen finite
RULES = 2  # straight and inverted stand behind the lexical parameters


@dataclass(frozen=True, slots=True, eq=False)
class TiedPair:
    """One pair as numbers of parameters: ``links`` ``(T, V)``, -1 forbids a link;
    ``source_nulls`` ``(T,)``, ``target_nulls`` ``(V,)``."""

    links: Ints
    source_nulls: Ints
    target_nulls: Ints


@dataclass(frozen=True, slots=True, eq=False)
class ItgModel:
    """``logs`` ``(n + 2,)``: log-probabilities in nats of n lexical parameters, then
    of the straight and the inverted rule. ``shares`` ``(n,)``: how many different
    links or nulls share a parameter, evenly (1 where it is a single word pair)."""

    logs: Floats
    shares: Floats

    @classmethod
    def uniform(cls, shares: Sequence[float]) -> "ItgModel":
        """Every rule equally likely; parameters weigh by their shares."""
        counts = np.append(np.asarray(shares, dtype=np.float64), [1.0, 1.0])
        if (counts <= 0).any():
            raise InvalidValue("shares must be positive")
        return cls(np.log(counts / counts.sum()), counts[:-RULES])

    def weights(self, pair: TiedPair) -> ItgWeights:
        """What this model says of the pair."""
        each = np.append(self.logs[:-RULES] - np.log(self.shares), -np.inf)
        return ItgWeights(
            each[pair.links],
            each[pair.source_nulls],
            each[pair.target_nulls],
            float(self.logs[-2]),
            float(self.logs[-1]),
        )


def train_itg(
    pairs: Sequence[TiedPair],
    start: ItgModel,
    *,
    iterations: int = 10,
    tolerance: float = 1e-4,
    smoothing: float = 1e-3,
    on_iteration: Callable[[int, float], None] | None = None,
) -> ItgModel:
    """The model after EM; it ends early when the pairs gain under ``tolerance`` each.

    ``smoothing`` is added to every expected count. ``on_iteration`` hears the number
    and the log-likelihood in nats of the model that the iteration started with; it
    never falls while ``smoothing`` is 0. Raises InvalidValue without a pair.
    O(iterations x pairs x T^3 V^3).
    """
    if not pairs:
        raise InvalidValue("no pairs to train on")
    model, before = start, -np.inf
    for number in range(iterations):
        counts, likelihood = _expect(pairs, model)
        if on_iteration:
            on_iteration(number, likelihood)
        counts += smoothing
        counts = np.maximum(counts, NEVER)
        model = ItgModel(np.log(counts / counts.sum()), model.shares)
        if likelihood - before < tolerance * len(pairs):
            break
        before = likelihood
    return model


def _expect(pairs: Iterable[TiedPair], model: ItgModel) -> tuple[Floats, float]:
    counts, likelihood = np.zeros(len(model.logs)), 0.0
    for pair in pairs:
        seen = inside_outside(model.weights(pair))
        likelihood += seen.log_total
        allowed = pair.links != FORBIDDEN
        np.add.at(counts, pair.links[allowed], seen.links[allowed])
        np.add.at(counts, pair.source_nulls, seen.source_nulls)
        np.add.at(counts, pair.target_nulls, seen.target_nulls)
        counts[-2:] += seen.straight, seen.inverted
    return np.maximum(counts, 0.0), likelihood
