r"""Pairs as tab-separated values: the format to write by hand.

    file    = [ header ] { row }
    header  = names, tab-separated, of: id source target label links, and any other
    row     = cells, as many as the header has; at least source and target
    links   = Pharaoh, "0-0 1?2"; with links, source and target are split at spaces

Without a header the columns are ``source target [label]`` or, from four on,
``id source target label``. A header is a first line that names source and target; a
first line that has other usual names alone is an error. A quotation mark is a letter
like any other. Empty lines and lines that begin with "# " before the first row are
skipped.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.data.alignment import Alignment
from core.data.tokens import Token
from core.errors import FormatError
from core.formats.alignments import pharaoh
from core.formats.records import (
    BadLine,
    Format,
    LayerRecord,
    PairRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
    bad,
    flat,
    numbered,
    split_row,
    with_raw,
    words,
)

LOSSES = (
    "Parses are left out.",
    "Further columns are left out, unless the corpus came in with them.",
    "Of several layers the first is written; phrase links and nulls are left out.",
    "Tabs and line breaks within a sentence are written as spaces.",
    "Authors, and what a format said of single links, are left out.",
)
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")
KNOWN = ("id", "source", "target", "label", "links")
_OFTEN = {*KNOWN, "sentence1", "sentence2", "score"}  # names that others' headers have


def read(
    lines: Iterable[str], columns: Mapping[str, int] | None = None
) -> Iterator[Record | BadLine]:
    """A PairRecord a row; a row that cannot be read is a BadLine.

    ``columns``: for a table with other names, which column, counted from 1, is the
    source, the target and perhaps the id and the label; under "header" 1 if the first
    row holds names, else 0.
    """
    names: list[str] | None = None
    before = ""
    for number, line, raw in numbered(lines):
        if names is None and (not line.strip() or line.startswith("# ")):
            before += raw
            continue
        if names is None:
            first = line.split("\t")
            names, is_header = _chosen(first, columns) if columns else _names(first)
            twice = [name for name in names if name in KNOWN and names.count(name) > 1]
            if twice:
                yield BadLine(
                    number, 1, f"column {twice[0]!r} is there twice", "name each once"
                )
                return
            yield RecordHeader(
                before + raw if is_header else before, {"columns": names}
            )
            if is_header:
                continue
            foreign = _OFTEN.intersection(cell.strip().lower() for cell in first)
            if foreign and not columns:
                name = min(foreign)
                why = f"a header, as it has {name!r}, without source and target"
                remedy = "name the columns of the two sentences source and target"
                yield BadLine(number, 1, why, remedy)
                return
        if not line.strip():
            continue
        try:
            yield with_raw(_pair(names, line, number), raw, number)
        except FormatError as error:
            yield bad(error, line=number, excerpt=line)


def claims(start: str) -> bool | None:
    """Whether a file that starts so holds pairs: yes, if a header names both sides; no,
    if without a header one side would be a column of numbers; else None."""
    rows = [line.split("\t") for line in start.splitlines() if line.strip()]
    if not rows:
        return None
    names, is_header = _names(rows[0])
    if is_header:
        return True
    for name in ("source", "target"):
        at = names.index(name)
        cells = [row[at].strip() for row in rows if len(row) > at]
        if cells and all(map(_NUMBER.fullmatch, cells)):
            return False
    return None


def write(records: Iterable[Record]) -> Iterator[str]:
    """Rows under the header they came with, or under a new one."""
    names = ["id", "source", "target", "label", "links"]
    started = False
    for record in records:
        if isinstance(record, RecordHeader):
            names = list(record.meta.get("columns", names))
            if record.text:
                yield record.text
                started = True
            elif "columns" in record.meta:
                started = True
        elif isinstance(record, PairRecord):
            if not started:
                yield "\t".join(names) + "\n"
                started = True
            yield record.raw or _render(names, record)
        elif isinstance(record, Tail):
            yield record.text


def cells(names: Sequence[str], line: str, number: int) -> dict[str, str]:
    """The row by column; raises FormatError on a wrong count or a control sign."""
    row = split_row(line, line_number=number)
    if len(row) < len(names):
        raise FormatError(
            f"columns: {len(row)}; expected {len(names)}",
            line=number,
            column=len(line) + 1,
            remedy=f"the columns are {', '.join(names)}, a tab between each",
        )
    if any(row[len(names) :]):
        column = sum(len(cell) + 1 for cell in row[: len(names)])
        raise FormatError(
            f"columns: {len(row)}; expected {len(names)}",
            line=number,
            column=column,
            remedy="remove tabs from the sentences",
        )
    return dict(zip(names, row, strict=False))


def side(text: str, name: str, number: int, *, split: bool = False) -> SentenceRecord:
    """A sentence of raw text, or of space-separated tokens."""
    if not text.strip():
        raise FormatError(
            f"the {name} is empty", line=number, column=1, remedy="write a sentence"
        )
    tokens = tuple(Token(form) for form in words(text)) if split else ()
    return SentenceRecord(tokens=tokens, text=text)


def _names(row: list[str]) -> tuple[list[str], bool]:
    named = [cell.strip().lower() for cell in row]
    if "source" in named and "target" in named:
        return named, True
    if len(row) >= 4:
        return ["id", "source", "target", "label"], False
    return ["source", "target", "label"][: max(2, len(row))], False


def _chosen(row: list[str], columns: Mapping[str, int]) -> tuple[list[str], bool]:
    """The names of all columns; one that was not chosen is a further column even if it
    has a name that would say something here."""
    is_header = bool(columns.get("header"))
    names = [
        cell.strip() if is_header else f"column {at}" for at, cell in enumerate(row, 1)
    ]
    names = [f"{name} (own)" if name.lower() in KNOWN else name for name in names]
    for role, at in columns.items():
        if role in KNOWN and 0 < at <= len(names):
            names[at - 1] = role
    return names, is_header


def _pair(names: list[str], line: str, number: int) -> PairRecord:
    row = cells(names, line, number)
    if not {"source", "target"} <= row.keys():
        raise FormatError(
            f"{len(names)} columns without a source or a target",
            line=number,
            remedy="choose other columns",
        )
    links = row.get("links", "").strip()
    source = side(row["source"], "source", number, split=bool(links))
    target = side(row["target"], "target", number, split=bool(links))
    layers: tuple[LayerRecord, ...] = ()
    if links:
        sizes = len(source.tokens), len(target.tokens)
        before = line.split("\t")[: names.index("links")]
        column = sum(len(cell) + 1 for cell in before) + 1
        alignment = pharaoh.parse(row["links"], *sizes, line=number, column=column)
        layers = (LayerRecord(alignment),)
    meta = {name: row[name] for name in names if name not in KNOWN}
    return PairRecord(
        source, target, row.get("id", ""), row.get("label", ""), layers, meta
    )


def _render(names: Sequence[str], record: PairRecord) -> str:
    layer = record.layers[0].alignment if record.layers else Alignment()
    row = {
        "id": record.id,
        "source": _text(record.source, tokens=bool(record.layers)),
        "target": _text(record.target, tokens=bool(record.layers)),
        "label": record.label,
        "links": pharaoh.dumps(layer),
    }
    row |= {name: str(value) for name, value in record.meta.items() if name in names}
    return "\t".join(flat(row.get(name, "")) for name in names) + "\n"


def _text(sentence: SentenceRecord, *, tokens: bool) -> str:
    if sentence.tokens and (tokens or not sentence.text):
        return " ".join(sentence.forms)
    return sentence.text


FORMAT = Format(
    "pairs",
    "Pairs, tab-separated",
    holds="pairs",
    suffixes=(".tsv", ".txt"),
    strictness=1,
    read=read,
    write=write,
    losses=LOSSES,
    example={
        "pairs.tsv": "id\tsource\ttarget\tlabel\n"
        "1\tThe boat left at noon.\tAt noon the boat left.\tsame\n"
    },
    claims=claims,
)
