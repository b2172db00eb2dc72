"""Plain text out of files, for counting: one list of tokens a sentence.

A file is tokenised (one sentence a line, punctuation apart), tagged as Brown is
(``word/tag``), or running text, told apart by its first lines. Names decide how it is
opened: ``.gz``, ``.zip`` (each member a text), anything else as it is.
"""

import gzip
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from core.errors import FormatError
from core.formats import ptb
from core.text.treebank import sentences

__all__ = ["sentences_in", "text_files"]

_HEAD = 200  # lines looked at to tell how a text is written
_SKIPPED = ("readme", "license", "licence", "cats.", "contents")


def text_files(paths: Iterable[Path]) -> Iterator[tuple[str, Iterable[str]]]:
    """The name and the lines of every text in files, folders and archives.

    Raises FormatError if there is no such file, or an archive is none.
    """
    for path in paths:
        if not path.exists():
            raise FormatError(f"{path}: there is no such file or folder")
        inside = sorted(p for p in path.rglob("*") if p.is_file())
        for file in inside if path.is_dir() else [path]:
            if not file.name.lower().startswith(_SKIPPED):
                yield from _opened(file)


def sentences_in(lines: Iterable[str]) -> Iterator[Sequence[str]]:
    """The tokens of each sentence."""
    stream = iter(lines)
    head = list(islice(stream, _HEAD))
    every = chain(head, stream)
    if _is_bracketed(head):
        yield from (tuple(map(ptb.unescape, tree.words)) for tree in ptb.parse(every))
    elif _is_tagged(head):
        yield from (
            [item.rpartition("/")[0] for item in line.split()]
            for line in every
            if line.strip()
        )
    elif _is_tokenised(head):
        yield from (line.split() for line in every if line.strip())
    else:
        yield from sentences(every)


def _is_bracketed(head: Sequence[str]) -> bool:
    first = next((line.lstrip() for line in head if line.strip()), "")
    return bool(re.match(r"\(\s*(\w*\s*\(|\()", first)) and ")" in "".join(head)


def _is_tagged(head: Sequence[str]) -> bool:
    items = [item for line in head for item in line.split()]
    tagged = sum(bool(re.fullmatch(r".+/[^/\s]+", item)) for item in items)
    return bool(items) and tagged > 0.95 * len(items)


def _is_tokenised(head: Sequence[str]) -> bool:
    """Commas and full stops stand alone."""
    text = " ".join(head)
    apart = len(re.findall(r"\s[.,](?=\s|$)", text))
    joined = len(re.findall(r"\w[.,](?=\s|$)", text))
    return apart > joined


def _opened(path: Path) -> Iterator[tuple[str, Iterable[str]]]:
    try:
        if path.suffix == ".zip":
            with ZipFile(path) as archive:
                yield from _members(path, archive)
        elif path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
                yield path.name, lines
        else:
            with path.open(encoding="utf-8", errors="replace") as lines:
                yield path.name, lines
    except (OSError, BadZipFile) as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error


def _members(path: Path, archive: ZipFile) -> Iterator[tuple[str, Iterable[str]]]:
    for member in sorted(archive.namelist()):
        name = member.rpartition("/")[2]
        if name and not name.lower().startswith(_SKIPPED):
            with archive.open(member) as raw:
                text = io.TextIOWrapper(raw, encoding="utf-8", errors="replace")
                yield f"{path.name}/{member}", text
