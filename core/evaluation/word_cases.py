"""Pairs of sentences with word links that people made: reading and analysing them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.data.alignment import Link, ref_key
from core.data.tokens import Sentence
from core.errors import FormatError
from core.formats.alignments import jacana, msr_rte2, multimwa, pharaoh
from core.formats.records import BadLine, PairRecord
from core.protocols import Analysis, Capability, ParserBackend

__all__ = ["FORMATS", "WordCase", "analysed", "apart", "read_cases", "read_versions"]

Format = Literal["multimwa", "jacana", "pharaoh", "msr-rte2"]
FORMATS: tuple[Format, ...] = ("multimwa", "jacana", "pharaoh", "msr-rte2")
WANT: frozenset[Capability] = frozenset({"tags", "vectors"})
BATCH = 512
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class WordCase:
    """A pair: words counted from 0. ``possible`` holds the sure ones too."""

    ref: str
    source: Analysis
    target: Analysis
    sure: frozenset[Cell]
    possible: frozenset[Cell]

    @property
    def texts(self) -> tuple[str, str]:
        """What tells a sentence from another: its letters and digits."""
        return _text(self.source.sentence), _text(self.target.sentence)

    def matrix(self) -> NDArray[np.bool_]:
        """The links, possible ones too, bool ``(T, V)``."""
        shape = len(self.source.sentence), len(self.target.sentence)
        cells = np.zeros(shape, dtype=bool)
        for cell in self.possible:
            cells[cell] = True
        return cells


def read_cases(paths: Sequence[Path], format: Format) -> list[WordCase]:
    """The pairs of all files. Pairs of the same words are one: what all files call
    sure is sure, what any of them links is possible.

    Pharaoh takes three files: links, source text, target text. Raises FormatError
    naming file and line at the first that cannot be read.
    """
    if format == "pharaoh":
        if len(paths) != 3:
            raise FormatError("Pharaoh takes three files: links, source, target")
        lines = [_lines(path) for path in paths]
        return list(_of_records(pharaoh.read(*lines), paths[0]))
    cases: dict[tuple[str, tuple[str, ...], tuple[str, ...]], WordCase] = {}
    for path in paths:
        for case in _read(path, format):
            sides = case.source.sentence.forms, case.target.sentence.forms
            old = cases.get((case.ref, *sides), case)
            cases[case.ref, *sides] = replace(
                old, sure=old.sure & case.sure, possible=old.possible | case.possible
            )
    if not cases:
        raise FormatError(f"{paths[0]}: no pair in it")
    return list(cases.values())


def _read(path: Path, format: Format) -> Iterator[WordCase]:
    lines = _lines(path)
    if format != "msr-rte2":
        codec = multimwa if format == "multimwa" else jacana
        yield from _of_records(codec.read(lines), path)
        return
    try:
        for pair in msr_rte2.read(lines):
            source, target = (
                Analysis(Sentence.of(s)) for s in (pair.hypothesis, pair.text)
            )
            both = pair.sure | pair.possible
            yield WordCase(str(pair.number), source, target, pair.sure, both)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def _lines(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(file)  # no line ends at U+2028 and its like
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: cannot be read: {error}") from error


def _of_records(records: Iterable[object], path: Path) -> Iterator[WordCase]:
    for record in records:
        if isinstance(record, BadLine):
            where = f"{path}, line {record.line}: "
            raise FormatError(where + record.reason, remedy=record.remedy)
        if isinstance(record, PairRecord):
            source, target = (
                Analysis(Sentence(side.tokens))
                for side in (record.source, record.target)
            )
            links = record.layers[0].alignment.links
            sure = frozenset(_cell(link) for link in links if link.kind == "sure")
            both = frozenset(_cell(link) for link in links)
            yield WordCase(record.id, source, target, sure, both)


def _cell(link: Link) -> Cell:
    return ref_key(link.source)[1], ref_key(link.target)[1]


def analysed(
    cases: Sequence[WordCase], backend: ParserBackend
) -> Iterator[list[WordCase]]:
    """The cases with the tags and vectors of a parser, a batch at a time; what it
    cannot take stays without."""
    for at in range(0, len(cases), BATCH):
        some = cases[at : at + BATCH]
        sentences = [s.sentence for case in some for s in (case.source, case.target)]
        analyses = backend.analyse(sentences, want=WANT & backend.info.capabilities)
        yield [
            replace(case, source=source, target=target)
            if isinstance(source, Analysis) and isinstance(target, Analysis)
            else case
            for case, source, target in zip(
                some, analyses[::2], analyses[1::2], strict=True
            )
        ]  # fmt: skip


def apart(cases: Sequence[WordCase], others: Iterable[WordCase]) -> list[WordCase]:
    """The cases that share no sentence with the others."""
    known = {text for case in others for text in case.texts}
    return [case for case in cases if not known.intersection(case.texts)]


def read_versions(prefix: Path) -> list[tuple[Sentence, Sentence]]:
    """Pairs out of line-aligned files PREFIX.0, PREFIX.1, …: of every line, the first
    two versions that differ, both of 8 to 32 words. Raises FormatError."""
    files = sorted(prefix.parent.glob(f"{prefix.name}.[0-9]"))
    if len(files) < 2:
        raise FormatError(f"{prefix}.0 and {prefix}.1: not there")
    pairs = []
    for row in zip(*(_lines(path) for path in files), strict=False):
        texts = dict.fromkeys(tuple(line.split()) for line in row)
        some = [words for words in texts if 8 <= len(words) <= 32]
        if len(some) > 1:
            pairs.append((Sentence.of(some[0]), Sentence.of(some[1])))
    return pairs


def _text(sentence: Sentence) -> str:
    return "".join(c for form in sentence.forms for c in form.lower() if c.isalnum())
