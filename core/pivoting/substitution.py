"""Paraphrases substituted into a sentence, under each condition, best first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

from core.data.tree import Tree
from core.errors import InvalidValue
from core.pivoting.conditions import CONDITIONS, Condition
from core.pivoting.labels import ccg_labels
from core.pivoting.language_model import SentenceModel
from core.pivoting.table import Paraphrase, Table
from core.pivoting.weighting import (
    WEIGHTED,
    Site,
    Weights,
    candidates,
    components,
    scored,
)
from core.protocols import ParserBackend

LM = "+lm"
ALL_CONDITIONS = tuple(name + lm for name in CONDITIONS for lm in ("", LM))
"""The eight conditions of Callison-Burch 2008, section 4.3, in its order."""
_TRIED = 100  # paraphrases that the language model sees


@dataclass(frozen=True, slots=True)
class Substitute:
    """A paraphrase in its sentence. ``place`` counts from 1, within the condition.

    ``p``: by the condition without the language model; ``lm``: log10 of the new
    sentence, None where no model was asked; ``score``: what it is ranked by: log10 of
    p, plus the weighted ``lm`` in conditions with a model.
    """

    condition: str
    place: int
    paraphrase: Paraphrase
    tokens: tuple[str, ...]
    lm: float | None
    score: float


def substitutes(
    table: Table,
    sentence: Tree | Sequence[str],
    span: tuple[int, int],
    *,
    condition: str | None = None,
    k: int = 5,
    model: SentenceModel | None = None,
    lm_weight: float = 1.0,
) -> list[Substitute]:
    """The ``k`` best substitutes of tokens ``span`` under a condition, or under all.

    ``sentence``: its tree, or its tokens: without a tree the conditions that look at
    labels in the sentence find nothing, and without a ``model`` those that need one
    are left out. ``lm_weight``: of the language model's log-probability next to the
    paraphrase's; the paper names none, 1 is their product. The model is asked about
    the 100 likeliest, in lower case where the table is.

    Raises InvalidValue for another condition, or a span outside the sentence.
    """
    wanted = ALL_CONDITIONS if condition is None else (condition,)
    if not set(wanted) <= set(ALL_CONDITIONS):
        raise InvalidValue(f"conditions are {', '.join(ALL_CONDITIONS)}")
    words = sentence.words if isinstance(sentence, Tree) else tuple(sentence)
    start, end = span
    if not 0 <= start < end <= len(words):
        raise InvalidValue(f"span [{start}, {end}) is not within {len(words)} tokens")
    labels = ccg_labels(sentence, start, end) if isinstance(sentence, Tree) else ()
    ranked: list[Substitute] = []
    for name in wanted:
        if name.endswith(LM) and model is None:
            continue
        tried = table.lookup(
            " ".join(words[start:end]),
            labels,
            condition=_plain(name),
            k=_TRIED if name.endswith(LM) else k,
        )
        made = _Rewriting(words, span, model, lm_weight if name.endswith(LM) else None)
        ranked += made.ranked(name, tried)[:k]
    return ranked


def weighted(
    table: Table,
    sentence: Tree | Sequence[str],
    span: tuple[int, int],
    weights: Weights,
    *,
    k: int = 5,
    model: SentenceModel | None = None,
    backend: ParserBackend | None = None,
) -> list[Substitute]:
    """The ninth condition: what the eight propose, ranked by fitted ``weights``.

    ``score``: the judgment to expect, 0 the worst and 1 the best. Without a ``model``,
    or a ``backend`` that has vectors, what these would say counts as on average.
    """
    words = sentence.words if isinstance(sentence, Tree) else tuple(sentence)
    labels = ccg_labels(sentence, *span) if isinstance(sentence, Tree) else ()
    site = Site(words, *span, tuple(labels))
    tried = candidates(table, site)
    if not tried:
        return []
    texts = [one.text for one in tried]
    rows = components(table, site, texts, model=model, backend=backend)
    scores = scored(weights.placed, rows).tolist()
    order = sorted(range(len(tried)), key=lambda at: (-scores[at], texts[at]))[:k]
    made = _Rewriting(words, span, model, None).ranked(
        WEIGHTED, [tried[at] for at in order]
    )
    return [replace(one, score=scores[at]) for one, at in zip(made, order, strict=True)]


def _plain(name: str) -> Condition:
    return next(c for c in CONDITIONS if c == name.removesuffix(LM))


@dataclass(frozen=True, slots=True)
class _Rewriting:
    words: tuple[str, ...]
    span: tuple[int, int]
    model: SentenceModel | None
    weight: float | None

    def ranked(self, name: str, tried: Sequence[Paraphrase]) -> list[Substitute]:
        start, end = self.span
        texts = [
            (*self.words[:start], *one.text.split(" "), *self.words[end:])
            for one in tried
        ]
        lm = self._scores(texts)
        rows = [
            (self._total(one.p, score), one, tokens, score)
            for one, tokens, score in zip(tried, texts, lm, strict=True)
        ]
        if self.weight is not None:
            rows.sort(key=lambda row: (-row[0], row[1].text))
        return [
            Substitute(name, place, one, tokens, score, total)
            for place, (total, one, tokens, score) in enumerate(rows, 1)
        ]

    def _scores(self, texts: Sequence[tuple[str, ...]]) -> list[float | None]:
        if self.model is None or not texts:
            return [None] * len(texts)
        lower = [[word.lower() for word in tokens] for tokens in texts]
        return [float(score) for score in self.model.scores(lower)[0]]

    def _total(self, p: float, lm: float | None) -> float:
        own = log(p) / log(10) if p > 0 else float("-inf")
        return own + (self.weight * lm if self.weight is not None and lm else 0.0)
