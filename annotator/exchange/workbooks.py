"""The first sheet of an Excel workbook as rows of cells; hostile ones are refused.

A workbook is a zip of XML: a few kilobytes may unpack to gigabytes, claim a million
rows of sixteen thousand cells, or hold one cell without end.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, BinaryIO

from annotator.errors import BadRequest
from annotator.exchange.files import Source

__all__ = ["check", "is_one", "rows"]

MAX_UNPACKED = 400 * 2**20  # bytes of its parts together
MAX_TEXT = 2**20  # bytes between two signs "<" of a part; Excel's own cells hold 32,767
MAX_COLUMNS, MAX_CELLS = 1_000, 50_000_000  # of a sheet, empty ones too
BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, OSError, ValueError, EOFError,
    RuntimeError,  # a password, an unknown way of packing
)  # fmt: skip
BEFORE_XML = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # marks and space
START = 1 << 16  # bytes looked at at once


def rows(source: Source) -> Iterator[tuple[int, list[str], str]]:
    """The first sheet of an Excel workbook; formulas as the values stored with them."""
    from openpyxl import load_workbook  # when it is used

    with source.open() as file:
        check(source.name, file)
        file.seek(0)
        try:
            book = load_workbook(file, read_only=True, data_only=True)
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # it may claim a million rows of as many cells
            n_cells = 0
            for number, row in enumerate(sheet.values, 1):
                n_cells += len(row)
                if len(row) > MAX_COLUMNS or n_cells > MAX_CELLS:
                    raise _too_large(source.name)
                cells = [_cell(value) for value in row]
                while cells and not cells[-1]:
                    cells.pop()
                yield number, cells, " | ".join(cells)[:200]
        except BadRequest:
            raise
        except Exception as error:  # openpyxl raises whatever its parsers raise
            raise BadRequest(
                f"{source.name} cannot be read. Open it in a spreadsheet, save it as "
                f".xlsx or .csv, and send that. ({type(error).__name__})",
                field="file",
            ) from error


def check(name: str, file: BinaryIO) -> None:
    """Raises BadRequest on a broken archive, one that holds no workbook, or one that
    unpacks to too much."""
    if not is_one(name, file):
        message = f"{name} is a zip archive, no workbook. Send the table that is in it."
        raise BadRequest(message, field="file")
    file.seek(0)
    with zipfile.ZipFile(file) as parts:
        size = sum(part.file_size for part in parts.infolist())
        if size > MAX_UNPACKED:
            message = f"{name} unpacks to more than 400 MB. Save the sheet as CSV."
            raise BadRequest(message, field="file")
        if any(_has_endless_text(parts, part) for part in parts.namelist()):
            raise _too_large(name)


def _has_endless_text(parts: zipfile.ZipFile, name: str) -> bool:
    """Whether it is XML, and a text or a tag of it is longer than any cell may be.

    A parser would hold it in memory several times before anybody could ask.
    """
    run = 0
    try:
        with parts.open(name) as stream:
            if stream.read(START).lstrip(BEFORE_XML)[:1] not in (b"<", b""):
                return False  # a picture, a font
            stream.seek(0)
            while chunk := stream.read(START):
                first, *others = chunk.split(b"<")
                run += len(first)
                if max(run, *map(len, others), 0) > MAX_TEXT:
                    return True
                run = len(others[-1]) if others else run
    except BROKEN:
        return False  # whoever reads it says what is wrong
    return False


def _too_large(name: str) -> BadRequest:
    message = (
        f"{name} has a cell of more than 1 MB, more than {MAX_COLUMNS:,} columns, "
        "or rows without end. Keep the columns that are wanted, and save it anew."
    )
    return BadRequest(message, field="file")


def is_one(name: str, file: BinaryIO) -> bool:
    """Whether an archive is a workbook. Raises BadRequest on a broken one."""
    try:
        with zipfile.ZipFile(file) as parts:
            return any(part.startswith("xl/") for part in parts.namelist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        what = "archive" if name.lower().endswith(".zip") else "workbook"
        message = f"{name} is a broken {what}. Save it again, and send that."
        raise BadRequest(message, field="file") from error


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value)
