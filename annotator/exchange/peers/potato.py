"""Potato: the output folder as an archive, or one file of it.

Version 1 writes ``annotated_instances`` with ``label_annotations: {schema: {label:
value}}``, a file for each user's folder and one for all, which may be CSV or TSV with
columns ``schema:::label``. Version 2 writes ``user_state.json`` into the folders and
exports JSONL, CSV and TSV with columns ``schema.label``. The labels and values of the
whole schema determine what a label's value means (``potato_schemas``).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotator.exchange.files import Source
from annotator.exchange.peers.files import (
    REMEDY,
    UNSHAPED,
    Brought,
    as_text,
    csv_rows,
    folder_of,
    head_of,
    json_lines,
    json_of,
    reason_of,
    start_of,
)
from annotator.exchange.peers.reports import Export, TaskAnnotation, Value
from core.formats.records import BadLine

Labels = Mapping[str, Mapping[str, str]]  # schema -> label -> value
TEXT = {"text_box", "textbox", "text", "free_response", "bad_text", "_data"}
NUMBER = {"slider", "number", "value", "_value", "likert", "rating"}
NO = {"", "false", "none", "null"}
_POINT = re.compile(r"scale_?\d+|-?\d+")


class Schemas:
    """The schemas of a file, each by what was ever given to its labels."""

    def __init__(self, given: Iterable[Labels]) -> None:
        self._seen: dict[str, dict[str, set[str]]] = defaultdict(
            lambda: defaultdict(set)
        )
        self._several = set[str]()
        for labels in given:
            for schema, by_label in labels.items():
                chosen = _answered(by_label)
                for label, value in chosen.items():
                    self._seen[schema][label].add(value)
                if len(chosen) > 1:
                    self._several.add(schema)

    def values(self, labels: Labels) -> Iterator[Value]:
        """Return the answers of one annotation."""
        for schema, by_label in labels.items():
            if chosen := _answered(by_label):
                yield from self._of(schema, chosen)

    def _of(self, schema: str, chosen: Mapping[str, str]) -> Iterator[Value]:
        constant = all(len(values) == 1 for values in self._seen[schema].values())
        if schema in self._several:
            if constant:
                yield Value(schema, "; ".join(sorted(chosen)))
                return
            for label, value in chosen.items():
                yield Value(f"{schema}: {label}", value, "open")
            return
        ((label, value),) = chosen.items()
        if label in TEXT:
            yield Value(schema, value, "text")
        elif label in NUMBER or label == schema or _POINT.fullmatch(label):
            yield Value(schema, value, "open")
        else:
            yield Value(schema, label if constant else value, "open")


def _answered(by_label: Mapping[str, str]) -> dict[str, str]:
    return {
        label: value for label, value in by_label.items() if value.lower() not in NO
    }


LABEL = "Potato"
SPANS = "labels of spans of text"
SURVEY = "a page of a survey (consent, instructions), no task"
STATE = "user_state.json"
INSTANCES = "annotated_instances."
_TIME = re.compile(r"(\d+)d (\d+)h (\d+)m (\d+)s")
_UNIT = (86_400, 3600, 60, 1)
_OWN = {
    *("user", "user_id", "instance_id", "displayed_text"),
    *("annotator_origin", "annotator_origin_detail"),
}


@dataclass
class _Record:
    """One user's annotation of one instance, from any file."""

    user: str
    instance: str
    line: int
    labels: Labels
    n_spans: int = 0
    text: str = ""
    seconds: str = ""
    has_behaviour: bool = False


def detects(brought: Brought) -> bool:
    if brought.is_archive:
        return bool(_files(brought)[0])
    return _is_ours(brought.source)


def _is_ours(source: Source) -> bool:
    start = start_of(source).lstrip()
    if start.startswith("{"):
        old = '"label_annotations"' in start
        new = all(f'"{key}"' in start for key in ("instance_id", "user_id", "labels"))
        return old or new or '"instance_id_to_label_to_value"' in start
    head = head_of(source)
    if "instance_id" not in head:
        return False
    return any(":::" in name for name in head) or head[:2] == ("instance_id", "user_id")


