"""Tables as people have them: TSV, CSV, Excel workbooks, JSON, JSON Lines.

The type of a file (format, encoding, delimiter) is detected from its bytes, and can be
overruled. ``rows`` gives each row as cells by column name; a row that cannot be read is
a BadLine, and reading continues. Nothing here knows what the columns mean.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from annotator.errors import BadRequest
from annotator.exchange import encodings, workbooks
from annotator.exchange.files import Source
from core.errors import FormatError
from core.formats import json_text
from core.formats.records import BadLine, bad, numbered

_T = TypeVar("_T")
Row = tuple[int, dict[str, str] | BadLine, str]
"""Number of the line or row, from 1; cells by column, or why not; its text."""

FORMS = ("tsv", "csv", "xlsx", "json", "jsonl")
DELIMITERS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar"}
ZIP = b"PK\x03\x04"  # how a workbook begins
EMPTY = BadLine(0, 0, "the file is empty", "begin it with a header line")
START = 1 << 16
MAX_LINES = 1_000_000  # of one table; this many are read and checked in about 15 s
_LONE_CR = re.compile(r"(?<=\r)(?!\n)")


@dataclass
class Sheet:
    """A file as a table; ``settle`` detects settings that are "" or None from its
    bytes.

    ``has_header``: the first row names the columns; else they are "Column 1", … .
    """

    source: Source
    form: str = ""
    delimiter: str = ""
    has_header: bool = True

    def settle(self) -> "Sheet":
        """The same sheet with form, encoding and delimiter known. Raises BadRequest."""
        with self.source.open() as file:
            start = file.read(START)
        if start.startswith(ZIP):
            self.form = "xlsx"
            return self
        if not self.source.encoding:
            self.source.encoding = _encoding(self.source, start)
        head = _LONE_CR.split(next(iter(self.source.lines()), ""))[0]
        self.form = self.form or _form(self.source.name, head)
        if self.form in ("tsv", "csv"):
            self.delimiter = self.delimiter or _delimiter(self.form, head)
            self.form = "tsv" if self.delimiter == "\t" else "csv"
        return self

    def rows(self) -> Iterator[Row]:
        """Every row but empty ones and the header, in order."""
        if not self.form:
            self.settle()
        if self.form == "xlsx":
            yield from _named(workbooks.rows(self.source), has_header=self.has_header)
            return
        for number, row, text in rows_of(
            self.source.lines(), self.form, self.delimiter, has_header=self.has_header
        ):
            if self.source.bad and _has_nul(row):
                line = min(self.source.bad)
                yield line, self.source.bad.pop(line), ""
            else:
                yield number, row, text

    def columns(self) -> tuple[str, ...]:
        """The names of the columns; of JSON, of the first hundred rows."""
        names: dict[str, None] = {}
        for n, (_, row, _) in enumerate(self.rows()):
            if isinstance(row, dict):
                names |= dict.fromkeys(row)
            if n >= (100 if self.form.startswith("json") else 0):
                break
        return tuple(names)


def _has_nul(row: dict[str, str] | BadLine) -> bool:
    """Whether it comes from a line that could not be decoded, which has a NUL."""
    return isinstance(row, BadLine) or any("\0" in cell for cell in row.values())


def rows_of(
    lines: Iterable[str],
    form: str = "tsv",
    delimiter: str = "\t",
    *,
    has_header: bool = True,
) -> Iterator[Row]:
    """The rows of decoded lines in one of the ``FORMS`` that are text."""
    if form == "jsonl":
        yield from _json_lines(_counted(lines))
    elif form == "json":
        yield from _json_list(lines)
    else:
        is_tsv = form == "tsv"
        counted = _counted(lines if is_tsv else _bounded(lines))
        cells = _split_rows(counted) if is_tsv else _csv_rows(counted, delimiter)
        yield from _named(cells, has_header=has_header, may_be_short=form == "csv")


def _counted(lines: Iterable[_T]) -> Iterator[_T]:
    """The lines or rows, empty ones too. Raises BadRequest if there are too many."""
    for number, line in enumerate(lines, 1):
        if number > MAX_LINES:
            raise BadRequest(
                f"The table has more than {MAX_LINES:,} lines. Send it in parts.",
                field="file",
            )
        yield line


# ------------------------------------------------------------------ what a file is
def _encoding(source: Source, start: bytes) -> str:
    """A byte order mark, else UTF-8, UTF-16 by its NULs, else the likeliest."""
    if (wide := _wide(start)) is not None:
        return wide
    guessed = Source(source.name, source.open, fallback="unknown")
    guessed.settle()
    if guessed.encoding != "unknown":
        source.bom = guessed.bom
        return guessed.encoding
    with source.open() as file:
        likeliest = encodings.guess(file)
    source.guessed = likeliest.example
    return likeliest.encoding


def _wide(start: bytes) -> str | None:
    """UTF-16 without a mark: every second byte of Western text is NUL."""
    if start[:2] in (b"\xff\xfe", b"\xfe\xff") or len(start) < 4:
        return None
    half = len(start) // 2
    if start[1::2].count(0) > half * 0.6 and start[::2].count(0) < half * 0.1:
        return "utf-16-le"
    if start[::2].count(0) > half * 0.6 and start[1::2].count(0) < half * 0.1:
        return "utf-16-be"
    return None


def _form(name: str, head: str) -> str:
    text = head.lstrip("\ufeff \r\n")
    if text.startswith("[") and not name.lower().endswith((".csv", ".tsv")):
        return "json"
    if text.startswith("{") or name.lower().endswith((".jsonl", ".ndjson")):
        return "jsonl"
    return "tsv" if "\t" in head else "csv"


def _delimiter(form: str, head: str) -> str:
    """The sign that cuts the header into most cells; a tab before all others."""
    if form == "tsv" or "\t" in head:
        return "\t"
    # csv refuses a lone "\r" within a line, and a cell that is over its limit
    line = next(iter(head.splitlines()), "")[: csv.field_size_limit()]
    return max(
        ",;|", key=lambda sign: len(next(csv.reader([line], delimiter=sign), ""))
    )


# ------------------------------------------------------------------ rows as cells
Cells = Iterator[tuple[int, list[str] | BadLine, str]]


def _split_rows(lines: Iterable[str]) -> Cells:
    """Tab-separated: no quotes, a tab ends a cell, a line break a row."""
    for number, line, _ in numbered(lines):
        text = line.lstrip("\ufeff") if number == 1 else line
        yield number, text.split("\t") if text.strip() else [], text


def _csv_rows(lines: Iterable[str], delimiter: str) -> Cells:
    """Cells with quotes, which may hold delimiters and line breaks (RFC 4180)."""
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        first = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            remedy = "look for a quote that is never closed"
            yield first, BadLine(first, 1, f"not CSV: {error}", remedy), ""
            continue
        if first == 1 and cells:
            cells[0] = cells[0].lstrip("\ufeff")
        yield first, cells if any(cells) else [], delimiter.join(cells)[:200]


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    """The lines, also where only "\\r" ends them (old Macs).

    One longer than a cell may be is cut, and so refused by csv itself.
    """
    limit = csv.field_size_limit()
    for line in lines:
        for piece in _LONE_CR.split(line):
            yield piece[: limit + 2] if len(piece) > limit else piece


def _named(
    rows: Cells, *, has_header: bool, may_be_short: bool = True
) -> Iterator[Row]:
    """Cells by the names of their columns.

    ``may_be_short``: missing cells at the end of a row are empty.
    """
    names: list[str] | None = None
    n_rows = 0
    for number, cells, text in rows:
        if not cells:
            continue
        if isinstance(cells, BadLine):
            yield number, cells, text
        elif names is None:
            names = _names(cells) if has_header else []
            if not has_header:
                names = [f"Column {n}" for n in range(1, len(cells) + 1)]
                yield number, dict(zip(names, cells, strict=True)), text
        elif len(cells) > len(names) or (len(cells) < len(names) and not may_be_short):
            yield number, _ragged(number, len(cells), len(names), text), text
        else:
            filled = cells + [""] * (len(names) - len(cells))
            yield number, dict(zip(names, filled, strict=True)), text
        n_rows += 1
    if names is None:
        yield 0, EMPTY, ""
    elif n_rows < 2 and has_header:
        remedy = "add a row for each item, or say that there is no header"
        yield 1, BadLine(1, 1, "a header and no row below it", remedy), ""


def _names(cells: list[str]) -> list[str]:
    """Each column's name, made unique where two are equal or one is empty."""
    names: list[str] = []
    for n, cell in enumerate(cells, 1):
        name = " ".join(cell.replace("\0", "").split())[:80] or f"Column {n}"
        names.append(name if name not in names else f"{name} ({n})")
    return names


