"""How probable it is that two words of a pair are linked: two perceptrons in turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data.check import Floats
from core.errors import InvalidValue
from core.learning.perceptron import Perceptron
from core.learning.weights_file import pack, unpack
from core.text.wordnet import Thesaurus
from core.word_alignment.features import AnalysedWords, around, table


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A straight map of word vectors: ``mean`` (d,) is taken off, then times
    ``matrix`` (d, k)."""

    mean: Floats
    matrix: Floats

    def project(self, vectors: Floats) -> Floats:
        """``(n, d)`` to ``(n, k)``; raises InvalidValue on vectors of another model."""
        if vectors.shape[1:] != self.mean.shape:
            raise InvalidValue(
                f"word vectors of {vectors.shape[1:]} numbers where the word aligner "
                f"was fitted on {self.mean.shape}: fit it on this parser's"
            )
        projected: Floats = (vectors - self.mean) @ self.matrix
        return projected

    def to_json(self) -> dict[str, Any]:
        return {"mean": pack(self.mean), "matrix": pack(self.matrix, bits=8)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Metric":
        """Inverse of ``to_json``; raises InvalidValue on anything else."""
        try:
            return cls(unpack(data["mean"]), unpack(data["matrix"]))
        except (KeyError, TypeError) as error:
            raise InvalidValue(f"no metric: {error!r}") from error


@dataclass(frozen=True, slots=True, eq=False)
class WordModel:
    """``first`` judges each pair of words, ``second`` again with what the first said
    of the others. ``metric`` is None in a model that takes no vectors."""

    first: Perceptron
    second: Perceptron
    metric: Metric | None = None

    def nats(
        self, source: AnalysedWords, target: AnalysedWords, thesaurus: Thesaurus | None
    ) -> Floats:
        """Log-odds ``(T, V)`` that two words are linked. O(T V (T + V))."""
        rows = rows_of(source, target, thesaurus, self.metric)
        return self.second.nats(again(rows, self.first.nats(rows)))

    def to_json(self) -> dict[str, Any]:
        fields = {"first": self.first.to_json(), "second": self.second.to_json()}
        return fields | ({"metric": self.metric.to_json()} if self.metric else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "WordModel":
        """Inverse of ``to_json``; raises InvalidValue on anything else."""
        try:
            metric = Metric.from_json(data["metric"]) if "metric" in data else None
            first, second = (Perceptron.from_json(data[k]) for k in ("first", "second"))
        except (KeyError, TypeError) as error:
            raise InvalidValue(f"no word model: {error!r}") from error
        return cls(first, second, metric)


def rows_of(
    source: AnalysedWords,
    target: AnalysedWords,
    thesaurus: Thesaurus | None,
    metric: Metric | None,
) -> Floats:
    """The first round's numbers, with cosines if there is a metric and vectors."""
    if metric is None or source.vectors is None or target.vectors is None:
        return table(source, target, thesaurus)
    projected = metric.project(source.vectors), metric.project(target.vectors)
    return table(source, target, thesaurus, projected)


def again(rows: Floats, nats: Floats) -> Floats:
    """The second round's numbers: the first's, and what it said around each cell."""
    return np.concatenate([rows, around(nats)], axis=-1)