def _files(brought: Brought) -> tuple[dict[str, Source], int]:
    """The files to read, and how many say the same again and are not read.

    Those in the folders of users, before the one that holds all of them.
    """
    ours = {
        path: source
        for path, source in brought.inside.items()
        if path.endswith("/" + STATE) or INSTANCES in path.rpartition("/")[2]
    }
    old = {path: s for path, s in ours.items() if not path.endswith(STATE)}
    old_users = {path: s for path, s in old.items() if not _has_users(s)}
    state = {path: s for path, s in ours.items() if path.endswith(STATE)}
    chosen = old_users or state or old
    return dict(sorted(chosen.items())), len(ours) - len(chosen)


def _has_users(source: Source) -> bool:
    """Whether its lines name users themselves: no file of a user's folder."""
    head = start_of(source)
    return '"user_id"' in head or "instance_id" in head_of(source)


def read(brought: Brought) -> Export:
    files, n_again = {brought.source.name: brought.source}, 0
    if brought.is_archive:
        files, n_again = _files(brought)
    export = Export(_variant(brought, files))
    if n_again:
        export.notes.append(
            f"{n_again} more files say the same again, and are not read."
        )
    records: list[_Record] = []
    for path, source in files.items():
        for record in _records(path, source):
            if isinstance(record, BadLine):
                export.bad.append(record)
            else:
                records.append(record)
    schemas = Schemas(record.labels for record in records)
    export.losses["times and keystrokes"] = sum(r.has_behaviour for r in records)
    export.annotations = [_annotation(record, schemas) for record in records]
    return export


def _variant(brought: Brought, files: Mapping[str, Source]) -> str:
    suffix = next(iter(files)).rpartition(".")[2].upper()
    folders = f", {len(files)} folders" if len(files) > 1 else ""
    return f"{suffix}{folders}" if suffix in ("CSV", "TSV") else f"JSON{folders}"


def _records(path: str, source: Source) -> Iterator[_Record | BadLine]:
    start = start_of(source).lstrip()
    if '"instance_id_to_label_to_value"' in start or path.endswith(STATE):
        yield from _from_state(path, source)
    elif start.startswith("{"):
        yield from _from_lines(path, source)
    else:
        yield from _from_table(source)


def _from_lines(path: str, source: Source) -> Iterator[_Record | BadLine]:
    for number, value in json_lines(source):
        if isinstance(value, BadLine):
            yield replace(value, reason=f"{path}: {value.reason}")
            continue
        try:
            yield _line(value, folder_of(path), number)
        except UNSHAPED as error:
            reason = f"{path}: no annotation of an instance: {reason_of(error)}"
            yield BadLine(number, 1, reason, REMEDY)


def _line(value: dict[str, Any], folder: str, number: int) -> _Record:
    labels = value.get("label_annotations", value.get("labels"))
    if not isinstance(labels, dict):
        raise ValueError("it has no labels by schema")
    instance = value["instance_id"] if "instance_id" in value else value["id"]
    spans = value.get("span_annotations", value.get("spans")) or ()
    groups = spans.values() if isinstance(spans, dict) else [spans]
    behaviour = value.get("behavioral_data") or {}
    return _Record(
        as_text(value.get("user_id")) or folder or "unknown",
        as_text(instance),
        number,
        {name: _by_label(by_label) for name, by_label in labels.items()},
        sum(len(group) for group in groups),
        as_text(value.get("displayed_text")),
        _seconds(as_text(behaviour.get("time_string"))),
        bool(behaviour),
    )


def _by_label(given: Any) -> dict[str, str]:
    """{label: value}; a single value is its own label."""
    if isinstance(given, dict) and isinstance(given.get("labels"), dict):
        given = given["labels"]
    if isinstance(given, dict):
        return {str(label): _plain(value) for label, value in given.items()}
    parts = given if isinstance(given, list) else [given]
    return {_plain(part): _plain(part) for part in parts if _plain(part)}