def _ragged(number: int, here: int, wanted: int, text: str) -> BadLine:
    remedy = "split cells by one delimiter, and quote or take out those in the text"
    return BadLine(
        number,
        1,
        f"{here} cells where the header has {wanted}",
        remedy,
        text[:120],
    )


# ------------------------------------------------------------------ JSON
def _json_lines(lines: Iterable[str]) -> Iterator[Row]:
    for number, line, _ in numbered(lines):
        text = line.lstrip("\ufeff") if number == 1 else line
        if text.strip():
            yield _json_row(text, number)


def _json_row(text: str, number: int) -> Row:
    try:
        return number, _flat(json_text.loads(text, line=number), number), text
    except FormatError as error:
        return number, bad(error, line=number, excerpt=text), text


def _json_list(lines: Iterable[str]) -> Iterator[Row]:
    """One list of objects; a row's position in the list replaces its line."""
    try:
        values = json_text.loads("".join(lines).lstrip("\ufeff"))
    except FormatError as error:
        yield error.line, bad(error, line=error.line), ""
        return
    if not isinstance(values, list):
        yield 1, BadLine(1, 1, "expected a list of objects", "write [{…}, {…}]"), ""
        return
    if not values:
        yield 0, EMPTY, ""
    for number, value in enumerate(_counted(values), 1):
        try:
            yield number, _flat(value, number), str(value)[:200]
        except FormatError as error:
            yield number, bad(error, line=number, excerpt=str(value)), ""


def _flat(value: Any, number: int) -> dict[str, str]:
    """The object's keys as cells: ``outer_inner`` for an object in it, lists by "|"."""
    if not isinstance(value, dict):
        raise FormatError("expected an object: {…}", line=number)
    row: dict[str, str] = {}
    for key, cell in value.items():
        name = str(key).strip()
        if isinstance(cell, dict):
            row |= {f"{name}_{k}": _atom(v, name, number) for k, v in cell.items()}
        elif isinstance(cell, list):
            row[name] = " | ".join(_atom(part, name, number) for part in cell)
        else:
            row[name] = _atom(cell, name, number)
    return row


def _atom(value: Any, name: str, number: int) -> str:
    if isinstance(value, dict | list):
        raise FormatError(f"{name}: expected text or a number", line=number)
    return "" if value is None else str(value)
