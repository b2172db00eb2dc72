"""Sentences of two languages whose words people linked.

jsonl  {"src_words": [...], "tgt_words": [...], "alignment": [[i, j], ...]}
ud     two CoNLL-U files, and JSON: a list of {source id: [target ids]}, a pair each;
       ids as in the files, others ("X") stand for no counterpart
moses  source, target and Pharaoh links, line by line; i?j is possible
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import FormatError
from core.formats.alignments import pharaoh

FORMATS = ("jsonl", "ud", "moses")
Cells = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class LinkedSentences:
    """``possible``: all links, the sure ones among them."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: Cells
    possible: Cells


def read_linked(paths: list[Path], form: str) -> list[LinkedSentences]:
    """The pairs of the files: any number of ``jsonl``, else three. Raises FormatError
    at a row that is none, or on a wrong number of files."""
    if form == "jsonl":
        return [pair for path in paths for pair in _jsonl(path)]
    if len(paths) != 3:
        raise FormatError("three files are needed", remedy="source, target, links")
    return list(_ud(*paths) if form == "ud" else _moses(*paths))


def _jsonl(path: Path) -> Iterator[LinkedSentences]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                cells = [(int(i), int(j)) for i, j in row["alignment"]]
                yield _pair(row["src_words"], row["tgt_words"], cells)
            except (ValueError, KeyError, TypeError) as error:
                raise FormatError(
                    f"no linked pair: {error}",
                    line=number,
                    column=1,
                    remedy='{"src_words": [], "tgt_words": [], "alignment": [[0, 0]]}',
                ) from error


def _pair(source: Any, target: Any, cells: list[tuple[int, int]]) -> LinkedSentences:
    sides = [
        tuple("_".join(word.split()) for word in side) for side in (source, target)
    ]
    for i, j in cells:
        if not (0 <= i < len(sides[0]) and 0 <= j < len(sides[1])):
            raise ValueError(f"link {i}-{j} to a missing word")
    return LinkedSentences(sides[0], sides[1], frozenset(cells), frozenset(cells))


def _ud(source: Path, target: Path, links: Path) -> Iterator[LinkedSentences]:
    rows = json.loads(links.read_text(encoding="utf-8"))
    for first, second, row in zip(_words(source), _words(target), rows, strict=True):
        at = [{key: i for i, key in enumerate(side)} for side in (first, second)]
        cells = [
            (at[0][one], at[1][other])
            for one, others in row.items()
            for other in others
            if one in at[0] and other in at[1]
        ]
        yield _pair(list(first.values()), list(second.values()), cells)


def _words(path: Path) -> Iterator[dict[str, str]]:
    """Yield the forms of each sentence by word id."""
    sentences: dict[str, str] = {}
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        cells = line.split("\t")
        if cells[0].isdigit():
            sentences[cells[0]] = cells[1]
        elif not line and sentences:
            yield sentences
            sentences = {}


def _moses(source: Path, target: Path, links: Path) -> Iterator[LinkedSentences]:
    texts = (
        p.read_text(encoding="utf-8").splitlines() for p in (source, target, links)
    )
    for number, (first, second, linked) in enumerate(zip(*texts, strict=True), 1):
        sides = tuple(first.split()), tuple(second.split())
        parsed = pharaoh.parse(linked, len(sides[0]), len(sides[1]), line=number).links
        cells = {(int(x.source[1:]), int(x.target[1:])): x.kind for x in parsed}
        sure = frozenset(cell for cell, kind in cells.items() if kind == "sure")
        yield LinkedSentences(*sides, sure, frozenset(cells))
