"""An export as rows by column, like any other table of items or ratings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.exchange.files import Source
from annotator.exchange.peers.reports import Export, TaskAnnotation, TransferReport
from annotator.exchange.tables import Row
from core.formats.records import BadLine

RATING = ("item", "annotator", "scale", "value", "judged at", "seconds")
FIELDS = {  # the fields of ratings, by their columns here
    "item": "item",
    "annotator": "annotator",
    "scale": "scale",
    "value": "value",
    "time": "judged at",
    "seconds": "seconds",
}
TASK = "task"


@dataclass
class PeerSheet:
    """``form``: the tool's name. Shaped as ``annotator.exchange.tables.Sheet``.

    ``ranges``: what a scale could have given, where the tool has fixed it.
    """

    source: Source
    form: str
    names: tuple[str, ...]
    held: Sequence[Row]
    report: TransferReport
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    delimiter: str = ""

    def settle(self) -> "PeerSheet":
        return self

    def rows(self) -> Iterator[Row]:
        yield from self.held

    def columns(self) -> tuple[str, ...]:
        return self.names


def rating_sheet(
    source: Source, form: str, export: Export, report: TransferReport
) -> PeerSheet:
    """One rating a row, and next to it what its task shows."""
    names = _names(export.annotations, RATING)
    rows = [
        row for annotation in export.annotations for row in _ratings(annotation, names)
    ]
    columns = (*RATING, *names.values())
    held = [*_bad(export), *rows]
    return PeerSheet(source, form, columns, held, report, export.ranges)


def item_sheet(
    source: Source, form: str, export: Export, report: TransferReport
) -> PeerSheet:
    """A task a row, as its first look shows it, gaps filled from the others."""
    names = _names(export.annotations, (TASK,))
    tasks: dict[str, dict[str, str]] = {}
    lines: dict[str, int] = {}
    for annotation in export.annotations:
        cells = tasks.setdefault(annotation.task, {TASK: annotation.task})
        lines.setdefault(annotation.task, annotation.line)
        for column, text in _data(annotation, names).items():
            cells[column] = cells.get(column) or text
    rows = [(lines[k], row, " | ".join(row.values())[:200]) for k, row in tasks.items()]
    held = [*_bad(export), *rows]
    return PeerSheet(source, form, (TASK, *names.values()), held, report)


def _bad(export: Export) -> Iterable[Row]:
    rows: list[tuple[int, BadLine, str]] = [(one.line, one, "") for one in export.bad]
    return rows


def _names(annotations: Iterable[TaskAnnotation], own: Sequence[str]) -> dict[str, str]:
    """Task key -> column; a key with the name of one of our columns is renamed."""
    keys = dict.fromkeys(key for annotation in annotations for key in annotation.data)
    return {key: f"{key} (of the task)" if key in own else key for key in keys}


def _data(annotation: TaskAnnotation, names: Mapping[str, str]) -> dict[str, str]:
    return {column: annotation.data.get(key, "") for key, column in names.items()}


def _ratings(annotation: TaskAnnotation, names: Mapping[str, str]) -> Iterator[Row]:
    if annotation.why_not:
        return
    data = _data(annotation, names)
    for value in annotation.values:
        if value.why_not:
            continue
        item = f"{annotation.task}:{value.place}" if value.place else annotation.task
        own = (
            item,
            annotation.annotator,
            value.scale,
            value.text,
            annotation.at,
            annotation.seconds,
        )
        cells = dict(zip(RATING, own, strict=True)) | data
        yield annotation.line, cells, " | ".join(cells.values())
