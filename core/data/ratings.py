"""Ratings: who gave which item which value, as columns of codes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.data.check import Floats, Ints
from core.errors import InvalidValue

PAPER_SCALES = frozenset({"meaning", "grammar"})  # 1 to 5, Callison-Burch 2008 Table 5


@dataclass(frozen=True, slots=True)
class RatingRecord:
    """One line of a rating file: one value by one annotator for one item.

    ``conditions``: the systems that produced the item; ``source``: the sentence or
    phrase it was made from, the cluster of its bootstrap ("" = the item itself).
    ``at``: when, in seconds since 1970, and ``seconds``: how long it took; 0 = unknown.
    """

    item: str
    annotator: str
    scale: str
    value: str
    conditions: tuple[str, ...] = ()
    source: str = ""
    line: int = 0
    at: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Scale:
    """The values of a scale.

    ``labels``: the texts, in order. ``points``: their numbers, strictly ascending;
    empty for a nominal scale, whose labels have no order. ``closed``: the labels are
    all there could have been, so that chance may be spread evenly over them.
    Raises InvalidValue if labels repeat or points do not ascend.
    """

    name: str
    labels: tuple[str, ...]
    points: tuple[float, ...] = ()
    closed: bool = True

    def __post_init__(self) -> None:
        if not self.labels or len(set(self.labels)) != len(self.labels):
            raise InvalidValue(
                f"scale {self.name!r}: labels must not be empty or equal"
            )
        if self.points and len(self.points) != len(self.labels):
            raise InvalidValue(f"scale {self.name!r}: expected one point per label")
        if any(a >= b for a, b in zip(self.points, self.points[1:], strict=False)):
            raise InvalidValue(f"scale {self.name!r}: points must ascend")

    @classmethod
    def span(cls, name: str, low: int, high: int) -> "Scale":
        """The whole numbers ``low`` to ``high``."""
        values = range(low, high + 1)
        return cls(name, tuple(map(str, values)), tuple(map(float, values)))

    @classmethod
    def seen(cls, name: str, values: Iterable[str]) -> "Scale":
        """The scale that the values seem to come from, when nothing declares it.

        Whole numbers: all from the least to the greatest. Other numbers: those that
        occur. Else: nominal labels. All are open, since no one saw the whole scale (2
        to 4 may be of 1 to 5), but for ``meaning`` and ``grammar``, which are 1 to 5.
        """
        texts = sorted(set(values))
        try:
            points = sorted({float(text) for text in texts})
        except ValueError:
            return cls(name, tuple(texts), closed=False)
        if not np.isfinite(points).all():
            raise InvalidValue(f"scale {name!r}: a value is not a finite number")
        if any(point != int(point) for point in points):
            return cls(name, _texts(points), tuple(points), closed=False)
        low, high = int(points[0]), int(points[-1])
        if name in PAPER_SCALES and low >= 1 and high <= 5:
            return cls.span(name, 1, 5)
        if high - low > 1000:
            return cls(name, _texts(points), tuple(points), closed=False)
        return replace(cls.span(name, low, high), closed=False)

    @property
    def size(self) -> int:
        return len(self.labels)

    @property
    def is_ordered(self) -> bool:
        return bool(self.points)

    def unit_points(self) -> Floats:
        """The points (labels: their places) about their mean, the range one."""
        points = np.array(self.points or range(self.size), np.float64)
        return np.asarray((points - points.mean()) / (np.ptp(points) or 1.0))

    def code(self, text: str) -> int:
        """The place of a value; raises InvalidValue if it is not on the scale."""
        if text in self.labels:
            return self.labels.index(text)
        try:
            return self.points.index(float(text))
        except ValueError:
            shown = ", ".join(self.labels[:12])
            raise InvalidValue(
                f"{text!r} is not on scale {self.name}: {shown}"
            ) from None


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The ratings of one scale: at most one value for an item by an annotator.

    ``item, annotator, value``: int32 ``(n,)``, codes into ``items``, ``annotators``
    and the scale, the rows by item and then by annotator. ``cluster``: int32
    ``(n_items,)``, what the item was made from.
    ``repeats``: int32 ``(m, 4)``, item, annotator, first and later value, where one
    annotator judged one item again; only the first counts in ``value``.
    """

    scale: Scale
    items: tuple[str, ...]
    annotators: tuple[str, ...]
    item: Ints
    annotator: Ints
    value: Ints
    cluster: Ints
    repeats: Ints = field(default_factory=lambda: np.zeros((0, 4), np.int32))

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[str, str, str]],
        *,
        scale: Scale | None = None,
        name: str = "value",
        clusters: Mapping[str, str] | None = None,
    ) -> "Ratings":
        """Ratings from (item, annotator, value); ``clusters`` by item.

        Raises InvalidValue if a value is not on the scale.
        """
        table = list(rows)
        scale = scale or Scale.seen(name, (v for _, _, v in table) if table else ["-"])
        items, item = _codes([row[0] for row in table])
        annotators, annotator = _codes([row[1] for row in table])
        places = {text: scale.code(text) for text in {row[2] for row in table}}
        value = np.array([places[row[2]] for row in table], np.int32)
        _, cluster = _codes([(clusters or {}).get(key) or key for key in items])
        return cls.from_codes(scale, items, annotators, item, annotator, value, cluster)

    @classmethod
    def from_codes(
        cls,
        scale: Scale,
        items: Sequence[str],
        annotators: Sequence[str],
        item: Ints,
        annotator: Ints,
        value: Ints,
        cluster: Ints,
    ) -> "Ratings":
        """Ratings from codes in any order; of repeats the first given counts."""
        key = item.astype(np.int64) * max(len(annotators), 1) + annotator
        order = np.argsort(key, kind="stable")
        first = np.ones(len(key), bool)
        first[1:] = key[order][1:] != key[order][:-1]
        head = order[np.maximum.accumulate(np.where(first, np.arange(len(key)), 0))]
        later = order[~first]
        repeats = [item[later], annotator[later], value[head[~first]], value[later]]
        kept = order[first]
        return cls(
            scale,
            tuple(items),
            tuple(annotators),
            item[kept],
            annotator[kept],
            value[kept],
            cluster,
            np.stack(repeats, axis=1).astype(np.int32),
        )

    @property
    def n(self) -> int:
        return len(self.value)

    def counts(self) -> Ints:
        """Count how often each item got each value: int32 ``(n_items, size)``."""
        cells = self.item.astype(np.int64) * self.scale.size + self.value
        shape = len(self.items), self.scale.size
        table = np.bincount(cells, minlength=shape[0] * shape[1])
        return table.reshape(shape).astype(np.int32)

    def at_least(self, threshold: float) -> "Ratings":
        """These, each value cut to whether it reaches ``threshold``."""
        if not self.scale.is_ordered:
            raise InvalidValue(f"scale {self.scale.name}: labels without order, no cut")
        cut = (np.array(self.scale.points) >= threshold).astype(np.int32)
        name = f"{self.scale.name} >= {threshold:g}"
        repeats = self.repeats.copy()
        repeats[:, 2:] = cut[repeats[:, 2:]]
        return Ratings(
            Scale(name, ("below", "reached"), (0.0, 1.0)),
            self.items,
            self.annotators,
            self.item,
            self.annotator,
            cut[self.value],
            self.cluster,
            repeats,
        )


def _texts(points: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{point:.12g}" for point in points)


def _codes(keys: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """The distinct keys as they first appear, and the place of each: ``(n,)``."""
    places: dict[str, int] = {}
    codes = np.array([places.setdefault(key, len(places)) for key in keys], np.int32)
    return tuple(places), codes
