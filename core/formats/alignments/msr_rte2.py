"""The MSR alignments of RTE-2 (Brockett 2007): one file per annotator, a pair in three
lines.

    # sentence pair 12
    text of the text sentence, tokens split by spaces
    NULL ({ / / }) word ({ 4 p1 p2 / / }) word ({ / / }) ...

The braces of a hypothesis word hold the text words linked with it, counted from 1:
``4`` is a sure link, ``p4`` a possible one; ``/`` fills an empty place. Byte order
marks are skipped anywhere.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.errors import FormatError

_HEAD = re.compile(r"# sentence pair (\d+)\s*")
_WORD = re.compile(r"(\S+) \(\{ (.*?)\}\)")


@dataclass(frozen=True, slots=True)
class Rte2Pair:
    """The alignment of one pair by one annotator.

    ``sure, possible``: cells (hypothesis word, text word), both from 0.
    """

    number: int
    text: tuple[str, ...]
    hypothesis: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


def read(lines: Iterable[str]) -> Iterator[Rte2Pair]:
    """Every pair, in order. Raises FormatError with line and column."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        text = line.replace("\ufeff", "").strip()
        if not text:
            continue
        block.append((number, text))
        if len(block) == 3:
            yield _pair(block)
            block = []
    if block:
        raise FormatError(
            "the last pair has fewer than three lines",
            line=block[0][0],
            column=1,
            remedy="give heading, text and alignment, one line each",
        )


def _pair(block: list[tuple[int, str]]) -> Rte2Pair:
    (first, head), (_, text), (third, aligned) = block
    match = _HEAD.fullmatch(head)
    if not match:
        raise FormatError(
            "no heading '# sentence pair N' here",
            line=first,
            column=1,
            remedy="a pair is three lines: heading, text, alignment",
        )
    tokens = tuple(text.split())
    words: list[str] = []
    sure: set[tuple[int, int]] = set()
    possible: set[tuple[int, int]] = set()
    for word in _WORD.finditer(aligned):
        for mark in word[2].split():
            if mark == "/" or word[1] == "NULL":
                continue
            cell = len(words), _place(mark, len(tokens), third, word.start(2) + 1)
            (possible if mark.startswith("p") else sure).add(cell)
        if word[1] != "NULL":
            words.append(word[1])
    if not words:
        raise FormatError("no aligned word on this line", line=third, column=1)
    return Rte2Pair(
        int(match[1]), tokens, tuple(words), frozenset(sure), frozenset(possible - sure)
    )


def _place(mark: str, n_tokens: int, line: int, column: int) -> int:
    digits = mark.removeprefix("p")
    if not (digits.isascii() and digits.isdigit() and 1 <= int(digits) <= n_tokens):
        raise FormatError(
            f"{mark!r} is not a word of the text, which has {n_tokens}",
            line=line,
            column=column,
            remedy="4 is a sure link with word 4, p4 a possible one",
        )
    return int(digits) - 1
