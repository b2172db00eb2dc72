"""How well words are aligned, against links that people made."""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from core.agreement.alignments.layers import alignment_error_rate
from core.agreement.figures import as_json
from core.data.alignment import Kind, Link, ref_key
from core.data.tokens import Sentence
from core.errors import FormatError, Unavailable
from core.formats.alignments import msr_rte2, multimwa, pharaoh
from core.formats.records import BadLine, PairRecord
from core.parsing.registry import Say
from core.protocols import Analysis, Capability, ParserBackend, WordAligner
from core.text.wordnet import Thesaurus, thesaurus
from lab.evaluation import jacana

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
        raise FormatError(f"{paths[0]}: it has no pairs")
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
    except OSError as error:
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


Chooser = Callable[[int], WordAligner]


def scores(cases: Sequence[WordCase], chooser: Chooser) -> dict[str, Any]:
    """Every figure: ``precision, recall, f1, aer`` against sure and possible links,
    ``sure``: of the links called sure against the sure ones; shares of 1.

    ``pairs_per_second``: aligning alone, the analyses being available.
    """
    start = time.perf_counter()
    predicted = [
        chooser(at).align(case.source, case.target) for at, case in enumerate(cases)
    ]
    seconds = time.perf_counter() - start
    every = [_cells(links, ("sure", "possible")) for links in predicted]
    gold_sure = [case.sure for case in cases]
    gold = [case.possible for case in cases]
    return {
        **_prf(every, gold),
        "aer": as_json(alignment_error_rate(every, gold_sure, gold)).get("value"),
        "sure": _prf([_cells(links, ("sure",)) for links in predicted], gold_sure),
        "links": sum(map(len, every)),
        "gold_links": sum(map(len, gold)),
        "pairs": len(cases),
        "pairs_per_second": round(len(cases) / max(seconds, 1e-9), 1),
    }


def _cells(links: Sequence[Link], kinds: Sequence[Kind]) -> frozenset[Cell]:
    return frozenset(
        (ref_key(link.source)[1], ref_key(link.target)[1])
        for link in links
        if link.kind in kinds
    )


def _prf(
    predicted: Sequence[frozenset[Cell]], gold: Sequence[frozenset[Cell]]
) -> dict[str, float]:
    hits = sum(len(a & b) for a, b in zip(predicted, gold, strict=True))
    n_predicted, n_gold = (max(1, sum(map(len, side))) for side in (predicted, gold))
    return {
        "precision": hits / n_predicted,
        "recall": hits / n_gold,
        "f1": 2 * hits / (n_predicted + n_gold),
    }


def add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pairs",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="several files about the same pairs: what all call sure is sure, what any "
        "of them links is possible; of pharaoh the links, source and target",
    )
    parser.add_argument(
        "--format", choices=FORMATS, required=True, help="format of the files"
    )


def parsed(cases: list[WordCase], backend: ParserBackend, say: Say) -> list[WordCase]:
    """The cases with vectors and tags, telling how far it is."""
    analysed_cases: list[WordCase] = []
    for some in analysed(cases, backend):
        analysed_cases += some
        say(f"{len(analysed_cases)} of {len(cases)} pairs encoded")
    return analysed_cases


def wordnet() -> Thesaurus | None:
    """WordNet if it is installed."""
    try:
        return thesaurus()
    except Unavailable:
        return None
