"""Paraphrase pairs whose source has a gold tree, and where that tree is.

A file of pairs is tab-separated with a header: corpus, sent_id, source, paraphrase,
operations; tokens are separated by spaces, operations by commas. A sent_id is that of
a CoNLL-U file, or ``STEM:LINE`` for the tree that begins on that line of ``STEM.tree``.
"""

import gzip
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from core.data.tokens import Sentence
from core.errors import FormatError
from core.evaluation.golds import Gold, files_of, format_of
from core.formats import conllu, ptb
from core.formats.records import BadLine, SentenceRecord, numbered, words

__all__ = ["GoldPair", "PairRow", "read_gold_pairs", "read_pairs"]

COLUMNS = ["corpus", "sent_id", "source", "paraphrase", "operations"]


@dataclass(frozen=True, slots=True)
class PairRow:
    """One line of a file of pairs."""

    corpus: str
    id: str
    source: Sentence
    paraphrase: Sentence
    operations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A pair and the gold of its source."""

    row: PairRow
    gold: Gold


def read_pairs(path: Path) -> list[PairRow]:
    """The pairs of a file. Raises FormatError naming the line and the remedy."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = [(at, line) for at, line, _ in numbered(file)]
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {error}") from error
    if not lines or lines[0][1].split("\t")[: len(COLUMNS)] != COLUMNS:
        raise FormatError(f"{path}, line 1: the header {' '.join(COLUMNS)} is wanted")
    return [_row(path, at, line) for at, line in lines[1:] if line]


def _row(path: Path, at: int, line: str) -> PairRow:
    cells = line.split("\t")
    both = [words(cell) for cell in cells[2:4]]
    if len(cells) < len(COLUMNS) or not all(both):
        raise FormatError(f"{path}, line {at}: five columns, two sentences wanted")
    source, paraphrase = map(Sentence.of, both)
    operations = cells[4].split(",")
    named = tuple(part.strip() for part in operations if part.strip())
    return PairRow(cells[0], cells[1], source, paraphrase, named)


def read_gold_pairs(
    rows: Iterable[PairRow], paths: Iterable[Path]
) -> tuple[list[GoldPair], int, list[str]]:
    """The pairs whose gold is in files or folders ``paths``, in order; how many have
    none; and a line about each unreadable place.

    A dependency tree is joined by the constituency tree of the same words in a file of
    the same stem. Gold of another number of tokens than the pair's source counts as
    none, with a line. Raises FormatError if a file cannot be read at all.
    """
    rows = list(rows)
    wanted = {row.id for row in rows} | {row.id.rsplit(":", 1)[0] for row in rows}
    golds, messages = _golds(paths, wanted)
    pairs = []
    for row in rows:
        gold = golds.get(row.id)
        if gold is None:
            continue
        if len(gold.sentence) != len(row.source):
            messages.append(f"{row.id}: gold of {len(gold.sentence)} tokens")
            continue
        pairs.append(GoldPair(row, gold))
    return pairs, len(rows) - len(pairs), messages


def _golds(
    paths: Iterable[Path], wanted: set[str]
) -> tuple[dict[str, Gold], list[str]]:
    """Gold by sent_id, trees joined to dependencies."""
    deps: dict[str, tuple[str, Gold]] = {}
    trees: dict[str, Gold] = {}
    by_words: dict[tuple[str, tuple[str, ...]], Gold] = {}
    messages: list[str] = []
    for path in (file for given in paths for file in files_of(given)):
        stem = path.name.split(".")[0]
        for record in _records(path, messages):
            if record.parse is None:
                continue
            gold = Gold(Sentence(record.tokens), record.parse.tree, record.parse.deps)
            if gold.deps is None:
                trees.setdefault(f"{stem}:{record.line}", gold)
                by_words.setdefault((stem, gold.sentence.forms), gold)
            elif record.id in wanted:
                deps.setdefault(record.id, (stem, gold))
    golds = {name: gold for name, gold in trees.items() if name in wanted}
    for name, (stem, gold) in deps.items():
        partner = by_words.get((stem, gold.sentence.forms))
        golds[name] = replace(gold, tree=partner.tree) if partner else gold
    return golds, messages


def _records(path: Path, messages: list[str]) -> Iterable[SentenceRecord]:
    codec = ptb if format_of(path) == "ptb" else conllu
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as lines:
            for record in codec.read(lines):
                if isinstance(record, BadLine):
                    messages.append(f"{path}, line {record.line}: {record.reason}")
                elif isinstance(record, SentenceRecord):
                    yield record
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {error}") from error
