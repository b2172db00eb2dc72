"""The content of an export and what was read of it: counts that must add up."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from core.formats.records import BadLine

FREE_TEXT = "free text: a rating is a number or one of a few labels"
MOST_LABELS = 20  # distinct values of a scale; more are not labels
LONGEST_LABEL = 60  # characters


@dataclass(frozen=True, slots=True)
class Value:
    """One answer. ``why_not``: why it is not taken; "" = it is.

    ``place``: the part of the task that it is about, as the tool tells it; "" = all.
    ``kind``: "choice" and "number" are taken, "text" if it is a number, "open" (the
    format does not tell) if it is a number or one of a few short labels.
    """

    scale: str
    text: str
    kind: str = "choice"
    place: str = ""
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class TaskAnnotation:
    """One annotator's look at one task; no one's (``annotator`` "") is only a task.

    ``data``: what the task shows, by column. ``at``: when, as written or in seconds
    since 1970; ``seconds``: how long. ``why_not``: why none of it is taken.
    """

    task: str
    annotator: str = ""
    values: Sequence[Value] = ()
    data: Mapping[str, str] = field(default_factory=dict)
    line: int = 0
    at: str = ""
    seconds: str = ""
    why_not: str = ""


@dataclass
class Export:
    """A file, read. ``variant``: which of the tool's formats it is.

    ``losses``: what else the format holds and Gemel does not take, with how often.
    ``notes``: how it was read, where that is not plain. ``ranges``: what a scale could
    have given, where the tool has fixed it.
    """

    variant: str
    annotations: list[TaskAnnotation] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    losses: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)


def screened(annotations: Sequence[TaskAnnotation]) -> list[TaskAnnotation]:
    """The same without texts that are not ratings, counted by reason."""
    values: dict[str, set[str]] = {}
    kinds: dict[str, str] = {}
    for annotation in annotations:
        for value in annotation.values:
            if value.kind in ("text", "open") and not value.why_not:
                values.setdefault(value.scale, set()).add(value.text)
                kinds[value.scale] = value.kind
    texts = {name for name in values if not _are_ratings(values[name], kinds[name])}
    if not texts:
        return list(annotations)
    return [
        replace(annotation, values=[_screened(one, texts) for one in annotation.values])
        for annotation in annotations
    ]


def _are_ratings(texts: set[str], kind: str) -> bool:
    if all(_is_number(text) for text in texts):
        return True
    few = len(texts) <= MOST_LABELS and max(map(len, texts)) <= LONGEST_LABEL
    return kind == "open" and few


def _screened(value: Value, texts: set[str]) -> Value:
    if value.scale in texts and value.kind in ("text", "open") and not value.why_not:
        return replace(value, why_not=FREE_TEXT)
    return value


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


UNITS = ("tasks", "annotations", "annotators", "values")
EMPTY = "empty: no answer in it"
NOBODY = "nobody annotated it"
NOTHING = "nothing of it is taken"


@dataclass
class TransferReport:
    """``held`` and ``taken``: how many, by unit; ``left``: unit, how many, why not.

    For each unit, the content equals what was read plus what was left out. ``losses``:
    other content of the format, and how often.
    """

    tool: str
    title: str
    held: dict[str, int] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    left: list[tuple[str, int, str]] = field(default_factory=list)
    losses: list[tuple[str, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row a unit, for people: what is held, taken, and left with why."""
        return [
            {
                "unit": unit,
                "held": self.held[unit],
                "taken": self.taken[unit],
                "left": [(n, why) for one, n, why in self.left if one == unit],
            }
            for unit in UNITS
        ]

    def as_params(self) -> dict[str, Any]:
        """The form stored in a database row."""
        return asdict(self)


def of_ratings(tool: str, label: str, export: Export) -> TransferReport:
    """The report of an export whose values become ratings."""
    left: Counter[tuple[str, str]] = Counter()
    annotations = [
        annotation for annotation in export.annotations if annotation.annotator
    ]
    for annotation in annotations:
        if why := _why_not(annotation):
            left["annotations", why] += 1
        for value in annotation.values:
            if reason := annotation.why_not or value.why_not:
                left["values", reason] += 1
    good = [annotation for annotation in annotations if not _why_not(annotation)]
    people, all_people = _people(good), _people(annotations)
    tasks, all_tasks = _tasks(good), _tasks(export.annotations)
    left["annotators", "nothing by them is taken"] = len(all_people - people)
    seen = _tasks(annotations)
    left["tasks", NOBODY] = len(all_tasks - seen)
    left["tasks", NOTHING] = len(seen - tasks)
    n_values = sum(len(annotation.values) for annotation in annotations)
    n_good = sum(
        not value.why_not for annotation in good for value in annotation.values
    )
    held = (len(all_tasks), len(annotations), len(all_people), n_values)
    taken = (len(tasks), len(good), len(people), n_good)
    return _report(tool, label, export, held, taken, left)


def of_items(tool: str, label: str, export: Export) -> TransferReport:
    """The report of an export whose tasks become rows of items."""
    annotations = [
        annotation for annotation in export.annotations if annotation.annotator
    ]
    tasks = _tasks(export.annotations)
    why = "ratings are not items: import them under Reports, Upload ratings"
    n_values = sum(len(annotation.values) for annotation in annotations)
    held = (len(tasks), len(annotations), len(_people(annotations)), n_values)
    left = Counter(
        {(unit, why): n for unit, n in zip(UNITS[1:], held[1:], strict=True)}
    )
    return _report(tool, label, export, held, (len(tasks), 0, 0, 0), left)


def _why_not(annotation: TaskAnnotation) -> str:
    """Why no value of an annotation is taken; "" if one is."""
    if annotation.why_not:
        return annotation.why_not
    if not annotation.values:
        return EMPTY
    return "" if any(not value.why_not for value in annotation.values) else NOTHING


def _people(annotations: Iterable[TaskAnnotation]) -> set[str]:
    return {annotation.annotator for annotation in annotations}


def _tasks(annotations: Iterable[TaskAnnotation]) -> set[str]:
    return {annotation.task for annotation in annotations}


def _report(
    tool: str,
    label: str,
    export: Export,
    held: tuple[int, ...],
    taken: tuple[int, ...],
    left: Counter[tuple[str, str]],
) -> TransferReport:
    by_unit: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
    for (unit, why), n in left.most_common():
        if n:
            by_unit[unit].append((unit, n, why))
    n_tasks, n_people = _told(held[0], "task"), _told(held[2], "annotator")
    return TransferReport(
        tool,
        f"{label} export ({export.variant}), {n_tasks}, {n_people}",
        dict(zip(UNITS, held, strict=True)),
        dict(zip(UNITS, taken, strict=True)),
        [row for unit in UNITS for row in by_unit[unit]],
        [(what, n) for what, n in export.losses.most_common() if n],
        export.notes,
    )


def _told(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n:,} {word}s"
