"""Uploaded files: names, bytes and encodings, before any codec reads them.

A name is shown and compared, never opened. Bytes become lines here: a line that cannot
be decoded, or is over 10 MB, is a BadLine; the codec gets a NUL in its place, so it
makes no record of it.
"""

import codecs
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO, BinaryIO

from annotator.errors import BadRequest
from core.formats.records import MAX_RECORD, BadLine

ENCODINGS = ("utf-8", "latin-1", "cp1252", "cp1250", "utf-16")
START = 8_192  # bytes that tell what a file is
POISON = "\0\n"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = {
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"%PDF-": "a document (PDF)",
    b"PK\x03\x04": "an archive (zip), or a document that is one (docx, xlsx, odt)",
    b"\x1f\x8b": "an archive (gzip)",
    b"BZh": "an archive (bzip2)",
    b"\xfd7zXZ": "an archive (xz)",
    b"7z\xbc\xaf": "an archive (7z)",
    b"SQLite format 3": "a database (SQLite)",
    b"\xd0\xcf\x11\xe0": "a document (doc, xls)",
}
_SIGNS = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")
_NO_LETTERS = {"Cc", "Cn", "Co", "Cs"}  # categories of Unicode
_TEXT = re.compile(
    r"utf-(8|16|16-le|16-be)|ascii|iso8859-\d+|cp125\d|koi8-[rut]|mac-roman"
    r"|gb(2312|k|18030)|big5|shift_jis|euc_(jp|kr)"
)
_DECLARED = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")


def safe_name(name: str) -> str:
    """The last part of a path of any system, printable, at most 200 characters."""
    last = PureWindowsPath(PurePosixPath(name.replace("\0", "")).name).name
    shown = "".join(
        sign for sign in unicodedata.normalize("NFC", last) if sign.isprintable()
    )
    return shown.strip(". ")[-200:] or "file"


def no_text(start: bytes) -> str:
    """A name for a binary file that begins with these bytes; "" for text.

    A few control characters are left to the codec, which names their lines.
    """
    for magic, what in _MAGIC.items():
        if start.startswith(magic):
            return what
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "" if _is_wide(start) else "binary data"
    n_signs = sum(byte in _SIGNS for byte in start)
    is_text = _is_mostly_text(n_signs, len(start)) or (0 in start and _is_wide(start))
    return "" if is_text else "binary data"


def refuse_binary(name: str, start: bytes, *, field: str) -> None:
    """Raises BadRequest, with a remedy, if a file that begins with these bytes is not
    text."""
    if what := no_text(start):
        remedy = "Send the text that is in it, as a file of UTF-8."
        raise BadRequest(f"{safe_name(name)} is {what}. {remedy}", field=field)


def _is_mostly_text(n_signs: int, n: int) -> bool:
    return n_signs <= n // 20 + 3


def _is_wide(start: bytes) -> bool:
    """Whether it reads as UTF-16, of either order of bytes.

    In UTF-16 text of Western scripts half of the bytes are NUL, all at odd or all at
    even places; other text has few of them (a Chinese "one" has one at the other
    place).
    """
    if min(start[::2].count(0), start[1::2].count(0)) > len(start) // 50 + 3:
        return False
    for encoding in ("utf-16-le", "utf-16-be"):
        text = codecs.getincrementaldecoder(encoding)("replace").decode(start)
        n_signs = sum(
            sign == "\ufffd"
            or (unicodedata.category(sign) in _NO_LETTERS and not sign.isspace())
            for sign in text
        )
        if _is_mostly_text(n_signs, len(text)):
            return True
    return False


def stem(name: str) -> str:
    """The name without its last suffix, which identifies documents."""
    return PurePosixPath(name).stem or name


