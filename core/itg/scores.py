"""Scores of pairs: how well they biparse, combined by a few fitted weights."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from core.data.check import Floats
from core.errors import Unavailable
from core.itg.biparse import Biparse, likeliest_biparse
from core.itg.features import PLAIN, THESAURUS, PairView, features
from core.itg.grammar import CostSettings
from core.learning.logistic import LogisticModel
from core.text.wordnet import Thesaurus
from core.word_alignment.lexicon import LexiconSettings, WordRelation

VERSION = "1"  # of the scores: raised when the same settings score otherwise

WU = CostSettings(LexiconSettings(substitution=2.0), match=0.34)
"""Fitted to the figure that Wu 2005 publishes for MSRPC test: unnormalised
log-probabilities, in which a match, too, costs about a third of a null."""
WU_ENTAILMENT = CostSettings(LexiconSettings(substitution=2.0), inversion=1.0)
"""Fitted to the figure that it publishes for RTE-1 test: cost over the longer side."""
STOPPED = CostSettings(LexiconSettings(substitution=2.0, stop_list=2.0), inversion=1.0)


@dataclass(frozen=True, slots=True)
class Scorer:
    """A way to score: costs, what the cost is divided by, whether weights are tuned.

    ``by``: ``null``, the cost of linking nothing, so that 1 is a perfect match and 0
    none; ``longer``, the words of the longer side; ``nothing``: raw nats.
    ``tuned``: the weights fitted on labelled pairs, whose log-odds become the score.
    """

    name: str
    label: str
    costs: CostSettings
    by: Literal["null", "longer", "nothing"] = "null"
    needs_thesaurus: bool = False
    wants_vectors: bool = False
    is_exact: bool = False
    tuned: Literal["", "paraphrase", "entailment"] = ""

    def view(
        self,
        source: Sequence[str],
        target: Sequence[str],
        thesaurus: Thesaurus | None = None,
        vectors: tuple[Floats, Floats] | None = None,
    ) -> PairView:
        """The pair with all that this scorer looks at, and nothing else."""
        return PairView(
            source,
            target,
            thesaurus if self.needs_thesaurus else None,
            vectors if self.wants_vectors else None,
            is_symmetric=self.tuned != "entailment",
        )

    def matches(
        self, view: PairView, links: Iterable[tuple[int, int]]
    ) -> tuple[tuple[int, int], ...]:
        """The links whose words have to do with each other, as far as this scorer sees.

        The others represent substitutions: one word instead of the other costs less
        than leaving both without a counterpart.
        """
        related = view.exact if self.is_exact else view.related
        return tuple(link for link in links if related[link] != WordRelation.NONE)

    def likeliest(self, view: PairView) -> Biparse:
        """Among the pair's best biparses, the one with the most probable links.

        Raises SentenceTooLong where ``score`` would still find one of the best.
        """
        weights = view.weights(
            self.costs, exact=self.is_exact, context=self._sees_context(view)
        )
        return likeliest_biparse(weights)

    def _sees_context(self, view: PairView) -> bool:
        return self.wants_vectors and view.vectors is not None

    def score(self, view: PairView) -> "ItgScore":
        """Return the score of one pair; higher means more similar."""
        best, cost = view.biparse(
            self.costs, exact=self.is_exact, context=self._sees_context(view)
        )
        if self.tuned:
            return ItgScore(_tuned_score(self.tuned, view), best)
        longer = max(len(view.source), len(view.target))
        by = {"null": 1 - cost, "longer": best.score / longer, "nothing": best.score}
        return ItgScore(float(by[self.by]), best)


@dataclass(frozen=True, slots=True)
class ItgScore:
    """``value``: higher is more similar; a probability where weights are fitted."""

    value: float
    biparse: Biparse


def _tuned_score(task: str, view: PairView) -> float:
    model = trained(task, context=view.cosine is not None)
    return float(1.0 / (1.0 + np.exp(-model.log_odds(features(view)))))


SCORERS: Mapping[str, Scorer] = {
    scorer.name: scorer
    for scorer in (
        Scorer("plain", "Unit costs (Wu 2005)", PLAIN, is_exact=True),
        Scorer("thesaurus", "Structure and thesaurus", THESAURUS, needs_thesaurus=True),
        Scorer(
            "context",
            "Structure, thesaurus and context",
            THESAURUS,
            needs_thesaurus=True,
            wants_vectors=True,
        ),
        Scorer(
            "paraphrase",
            "Probability of a paraphrase",
            THESAURUS,
            needs_thesaurus=True,
            wants_vectors=True,
            tuned="paraphrase",
        ),
        Scorer(
            "entailment",
            "Probability of entailment",
            THESAURUS,
            needs_thesaurus=True,
            wants_vectors=True,
            tuned="entailment",
        ),
        Scorer(
            "wu2005",
            "Fitted to Wu's published figures, paraphrase",
            WU,
            "nothing",
            is_exact=True,
        ),
        Scorer(
            "wu2005-rte",
            "Fitted to Wu's published figures, entailment",
            WU_ENTAILMENT,
            "longer",
            is_exact=True,
        ),
        Scorer(
            "wu2005-stop",
            "Fitted to Wu's published figures, stop list",
            STOPPED,
            "longer",
            is_exact=True,
        ),
    )
}


@cache
def trained(task: str, *, context: bool) -> LogisticModel:
    """The shipped weights of a task, with or without contextual features.

    Raises Unavailable if this installation does not have them.
    """
    return LogisticModel.from_json(shipped(task, context=context))


@cache
def shipped(task: str, *, context: bool) -> dict[str, Any]:
    """The stored weights; ``vectors``: the encoder that the contextual ones know."""
    name = f"{task}-context.json" if context else f"{task}.json"
    place = files("core.itg") / "weights" / name
    try:
        data: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Unavailable(f"the tuned weights {name} are missing: {error}") from error
    return data
