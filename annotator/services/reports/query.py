"""The address of a report, read: its filters, and how to write them again."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.http import QueryDict
from django.utils.translation import gettext

from annotator.errors import BadRequest
from annotator.models import Report
from annotator.services.reports import agreement
from annotator.services.reports.agreement import ReportSource, ReportSpec
from core.agreement.judgments.dataset import Dataset, Selection

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


def parse(query: QueryDict) -> ReportSpec:
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
        raise BadRequest(
            gettext("The seed must be a whole number, 0 or more."), field="seed"
        )
    return ReportSpec(
        selection,
        tuple(_threshold(text) for text in query.getlist("threshold") if text),
        query.get("baseline", ""),
        query.get("adjudicated") == "1",
        seed,
    )


def check(spec: ReportSpec, data: Dataset) -> None:
    """Raise BadRequest on a name that this data does not hold."""
    for field, names, known in (
        ("annotator", spec.selection.annotators, data.annotators),
        ("condition", spec.selection.conditions, data.conditions),
        (
            "threshold",
            [name for name, _ in spec.thresholds],
            [q.scale.name for q in data.questions if q.scale.is_ordered],
        ),
    ):
        unknown = sorted(set(names) - set(known))
        if unknown:
            text = gettext("There is no %(field)s %(name)s here.")
            values = {"field": field, "name": repr(unknown[0])}
            raise BadRequest(text % values, field=field)
    spec.options(data)


def reads_the_same(kept: Report, source: ReportSource) -> bool:
    """Whether the data of a frozen report, under its filters, are as they were."""
    spec = parse(QueryDict(kept.query))
    return agreement.digest(spec.of(source.read().data), spec) == kept.digest


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
        values = {"text": repr(text), "field": name}
        raise BadRequest(
            gettext("%(text)s is not a %(field)s.") % values, field=name
        ) from error


def _day(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()


def _threshold(text: str) -> tuple[str, float]:
    name, colon, value = text.rpartition(":")
    try:
        number = float(value)
    except ValueError:
        colon = ""
    if not colon or number != number:
        problem = gettext("%(text)s is not a threshold. Write name:value.")
        raise BadRequest(problem % {"text": repr(text)}, field="threshold")
    return name, number
