"""Appraise: the scores of a campaign as CSV.

``ExportSystemScoresToCSV`` writes rows without a header: user, system, item, type (TGT,
CHK, BAD, REF), source and target language, score, in campaigns of documents also
document, whether the row is the whole document, and (MQM, ESA) errors as JSON, then
begin and end in seconds since 1970, and with ``--batch-info`` batch and number. The
tables of all results have a header. A score of several systems is a row for each.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from annotator.exchange.peers.files import Brought
from annotator.exchange.peers.reports import Export, TaskAnnotation, Value
from core.errors import FormatError
from core.formats import json_text
from core.formats.records import BadLine

LABEL = "Appraise"
SCALE = "score"
RANGE = (0, 100)
TYPES = ("TGT", "CHK", "BAD", "REF")
CONTROLS = ("BAD", "REF")
CONTROL = "an item for quality control ({}): Appraise counts it for no system"
DOCUMENT = "a score of a whole document"
HEADER = {"username", "segmentID", "score", "itemType"}
NOTE = (
    "Scores only: the sentences are in the batches of the campaign, not in this file. "
    "An item is a segment as one system (or several alike) translated it."
)
REMEDY = "export the scores again, and send them as they come"


@dataclass(frozen=True, slots=True)
class _Score:
    line: int
    user: str
    system: str
    item: str
    type: str
    pair: str
    score: str
    document: str = ""
    is_whole: bool = False
    errors: str = ""
    begin: str = ""
    end: str = ""
    seconds: str = ""


def detects(brought: Brought) -> bool:
    head = brought.head
    if set(head) >= HEADER:
        return True
    return len(head) >= 9 and head[3] in TYPES and _is_number(head[6])


def read(brought: Brought) -> Export:
    named = set(brought.head) >= HEADER
    export = Export("CSV of all results" if named else "CSV of scores")
    export.ranges[SCALE] = RANGE
    export.notes.append(NOTE)
    scores: list[_Score] = []
    for score in _scores(brought, named=named):
        if isinstance(score, BadLine):
            export.bad.append(score)
        elif scores and _is_same(scores[-1], score):
            joined = f"{scores[-1].system} | {score.system}"
            scores[-1] = replace(scores[-1], system=joined)
        else:
            scores.append(score)
    for score in scores:
        export.losses["errors marked in the text (MQM, ESA)"] += _n_errors(score)
        export.annotations.append(_annotation(score))
    return export


def _scores(brought: Brought, *, named: bool) -> Iterator[_Score | BadLine]:
    names: list[str] = []
    for number, line in enumerate(brought.source.lines(), 1):
        if number in brought.source.bad:
            yield brought.source.bad[number]
            continue
        if not line.strip():
            continue
        try:
            cells = next(csv.reader([line]))
            if named and not names:
                names = cells
                continue
            yield _named(names, cells, number) if named else _bare(cells, number)
        except (ValueError, csv.Error) as error:
            yield BadLine(number, 1, str(error), REMEDY, line[:80])


def _bare(cells: list[str], number: int) -> _Score:
    """Raises ValueError on a row that is none of those that Appraise writes."""
    if len(cells) < 9:
        raise ValueError(f"{len(cells)} cells; expected at least 9")
    user, system, item, kind, source, target, value, *rest = cells
    made = _Score(number, user, system, item, kind, f"{source}-{target}", value)
    if len(rest) > 3 and rest[1] in ("True", "False"):
        document, whole, *rest = rest
        made = replace(made, document=document, is_whole=whole == "True")
        if len(rest) > 2 and not _is_number(rest[0]):
            made = replace(made, errors=rest.pop(0))
    return _checked(replace(made, begin=rest[0], end=rest[1]))


def _named(names: list[str], cells: list[str], number: int) -> _Score:
    """Errors are the last column, and their commas are not quoted."""
    if len(cells) > len(names) and names[-1] == "mqm":
        cells = [*cells[: len(names) - 1], ",".join(cells[len(names) - 1 :])]
    if len(cells) != len(names):
        raise ValueError(f"{len(cells)} cells where the header has {len(names)}")
    row = dict(zip(names, cells, strict=True))
    made = _Score(
        *(number, row["username"], row.get("systemID", ""), row["segmentID"]),
        *(row["itemType"], "", row["score"], row.get("documentID", "")),
        is_whole=row.get("isCompleteDocument") == "True",
        errors=row.get("mqm", ""),
        begin=row.get("startTime", ""),
        end=row.get("endTime", ""),
        seconds=row.get("durationInSeconds", ""),
    )
    return _checked(made)


def _checked(score: _Score) -> _Score:
    if score.type not in TYPES:
        raise ValueError(f"type {score.type[:20]!r} is not one of {', '.join(TYPES)}")
    if not _is_number(score.score):
        raise ValueError(f"score {score.score[:20]!r} is not a number")
    for time in (score.begin, score.end):
        if time and not _is_number(time):
            raise ValueError(f"time {time[:20]!r} is not a number of seconds")
    return score


def _is_same(one: _Score, other: _Score) -> bool:
    """Whether it is the same score, written again for another system."""
    is_other = other.system not in one.system.split(" | ")
    return is_other and replace(one, system="", line=0) == replace(
        other, system="", line=0
    )


def _annotation(score: _Score) -> TaskAnnotation:
    parts = (score.pair, score.document, score.item, score.system)
    name = ":".join(part for part in parts if part)
    why = CONTROL.format(score.type) if score.type in CONTROLS else ""
    if why or score.is_whole:
        name += f":{score.type if why else 'document'}"
    return TaskAnnotation(
        name,
        score.user,
        [Value(SCALE, score.score, "number")],
        _data(score),
        score.line,
        score.end,
        score.seconds or _duration(score),
        why or (DOCUMENT if score.is_whole else ""),
    )


def _data(score: _Score) -> Mapping[str, str]:
    shown = {
        "system": score.system,
        "document": score.document,
        "segment": score.item,
        "languages": score.pair,
    }
    return {name: text for name, text in shown.items() if text}


def _duration(score: _Score) -> str:
    if not score.begin or not score.end:
        return ""
    return f"{max(0.0, float(score.end) - float(score.begin)):.1f}"


def _n_errors(score: _Score) -> int:
    try:
        marked = json_text.loads(score.errors or "[]")
        marked = json_text.loads(marked) if isinstance(marked, str) else marked
    except FormatError:
        return 0
    return len(marked) if isinstance(marked, list) else 0


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < 1e12
    except ValueError:
        return False
