"""How sure two nodes are linked: words first, then phrases over the linked words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from core.learning.logistic import LogisticModel
from core.phrase_alignment.features import (
    Nodes,
    phrase_rows,
    word_rows,
)
from core.text.wordnet import Thesaurus

Vectors = tuple[Floats, Floats] | None


@dataclass(frozen=True, slots=True, eq=False)
class PhraseModel:
    """Two logistic models. ``word_bias, phrase_bias``: nats added to every gain, the
    first to pairs of words: what is lost by a missing link against a wrong one."""

    words: LogisticModel
    phrases: LogisticModel
    word_bias: float = 0.0
    phrase_bias: float = 0.0

    def word_nats(
        self,
        source: Nodes,
        target: Nodes,
        vectors: Vectors,
        thesaurus: Thesaurus | None,
    ) -> Floats:
        """Log-odds ``(T, V)`` that two words are linked."""
        rows = word_rows(
            source.words, target.words, source.tags, target.tags, vectors, thesaurus
        )
        return self.words.nats(rows)

    def gains(
        self, source: Nodes, target: Nodes, word_nats: Floats, vectors: Vectors
    ) -> Floats:
        """``(n_s, n_t)``: nats won by linking two nodes instead of leaving them."""
        links = one_to_one(word_nats)
        rows = phrase_rows(source, target, word_nats, links, vectors)
        leaf_s, leaf_t = (n.members.sum(1) == 1 for n in (source, target))
        both_words = leaf_s[:, None] & leaf_t
        bias = np.where(both_words, self.word_bias, self.phrase_bias)
        return np.asarray(self.phrases.nats(rows) + bias)

    def to_json(self) -> dict[str, Any]:
        return {
            "words": self.words.to_json(),
            "phrases": self.phrases.to_json(),
            "word_bias": self.word_bias,
            "phrase_bias": self.phrase_bias,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "PhraseModel":
        """Inverse of ``to_json``; raises InvalidValue on anything else."""
        try:
            return cls(
                LogisticModel.from_json(data["words"]),
                LogisticModel.from_json(data["phrases"]),
                float(data["word_bias"]),
                float(data["phrase_bias"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidValue(f"no phrase model: {error!r}") from error


def one_to_one(nats: Floats) -> NDArray[np.bool_]:
    """The one-to-one links of positive log-odds, the surest first.

    Ties: the lowest row, then column.
    """
    links = np.zeros(nats.shape, dtype=bool)
    free_s, free_t = np.ones(len(nats), bool), np.ones(nats.shape[1], bool)
    rows, columns = np.nonzero(nats > 0)
    for at in np.argsort(-nats[rows, columns], kind="stable"):
        i, j = rows[at], columns[at]
        if free_s[i] and free_t[j]:
            links[i, j] = True
            free_s[i] = free_t[j] = False
    return links
