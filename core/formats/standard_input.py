"""Text from standard input, line by line."""

import sys
from collections.abc import Iterator
from io import StringIO

from core.errors import FormatError

SAVE_AS_UTF8 = "save the text as UTF-8"


def input_lines() -> Iterator[str]:
    """The lines of standard input. Raises FormatError at one that is not UTF-8."""
    for number, raw in enumerate(sys.stdin.buffer, 1):
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise FormatError(
                not_utf8(error),
                file="standard input",
                line=number,
                column=len(raw[: error.start].decode(errors="replace")) + 1,
                remedy=SAVE_AS_UTF8,
            ) from error
        yield from StringIO(text, newline=None)


def not_utf8(error: UnicodeDecodeError) -> str:
    """The error, as text for people."""
    return f"byte 0x{error.object[error.start]:02X} is not UTF-8"
