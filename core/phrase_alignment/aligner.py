"""The phrase aligner that comes with Gemel: weights, settings, interface.

The probability that two nodes are linked: words first, then phrases over the linked
words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.data.forest import Forest
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.packing import prune
from core.instrumentation import timed
from core.learning import weights_file
from core.learning.logistic import LogisticModel
from core.phrase_alignment.features import Nodes, phrase_rows, word_rows
from core.phrase_alignment.forest_align import Aligned, AlignSettings, align_all, nodes
from core.phrase_alignment.sides import BinaryForest, side_of_forest, side_of_tree
from core.protocols import Analysis
from core.text.wordnet import Thesaurus, find_thesaurus

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
            raise InvalidValue(f"not a phrase model: {error!r}") from error


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


WEIGHTS = Path(__file__).parent / "weights" / "phrases.json"
ENGINE = "forest-aligner"
VERSION = "1"
DECIDED = 8.0  # nats: the log-odds of a link that a person made
MARGIN = 4.0  # nats: a tree less probable than the best by more than this, 1 in 55


@dataclass(frozen=True)
class PhraseAligner:
    """``context``: the model where words have vectors; ``plain``: where they do not."""

    context: PhraseModel
    plain: PhraseModel
    settings: AlignSettings
    facts: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "PhraseAligner":
        """The aligner of a weights file; raises Unavailable if it is missing."""
        parts = weights_file.read(
            path, "phrase aligner", AlignSettings, PhraseModel.from_json
        )
        return cls(*parts)

    def save(self, path: Path) -> None:
        """Write the file that ``load`` reads."""
        weights_file.write(path, self.facts, self.settings, self.context, self.plain)

    def gains(
        self, source: BinaryForest, target: BinaryForest, vectors: Vectors
    ) -> Floats:
        """``(n_s, n_t)`` nats, as ``core.phrase_alignment.supports`` wants them."""
        with timed(ENGINE, "phrase alignment", sentences=2):
            return self._gains(source, target, vectors)

    def align(
        self,
        source: BinaryForest,
        target: BinaryForest,
        vectors: Vectors = None,
        *,
        settings: AlignSettings | None = None,
        k: int = 1,
    ) -> Aligned:
        """The best alignment of two sides, with ``k`` unpacked for probabilities."""
        with timed(ENGINE, "phrase alignment", sentences=2):
            gain = self._gains(source, target, vectors)
            return align_all(source, target, gain, settings or self.settings, k=k)

    def _gains(
        self, source: BinaryForest, target: BinaryForest, vectors: Vectors
    ) -> Floats:
        model = self.plain if vectors is None else self.context
        s, t = nodes(source), nodes(target)
        word_nats = model.word_nats(s, t, vectors, find_thesaurus()[0])
        return model.gains(s, t, word_nats, vectors)

    def regaining(self, source: BinaryForest, target: BinaryForest) -> "Regaining":
        """Return how the gains of two sides change once words are decided; computed by
        the model without vectors."""
        s, t = nodes(source), nodes(target)
        before = self.plain.word_nats(s, t, None, find_thesaurus()[0])
        gains = self.plain.gains(s, t, before, None)
        return Regaining(self.plain, s, t, before, gains)

    def with_settings(self, **changes: Any) -> "PhraseAligner":
        return replace(self, settings=replace(self.settings, **changes))


@dataclass(frozen=True, eq=False)
class Regaining:
    """Two sides while nothing is decided: log-odds of words ``(T, V)``, and gains."""

    model: PhraseModel
    source: Nodes
    target: Nodes
    word_nats: Floats
    gains: Floats

    def of(self, gain: Floats, held: Floats) -> Floats:
        """``gain`` once some words are decided: phrases gain by what is in them.

        ``held`` ``(T, V)``: 1 for words that are linked, -1 for those that are not, 0
        for the undecided.
        """
        if not held.any():
            return gain
        nats = np.where(held == 0, self.word_nats, DECIDED * held)
        now = self.model.gains(self.source, self.target, nats, None)
        return np.asarray(gain + now - self.gains)


def side_of(analysis: Analysis, tree: Tree | None = None) -> BinaryForest:
    """The forest of an analysis within 4 nats of its best tree, or the one ``tree``.

    Raises InvalidValue if there is neither, or no parse.
    """
    if tree is not None:
        return side_of_tree(tree)
    if analysis.forest is None or analysis.edge_weights is None:
        raise InvalidValue("the forest is missing: parse with constituents")
    words = analysis.sentence.forms
    tags = analysis.xpos or analysis.upos or ("X",) * len(words)
    return side_of_packed(analysis.forest, analysis.edge_weights, words, tags)


def side_of_packed(
    forest: Forest, weights: Floats, words: Sequence[str], tags: Sequence[str]
) -> BinaryForest:
    """A parser's forest within 4 nats of its best tree.

    Raises InvalidValue if there is no parse.
    """
    near, kept = prune(forest, weights, margin=MARGIN)
    return side_of_forest(near, kept, words=words, tags=tags)
