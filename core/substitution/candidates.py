"""Known words that may replace an unknown one, and the best of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from core.data.check import Floats
from core.protocols import TrainingCounts
from core.substitution.divergence import (
    Definitions,
    background,
    definitions,
    divergences,
)
from core.substitution.kernels.products import Whole
from core.substitution.linking import BOUNDARY, LinkingCounts, number_shape
from core.substitution.options import Options

Tags = Mapping[str, float]
BATCH = 512  # queries whose divergences are held at once


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known word near a query: its divergence (nats) and its tags' probabilities."""

    form: str
    divergence: float
    tags: Tags


class Candidates:
    """The nearest known words of any word, for one parser and one linking corpus.

    Contexts are all possible queries and candidates and the commonest words, so an
    answer does not depend on the other words of a text. Memory: the candidates' rows,
    and ``BATCH`` divergences each. Thread-safe: answers are only added.
    """

    def __init__(
        self, parser: TrainingCounts, linking: LinkingCounts, options: Options
    ) -> None:
        self.linking = linking
        self.options = options
        self._parser = parser
        self._lexicon = parser.lexicon()
        self._known: dict[str, tuple[Candidate, ...]] = {}

    def training_count(self, form: str) -> int:
        """How often the parser saw ``form`` in training."""
        return sum(self._lexicon.get(self._parser.entry_of(form), {}).values())

    @property
    def forms(self) -> tuple[str, ...]:
        """All words that may be candidates, the commonest first."""
        return tuple(self.linking.words[n] for n in self._numbers)

    def is_query(self, form: str, counted: str) -> bool:
        """Hardly known to the parser, well known to the linking corpus?"""
        often = self.linking.count(counted) >= self.options.f_lc
        return often and self.training_count(form) < self.options.f_q

    def nearest(self, forms: Sequence[str]) -> list[tuple[Candidate, ...]]:
        """The ``n_nearest`` candidates of each counted form, the nearest first.

        Ties: the commoner word of the linking corpus first. Empty if there is none,
        or the form is not in the linking corpus.
        """
        number_of = self.linking.number_of
        wanted = {form for form in forms if form in number_of} - self._known.keys()
        ordered = sorted(wanted)
        for begin in range(0, len(ordered), BATCH):
            part = ordered[begin : begin + BATCH]
            self._known.update(zip(part, self._computed(part), strict=True))
        return [self._known.get(form, ()) for form in forms]

    def shared(self, form: str, other: str, *, n: int = 5) -> tuple[str, ...]:
        """Up to ``n`` words that occur next to both forms, the most informative first.

        "x …" occurs before them, "… x" after. Ranked by the smaller of the two shares,
        in standard errors above the share among all words.
        """
        numbers = [self.linking.number_of[one] for one in (form, other)]
        rows = definitions(self.linking, numbers, self._contexts)
        dense = np.zeros((2, rows.n_cells))
        owner = np.repeat([0, 1], np.diff(rows.first))
        dense[owner, rows.cells] = rows.counts
        p = dense / np.maximum(dense.sum(1, keepdims=True), 1)
        gain = (p.min(0) - self._base) / np.sqrt(self._base)
        size = len(self._contexts) + 1
        gain[[size - 1, 2 * size - 1]] = -1  # all others together tell nothing
        best = [int(cell) for cell in np.argsort(-gain, kind="stable")[:n]]
        return tuple(self._cell_name(cell, size) for cell in best if gain[cell] > 0)

    def _cell_name(self, cell: int, size: int) -> str:
        word = self.linking.words[self._contexts[cell % size]].replace(BOUNDARY, "¶")
        return f"… {word}" if cell < size else f"{word} …"

    def _computed(self, forms: Sequence[str]) -> list[tuple[Candidate, ...]]:
        if not len(self._numbers):
            return [()] * len(forms)
        numbers = [self.linking.number_of[form] for form in forms]
        rows = definitions(self.linking, numbers, self._contexts)
        distances = divergences(rows, self._rows, alpha=self.options.alpha)
        best = np.argsort(distances, axis=1, kind="stable")[:, : self.options.n_nearest]
        return [
            tuple(self._candidate(int(c), float(distances[q, c])) for c in best[q])
            for q in range(len(forms))
        ]

    def _candidate(self, at: int, divergence: float) -> Candidate:
        form = self.linking.words[self._numbers[at]]
        return Candidate(form, divergence, self.tags_of(form))

    def tags_of(self, form: str) -> Tags:
        """P(T | form) in training; empty if the parser does not know it."""
        counts = self._lexicon.get(self._parser.entry_of(form), {})
        total = sum(counts.values())
        return {tag: count / total for tag, count in sorted(counts.items())}

    @cached_property
    def _trained(self) -> Whole:
        """How often each word of the linking corpus was seen in training."""
        counts = [
            0 if form == BOUNDARY or number_shape(form) else self.training_count(form)
            for form in self.linking.words
        ]
        return np.array(counts, np.int64)

    @cached_property
    def _numbers(self) -> Whole:
        """The candidates, the commonest first."""
        often = self.linking.unigrams >= self.options.f_lc
        known = np.flatnonzero(often & (self._trained >= self.options.f_c))
        if not self.options.open_class:
            return known
        return known[np.array([self._is_open(n) for n in known.tolist()], np.bool_)]

    def _is_open(self, number: int) -> bool:
        """Is the commonest tag of that word of the linking corpus an open one?"""
        form = self.linking.words[number]
        tags = self.tags_of(form)
        commonest = max(tags, key=lambda tag: tags[tag], default="")
        return any(map(str.isalpha, form)) and commonest in self._open_tags

    @cached_property
    def _open_tags(self) -> frozenset[str]:
        """Tags on at least one in a hundred of the words seen once; if none, all."""
        once = [
            tag for t in self._lexicon.values() for tag in t if sum(t.values()) == 1
        ]
        uses = Counter(once or [tag for tags in self._lexicon.values() for tag in tags])
        return frozenset(t for t, n in uses.items() if not once or n >= len(once) / 100)

    @cached_property
    def _contexts(self) -> Whole:
        often = self.linking.unigrams >= self.options.f_lc
        critical = often & (
            (self._trained >= self.options.f_c) | (self._trained < self.options.f_q)
        )
        critical[: self.options.n_common] = True
        return np.flatnonzero(critical)

    @cached_property
    def _rows(self) -> Definitions:
        return definitions(self.linking, self._numbers, self._contexts)

    @cached_property
    def _base(self) -> Floats:
        return background(self.linking, self._contexts)


