"""Gold sentences from treebank files: tokens and trees."""

import argparse
import gzip
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from core.data.deps import DepTree
from core.data.tokens import Sentence, Token
from core.data.tree import Tree
from core.errors import FormatError
from core.formats import conllu, ptb
from core.formats.records import BadLine, SentenceRecord

Format = Literal["ptb", "conllu"]
FORMATS: tuple[Format, ...] = ("ptb", "conllu")
SUFFIXES: dict[str, Format] = {
    ".mrg": "ptb",
    ".ptb": "ptb",
    ".tree": "ptb",
    ".trees": "ptb",
    ".conllu": "conllu",
}


@dataclass(frozen=True, slots=True)
class Gold:
    """A sentence and its gold ``tree``, ``deps``, or both; tags are in its tokens."""

    sentence: Sentence
    tree: Tree | None = None
    deps: DepTree | None = None


def add_gold(parser: argparse.ArgumentParser) -> None:
    """The options of ``gold_of``."""
    add = parser.add_argument
    add(
        "--gold",
        nargs="+",
        type=Path,
        required=True,
        metavar="PATH",
        help="gold treebanks: files or folders",
    )
    add(
        "--format",
        choices=FORMATS,
        help="format of the files (default: by their names)",
    )
    add("--max-tokens", type=int, default=0, help="skip sentences longer than this")


def gold_of(options: Mapping[str, Any]) -> tuple[list[Gold], list[str]]:
    """``read_golds`` by the options, those short enough."""
    golds, unreadable = read_golds(options["gold"], format=options["format"])
    return short(golds, options["max_tokens"]), unreadable


def short(golds: Iterable[Gold], most: int) -> list[Gold]:
    """Those of at most so many tokens; 0: all."""
    return [gold for gold in golds if not most or len(gold.sentence) <= most]


def read_golds(
    paths: Iterable[Path], *, format: Format | None = None
) -> tuple[list[Gold], list[str]]:
    """The gold sentences of files and folders, and a line about each unreadable one.

    The format goes by the name (``.ptb .mrg .tree .trees .conllu``, each also
    ``.gz``), unless ``format`` says it; of a folder, all files with such names. A tree
    and a dependency tree of the same words become one Gold, in order of appearance.
    Raises FormatError if a file cannot be read at all or its format is not known.
    """
    golds: list[Gold] = []
    bad: list[str] = []
    for path in (file for given in paths for file in files_of(given)):
        for item in _read(path, format or format_of(path)):
            if isinstance(item, str):
                bad.append(item)
            else:
                golds.append(item)
    return _joined(golds), bad


def bare(sentence: Sentence) -> Sentence:
    """The tokens without what gold says of them."""
    return Sentence(tuple(Token(form) for form in sentence.forms))


def files_of(path: Path) -> list[Path]:
    if not path.exists():
        raise FormatError(f"{path}: there is no such file or folder")
    if path.is_file():
        return [path]
    files = [p for p in sorted(path.rglob("*")) if _stem_suffix(p) in SUFFIXES]
    if not files:
        raise FormatError(f"{path}: no file ending in {' '.join(SUFFIXES)}, or .gz")
    return files


def _stem_suffix(path: Path) -> str:
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix


def format_of(path: Path) -> Format:
    try:
        return SUFFIXES[_stem_suffix(path)]
    except KeyError:
        raise FormatError(
            f"{path}: the file name says neither bracketings nor CoNLL-U",
            remedy=f"name the format: {' or '.join(FORMATS)}",
        ) from None


def _read(path: Path, format: Format) -> Iterator[Gold | str]:
    for record in records(path, format):
        if isinstance(record, BadLine):
            where = f"{path}, line {record.line}, column {record.column}"
            yield f"{where}: {record.reason}"
        elif record.parse:
            yield Gold(Sentence(record.tokens), record.parse.tree, record.parse.deps)


def records(path: Path, format: Format) -> Iterator[SentenceRecord | BadLine]:
    """What is in a file, gzipped or not; raises FormatError if it cannot be read."""
    codec = ptb if format == "ptb" else conllu
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as lines:
            for record in codec.read(lines):
                if isinstance(record, BadLine | SentenceRecord):
                    yield record
    except OSError as error:
        raise FormatError(f"{path}: {error}") from error


def _joined(golds: list[Gold]) -> list[Gold]:
    """Trees and dependencies of the same words, each pair in the earlier's place."""
    waiting: dict[tuple[str, ...], list[int]] = {}
    joined: list[Gold] = []
    for gold in golds:
        at = waiting.setdefault(gold.sentence.forms, [])
        partner = next((i for i in at if _completes(joined[i], gold)), None)
        if partner is None:
            at.append(len(joined))
            joined.append(gold)
        else:
            joined[partner] = _one(joined[partner], gold)
            at.remove(partner)
    return joined


def _completes(a: Gold, b: Gold) -> bool:
    return (a.tree is None) != (b.tree is None) and (a.deps is None) != (b.deps is None)


def _one(a: Gold, b: Gold) -> Gold:
    """Tokens come from the dependency side: it has both kinds of tags."""
    rich = a if a.deps else b
    return replace(rich, tree=a.tree or b.tree, deps=a.deps or b.deps)
