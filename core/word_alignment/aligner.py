"""The word aligner that comes with Gemel: weights, settings, interface.

One to one or many to many, sure or possible, each link with its probability; with the
vectors of the English parser's middle layer and WordNet, or without either. Two
perceptrons in turn say how probable it is that two words of a pair are linked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.data.alignment import Kind, Link, token_ref
from core.data.check import Floats
from core.errors import InvalidScores, InvalidValue
from core.forests.kernels.assignment import best_assignment
from core.instrumentation import timed
from core.learning import weights_file
from core.learning.perceptron import Perceptron
from core.learning.weights_file import pack, unpack
from core.protocols import Analysis, BackendInfo
from core.text.wordnet import Thesaurus, find_thesaurus
from core.word_alignment.features import NO_TAG, AnalysedWords, around, table


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
                f"word vectors of {vectors.shape[1:]} numbers but the word aligner was "
                f"fitted on {self.mean.shape}: fit it on this parser's vectors"
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
            raise InvalidValue(f"not a metric: {error!r}") from error


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
            raise InvalidValue(f"not a word model: {error!r}") from error
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


def assign(gains: Floats) -> list[tuple[int, int]]:
    """The cells of the best one-to-one matching of rows and columns, sorted.

    ``gains`` float64 ``(n, m)``: what a link wins; a cell that wins nothing (zero or
    less) is never linked, so rows and columns may stay alone. Raises InvalidScores on
    NaN or an infinity. O(min(n, m)^2 max(n, m)); Jonker & Volgenant 1987.
    """
    if gains.ndim != 2 or not np.isfinite(gains).all():
        raise InvalidScores("expected a table of finite gains")
    if not gains.size:
        return []
    wide = gains if gains.shape[0] <= gains.shape[1] else gains.T
    won = np.ascontiguousarray(np.maximum(wide, 0.0), dtype=np.float64)
    columns = best_assignment(won)[1].tolist()
    cells = [(i, j) for i, j in enumerate(columns) if wide[i, j] > 0]
    return cells if wide is gains else sorted((j, i) for i, j in cells)


WEIGHTS = Path(__file__).parent / "weights" / "words.json"
ENGINE = "word-aligner"
VERSION = "1"


@dataclass(frozen=True, slots=True)
class WordSettings:
    """``least``: probability from which words are linked; ``sure``: from which they
    are surely; ``many``: a word may have several links, so that phrases are linked
    word by word; else the one-to-one links of the greatest total are taken. Raises
    InvalidValue."""

    least: float = 0.5
    sure: float = 0.75
    many: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.least <= self.sure < 1:
            raise InvalidValue("expected 0 < least <= sure < 1")


@dataclass(frozen=True)
class TrainedWordAligner:
    """``context``: the model where words have vectors; ``plain``: where they do not."""

    context: WordModel
    plain: WordModel
    settings: WordSettings
    facts: Mapping[str, Any]
    thesaurus: Thesaurus | None = None

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "TrainedWordAligner":
        """The aligner of a weights file, with WordNet if it is installed; raises
        Unavailable if the file is missing, InvalidValue if it is no such file."""
        parts = weights_file.read(
            path, "word aligner", WordSettings, WordModel.from_json
        )
        return cls(*parts, find_thesaurus()[0])

    def save(self, path: Path) -> None:
        """Write the file that ``load`` reads."""
        weights_file.write(path, self.facts, self.settings, self.context, self.plain)

    def with_settings(self, **changes: Any) -> "TrainedWordAligner":
        return replace(self, settings=replace(self.settings, **changes))

    def probabilities(self, source: Analysis, target: Analysis) -> Floats:
        """``(T, V)``: how probable it is that two words are linked.

        Raises InvalidValue on vectors of another width than it was fitted on.
        """
        both = source.vectors is not None and target.vectors is not None
        model = self.context if both else self.plain
        with timed(ENGINE, "word alignment", sentences=2):
            nats = model.nats(words_of(source), words_of(target), self.thesaurus)
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(nats, -30, 30))))

    def knows(self, parser: BackendInfo) -> bool:
        """Whether its vectors are those that the weights were fitted on, or are named
        in the file as good for them: of one name, one first number of the version."""
        named = [self.facts.get("vectors", ""), *self.facts.get("as_good", ())]
        here = parser.name, parser.version.split(".")[0]
        return any(
            (name, version.split(".")[0]) == here
            for name, _, version in (str(one).partition(" ") for one in named)
        )

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        """The links, each with its ``prob``, in the order of the words."""
        return self.links(self.probabilities(source, target))

    def links(self, probs: Floats) -> tuple[Link, ...]:
        """The links of a table of probabilities. O(n^3) one to one."""
        rules = self.settings
        with timed(ENGINE, "word alignment", sentences=0):  # they have been read
            if rules.many:
                cells = [(int(i), int(j)) for i, j in np.argwhere(probs >= rules.least)]
            else:
                cells = assign(probs - rules.least)
        return tuple(_link(i, j, float(probs[i, j]), rules) for i, j in cells)

    def expected_errors(self, probs: Floats) -> float:
        """The expected numbers of wrong links in the table, and of words wrongly
        without one: the lower bound of both sides."""
        linked = np.zeros(probs.shape, dtype=bool)
        for link in self.links(probs):
            linked[int(link.source[1:]), int(link.target[1:])] = True
        wrong = float((1 - probs)[linked].sum())
        rows, columns = ~linked.any(1), ~linked.any(0)
        missing = max(
            float(probs[rows].max(1, initial=0).sum()),
            float(probs[:, columns].max(0, initial=0).sum()),
        )
        return wrong + missing


def words_of(analysis: Analysis) -> AnalysedWords:
    """The aligner's input from an analysis."""
    forms = analysis.sentence.forms
    return AnalysedWords(
        forms, analysis.xpos or (NO_TAG,) * len(forms), analysis.vectors
    )


def _link(i: int, j: int, prob: float, rules: WordSettings) -> Link:
    kind: Kind = "sure" if prob >= rules.sure else "possible"
    return Link(token_ref(i), token_ref(j), kind, attrs={"prob": f"{prob:.3f}"})