@dataclass
class Source:
    """One file to read, any number of times; ``open`` gives its bytes from the start.

    ``encoding`` "" is found out: a byte order mark, the XML declaration, else UTF-8.
    ``bad`` collects, by line, what could not be decoded in the last reading.
    """

    name: str
    open: Callable[[], BinaryIO]
    encoding: str = ""
    fallback: str = ""  # taken instead of UTF-8 if the file is none (latin-1 for ptb)
    bom: bool = False
    guessed: str = ""  # a line to check if the encoding is only the likeliest
    bad: dict[int, BadLine] = field(default_factory=dict)

    def settle(self) -> None:
        """Find the encoding, once; afterwards it is known to the caller too."""
        with self.open() as file:
            start = file.read(1024)
        for mark, name in _BOMS:
            if start.startswith(mark):
                self.bom, self.encoding = True, name
                return
        if self.encoding:
            return
        declared = _DECLARED.match(start)
        name = declared[1].decode("ascii").lower() if declared else "utf-8"
        self.encoding = name if is_codec(name) else "utf-8"
        if self.fallback and not self._is_utf8():
            self.encoding = self.fallback

    def _is_utf8(self) -> bool:
        decoder = codecs.getincrementaldecoder("utf-8")()
        with self.open() as file:
            try:
                while piece := file.read(1 << 20):
                    decoder.decode(piece)
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                return False
        return True

    def lines(self) -> Iterator[str]:
        """Lines with their ends; only "\\n" ends a line."""
        if not self.encoding:
            self.settle()
        self.bad = {}
        wide = self.encoding.startswith("utf-16")
        with self.open() as file:
            rows = _wide_rows(file, self.encoding) if wide else byte_rows(file)
            for number, row in enumerate(rows, 1):
                yield self._decoded(row, number)

    def _decoded(self, row: bytes | None, number: int) -> str:
        if row is None:
            self.bad[number] = BadLine(
                number,
                1,
                "a line longer than 10 MB",
                "no sentence is that long: check that this is the format you chose",
            )
            return POISON
        if number == 1 and self.bom:
            row = row.removeprefix(codecs.BOM_UTF8)
        try:
            text = row.decode(self.encoding)
        except UnicodeDecodeError as error:
            column = len(row[: error.start].decode(self.encoding, "replace")) + 1
            self.bad[number] = BadLine(
                number,
                column,
                f"byte 0x{row[error.start]:02X} is not {self.encoding.upper()}",
                "save the file as UTF-8, or say which encoding it has",
            )
            return POISON
        return text.removeprefix("\ufeff") if number == 1 and self.bom else text

    def digest(self) -> str:
        """SHA-256 of the bytes."""
        with self.open() as file:
            return sha256(file)


def sha256(file: IO[bytes]) -> str:
    """The digest of what is left of the file, in hexadecimal digits."""
    digest = hashlib.sha256()
    while piece := file.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


def is_codec(name: str) -> bool:
    """Whether it is an encoding that files of text have; Python knows more."""
    try:
        return _TEXT.fullmatch(codecs.lookup(name).name) is not None
    except LookupError:
        return False


def byte_rows(file: BinaryIO) -> Iterator[bytes | None]:
    """Lines as bytes; None for one that is too long."""
    while row := file.readline(MAX_RECORD + 1):
        if len(row) <= MAX_RECORD:
            yield row
            continue
        while row and not row.endswith(b"\n"):
            row = file.readline(MAX_RECORD + 1)
        yield None


def _wide_rows(file: BinaryIO, encoding: str) -> Iterator[bytes | None]:
    """Lines of two-byte units, each still encoded."""
    end = "\n".encode(encoding)
    held = b""
    while piece := file.read(1 << 16):
        held += piece
        at, start = held.find(end), 0
        while at >= 0:
            if at % 2 == 0:
                yield held[start : at + 2]
                start = at + 2
            at = held.find(end, at + 1 if at % 2 else at + 2)
        held = held[start:]
        if len(held) > MAX_RECORD:
            yield None
            return
    if held:
        yield held
