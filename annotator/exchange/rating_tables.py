"""Ratings from tables as people have them; the sender names the columns and the range
of each scale.

    long        one rating a row: item, annotator, value, and perhaps the scale's name
    scales      a row an annotator's look at an item, a column for each scale
    annotators  a row an item, a column for each annotator, one scale
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from django.utils.translation import gettext, gettext_lazy

from annotator.errors import BadRequest
from annotator.exchange.tables import Row
from core.data.ratings import RatingRecord, Scale
from core.errors import FormatError, InvalidValue
from core.formats.ratings import OPEN
from core.formats.records import BadLine, bad, clean

LAYOUTS = {
    "long": gettext_lazy("one rating per row"),
    "scales": gettext_lazy("a column for each scale"),
    "annotators": gettext_lazy("a column for each annotator"),
}
FIELDS = {  # name: what it is called, and how its column is often called
    "item": (
        gettext_lazy("Item"),
        {"item", "item_id", "id", "pair_id", "hit_id", "candidate"},
    ),
    "annotator": (
        gettext_lazy("Annotator"),
        {"annotator", "worker", "worker_id", "rater", "judge", "user", "coder"},
    ),
    "scale": (gettext_lazy("Scale"), {"scale", "question", "criterion", "dimension"}),
    "value": (
        gettext_lazy("Value"),
        {"value", "rating", "score", "label", "response", "judgment"},
    ),
    "condition": (
        gettext_lazy("Condition (system)"),
        {"condition", "system", "sys_id", "model"},
    ),
    "source": (
        gettext_lazy("Original sentence"),
        {"source", "sentence", "original", "text"},
    ),
    "time": (
        gettext_lazy("When it was judged"),
        {"time", "timestamp", "judged_at", "created_at"},
    ),
    "seconds": (gettext_lazy("Seconds it took"), {"seconds", "lead_time", "duration"}),
}
TIMES = {"time", "seconds"}
NEEDED = {
    "long": ("item", "annotator", "value"),
    "scales": ("item", "annotator"),
    "annotators": ("item",),
}
ONE_SCALE = "value"  # its name where the table gives none
MOST_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class RatingsReading:
    """``fields``: the column of each field; ``values``: columns of values, if there are
    several. ``ranges``: least and greatest whole number that a scale could have given;
    ``thresholds``: from which value on an item counts as correct. ``tool``: the
    exporting tool (``annotator.exchange.peers``), "table" for a plain table, "" to
    detect it.
    """

    layout: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    values: Sequence[str] = ()
    ranges: Mapping[str, Sequence[int]] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    encoding: str = ""
    delimiter: str = ""
    has_header: bool = True
    tool: str = ""

    def as_params(self) -> dict[str, Any]:
        """The form stored in a database row."""
        return asdict(self)

    def lacking(self) -> list[str]:
        """The names of what has to be chosen still, as a form calls it."""
        needed = NEEDED[self.layout]
        missing = [str(FIELDS[n][0]) for n in needed if not self.fields.get(n)]
        if self.layout != "long" and not self.values:
            missing.append(gettext("columns of values"))
        return missing

    def scales(self) -> dict[str, Scale]:
        """The scales that are declared. Raises BadRequest on an empty range."""
        made = {}
        for name, (low, high) in self.ranges.items():
            if not low < high <= low + 1000:
                raise BadRequest(
                    gettext(
                        "%(name)s: %(low)s to %(high)s is not a valid scale. Put the "
                        "lowest value first; at most 1,000 points."
                    )
                    % {"name": name, "low": low, "high": high},
                    field="ranges",
                )
            made[name] = Scale.span(name, low, high)
        return made


def guess(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> RatingsReading:
    """A guess from the names of the columns and their numbers."""
    fields: dict[str, str] = {}
    for name, (_, known) in FIELDS.items():
        plain = {column.lower().replace(" ", "_"): column for column in columns}
        own_first = (name, *sorted(known))  # "item" before "id"
        at = next((plain[one] for one in own_first if one in plain), "")
        if at and at not in fields.values() and _may_hold(name, at, rows):
            fields[name] = at
    if "value" in fields and "annotator" in fields:
        return RatingsReading("long", fields)
    numeric = [one for one in columns if _is_numeric(one, rows)]
    values = tuple(one for one in numeric if one not in fields.values())
    layout = "scales" if "annotator" in fields else "annotators"
    fields.pop("value", None)
    return RatingsReading(layout, fields, values[:MOST_COLUMNS])


def _may_hold(name: str, column: str, rows: Sequence[Mapping[str, str]]) -> bool:
    """Whether the first rows have nothing in that column that the field refuses."""
    if name not in TIMES:
        return True
    read = _time if name == "time" else _seconds
    try:
        return all(read(row.get(column, ""), 0) >= 0 for row in rows)
    except FormatError:
        return False


def _is_numeric(column: str, rows: Sequence[Mapping[str, str]]) -> bool:
    cells = [row.get(column, "").strip() for row in rows]
    given = [cell for cell in cells if cell]
    try:
        return bool([float(cell) for cell in given])
    except ValueError:
        return False


class RowSource(Protocol):
    """A table: ``annotator.exchange.tables.Sheet``, or a tool's export."""

    def rows(self) -> Iterator[Row]: ...


