"""A table as a file: TSV, CSV, Excel, JSON Lines, Parquet."""

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from core.data.cells import plain_cell

XLSX_ROWS = 1_048_575  # what Excel can open, the header apart
XLSX_CELL = 32_767  # characters, the same
PIECE = 1 << 16  # bytes of a finished file sent at a time
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True, slots=True)
class Exported:
    """``rows`` are read once. ``types``: of the columns that are not text, as DuckDB
    names them ("INTEGER", "DOUBLE", "BOOLEAN")."""

    columns: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileForm:
    """One kind of file: what people call it, its media type, how it is written."""

    label: str
    media: str
    write: Callable[[Exported], Iterator[bytes]]


def _tsv(table: Exported) -> Iterator[bytes]:
    """Quotes are text; a tab or a line end within a cell becomes a space."""
    for row in _cells(table):
        yield ("\t".join(map(str, row)) + "\n").encode()


def _csv(table: Exported) -> Iterator[bytes]:
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    for row in _cells(table):
        out.writerow(row)
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


def _xlsx(table: Exported) -> Iterator[bytes]:
    from openpyxl import Workbook  # when it is used
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Gemel")
    for n, row in enumerate(_cells(table)):
        if n > XLSX_ROWS:
            text = _("Excel opens at most %(n)s rows. Choose another format.")
            raise BadRequest(text % {"n": f"{XLSX_ROWS:,}"}, field="form")
        sheet.append(
            [
                ILLEGAL_CHARACTERS_RE.sub("", cell)[:XLSX_CELL]
                if isinstance(cell, str)
                else cell
                for cell in row
            ]
        )
    with tempfile.TemporaryFile() as file:
        book.save(file)
        file.seek(0)
        yield from iter(lambda: file.read(PIECE), b"")


def _json_lines(table: Exported) -> Iterator[bytes]:
    for row in table.rows:
        values = dict(zip(table.columns, row, strict=True))
        yield (json.dumps(values, ensure_ascii=False) + "\n").encode()


def _parquet(table: Exported) -> Iterator[bytes]:
    from core.releases.parquet import from_json_lines  # DuckDB, when it is used

    types = {name: table.types.get(name, "VARCHAR") for name in table.columns}
    with tempfile.TemporaryDirectory() as folder:
        spooled, made = Path(folder) / "rows.jsonl", Path(folder) / "rows.parquet"
        with spooled.open("wb") as file:
            file.writelines(_json_lines(table))
        from_json_lines(spooled, made, types)
        with made.open("rb") as file:
            yield from iter(lambda: file.read(PIECE), b"")


def _cells(table: Exported) -> Iterator[list[Any]]:
    """The header, then each row as cells of a sheet: on one line each, an apostrophe
    before what a spreadsheet would run, 0 and 1 for false and true."""
    yield list(table.columns)
    for row in table.rows:
        yield [_cell(value) for value in row]


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return plain_cell(" ".join(value.split()))
    return "" if value is None else value


FORMS = {
    "tsv": FileForm("TSV", "text/tab-separated-values; charset=utf-8", _tsv),
    "csv": FileForm("CSV", "text/csv; charset=utf-8", _csv),
    "xlsx": FileForm("Excel", EXCEL, _xlsx),
    "jsonl": FileForm("JSON Lines", "application/jsonl; charset=utf-8", _json_lines),
    "parquet": FileForm("Parquet", "application/vnd.apache.parquet", _parquet),
}
