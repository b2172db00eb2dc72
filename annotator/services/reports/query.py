"""The address of a report, read: its filters, and how to write them again."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.http import QueryDict

from annotator.errors import BadRequest
from annotator.models import Report
from annotator.services.reports import agreement
from annotator.services.reports.agreement import Asked, ReportSource
from core.agreement.judgments.dataset import Dataset, Selection

__all__ = ["FILTERS", "VIEW", "check", "filters_of", "parse", "reads_the_same"]

FILTERS = (
    "annotator",
    "condition",
    "since",
    "until",
    "guideline",
    "checks",
    "rank",
    "threshold",
    "baseline",
    "adjudicated",
    "seed",
)
VIEW = ("show", "measure", "sort", "names", "wait")  # how it is shown, not what
MAX_SEED = 2**31
T = TypeVar("T")


def parse(query: QueryDict) -> Asked:
    """What the address asks for. Raises BadRequest naming the field."""
    selection = Selection(
        annotators=tuple(query.getlist("annotator")),
        conditions=tuple(query.getlist("condition")),
        since=_one(query, "since", _day),
        until=_one(query, "until", lambda text: _day(text) + 86_400),
        guideline=_one(query, "guideline", int),
        with_checks=query.get("checks") == "1",
        max_rank=_one(query, "rank", int) if query.get("rank") else 1,
    )
    seed = _one(query, "seed", int) or 0
    if not 0 <= seed < MAX_SEED:
        raise BadRequest("A seed is a whole number from 0.", field="seed")
    return Asked(
        selection,
        tuple(_threshold(text) for text in query.getlist("threshold") if text),
        query.get("baseline", ""),
        query.get("adjudicated") == "1",
        seed,
    )


def check(asked: Asked, data: Dataset) -> None:
    """Raise BadRequest on a name that this data does not hold."""
    for field, names, known in (
        ("annotator", asked.selection.annotators, data.annotators),
        ("condition", asked.selection.conditions, data.conditions),
        (
            "threshold",
            [name for name, _ in asked.thresholds],
            [q.scale.name for q in data.questions if q.scale.is_ordered],
        ),
    ):
        unknown = sorted(set(names) - set(known))
        if unknown:
            raise BadRequest(f"There is no {field} {unknown[0]!r} here.", field=field)
    asked.options(data)


def reads_the_same(kept: Report, source: ReportSource) -> bool:
    """Whether the data of a frozen report, under its filters, are as they were."""
    asked = parse(QueryDict(kept.query))
    return agreement.digest(asked.of(source.read().data), asked) == kept.digest


def filters_of(query: QueryDict) -> str:
    """The filters alone, as they stand in an address; "" if there are none."""
    kept = query.copy()
    for name in list(kept):
        if name not in FILTERS or not any(kept.getlist(name)):
            del kept[name]
    return str(kept.urlencode())


def _one(query: Mapping[str, Any], name: str, read: Callable[[str], T]) -> Any:
    text = query.get(name)
    if not text:
        return None
    try:
        return read(text)
    except (ValueError, OverflowError) as error:
        raise BadRequest(f"{text!r} is no {name}.", field=name) from error


def _day(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()


def _threshold(text: str) -> tuple[str, float]:
    name, colon, value = text.rpartition(":")
    try:
        number = float(value)
    except ValueError:
        colon = ""
    if not colon or number != number:
        raise BadRequest(
            f"{text!r} is no threshold: name:value is wanted.", field="threshold"
        )
    return name, number
