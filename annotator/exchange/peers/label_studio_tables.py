"""Label Studio's JSON-MIN, CSV and TSV: an annotation a row.

The columns are the task's data, the answers, and ``annotator``, ``annotation_id``,
``created_at``, ``updated_at``, ``lead_time``. The formats do not distinguish data from
answers: structured cells are answers, so are columns that differ between annotators of
one task, and otherwise those with few values. Skipped annotations are missing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from annotator.exchange.peers.files import (
    REMEDY,
    UNSHAPED,
    Brought,
    as_text,
    csv_rows,
    reason_of,
    start_of,
)
from annotator.exchange.peers.reports import Export, TaskAnnotation, Value
from core.errors import FormatError
from core.formats import json_text
from core.formats.records import BadLine

OWN = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time")
OTHER = {"id", "agreement", "history"}
SHOWN = {  # usual names of text columns: never answers
    *("text", "sentence", "source", "target", "original", "phrase", "paraphrase"),
    *("substitute", "system", "condition", "model", "context", "item", "item_id"),
    *("title", "prompt", "url", "image", "audio", "video", "ref", "start", "end"),
}
MOST_ANSWERS = 20  # distinct values of a column that only these show to be answers
TYPES = {"rating": "number", "number": "number", "selected": "choice"}
SPANS = "labels of spans of text"
UNKNOWN = "an answer of a type that is not read"

_Record = tuple[int, dict[str, Any]]


def detects(brought: Brought) -> bool:
    if brought.begins_with("annotation_id"):
        return brought.begins_with("lead_time", "annotator")
    return {"annotator", "annotation_id", "lead_time"} <= set(brought.head)


def read(brought: Brought) -> Export:
    is_json = brought.begins_with("annotation_id")
    tabs = "\t" in start_of(brought.source).split("\n", 1)[0]
    export = Export("JSON-MIN" if is_json else "TSV" if tabs else "CSV")
    rows = _from_json(brought, export) if is_json else _from_csv(brought, export)
    records = list(rows)
    answers = _answers(records)
    shown = dict.fromkeys(key for _, row in records for key in row)
    texts = [key for key in shown if key not in {*answers, *OWN, *OTHER}]
    export.notes.append(
        f"This format does not tell answers from texts. Read as answers: "
        f"{', '.join(sorted(answers)) or 'none'}; as what the task shows: "
        f"{', '.join(texts) or 'nothing'}. If that is wrong, export JSON, which tells "
        "them apart."
    )
    for number, row in records:
        try:
            export.annotations.append(_annotation(number, row, answers))
        except UNSHAPED as error:
            reason = f"annotation {number}: {reason_of(error)}"
            export.bad.append(BadLine(number, 1, reason, REMEDY))
    return export


def _from_json(brought: Brought, export: Export) -> Iterator[_Record]:
    value = brought.json()
    if isinstance(value, BadLine):
        export.bad.append(value)
        return
    for number, row in enumerate(value if isinstance(value, list) else [value], 1):
        if isinstance(row, dict):
            yield number, {str(key): cell for key, cell in row.items()}
        else:
            reason = f"annotation {number} is not an object"
            export.bad.append(BadLine(number, 1, reason, REMEDY))


def _from_csv(brought: Brought, export: Export) -> Iterator[_Record]:
    for number, row, _ in csv_rows(brought.source):
        if isinstance(row, BadLine):
            export.bad.append(row)
        else:
            yield number, {key: _unpacked(cell) for key, cell in row.items()}


def _unpacked(cell: str) -> Any:
    """A cell that holds JSON of an answer, as its value."""
    if not cell.startswith(("[{", '{"', "[[")):
        return cell
    try:
        return json_text.loads(cell)
    except FormatError:
        return cell


def _answers(records: list[_Record]) -> set[str]:
    """The columns that hold answers."""
    seen: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    answers = set[str]()
    for number, row in records:
        task = as_text(row.get("id")) or str(number)
        for key, cell in row.items():
            if key in OWN or key in OTHER:
                continue
            if _is_answer(cell):
                answers.add(key)
            seen[key][task].add(as_text(cell))
    for key, by_task in seen.items():
        differs = any(len(cells - {""}) > 1 for cells in by_task.values())
        if differs or (key.lower() not in SHOWN and _has_few(by_task)):
            answers.add(key)
    return answers


def _is_answer(cell: Any) -> bool:
    """A list of results, or several choices of one control."""
    if isinstance(cell, dict):
        return "choices" in cell
    kinds = (*TYPES, "choices", "labels", "text", "taxonomy")
    return isinstance(cell, list) and any(
        isinstance(part, dict) and any(kind in part for kind in kinds) for part in cell
    )


def _has_few(by_task: Mapping[str, set[str]]) -> bool:
    values = set().union(*by_task.values()) - {""}
    return 0 < len(values) <= min(MOST_ANSWERS, max(2, len(by_task) // 2))


def _annotation(
    number: int, row: Mapping[str, Any], answers: set[str]
) -> TaskAnnotation:
    values = [v for key in sorted(answers) for v in _values(key, row.get(key))]
    data = {
        key: as_text(cell)
        for key, cell in row.items()
        if key not in answers and key not in OWN and key not in OTHER
    }
    return TaskAnnotation(
        as_text(row.get("id")) or str(number),
        as_text(row.get("annotator")) or "unknown",
        values,
        data,
        number,
        as_text(row.get("created_at")),
        as_text(row.get("lead_time")),
    )


def _values(key: str, cell: Any) -> Iterator[Value]:
    """One value of a plain cell; one for each result of a structured one."""
    if isinstance(cell, dict) and "choices" in cell:
        yield Value(key, "; ".join(sorted(map(as_text, cell["choices"]))))
    elif isinstance(cell, list):
        for part in cell:
            yield _value(key, part)
    elif (text := as_text(cell).strip()) and text != "[]":
        yield Value(key, text, "open")


def _value(key: str, part: Any) -> Value:
    if not isinstance(part, dict):
        return Value(key, as_text(part), "open")
    for name, kind in TYPES.items():
        if name in part:
            return Value(key, as_text(part[name]), kind)
    if "labels" in part or "hypertextlabels" in part:
        return Value(key, "", why_not=SPANS)
    if isinstance(part.get("choices"), list):
        return Value(key, "; ".join(sorted(map(as_text, part["choices"]))))
    if "text" in part:
        return Value(key, as_text(part["text"]), "text")
    return Value(key, "", why_not=UNKNOWN)