def records(
    sheet: RowSource, reading: RatingsReading
) -> Iterator[RatingRecord | BadLine]:
    """The ratings in order; a row that cannot be read is a BadLine instead.

    Empty value cells are skipped where a row holds several.
    """
    make = _MAKERS[reading.layout]
    declared = reading.scales()
    for number, row, text in sheet.rows():
        if isinstance(row, BadLine):
            yield row
            continue
        try:
            clean(text, line=number)
            for record in make(row, reading, number):
                scale = declared.get(record.scale)
                if scale is not None:
                    scale.code(record.value)
                yield record
        except FormatError as error:
            yield bad(error, line=number, excerpt=text)
        except InvalidValue as error:
            remedy = "correct the value, or the range of the scale"
            yield BadLine(number, 1, str(error), remedy, text[:80])


def _long(
    row: Mapping[str, str], how: RatingsReading, n: int
) -> Iterator[RatingRecord]:
    if row.get("scale_kind") in OPEN:
        return
    base = _base(row, how, n, "annotator")
    scale = row.get(how.fields.get("scale", ""), "").strip() or ONE_SCALE
    yield replace(base, scale=scale, value=_cell(row, how.fields["value"], n))


def _by_scale(
    row: Mapping[str, str], how: RatingsReading, n: int
) -> Iterator[RatingRecord]:
    base = _base(row, how, n, "annotator")
    for column in how.values:
        if value := row.get(column, "").strip():
            yield replace(base, scale=column, value=value)


def _by_annotator(
    row: Mapping[str, str], how: RatingsReading, n: int
) -> Iterator[RatingRecord]:
    base = _base(row, how, n)
    for column in how.values:
        if value := row.get(column, "").strip():
            yield replace(base, annotator=column, scale=ONE_SCALE, value=value)


_Maker = Callable[[Mapping[str, str], RatingsReading, int], Iterator[RatingRecord]]
_MAKERS: dict[str, _Maker] = {
    "long": _long,
    "scales": _by_scale,
    "annotators": _by_annotator,
}


def _base(
    row: Mapping[str, str], how: RatingsReading, number: int, *needed: str
) -> RatingRecord:
    """All but scale and value. Raises FormatError on an empty cell."""
    who = _cell(row, how.fields["annotator"], number) if "annotator" in needed else ""
    made = row.get(how.fields.get("condition", ""), "").split("|")
    return RatingRecord(
        _cell(row, how.fields["item"], number),
        who,
        "",
        "",
        tuple(name.strip() for name in made if name.strip()),
        row.get(how.fields.get("source", ""), "").strip(),
        number,
        _time(row.get(how.fields.get("time", ""), ""), number),
        _seconds(row.get(how.fields.get("seconds", ""), ""), number),
    )


def _time(text: str, number: int) -> float:
    """Seconds since 1970, as a number or a date; of a date without a zone, UTC's."""
    text = text.strip()
    if not text:
        return 0.0
    try:
        value = float(text)
    except ValueError:
        value = _date(text)
    if 0 <= value < 1e11:
        return value
    remedy = "write 2024-03-05T09:01:00Z, or seconds since 1970; or choose no column"
    raise FormatError(f"{text[:40]!r} is not a time", line=number, remedy=remedy)


def _date(text: str) -> float:
    """-1 if it is none."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return -1.0
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _seconds(text: str, number: int) -> float:
    try:
        value = float(text.strip() or 0)
    except ValueError:
        value = -1.0
    if 0 <= value < 1e9:
        return value
    remedy = "write how many seconds it took; or choose no column"
    raise FormatError(f"{text[:40]!r} is not a duration", line=number, remedy=remedy)


def _cell(row: Mapping[str, str], column: str, number: int) -> str:
    text = row.get(column, "").strip()
    if not text:
        remedy = "fill it, or drop the row"
        raise FormatError(f"column {column} is empty", line=number, remedy=remedy)
    return text
