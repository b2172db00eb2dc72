"""doccano: JSON Lines, JSON or CSV of one file, or an archive with a file a person.

A line is ``{"id", "text", "label": [...], "Comments": [...]}`` and the document's other
columns; "cats" replaces ``label`` next to "entities" of intents. Where people worked
separately, each has a file with their name; where they worked together the one file is
``all`` and names no one. Version 1.0 wrote ``annotations`` with the number of a label
and of a user instead.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from annotator.exchange.files import Source
from annotator.exchange.peers.files import (
    REMEDY,
    UNSHAPED,
    Brought,
    as_text,
    csv_rows,
    json_lines,
    json_of,
    reason_of,
    start_of,
    stem_of,
)
from annotator.exchange.peers.reports import Export, TaskAnnotation, Value
from core.formats.records import BadLine

LABEL = "doccano"
SCALE = "label"
TEXTS = ("text", "data", "filename")
LABELS = ("label", "labels", "cats")
SPANS = "labels of spans of text"
REGIONS = "boxes and outlines in images"
TOGETHER = (
    "The annotators worked together on one copy (all), or the file is one person's: "
    "doccano wrote no names into it, and it counts as one annotator, {}."
)
_LEFT = {"entities": SPANS, "bbox": REGIONS, "segmentation": REGIONS}
_LOST = {"relations": "relations", "Comments": "comments", "comments": "comments"}
_SUFFIXES = (".jsonl", ".json", ".csv")
_CSV = {"id", "label", "Comments"}


def detects(brought: Brought) -> bool:
    """A document with its labels as a list, or an archive of such files."""
    if brought.is_archive:
        files = brought.named(*_SUFFIXES)
        if len(files) != len(brought.inside) or not files:
            return False
        return all(_is_ours(source) for source in files.values())
    return _is_ours(brought.source)


def _is_ours(source: Source) -> bool:
    start = start_of(source)
    if not start.strip():
        return True  # someone who has confirmed nothing
    if start.lstrip(" \r\n[")[:1] == "{":
        has_text = any(f'"{name}"' in start for name in TEXTS)
        keys = (*LABELS, *_LEFT)
        return has_text and (
            any(_has_list(start, name) for name in keys)
            or '"annotation_approver"' in start
        )
    head = set(start.split("\n", 1)[0].strip().split(","))
    return head >= _CSV and bool(head & set(TEXTS))


def _has_list(start: str, name: str) -> bool:
    """Whether a key with this name has a list as its value near the start."""
    _, key, rest = start.partition(f'"{name}"')
    return bool(key) and rest.lstrip(" :\n\r")[:1] == "["


def read(brought: Brought) -> Export:
    files = brought.named(*_SUFFIXES) or {brought.source.name: brought.source}
    suffix = next(iter(files)).lower().rpartition(".")[2]
    form = {"csv": "CSV", "json": "JSON"}.get(suffix, "JSONL")
    export = Export(f"{form}, {len(files)} files" if len(files) > 1 else form)
    for path, source in files.items():
        name = stem_of(path) if brought.is_archive else "all"
        if not brought.is_archive or name in ("all", "unknown"):
            export.notes.append(TOGETHER.format(name))
        _read_file(path, source, name, export, named=brought.is_archive)
    return export


def _read_file(
    path: str, source: Source, name: str, export: Export, *, named: bool
) -> None:
    for number, record in _records(source):
        if isinstance(record, BadLine):
            where = f"{path}: " if named else ""
            reason = f"{where}{record.reason}"
            bad = BadLine(number, record.column, reason, record.remedy, record.excerpt)
            export.bad.append(bad)
        elif isinstance(record, dict) and any(key in record for key in TEXTS):
            try:
                export.annotations += list(_annotations(record, name, number, export))
            except UNSHAPED as error:
                reason = f"{path}: no document: {reason_of(error)}"
                export.bad.append(BadLine(number, 1, reason, REMEDY))
        else:
            reason = "no document: an object with a text is wanted"
            export.bad.append(BadLine(number, 1, f"{path}: {reason}", REMEDY))


def _records(source: Source) -> Iterator[tuple[int, Any]]:
    start = start_of(source).lstrip(" \r\n")
    if start.startswith("["):
        value = json_of(source)
        if isinstance(value, BadLine):
            yield value.line, value
        else:
            yield from enumerate(value, 1)
    elif start.startswith("{"):
        yield from json_lines(source)
    elif start:
        for number, row, _ in csv_rows(source):
            yield number, row if isinstance(row, BadLine) else _split(row)


def _split(row: dict[str, str]) -> dict[str, Any]:
    """A row of CSV as a line of JSON would be: labels are joined by "#"."""
    label = [part for part in row.pop("label", "").split("#") if part]
    comments = [part for part in row.pop("Comments", "").split("#") if part]
    return {**row, "label": label, "Comments": comments}


def _annotations(
    record: dict[str, Any], name: str, number: int, export: Export
) -> Iterator[TaskAnnotation]:
    task = as_text(record.get("id")) or str(number)
    data = _data(record)
    for key, what in _LOST.items():
        export.losses[what] += len(record.get(key) or ())
    yield TaskAnnotation(task, data=data, line=number)
    if isinstance(record.get("annotations"), list):
        yield from _by_user(record["annotations"], task, data, number)
        return
    values = [value for key in LABELS for value in _labels(record.get(key))]
    for key, why in _LEFT.items():
        values += [Value(key, "", why_not=why) for _ in record.get(key) or ()]
    yield TaskAnnotation(task, name, values, data, number)


def _data(record: Mapping[str, Any]) -> dict[str, str]:
    """What the document shows: its text, and the columns it came with."""
    known = {"id", "annotations", *LABELS, *_LEFT, *_LOST}
    return {str(k): as_text(v) for k, v in record.items() if k not in known}


def _labels(value: Any) -> Iterator[Value]:
    """Labels of the whole text are one value; those of spans are not taken."""
    labels = value if isinstance(value, list) else [value] if value else []
    whole = sorted(as_text(one) for one in labels if not isinstance(one, list | dict))
    if whole:
        yield Value(SCALE, "; ".join(whole), "open")
    for one in labels:
        if isinstance(one, list | dict):
            yield Value(SCALE, "", why_not=SPANS)


def _by_user(
    annotations: list[Any], task: str, data: dict[str, str], number: int
) -> Iterator[TaskAnnotation]:
    """The annotations of version 1.0: one label each, by the number of a user."""
    by_user: dict[str, list[Value]] = {}
    for one in annotations:
        who = as_text(one.get("user")) or "unknown"
        is_span = "start_offset" in one
        text = as_text(one.get("label", one.get("text")))
        value = Value(SCALE, text, "open", why_not=SPANS if is_span else "")
        by_user.setdefault(who, []).append(value)
    for who, values in by_user.items():
        yield TaskAnnotation(task, who, _merged(values), data, number)


def _merged(values: list[Value]) -> list[Value]:
    whole = sorted(value.text for value in values if not value.why_not)
    merged = [Value(SCALE, "; ".join(whole), "open")] if whole else []
    return merged + [value for value in values if value.why_not]
