"""The formats a corpus can come in and go out as; which of them files are in."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath
from typing import BinaryIO

from annotator.errors import BadRequest, Refusal
from annotator.exchange.files import Source
from core.data.tokens import Token
from core.errors import FormatError, GemelError
from core.formats import formats
from core.formats.alignments import pharaoh, treealigner
from core.formats.gemel import GemelItem
from core.formats.records import (
    BadLine,
    Format,
    PairRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
    words,
)

START = 2**18  # bytes of a file that are tried
TRIED = 30  # records of a format
FIRST = 50  # lines by which a format claims a file
WELL = 0.5  # share of the records that can be read


FORMATS = {one.name: one for one in formats()}


def find(name: str) -> Format:
    """The format of this name; raises BadRequest with the known names."""
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise BadRequest(f"There is no format {name!r}: {known}.", field="format")
    return FORMATS[name]


def arrange(kind: Format, sources: list[Source]) -> list[Source]:
    """The files in the order ``read`` wants: the one that names the others first."""
    if kind.name != "treealigner":
        return sources
    named = [bool(treealigner.filenames(source.lines())) for source in sources]
    order = sorted(range(len(sources)), key=lambda i: not named[i])
    return [sources[i] for i in order]


def read(
    kind: Format, sources: list[Source], columns: Mapping[str, int] | None = None
) -> Iterator[tuple[int, Record | GemelItem | BadLine]]:
    """Index of the file, and what its codec says; what cannot be decoded comes too.

    ``columns``: of pairs, which column is which, as ``core.formats.pairs`` has it.
    """
    if kind.name == "pharaoh":
        yield from _merged(0, sources, _pharaoh(sources))
    elif kind.name == "treealigner":
        yield from _merged(0, sources, _treealigner(sources))
    else:
        how = {"columns": columns} if columns and kind.name == "pairs" else {}
        for index, source in enumerate(sources):
            n, records = 0, kind.read(source.lines(), **how)
            for _, record in _merged(index, [source], records):
                n += not isinstance(record, RecordHeader | Tail)
                yield index, record
            if not n and len(sources) > 1:
                yield index, _unused(source, f"holds nothing that is {kind.title}")


def tokenised(record: Record | GemelItem | BadLine) -> Record | GemelItem | BadLine:
    """Return the record with raw text cut at spaces alone, where it has no tokens."""
    if isinstance(record, PairRecord):
        sides = _cut(record.source), _cut(record.target)
        return replace(record, source=sides[0], target=sides[1])
    return _cut(record) if isinstance(record, SentenceRecord) else record


def _cut(record: SentenceRecord) -> SentenceRecord:
    if record.tokens:
        return record
    return replace(record, tokens=tuple(Token(word) for word in words(record.text)))


def _merged(
    index: int, sources: list[Source], records: Iterator[Record | GemelItem | BadLine]
) -> Iterator[tuple[int, Record | GemelItem | BadLine]]:
    """The records; a line that could not be decoded is named once, by that reason."""
    for record in records:
        if isinstance(record, BadLine):
            named = [one for one in sources if one.name == record.file] or sources[:1]
            if record.line not in named[0].bad:
                yield index, replace(record, file=named[0].name)
        else:
            yield index, record
    for source in sources:
        for line in source.bad.values():
            yield index, replace(line, file=source.name)


def _unused(source: Source, reason: str) -> BadLine:
    """A file of several that brings nothing: never passed over in silence."""
    remedy = "leave it out, or choose the format that all the files are in"
    return BadLine(0, 0, f"the file {reason}", remedy, file=source.name)


def _pharaoh(sources: list[Source]) -> Iterator[Record | BadLine]:
    if len(sources) == 3:
        texts = sources[1].lines(), sources[2].lines()
    elif len(sources) == 2:
        texts = _sides(sources[1], 0), _sides(sources[1], 1)
    else:
        raise BadRequest(
            "Pharaoh links need the links, the source text and the target text "
            "(or one text with source ||| target on each line).",
            field="files",
        )
    yield from pharaoh.read(sources[0].lines(), *texts)


def _sides(source: Source, side: int) -> Iterator[str]:
    for line in source.lines():
        parts = line.split("|||")
        yield parts[side].strip() + "\n" if len(parts) == 2 else "\0"


def _treealigner(sources: list[Source]) -> Iterator[Record | BadLine]:
    by_name = {source.name: source for source in sources}

    def open_treebank(name: str) -> Iterator[str]:
        if name not in by_name:
            raise FormatError(
                f"the treebank {name!r} named in the header was not uploaded",
                line=1,
                column=1,
                remedy="send it along with the alignment, under that name",
            )
        return by_name[name].lines()

    yield from treealigner.read(sources[0].lines(), open_treebank)
    named = {sources[0].name, *treealigner.filenames(sources[0].lines())}
    for source in sources:
        if source.name not in named:
            yield _unused(source, "is not named by the alignment")


def format_of(sources: Sequence[Source]) -> Format | None:
    """The format with the greatest share of records that can be read; None if no format
    reads one. Of several as good the one whose files are called so, then the strictest.

    A suffix that only one format has decides, and then the first lines that a format
    claims. Files of text that nothing else reads well hold a sentence a line.
    """
    by_strictness = sorted(FORMATS.values(), key=lambda one: -one.strictness)
    suffixes = {_suffix(one) for one in sources}
    for kind in by_strictness:
        if kind.suffix_decides and suffixes <= {*kind.suffixes}:
            return kind
    starts = ["".join(islice(one.lines(), FIRST)) for one in sources]
    said = {one.name: {*map(one.claims, starts)} for one in by_strictness}
    for kind in by_strictness:
        if True in said[kind.name]:  # an alignment claims the treebanks next to it
            return kind
    best: Format | None = None
    most = (0.0, False)
    for kind in by_strictness:
        if kind.strictness and False not in said[kind.name]:
            worth = (_share(kind, sources), sources[0].name.endswith(kind.suffixes))
            if worth[0] and worth > most:
                best, most = kind, worth
    if most[0] < WELL and suffixes == {".txt"}:
        lines = FORMATS["lines"]
        return lines if _share(lines, sources) >= WELL else best
    return best


def _suffix(source: Source) -> str:
    return PurePosixPath(source.name).suffix.lower()


def _share(kind: Format, sources: Sequence[Source]) -> float:
    """The share of the first records that can be read; 0 where files are missing."""
    good = bad = 0
    try:
        for _, record in islice(read(kind, arrange(kind, list(sources))), TRIED):
            good += isinstance(record, SentenceRecord | PairRecord | GemelItem)
            bad += isinstance(record, BadLine)
    except (Refusal, GemelError):
        return 0.0
    return good / (good + bad) if good else 0.0


def beginning(file: BinaryIO) -> io.BytesIO:
    """The first lines of a file, as a file; one line that is longer, cut."""
    start = file.read(START)
    whole = len(start) < START
    return io.BytesIO(start if whole else start[: start.rfind(b"\n") + 1] or start)
