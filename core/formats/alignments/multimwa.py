r"""MultiMWA, monolingual word alignment (Lan, Jiang & Xu 2021).

    row = id \t text \t mark \t text \t mark \t n \t n \t sure \t possible { \t any }

The tokens of a text are separated by spaces; ``sure`` and ``possible`` are Pharaoh
links ``i-j`` counted from 0; marks and numbers are kept. There is no header.
"""

from collections.abc import Iterable, Iterator

from core.data.alignment import Alignment, Link
from core.errors import FormatError
from core.formats.alignments import pharaoh
from core.formats.pairs import side
from core.formats.records import (
    BadLine,
    Format,
    LayerRecord,
    PairRecord,
    Record,
    Tail,
    bad,
    flat,
    numbered,
    split_row,
    with_raw,
)

LOSSES = (
    "Parses, labels, further columns, phrase links and nulls are left out.",
    "Of several layers the first is written; its author is left out.",
    "Spaces within a token are written as underscores.",
)
MIN_COLUMNS = 9


def read(lines: Iterable[str]) -> Iterator[Record | BadLine]:
    """A PairRecord with one layer a row."""
    for number, line, raw in numbered(lines):
        if not line.strip():
            continue
        try:
            yield with_raw(_pair(line, number), raw, number)
        except FormatError as error:
            yield bad(error, line=number, excerpt=line)


def write(records: Iterable[Record]) -> Iterator[str]:
    """The rows."""
    for record in records:
        if isinstance(record, PairRecord):
            yield record.raw or _render(record)
        elif isinstance(record, Tail):
            yield record.text


def _pair(line: str, number: int) -> PairRecord:
    row = split_row(line, line_number=number)
    if len(row) < MIN_COLUMNS:
        raise FormatError(
            f"{len(row)} columns where MultiMWA has {MIN_COLUMNS} or more",
            line=number,
            column=len(line) + 1,
            remedy="separate columns by single tabs",
        )
    source = side(row[1], "first sentence", number, split=True)
    target = side(row[3], "second sentence", number, split=True)
    sizes = len(source.tokens), len(target.tokens)
    sure, weak = (
        pharaoh.parse(row[at], *sizes, line=number, column=_column(row, at))
        for at in (7, 8)
    )
    cells = {link.cell for link in sure.links}
    possible = (
        Link(link.source, link.target, "possible")
        for link in weak.links
        if link.cell not in cells
    )
    layer = LayerRecord(Alignment((*sure.links, *possible)))
    meta = {"marks": [row[2], row[4], row[5], row[6]], "rest": row[MIN_COLUMNS:]}
    return PairRecord(source, target, row[0], layers=(layer,), meta=meta)


def _column(row: list[str], at: int) -> int:
    """Where a cell begins in its line, from 1."""
    return sum(len(cell) + 1 for cell in row[:at]) + 1


def _render(record: PairRecord) -> str:
    layer = record.layers[0].alignment if record.layers else Alignment()
    by_kind = {"sure": "", "possible": ""}
    for kind in by_kind:
        links = tuple(
            Link(link.source, link.target) for link in layer.links if link.kind == kind
        )
        by_kind[kind] = pharaoh.dumps(Alignment(links))
    m1, m2, n1, n2 = record.meta.get("marks", ("N/A", "N/A", "1", "1"))
    source, target = (
        pharaoh.write_texts(one)[:-1] for one in (record.source, record.target)
    )
    row = [record.id, source, m1, target, m2, n1, n2, *by_kind.values()]
    row += record.meta.get("rest", ("", ""))
    return "\t".join(map(flat, row)) + "\n"


FORMAT = Format(
    "multimwa",
    "MultiMWA, tab-separated",
    holds="pairs",
    suffixes=(".tsv",),
    strictness=4,
    read=read,
    write=write,
    losses=LOSSES,
    example={
        "words.tsv": "1\tShe sleeps .\t-\tShe is asleep .\t-\t3\t4\t"
        "0-0 2-3\t0-0 1-2 2-3\n"
    },
)
