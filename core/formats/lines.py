"""Plain sentences, one a line. Blank lines are skipped.

    file  = { sentence newline }

The sentences are raw text and still to be tokenised.
"""

from collections.abc import Iterable, Iterator

from core.errors import FormatError
from core.formats.records import (
    MAX_RECORD,
    BadLine,
    Format,
    Record,
    SentenceRecord,
    bad,
    clean,
    flat,
    numbered,
)

LOSSES = (
    "Pairs, labels, links, layers and parses are left out: a line holds one sentence.",
    "Sentence ids and token columns are left out.",
    "Line breaks within a sentence are written as spaces; blank lines are left out.",
)


def read(lines: Iterable[str]) -> Iterator[Record | BadLine]:
    """Yield a SentenceRecord for each line; a line that cannot be read is a BadLine."""
    for number, line, _raw in numbered(lines):
        if not line.strip():
            continue
        try:
            if len(line) > MAX_RECORD:
                raise FormatError(
                    f"a line of {len(line):,} characters",
                    column=1,
                    remedy="write one sentence per line",
                )
            text = clean(line, line=number).strip()
            yield SentenceRecord(text=text, line=number)
        except FormatError as error:
            yield bad(error, line=number, excerpt=line)


def write(records: Iterable[Record]) -> Iterator[str]:
    """Yield the text of each sentence on its own line."""
    for record in records:
        if isinstance(record, SentenceRecord):
            yield flat(record.text or " ".join(record.forms)) + "\n"


FORMAT = Format(
    "lines",
    "Sentences, one per line",
    holds="sentences",
    suffixes=(".txt",),
    strictness=0,
    read=read,
    write=write,
    losses=LOSSES,
    example={"sentences.txt": "The boat left at noon.\nIt came back at night.\n"},
)
