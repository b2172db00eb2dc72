"""brat: an archive of ``.ann`` and ``.txt`` files, a folder an annotator.

A span (T) is a task, wherever it is; an annotator's attributes (A, M) and notes (#) on
it are answers. An attribute without values was ticked or not: "yes", and "no" where a
span has none but others of its type do. Relations, events, equivalences and links to
knowledge bases are not read.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from annotator.exchange.peers.files import Brought, text_of
from annotator.exchange.peers.reports import Export, TaskAnnotation, Value
from core.formats.records import BadLine

LABEL = "brat"
NOTE = "note"
NO_FOLDER = "all"
LOST = {
    "R": "relations",
    "E": "events",
    "*": "equivalences",
    "N": "links to knowledge bases",
}
OF_OTHERS = "attributes and notes of relations and events"
REMEDY = "export the collection again, text and annotations together"
_SPAN = re.compile(r"(T[^\t]+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)\t(.*)")
_OTHER = re.compile(r"[REN]\d[^\t]*\t|\*\t")
_ATTRIBUTE = re.compile(r"[AM][^\t]+\t(\S+) (\S+)(?: (.+))?")
_REMARK = re.compile(r"#[^\t]*\t(\S+) (\S+)\t?(.*)")


@dataclass
class _Span:
    """``says``: attribute -> value, "" if it has none."""

    type: str
    start: int
    end: int
    text: str
    line: int
    says: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass
class _Document:
    """One annotator's copy of one text; ``text`` None: there is none."""

    name: str
    annotator: str
    path: str
    text: str | None
    spans: dict[str, _Span] = field(default_factory=dict)


def detects(brought: Brought) -> bool:
    return brought.is_archive and bool(brought.named(".ann"))


def read(brought: Brought) -> Export:
    files = brought.named(".ann")
    places = _places(list(files))
    people = {who for who, _ in places.values()}
    n = len({name for _, name in places.values()})
    export = Export(f"standoff, {n} document{'s' * (n > 1)}")
    if people == {NO_FOLDER}:
        export.notes.append(
            "There is no folder for each annotator: all of it counts as one, all."
        )
    documents = []
    for path, source in files.items():
        text = _text(brought, path, export)
        document = _Document(places[path][1], places[path][0], path, text)
        for number, line in _spans_first(list(source.lines())):
            bad = source.bad.get(number) or _take(line.rstrip("\r\n"), number, document)
            if isinstance(bad, BadLine):
                export.bad.append(bad)
            elif bad:
                export.losses[bad] += 1
        documents.append(document)
    ticked = _ticked(documents)
    for document in documents:
        export.annotations += _annotations(document, ticked)
    return export


def _spans_first(lines: list[str]) -> list[tuple[int, str]]:
    """With their numbers; attributes may precede their span."""
    return sorted(enumerate(lines, 1), key=lambda row: not row[1].startswith("T"))


def _places(paths: list[str]) -> dict[str, tuple[str, str]]:
    """Annotator and document of each file.

    The folder that tells annotators is the one without which most paths are the same.
    """
    parts = {path: PurePosixPath(path).with_suffix("").parts for path in paths}
    depth = min(len(one) for one in parts.values()) - 1
    if not depth:
        return {path: (NO_FOLDER, "/".join(one)) for path, one in parts.items()}

    def shared(at: int) -> int:
        names = Counter(one[:at] + one[at + 1 :] for one in parts.values())
        return sum(n for n in names.values() if n > 1)

    at = max(range(depth), key=lambda place: (shared(place), _differ(parts, place)))
    common = {one[:at] for one in parts.values()}
    skip = at if len(common) == 1 else 0
    return {
        path: (one[at], "/".join(one[skip:at] + one[at + 1 :]))
        for path, one in parts.items()
    }


def _differ(parts: Mapping[str, tuple[str, ...]], at: int) -> int:
    return len({one[at] for one in parts.values()})


def _text(brought: Brought, path: str, export: Export) -> str | None:
    source = brought.inside.get(path[: -len(".ann")] + ".txt")
    if source is None:
        export.losses["annotations whose text is not in the archive"] += 1
        return None
    text = text_of(source)
    if isinstance(text, BadLine):
        reason = f"{source.name}: {text.reason}"
        export.bad.append(BadLine(text.line, text.column, reason, text.remedy))
        return None
    return text


def _take(line: str, number: int, document: _Document) -> BadLine | str:
    """Take one line in; what is lost by it, or why it cannot be read."""
    if not line.strip():
        return ""
    if match := _SPAN.fullmatch(line):
        return _take_span(match, number, document)
    if _OTHER.match(line):
        return LOST[line[0]]
    if match := _ATTRIBUTE.fullmatch(line):
        name, at, value = match.groups()
        if at not in document.spans:
            return OF_OTHERS
        document.spans[at].says[name] = value or ""
        return ""
    if match := _REMARK.fullmatch(line):
        _, at, text = match.groups()
        if at not in document.spans:
            return OF_OTHERS
        document.spans[at].notes.append(text.strip())
        return ""
    return _bad(document, number, "no annotation of brat's", line)


def _take_span(match: re.Match[str], number: int, document: _Document) -> BadLine | str:
    name, kind, places, quoted = match.groups()
    pieces = [tuple(map(int, piece.split())) for piece in places.split(";")]
    start, end = pieces[0][0], pieces[-1][1]
    if document.text is not None:
        there = " ".join(document.text[a:b] for a, b in pieces)
        if " ".join(there.split()) != " ".join(quoted.split()):
            reason = f"{name}: characters {start} to {end} are {there[:40]!r}, not "
            return _bad(document, number, f"{reason}{quoted[:40]!r}", match[0])
    document.spans[name] = _Span(kind, start, end, quoted, number)
    return ""


def _bad(document: _Document, number: int, reason: str, line: str) -> BadLine:
    return BadLine(number, 1, f"{document.path}: {reason}", REMEDY, line[:80])


def _ticked(documents: list[_Document]) -> dict[str, set[str]]:
    """Type of spans -> its attributes that never have a value."""
    valued = set[str]()
    names_of: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for span in document.spans.values():
            for name, value in span.says.items():
                names_of[span.type].add(name)
                if value:
                    valued.add(name)
    return {kind: names - valued for kind, names in names_of.items()}


def _annotations(
    document: _Document, ticked: Mapping[str, set[str]]
) -> Iterator[TaskAnnotation]:
    places = Counter((span.start, span.end) for span in document.spans.values())
    for span in document.spans.values():
        task = f"{document.name}:{span.start}-{span.end}"
        if places[span.start, span.end] > 1:
            task += f":{span.type}"
        values = [Value(name, value or "yes") for name, value in span.says.items()]
        absent = ticked.get(span.type, set()) - set(span.says)
        values += [Value(name, "no") for name in sorted(absent)]
        values += [Value(NOTE, note, "open") for note in span.notes if note]
        data = _data(document, span)
        yield TaskAnnotation(task, document.annotator, values, data, span.line)


def _data(document: _Document, span: _Span) -> dict[str, str]:
    """The line of the text that the span begins in, and the place in it."""
    shown = {"document": document.name, "type": span.type, "phrase": span.text}
    if document.text is not None:
        begin = document.text.rfind("\n", 0, span.start) + 1
        stop = document.text.find("\n", span.end)
        line = document.text[begin : stop if stop >= 0 else None].rstrip("\r")
        start, end = str(span.start - begin), str(span.end - begin)
        shown |= {"sentence": line, "start": start, "end": end}
    return shown | {NOTE: "; ".join(span.notes)}
