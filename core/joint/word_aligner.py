"""The word aligner that comes with Gemel: weights, settings, one door."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from core.data.alignment import Kind, Link, token_ref
from core.data.check import Floats
from core.errors import InvalidValue, Unavailable
from core.inference.assignment import assign
from core.protocols import Analysis
from core.scoring.logistic import LogisticModel
from core.scoring.phrases import word_rows
from core.text.wordnet import Thesaurus, thesaurus

__all__ = ["ENGINE", "VERSION", "WEIGHTS", "TrainedWordAligner", "WordSettings"]

WEIGHTS = Path(__file__).parent / "weights" / "words.json"
ENGINE = "word-aligner"
VERSION = "1"


@dataclass(frozen=True, slots=True)
class WordSettings:
    """``least``: probability from which words are linked; ``sure``: from which they
    are surely; ``many``: a word may have several links. Raises InvalidValue."""

    least: float = 0.35
    sure: float = 0.6
    many: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.least <= self.sure < 1:
            raise InvalidValue("0 < least <= sure < 1 wanted")


@dataclass(frozen=True)
class TrainedWordAligner:
    """``context``: the model where words have vectors; ``plain``: where they do not."""

    context: LogisticModel
    plain: LogisticModel
    settings: WordSettings
    facts: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "TrainedWordAligner":
        """The aligner of a weights file; raises Unavailable if it is missing."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            settings = WordSettings(**data["settings"])
            models = [
                LogisticModel.from_json(data[name]) for name in ("context", "plain")
            ]
        except OSError as error:
            raise Unavailable(f"{path}: no weights of the word aligner") from error
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidValue(f"{path}: no weights: {error!r}") from error
        return cls(models[0], models[1], settings, data.get("facts", {}))

    def save(self, path: Path) -> None:
        """Write the file that ``load`` reads."""
        data = {
            "facts": dict(self.facts),
            "settings": asdict(self.settings),
            "context": self.context.to_json(),
            "plain": self.plain.to_json(),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")

    def with_settings(self, **changes: Any) -> "TrainedWordAligner":
        return replace(self, settings=replace(self.settings, **changes))

    def probabilities(self, source: Analysis, target: Analysis) -> Floats:
        """``(T, V)``: how probable it is that two words are linked."""
        vectors = None
        if source.vectors is not None and target.vectors is not None:
            vectors = source.vectors, target.vectors
        rows = word_rows(
            source.sentence.forms,
            target.sentence.forms,
            _tags(source),
            _tags(target),
            vectors,
            self._thesaurus,
        )
        nats = (self.plain if vectors is None else self.context).nats(rows)
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(nats, -30, 30))))

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        """The links, each with its ``prob``, in the order of the words."""
        rules = self.settings
        found = self.probabilities(source, target)
        if rules.many:
            cells = [(int(i), int(j)) for i, j in np.argwhere(found >= rules.least)]
        else:
            cells = assign(found - rules.least)
        return tuple(_link(i, j, float(found[i, j]), rules) for i, j in cells)

    @cached_property
    def _thesaurus(self) -> Thesaurus | None:
        try:
            return thesaurus()
        except Unavailable:
            return None


def _tags(analysis: Analysis) -> tuple[str, ...]:
    return analysis.xpos or analysis.upos or ("X",) * len(analysis.sentence)


def _link(i: int, j: int, prob: float, rules: WordSettings) -> Link:
    kind: Kind = "sure" if prob >= rules.sure else "possible"
    return Link(token_ref(i), token_ref(j), kind, attrs={"prob": f"{prob:.3f}"})
