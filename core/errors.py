"""Errors of the engine: one family, with the facts as attributes."""


class GemelError(Exception):
    """The root of all errors that the engine raises on purpose."""


class InvalidValue(GemelError):
    """A value does not hold what its type promises; ``str`` says what and where."""


class InvalidScores(GemelError):
    """A score array has the wrong shape or dtype, or holds NaN or +inf."""


class FormatError(GemelError):
    """A line of input cannot be read.

    ``line`` and ``column`` count from 1; 0 means the file as a whole. ``file``: its
    name, where anyone who raises it knows.
    """

    def __init__(
        self,
        reason: str,
        *,
        line: int = 0,
        column: int = 0,
        remedy: str = "",
        file: str = "",
    ) -> None:
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column
        self.remedy = remedy
        super().__init__(reason)

    def __str__(self) -> str:
        where = f"{self.file}: " if self.file else ""
        column = f", column {self.column}" if self.column else ""
        where += f"line {self.line}{column}: " if self.line else ""
        return where + self.reason + (f" ({self.remedy})" if self.remedy else "")


class SentenceTooLong(GemelError):
    """A sentence has more tokens than a parser takes."""

    def __init__(self, n_tokens: int, limit: int) -> None:
        self.n_tokens = n_tokens
        self.limit = limit
        super().__init__(f"{n_tokens} tokens; this parser takes at most {limit}")


class Contradiction(GemelError):
    """Constraints that no legitimate structure meets; ``str`` names them.

    ``among``: a smallest set of them, where it is known.
    """

    def __init__(self, reason: str, among: tuple[object, ...] = ()) -> None:
        self.among = among
        super().__init__(reason)


class Unavailable(GemelError):
    """A model, thesaurus or library is not there; ``str`` says how to get it."""
