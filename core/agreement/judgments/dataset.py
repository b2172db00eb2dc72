"""Judgments as columns, wherever they come from, and the selection of them.

A report reads a ``Dataset`` and nothing else: a campaign and a file of outside ratings
make the same one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.agreement.judgments.conditions import Credits, JudgedItems
from core.agreement.judgments.open_answers import OpenQuestion, word_ratings
from core.data.check import Floats, Ints
from core.data.ratings import Ratings, Scale

Bools = NDArray[np.bool_]
Objects = NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class Question:
    """A scale as it was asked; ``threshold`` or more counts as correct.

    What is not in its ``repr`` does not change the digest of data.
    """

    scale: Scale
    title: str
    threshold: float | None = None
    is_best_worst: bool = field(default=False, repr=False)  # see ``best_worst``


@dataclass(frozen=True, slots=True)
class Selection:
    """The selection of a report's data. Empty = all.

    ``since, until``: seconds since 1970. ``with_checks``: gold and attention items
    too. ``max_rank``: credits of a condition up to this rank (0 = all).
    """

    annotators: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    since: float | None = None
    until: float | None = None
    guideline: int | None = None
    with_checks: bool = False
    max_rank: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """One row per judgment; n rows, m items, q questions.

    ``item, annotator``: int32 ``(n,)``. ``values``: int32 ``(n, q)``, codes on the
    scales, -1 = none. ``round``: 1, or more for the same item again. ``is_extra``: a
    judge who was sent because two others differed. ``at``: seconds since 1970 (or the
    order of the rows); ``active_ms``; ``guideline``: its version.
    ``cluster, instance``: int32 ``(m,)``. ``is_check``: ``(m,)``. ``gold``: int32
    ``(m, q)``, -1 = none. ``credit``: int32 ``(c, 3)``: condition, item, rank.
    ``adjudicated``: int32 ``(m, q)``, what a curator decided, -1 = nothing.
    ``with_checks``: whether gold and attention items count next to the others.
    ``written``: object ``(n, w)``, the answers to ``open``: a text, or the places of
    the words marked; None = no answer.
    """

    questions: tuple[Question, ...]
    items: tuple[str, ...]
    annotators: tuple[str, ...]
    item: Ints
    annotator: Ints
    values: Ints
    cluster: Ints
    instance: Ints
    round: Ints
    is_extra: Bools
    at: Floats
    active_ms: Ints
    guideline: Ints
    is_check: Bools
    gold: Ints
    conditions: tuple[str, ...] = ()
    baseline: int = 0
    credit: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int32))
    with_checks: bool = True
    adjudicated: Ints = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    open: tuple[OpenQuestion, ...] = ()
    written: Objects = field(default_factory=lambda: np.zeros((0, 0), object))

    def __post_init__(self) -> None:
        if not self.adjudicated.size:
            object.__setattr__(self, "adjudicated", np.full_like(self.gold, -1))
        if not self.written.size:
            none = np.full((len(self.item), len(self.open)), None, object)
            object.__setattr__(self, "written", none)

    @property
    def n(self) -> int:
        return len(self.item)

    @classmethod
    def of(
        cls,
        questions: Sequence[Question],
        items: Sequence[str],
        annotators: Sequence[str],
        item: Ints,
        annotator: Ints,
        values: Ints,
        **more: Any,
    ) -> "Dataset":
        """A dataset with what is not given filled in: no checks, no gold, round 1."""
        n, m = len(item), len(items)
        given: dict[str, Any] = {
            "cluster": np.arange(m, dtype=np.int32),
            "round": np.ones(n, np.int32),
            "is_extra": np.zeros(n, bool),
            "at": np.arange(n, dtype=np.float64),
            "active_ms": np.zeros(n, np.int32),
            "guideline": np.zeros(n, np.int32),
            "is_check": np.zeros(m, bool),
            "gold": np.full((m, len(questions)), -1, np.int32),
        } | more
        given.setdefault("instance", given["cluster"])
        return cls(
            tuple(questions),
            tuple(items),
            tuple(annotators),
            item,
            annotator,
            values,
            **given,
        )

    def select(self, chosen: Selection) -> "Dataset":
        """The rows, and the credits, that the selection asks for."""
        keep = np.ones(self.n, bool)
        if chosen.annotators:
            keep &= np.isin(self.annotator, _places(self.annotators, chosen.annotators))
        if chosen.since is not None:
            keep &= self.at >= chosen.since
        if chosen.until is not None:
            keep &= self.at < chosen.until
        if chosen.guideline is not None:
            keep &= self.guideline == chosen.guideline
        credit = self.credit
        if chosen.max_rank:
            credit = credit[credit[:, 2] <= chosen.max_rank]
        if chosen.conditions:
            places = _places(self.conditions, chosen.conditions)
            credit = credit[np.isin(credit[:, 0], places)]
            made = np.zeros(len(self.items), bool)
            made[credit[:, 1]] = True
            keep &= made[self.item] | self.is_check[self.item]
        kept = self._rows(keep)
        return replace(kept, credit=credit, with_checks=chosen.with_checks)

    def _rows(self, keep: NDArray[Any]) -> "Dataset":
        """These rows alone: a mask, or their places in order."""
        return replace(
            self,
            item=self.item[keep],
            annotator=self.annotator[keep],
            values=self.values[keep],
            round=self.round[keep],
            is_extra=self.is_extra[keep],
            at=self.at[keep],
            active_ms=self.active_ms[keep],
            guideline=self.guideline[keep],
            written=self.written[keep],
        )

    def in_order(self) -> "Dataset":
        """These, the rows by round and then by time, so that first looks come first."""
        return self._rows(np.lexsort((self.at, self.round)))

    @property
    def counted(self) -> Bools:
        """The rows that count: ``(n,)``; checks only where they are asked for."""
        if self.with_checks:
            return np.ones(self.n, bool)
        return np.asarray(~self.is_check[self.item])

    def ratings(self, question: int, *, checks: bool = False) -> Ratings:
        """The ratings on one scale, over all ``items``; second looks are repeats.

        ``checks``: with gold and attention items, whatever was asked for.
        Judges who were sent because others differed are left out: they were not drawn
        at random, and would make agreement look worse than it is.
        """
        held = (self.values[:, question] >= 0) & ~self.is_extra
        if not checks:
            held &= self.counted
        return Ratings.from_codes(
            self.questions[question].scale,
            self.items,
            self.annotators,
            self.item[held],
            self.annotator[held],
            self.values[held, question],
            self.cluster,
        )

    def answered(self, place: int) -> Ints:
        """The rows of first looks that answer an open question, as ``ratings``."""
        held = np.array([one is not None for one in self.written[:, place]], bool)
        kept = held & (self.round == 1) & ~self.is_extra & self.counted
        return np.flatnonzero(kept).astype(np.int32)

    def marked(self, place: int) -> Ratings:
        """The words of the items, marked or not, as ratings of an open question."""
        rows = self.answered(place)
        return word_ratings(
            self.open[place],
            self.items,
            self.annotators,
            self.item[rows],
            self.annotator[rows],
            list(self.written[rows, place]),
            self.cluster,
        )

    def with_thresholds(self, thresholds: Mapping[str, float]) -> "Dataset":
        """These, with other thresholds on the scales named."""
        return replace(
            self,
            questions=tuple(
                replace(q, threshold=thresholds.get(q.scale.name, q.threshold))
                for q in self.questions
            ),
        )

    def judged(self, *, adjudicated: bool = False) -> JudgedItems:
        """First looks of all judges as numbers, for the table of conditions.

        Scales without a threshold are left out. ``adjudicated``: where a curator has
        decided, that decision replaces all judgments.
        """
        rows = (self.round == 1) & self.counted
        item, values = self.item[rows], self.values[rows]
        if adjudicated:
            decided = np.asarray((self.adjudicated >= 0).any(1))
            seen = np.isin(np.arange(len(self.items)), item) & decided
            kept = ~decided[item]
            item = np.concatenate([item[kept], np.flatnonzero(seen).astype(np.int32)])
            values = np.concatenate([values[kept], self.adjudicated[seen]])
        columns = []
        for place in self.graded():
            points = np.array(self.questions[place].scale.points)
            codes = values[:, place]
            columns.append(np.where(codes >= 0, points[np.maximum(codes, 0)], np.nan))
        numbers = np.column_stack(columns) if columns else np.zeros((len(item), 0))
        return JudgedItems(item, numbers)

    def digest(self) -> str:
        """SHA-256 of everything here, the order of rows included."""
        whole = hashlib.sha256()
        for part in fields(self):
            value = getattr(self, part.name)
            if part.name in ("open", "written"):
                if not self.open:
                    continue  # as before there were any
                value = value if part.name == "open" else value.tolist()
            whole.update(part.name.encode())
            if isinstance(value, np.ndarray):
                whole.update(f"{value.dtype}{value.shape}".encode())
                whole.update(np.ascontiguousarray(value).tobytes())
            else:
                whole.update(repr(value).encode())
        return whole.hexdigest()

    def graded(self) -> list[int]:
        """The questions that have a threshold."""
        return [
            place
            for place, question in enumerate(self.questions)
            if question.threshold is not None and question.scale.is_ordered
        ]

    def credits(self) -> Credits:
        """Credits of conditions, the instances clustered as the items are.

        The instances of checks are none of them, unless checks count.
        """
        kept = np.ones(len(self.items), bool) if self.with_checks else ~self.is_check
        known, first = np.unique(self.instance[kept], return_index=True)
        place = np.full(int(self.instance.max(initial=-1)) + 1, -1, np.int32)
        place[known] = np.arange(len(known), dtype=np.int32)
        condition, item, _ = self.credit[kept[self.credit[:, 1]]].T
        return Credits(
            self.conditions,
            condition,
            item,
            place[self.instance[item]],
            self.cluster[kept][first],
        )


def _places(names: tuple[str, ...], chosen: tuple[str, ...]) -> list[int]:
    return [place for place, name in enumerate(names) if name in chosen]
