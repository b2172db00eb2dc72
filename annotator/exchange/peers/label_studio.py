"""Label Studio: JSON (all of it), JSON-MIN, and CSV or TSV.

JSON is a list of tasks ``{"id", "data", "annotations": [{"id", "completed_by",
"result": [{"type", "from_name", "value"}], "was_cancelled", "lead_time", …}]}``. Values
of the types choices, rating, number and pairwise are taken, and texts that are numbers;
the other formats are read in ``label_studio_tables``.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from annotator.exchange.peers import label_studio_tables as tables
from annotator.exchange.peers.files import REMEDY, UNSHAPED, Brought, as_text, reason_of
from annotator.exchange.peers.reports import Export, TaskAnnotation, Value
from core.formats.records import BadLine

LABEL = "Label Studio"
SKIPPED = "cancelled: the annotator skipped the task"
MANY = "; "  # between the labels of one answer
STARS = (1, 5)  # a rating's, where the interface does not say otherwise
SPANS = "labels of spans of text"
REGIONS = "regions of images, sound or video"
UNKNOWN = "an answer of the type {}"
_SPAN_TYPES = {"labels", "hypertextlabels", "paragraphlabels"}
_REGION_TYPES = (
    *("rectangle", "polygon", "ellipse", "brush", "keypoint", "bitmask", "vector"),
    *("video", "timeseries", "timeline", "magicwand", "cube"),
)
_MEDIA = (
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".pdf"),
    *(".mp3", ".wav", ".ogg", ".flac", ".mp4", ".webm", ".mov"),
)


def detects(brought: Brought) -> bool:
    """JSON of tasks, or a table with the columns that every export of it has."""
    if brought.begins_with("annotations", "completions"):
        return brought.begins_with("data", "predictions", "was_cancelled")
    return tables.detects(brought)


def read(brought: Brought) -> Export:
    """The looks of all tasks; a task that is none is a bad line."""
    if tables.detects(brought):
        return tables.read(brought)
    export = Export("JSON")
    value = brought.json()
    if isinstance(value, BadLine):
        export.bad.append(value)
        return export
    for number, task in enumerate(value if isinstance(value, list) else [value], 1):
        try:
            export.annotations += list(_task(task, number, export))
        except UNSHAPED as error:
            reason = f"task {number} is not a task: {reason_of(error)}"
            export.bad.append(BadLine(number, 1, reason, REMEDY))
    return export


def _task(
    task: Mapping[str, Any], number: int, export: Export
) -> Iterator[TaskAnnotation]:
    if not isinstance(task.get("data"), dict):
        raise ValueError("it has no data")
    annotations = task.get("annotations", task.get("completions"))
    if not isinstance(annotations, list):
        raise ValueError("its annotations are not a list")
    name = as_text(task.get("id")) or str(number)
    data = {str(key): as_text(value) for key, value in task["data"].items()}
    export.losses["predictions of models"] += len(task.get("predictions") or ())
    export.losses["drafts"] += len(task.get("drafts") or ())
    export.losses["comments"] += int(task.get("comment_count") or 0)
    export.losses["images, sounds, films (not fetched)"] += sum(
        text.lower().split("?")[0].endswith(_MEDIA) for text in data.values()
    )
    yield TaskAnnotation(name, data=data, line=number)
    for annotation in annotations:
        yield _annotation(name, data, annotation, number, export)


def _annotation(
    name: str,
    data: dict[str, str],
    annotation: dict[str, Any],
    number: int,
    export: Export,
) -> TaskAnnotation:
    results = annotation.get("result")
    if not isinstance(results, list):
        raise ValueError("the result of an annotation is not a list")
    export.losses["marks of ground truth"] += bool(annotation.get("ground_truth"))
    values = [value for result in results for value in _values(result, export)]
    seconds = as_text(annotation.get("lead_time"))
    skipped = bool(annotation.get("was_cancelled") or annotation.get("skipped"))
    return TaskAnnotation(
        name,
        _who(annotation),
        values,
        data,
        number,
        as_text(annotation.get("created_at")),
        seconds,
        SKIPPED if skipped else "",
    )


def _who(annotation: Mapping[str, Any]) -> str:
    """The annotator's address, else their number; "unknown" where the file has none."""
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("username") or who.get("id")
    return as_text(who) or "unknown"


def _values(result: dict[str, Any], export: Export) -> Iterator[Value]:
    """The answer of one control; a relation is none, and is counted."""
    kind, value = str(result.get("type", "")).lower(), result.get("value")
    if kind == "relation":
        export.losses["relations"] += 1
        return
    scale, place = as_text(result.get("from_name")), _place(value)
    if not isinstance(value, dict):
        raise ValueError(f"the value of {scale or kind} is not an object")
    if kind == "rating":
        low, high = export.ranges.get(scale, STARS)
        export.ranges[scale] = low, max(high, int(float(value["rating"])))
        yield Value(scale, as_text(value["rating"]), "number", place)
    elif kind == "number":
        yield Value(scale, as_text(value["number"]), "number", place)
    elif kind == "choices":
        yield Value(scale, _joined(value["choices"]), "choice", place)
    elif kind == "pairwise":
        yield Value(scale, as_text(value["selected"]), "choice", place)
    elif kind == "textarea":
        yield Value(scale, _joined(value["text"]), "text", place)
    else:
        yield Value(scale, "", "choice", place, _unread(kind))


def _joined(value: Any) -> str:
    """Several labels of one answer are one value, in order of name."""
    parts = value if isinstance(value, list) else [value]
    return MANY.join(sorted(as_text(part).strip() for part in parts))


def _place(value: Any) -> str:
    """The characters that an answer is about, if it is about a part of the text."""
    if not isinstance(value, dict) or "start" not in value or "end" not in value:
        return ""
    return f"{as_text(value['start'])}-{as_text(value['end'])}"


def _unread(kind: str) -> str:
    if kind in _SPAN_TYPES:
        return SPANS
    return REGIONS if kind.startswith(_REGION_TYPES) else UNKNOWN.format(kind or "none")