def _plain(value: Any) -> str:
    """As text; 4.0 is 4, as tables with gaps write whole numbers."""
    text = as_text(value).strip()
    return text.removesuffix(".0") if re.fullmatch(r"-?\d+\.0", text) else text


def _seconds(text: str) -> str:
    match = _TIME.search(text)
    if not match:
        return ""
    pairs = zip(_UNIT, match.groups(), strict=True)
    return str(sum(unit * int(part) for unit, part in pairs))


def _from_state(path: str, source: Source) -> Iterator[_Record | BadLine]:
    """``user_state.json``: everything of one user."""
    value = json_of(source)
    if isinstance(value, BadLine):
        yield replace(value, reason=f"{path}: {value.reason}")
        return
    try:
        yield from list(_of_state(path, value))
    except UNSHAPED as error:
        yield BadLine(1, 1, f"{path}: no state of a user: {reason_of(error)}", REMEDY)


def _of_state(path: str, value: dict[str, Any]) -> Iterator[_Record]:
    user = as_text(value.get("user_id")) or folder_of(path) or "unknown"
    labels = value.get("instance_id_to_label_to_value") or {}
    spans = value.get("instance_id_to_span_to_value") or {}
    behaviour = value.get("instance_id_to_behavioral_data") or {}
    for number, name in enumerate(dict.fromkeys([*labels, *spans]), 1):
        n_spans = sum(1 for _ in _flat(spans.get(name)))
        by_schema = _by_schema(labels.get(name) or {})
        has = bool(behaviour.get(name))
        yield _Record(user, name, number, by_schema, n_spans, has_behaviour=has)


def _by_schema(given: Any) -> Labels:
    """Labels as an object by schema, or as pairs of a label's names and its value."""
    if isinstance(given, dict):
        return {str(name): _by_label(labels) for name, labels in given.items()}
    made: dict[str, dict[str, str]] = {}
    for key, value in given:
        schema = str(key.get("schema", ""))
        made.setdefault(schema, {})[str(key.get("name", ""))] = _plain(value)
    return made


def _flat(spans: Any) -> Iterator[Any]:
    for part in spans.values() if isinstance(spans, dict) else spans or ():
        yield from (
            part if isinstance(spans, dict) and isinstance(part, list) else [part]
        )


def _from_table(source: Source) -> Iterator[_Record | BadLine]:
    for number, row, _ in csv_rows(source):
        if isinstance(row, BadLine):
            yield row
            continue
        labels: dict[str, dict[str, str]] = {}
        n_spans = 0
        for column, cell in row.items():
            if column in _OWN or not cell.strip():
                continue
            schema, label, is_span = _column(column)
            if is_span:
                n_spans += max(cell.count("{"), cell.count("SpanAnnotation("))
            else:
                labels.setdefault(schema, {})[label] = _plain(cell)
        user = row.get("user") or row.get("user_id") or "unknown"
        text = row.get("displayed_text", "")
        yield _Record(user, row.get("instance_id", ""), number, labels, n_spans, text)


def _column(name: str) -> tuple[str, str, bool]:
    """Schema and label of a column, and whether it holds spans."""
    schema, sign, label = name.partition(":::")
    if not sign:
        schema, _, label = name.partition(".")
    if label in ("_spans",) or schema == "span_annotation":
        return schema, label, True
    return schema, label or schema, False


def _annotation(record: _Record, schemas: Schemas) -> TaskAnnotation:
    values = list(schemas.values(record.labels))
    values += [Value("", "", why_not=SPANS) for _ in range(record.n_spans)]
    data = {"text": record.text} if record.text else {}
    survey = record.instance.endswith(".html")
    return TaskAnnotation(
        record.instance,
        record.user,
        values,
        data,
        record.line,
        seconds=record.seconds,
        why_not=SURVEY if survey else "",
    )
