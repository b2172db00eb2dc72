"""The words of the language: what may stand at a place of a query, and complaints."""

import re
from typing import NoReturn

from core.errors import FormatError, InvalidValue
from core.queries import labels

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/")
_SPACE = re.compile(r"\s*")


class Scanner:
    """A place in a text, and what stands there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def column(self) -> int:
        """Where the next word stands, from 1."""
        self.space()
        return self.at + 1

    def space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def peek(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self.space()
        return pattern.match(self.text, self.at)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match at this place, which is then behind it."""
        match = self.peek(pattern)
        if match is not None:
            self.at = match.end()
        return match

    def sign(self, sign: str) -> bool:
        """Whether this stands here; then it is taken."""
        self.space()
        is_here = self.text.startswith(sign, self.at)
        self.at += len(sign) if is_here else 0
        return is_here

    def sees(self, sign: str) -> bool:
        self.space()
        return self.text.startswith(sign, self.at)

    @property
    def is_at_end(self) -> bool:
        self.space()
        return self.at >= len(self.text)

    def want(self, sign: str, what: str) -> None:
        if not self.sign(sign):
            self.fail(f"{what} is not closed", f"write {sign} here")

    def quoted(self) -> str | None:
        """What stands in quotation marks here."""
        match = self.take(QUOTED)
        return None if match is None else re.sub(r"\\(.)", r"\1", match[1])

    def regex(self) -> str | None:
        """What stands between two slashes here; "\\/" is a slash."""
        column = self.column
        match = self.take(REGEX)
        if match is None:
            return None
        try:
            return labels.checked(match[1].replace("\\/", "/"))
        except InvalidValue as error:
            self.fail(str(error), "a simpler one, or a list: A|B|C", column)

    def fail(self, reason: str, remedy: str, column: int = 0) -> NoReturn:
        """Raise FormatError at this column, or here."""
        at = column or self.column
        raise FormatError(reason, line=1, column=at, remedy=remedy)
