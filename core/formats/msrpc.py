r"""The Microsoft Research Paraphrase Corpus (Dolan, Quirk & Brockett 2004).

    file  = [BOM] header { row }
    row   = quality \t id1 \t id2 \t sentence1 \t sentence2      quality: 1 or 0

A quotation mark is a letter like any other, not a quote of CSV. Lines may end in CR LF.
The label is "paraphrase" or "not paraphrase".
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.errors import FormatError
from core.formats.pairs import cells, side
from core.formats.records import (
    BadLine,
    Format,
    PairRecord,
    Record,
    RecordHeader,
    Tail,
    bad,
    flat,
    numbered,
    with_raw,
)

LOSSES = (
    "Parses, links, layers and further columns are left out.",
    "A label other than the two of MSRPC, or none, is written as 0.",
    "Tabs and line breaks within a sentence are written as spaces.",
)
HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"
COLUMNS = ("quality", "id1", "id2", "source", "target")
LABELS = {"1": "paraphrase", "0": "not paraphrase"}


def read(lines: Iterable[str]) -> Iterator[Record | BadLine]:
    """A PairRecord a row, its id ``id1-id2``; no id if both are empty."""
    for number, line, raw in numbered(lines):
        if number == 1 and line.lstrip("\ufeff").lower().startswith("quality\t"):
            yield RecordHeader(raw)
        elif line.strip():
            try:
                yield with_raw(_pair(line, number), raw, number)
            except FormatError as error:
                yield bad(error, line=number, excerpt=line)


def write(records: Iterable[Record]) -> Iterator[str]:
    """The header and the rows."""
    started = False
    for record in records:
        if isinstance(record, RecordHeader | Tail):
            yield record.text
            started = True
        elif isinstance(record, PairRecord):
            if not started:
                yield HEADER + "\n"
                started = True
            yield record.raw or _render(record)


def _pair(line: str, number: int) -> PairRecord:
    row = cells(COLUMNS, line, number)
    if row["quality"] not in LABELS:
        raise FormatError(
            f"quality {row['quality'][:20]!r}",
            line=number,
            column=1,
            remedy="write 1 for a paraphrase, 0 for none",
        )
    source = replace(side(row["source"], "first sentence", number), id=row["id1"])
    target = replace(side(row["target"], "second sentence", number), id=row["id2"])
    name = f"{row['id1']}-{row['id2']}" if row["id1"] or row["id2"] else ""
    return PairRecord(source, target, name, LABELS[row["quality"]])


def _render(record: PairRecord) -> str:
    first, _, second = record.id.partition("-")
    row = (
        "1" if record.label == LABELS["1"] else "0",
        record.source.id or first,
        record.target.id or second,
        record.source.text or " ".join(record.source.forms),
        record.target.text or " ".join(record.target.forms),
    )
    return "\t".join(flat(cell) for cell in row) + "\n"


FORMAT = Format(
    "msrpc",
    "MSR Paraphrase Corpus",
    holds="pairs",
    suffixes=(".tsv", ".txt"),
    strictness=4,
    read=read,
    write=write,
    losses=LOSSES,
    example={
        "msrpc.txt": "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
        "1\t10\t11\tThe boat left at noon.\tAt noon the boat left.\n"
    },
)
