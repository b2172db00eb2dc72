"""``evaluate alignment``: phrase links against those of several annotators."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import FormatError, InvalidValue
from core.evaluation.phrase_alignment import (
    PhraseCase,
    prepare,
    scores,
    source_parses,
)
from core.evaluation.phrase_alignment import run as outcomes_of
from core.formats.alignments import spade
from core.formats.alignments.phrase_links import PhrasePair, loads
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.aligner import PhraseAligner
from core.protocols import ParserBackend

HELP = "measure phrase links against those of several annotators"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        type=Path,
        required=True,
        metavar="FILE",
        help="JSON (see core.formats.alignments.phrase_links) or a folder of SPADE's "
        "files (s-1.xml, t-1.xml, …)",
    )
    add(
        "--trees",
        choices=("gold", "one-best", "forest"),
        default="forest",
        help="trees to align: gold trees, the parser's best, or its forest",
    )
    add_parser_options(parser)


def read(path: Path, backend: ParserBackend | None) -> list[PhraseCase]:
    """The pairs of a file, parsed if there is a parser; FormatError names the file."""
    return prepare(read_links(path), backend)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """What is wrong with a file, as a FormatError that names it.

    Bytes that are no UTF-8 are placed by ``core.commands.door``.
    """
    try:
        yield
    except OSError as error:
        raise FormatError(f"{error.filename or path}: {error.strerror}") from error
    except (FormatError, InvalidValue) as error:
        raise FormatError(f"{path}: {error}") from error


def read_links(path: Path) -> list[PhrasePair]:
    """The pairs of a file or folder. Raises FormatError naming it."""
    with naming(path):
        if path.is_dir():
            pairs = [_read_spade(one) for one in sorted(path.glob("*s-*.xml"))]
        else:
            pairs = loads(path.read_text(encoding="utf-8"))
        if not pairs:
            raise FormatError("no pair in it")
    return pairs


def _read_spade(source: Path) -> PhrasePair:
    """The pair of ``…s-N.xml`` and ``…t-N.xml``."""
    head, _, number = source.name.rpartition("s-")
    target = source.with_name(f"{head}t-{number}")
    try:
        with source.open(encoding="utf-8") as one, target.open(encoding="utf-8") as two:
            return spade.pair(source.stem, one, two)
    except FormatError as error:
        raise FormatError(f"{source.name}: {error}") from error


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Every figure of the aligner; shares of 1."""
    cases = read(options["pairs"], backend_of(options))
    aligner = PhraseAligner.load()
    outcomes = outcomes_of(cases, aligner, trees=options["trees"])
    return {
        "trees": options["trees"],
        "pairs": len(cases),
        **scores(cases, outcomes, multiword=False),
        "multiword": scores(cases, outcomes, multiword=True),
        "reachability": sum(one.reached for one in outcomes) / len(outcomes),
        **source_parses(cases, outcomes),
        "weights": aligner.facts.get("fitted_on"),
    }
