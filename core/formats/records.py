"""Records of all codecs; bad lines are values, too.

A codec is a module with a ``FORMAT``: what reads and writes it, and all that lists,
help, docs and tests say about it. Lines keep their "\\n"; a line may be any piece of
text for the XML formats. ``raw`` is the text a record was read from: writing it
again gives the same bytes, as long as the record still says the same.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.data.alignment import Alignment
from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import FormatError

MAX_RECORD = 10 * 2**20
"""Characters of one line, one tree or one XML record; more is no sentence."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]|[\ud800-\udfff]")
_SPACES = re.compile(r"[ \t\n\r\f\v]+")
_BREAKS = re.compile(r"\r\n|[\t\n\r]")


@dataclass(frozen=True, slots=True)
class BadLine:
    """A place that cannot be read. ``line``, ``column`` from 1; 0 = the whole file."""

    line: int
    column: int
    reason: str
    remedy: str = ""
    excerpt: str = ""
    file: str = ""  # where it is not the file being read


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """The text before the first record, and the values it declares."""

    text: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tail:
    """The text after the last record."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ParseRecord:
    """A constituency ``tree``, or ``deps`` with the CoNLL-U ``lines`` they are from.

    ``meta``: what the format said beyond the tree (node ids, comments).
    """

    tree: Tree | None = None
    deps: DepTree | None = None
    lines: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SentenceRecord:
    """``tokens`` empty: ``text`` is raw and still to be tokenised."""

    tokens: tuple[Token, ...] = ()
    text: str = ""
    id: str = ""
    parse: ParseRecord | None = None
    raw: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(token.form for token in self.tokens)


@dataclass(frozen=True, slots=True)
class LayerRecord:
    """One alignment of a pair; ``author`` "" is the gold standard of its source."""

    alignment: Alignment
    author: str = ""
    name: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PairRecord:
    """Two sentences, a label, layers; ``meta``: further columns of the source."""

    source: SentenceRecord
    target: SentenceRecord
    id: str = ""
    label: str = ""
    layers: tuple[LayerRecord, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    raw: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)


Record = RecordHeader | Tail | SentenceRecord | PairRecord


def _tried(_start: str) -> bool | None:
    """Return None: a file is in this format if its records can be read."""
    return None


@dataclass(frozen=True, slots=True)
class Format:
    """A format that corpora come in and go out as. Everything else is derived from it.

    ``holds``: what its records are. ``suffixes``: of its files; exports get the first.
    ``strictness``: how little else it reads, from 0 (any text) to 5; of two formats
    that read a file equally well, the stricter one is meant. ``read`` and ``write``:
    the codec. ``losses``: a sentence for each thing that a record may hold and the
    format cannot. ``example``: small files by name, for help and tests.

    ``claims``: from the first lines of a file, True if it is in this format, whatever
    others could read; False if it is not, though it could be read; None to try.
    ``suffix_decides``: files called so are in no other format, so errors name lines.
    """

    name: str
    title: str
    holds: Literal["sentences", "pairs", "corpus"]
    suffixes: tuple[str, ...]
    strictness: int
    read: Callable[..., Iterator[Any]]
    write: Callable[[Iterable[Any]], Iterator[str]]
    losses: tuple[str, ...]
    example: Mapping[str, str]
    claims: Callable[[str], bool | None] = _tried
    suffix_decides: bool = False
    holds_gaps: bool = False  # phrases may be discontinuous
    needs_trees: bool = False  # a file without constituency trees would be empty
    needs: str = "one file or several"  # the files of one import, for people


def bad(error: FormatError, *, line: int = 0, excerpt: str = "") -> BadLine:
    """The error as a value; ``line`` where the error itself names none."""
    shown = _CONTROL.sub("�", excerpt.strip())[:120]
    return BadLine(error.line or line, error.column, error.reason, error.remedy, shown)


def clean(text: str, *, line: int, column: int = 1) -> str:
    """``text`` itself; raises FormatError at a NUL, control sign or lone surrogate."""
    match = _CONTROL.search(text)
    if match is None:
        return text
    sign = ord(match.group())
    what = (
        "half of a surrogate pair" if 0xD800 <= sign < 0xE000 else "control character"
    )
    raise FormatError(
        f"{what} U+{sign:04X}",
        line=line,
        column=column + match.start(),
        remedy="remove it, or save the file as UTF-8",
    )


def split_row(line: str, *, line_number: int) -> list[str]:
    """Return the cells of a row of tab-separated text.

    Raises FormatError as ``clean``, and at a carriage return that ends no line: other
    programs begin a new row there, so the row would mean two things.
    """
    cells = clean(line, line=line_number).split("\t")
    if "\r" in line:
        raise FormatError(
            "a carriage return within the line",
            line=line_number,
            column=line.index("\r") + 1,
            remedy="remove it, or end every line with a line feed",
        )
    return cells


def flat(text: str) -> str:
    """The text on one line: tabs and line breaks become spaces."""
    return _BREAKS.sub(" ", text)


def words(text: str) -> list[str]:
    """The text cut at plain white space; a no-break space is part of a word."""
    return [word for word in _SPACES.split(text) if word]


def numbered(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Line number, the line without its end, and the line as it came."""
    for number, raw in enumerate(lines, 1):
        yield number, raw.rstrip("\r\n"), raw


def with_raw(record: "PairRecord", raw: str, line: int) -> "PairRecord":
    """The record, knowing where it came from."""
    return replace(record, raw=raw, line=line)
