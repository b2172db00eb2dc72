"""What an annotation tool's export says, whichever tool wrote it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.formats.records import BadLine

FREE_TEXT = "free text: a rating is a number or one of a few labels"
MOST_LABELS = 20  # different ones of a scale; more are no labels
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
    """The same, with texts that are no ratings left out by their reason."""
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
