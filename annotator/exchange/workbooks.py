"""The first sheet of an Excel workbook as rows of cells; hostile files are refused.

A workbook is a zip of XML: a few kilobytes may unpack to gigabytes, claim a million
rows of sixteen thousand cells, or hold one cell without end.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, BinaryIO

from annotator.errors import BadRequest
from annotator.exchange.files import Source

MAX_UNPACKED = 400 * 2**20  # bytes of its parts together
MAX_TEXT = 2**20  # bytes between two "<" of a part; Excel's own cells hold 32,767
MAX_COLUMNS, MAX_CELLS = 1_000, 5_000_000  # of a sheet, empty ones too
MAX_ROWS = 200_000  # empty ones too; about two seconds of a parser
MAX_STRINGS = 500_000  # shared by cells; about four seconds
MAX_TAGS = 12_000_000  # of a part
ROW = re.compile(rb"<(?:\w+:)?row[\s/>]")
STRING = re.compile(rb"<(?:\w+:)?si[\s/>]")
ROW_NUMBER = re.compile(
    rb"""<(?:\w+:)?row\s[^<>]{0,200}?\br\s*=\s*["']0*([1-9]\d{5,})"""
)
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
        if any(_is_too_much(parts, part) for part in parts.namelist()):
            raise _too_large(name)


class _Scan:
    """What a part of XML would cost its parser, counted without parsing it."""

    def __init__(self) -> None:
        self.run = 0  # bytes since the last "<"
        self.tags = self.rows = self.strings = 0

    def is_too_much(self, chunk: bytes) -> bool:
        """Count the next bytes. A tag on the border of two chunks may be missed."""
        first, *others = chunk.split(b"<")
        self.run += len(first)
        longest = max(self.run, *map(len, others), 0)
        self.run = len(others[-1]) if others else self.run
        self.tags += len(others)
        self.rows += len(ROW.findall(chunk))
        self.strings += len(STRING.findall(chunk))
        return (
            longest > MAX_TEXT
            or self.tags > MAX_TAGS
            or self.rows > MAX_ROWS
            or self.strings > MAX_STRINGS
            or any(int(n[:9]) > MAX_ROWS for n in ROW_NUMBER.findall(chunk))
        )


def _is_too_much(parts: zipfile.ZipFile, name: str) -> bool:
    """Whether it is XML that holds more than any table has, or in UTF-16.

    A parser would hold or walk through it before anyone could ask; a row may claim
    any number, and all rows before it are made up. Excel writes UTF-8.
    """
    scan = _Scan()
    try:
        with parts.open(name) as stream:
            start = stream.read(START).lstrip(BEFORE_XML)[:2]
            if start[:1] not in (b"<", b""):
                return False  # a picture, a font
            if start == b"<\0":
                return True
            stream.seek(0)
            while chunk := stream.read(START):
                if scan.is_too_much(chunk):
                    return True
    except BROKEN:
        return False  # anyone who reads it says what is wrong
    return False


def _too_large(name: str) -> BadRequest:
    message = (
        f"{name} has a cell of more than 1 MB, more than {MAX_COLUMNS:,} columns or "
        f"more than {MAX_ROWS:,} rows. Keep what you need, or save it as CSV."
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