def mean_tags(candidates: Sequence[Candidate]) -> dict[str, float]:
    """P* of equation 1: the mean of the candidates' tag distributions."""
    total: dict[str, float] = {}
    for candidate in candidates:
        for tag, p in candidate.tags.items():
            total[tag] = total.get(tag, 0.0) + p / len(candidates)
    return total


def likely_tags(tags: Tags, *, share: float) -> dict[str, float]:
    """The tags that are at least ``share`` times as likely as the likeliest."""
    top = max(tags.values(), default=0.0)
    return {tag: p for tag, p in tags.items() if p >= share * top}


def tag_divergence(wanted: Tags, tags: Tags, *, floor: float) -> float:
    """KL(wanted || tags), nats; a tag missing in ``tags`` has probability ``floor``.

    Without a floor, one stray tag among ten candidates would forbid nearly all.
    """
    return sum(
        p * log(p / max(tags.get(tag, 0.0), floor)) for tag, p in wanted.items() if p
    )


def reranked(candidates: Sequence[Candidate], *, floor: float) -> tuple[Candidate, ...]:
    """The candidates by KL(P* || P(T | candidate)), equation 2; ties: the nearer."""
    wanted = mean_tags(candidates)
    return tuple(
        sorted(candidates, key=lambda c: tag_divergence(wanted, c.tags, floor=floor))
    )
