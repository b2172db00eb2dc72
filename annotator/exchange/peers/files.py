"""An uploaded file, or the files of an archive: texts, lines, JSON, rows."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from annotator.exchange.files import START, Source
from annotator.exchange.tables import ZIP, Row, rows_of
from annotator.exchange.unpacking import members
from core.errors import FormatError
from core.formats import json_text
from core.formats.records import BadLine

MAX_UNPACKED = 200 * 2**20  # bytes of an archive's files together
REMEDY = "export it again, and send it as it comes"
UNSHAPED = (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError)
"""What reading a value raises that is not shaped as the tool writes it."""


@dataclass
class Brought:
    """One file as it came. ``inside``: path -> file, of an archive; else empty."""

    source: Source
    inside: Mapping[str, Source] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Source) -> "Brought":
        """Raises BadRequest on an archive that is broken or unpacks to too much."""
        with source.open() as file:
            is_zip = file.read(len(ZIP)) == ZIP
        if not is_zip:
            return cls(source)
        held = members(source.open, source.name, limit=MAX_UNPACKED)
        inside = {path: Source(path, opened) for path, opened in held.items()}
        return cls(source, inside)

    @property
    def is_archive(self) -> bool:
        return bool(self.inside)

    @cached_property
    def start(self) -> str:
        """The beginning of its text; "" for an archive."""
        return "" if self.is_archive else start_of(self.source)

    @cached_property
    def head(self) -> tuple[str, ...]:
        """The cells of its first line, as CSV or TSV; none of an archive."""
        return head_of(self.source) if self.start else ()

    def named(self, *suffixes: str) -> dict[str, Source]:
        """The files of an archive whose name ends so."""
        kept = {p: s for p, s in self.inside.items() if p.lower().endswith(suffixes)}
        return dict(sorted(kept.items()))

    def json(self) -> Any:
        """The JSON value, or a BadLine."""
        return json_of(self.source)

    def begins_with(self, *keys: str) -> bool:
        """Whether it is JSON that has one of these keys near its start."""
        text = self.start.lstrip("\ufeff \r\n\t")
        return text[:1] in "[{" and any(f'"{key}"' in text for key in keys)


def start_of(source: Source) -> str:
    """Its first eight thousand bytes as text; invalid UTF-8 is replaced."""
    with source.open() as file:
        start = file.read(START)
    wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    return start.decode("utf-16" if wide else "utf-8-sig", "replace")


def head_of(source: Source) -> tuple[str, ...]:
    line = start_of(source).split("\n", 1)[0]
    sign = "\t" if "\t" in line else ","
    row = next(rows_of([line], "csv", sign, has_header=False), None)
    return tuple(row[1].values()) if row and isinstance(row[1], dict) else ()


def text_of(source: Source) -> str | BadLine:
    """All of it, with unchanged line ends; or the first position that is not text."""
    text = "".join(source.lines())
    if source.bad:
        return source.bad[min(source.bad)]
    return text.removeprefix("\ufeff")


def json_of(source: Source) -> Any:
    """The value, or a BadLine with the position that is not JSON."""
    text = text_of(source)
    if isinstance(text, BadLine):
        return text
    return _parsed(text, 0)


def json_lines(source: Source) -> Iterator[tuple[int, Any]]:
    """Number from 1 and value of each line that is not empty; bad ones as BadLine."""
    for number, line in enumerate(source.lines(), 1):
        if number in source.bad:
            yield number, source.bad[number]
        elif line.strip():
            yield number, _parsed(line.lstrip("\ufeff"), number)


def _parsed(text: str, number: int) -> Any:
    try:
        return json_text.loads(text, line=number)
    except FormatError as error:
        return BadLine(error.line, error.column, error.reason, REMEDY, text[:80])


def csv_rows(source: Source) -> Iterator[Row]:
    """Rows of CSV or TSV, both with quotes, as programs write them."""
    sign = "\t" if "\t" in start_of(source).split("\n", 1)[0] else ","
    rows = rows_of(source.lines(), "csv", sign)
    for number, row, text in rows:
        if source.bad:
            line = min(source.bad)
            yield line, source.bad.pop(line), ""
        else:
            yield number, row, text


def reason_of(error: Exception) -> str:
    """The error in a value, as text for people."""
    if isinstance(error, ValueError):
        return str(error)
    if isinstance(error, KeyError):
        return f"it has no {error.args[0]}"
    return "a value is not of the kind that is written there"


def stem_of(path: str) -> str:
    return PurePosixPath(path).stem


def folder_of(path: str) -> str:
    return PurePosixPath(path).parent.name


def as_text(value: Any) -> str:
    """A cell: texts as they are, nothing as "", lists and objects as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
