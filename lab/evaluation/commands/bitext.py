"""``evaluate bitext``: links between words of two languages against people's."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import FormatError
from core.formats.bitext import moses
from core.formats.bitext.records import BitextRecord
from core.parsing.registry import Say
from core.word_alignment import eflomal
from core.word_alignment.bilingual import BitextSettings, BitextStep
from lab.evaluation.bitext_golds import FORMATS, read_linked
from lab.evaluation.bitext_words import ALIGNERS, compare

HELP = "word links of two languages against those that people made"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--gold", type=Path, nargs="+", required=True, metavar="FILE")
    add("--format", choices=FORMATS, required=True)
    add(
        "--text",
        type=Path,
        nargs=2,
        metavar=("SOURCE", "TARGET"),
        help="tokenised text to learn from too, a line each for the same pair; an "
        "empty line: no counterpart",
    )
    add(
        "--aligners",
        nargs="+",
        choices=ALIGNERS,
        default=["hmm", *(["eflomal"] if eflomal.is_installed() else [])],
        help="by default hmm, and eflomal where it is installed",
    )
    add(
        "--symmetrise",
        choices=("grow-diag-final-and", "intersect", "union"),
        default="grow-diag-final-and",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return ``pairs``, ``text`` and figures by aligner; letter case is ignored."""
    golds = read_linked(options["gold"], options["format"])
    text = list(_text(*options["text"])) if options["text"] else []
    say(f"{len(golds)} linked pairs, {len(text)} pairs of text")

    def tell(step: BitextStep) -> None:
        say(f"{step.stage} {step.round}: {100 * step.done // step.total} %")

    scores = compare(
        golds,
        text,
        aligners=options["aligners"],
        settings=BitextSettings(symmetrise=options["symmetrise"]),
        on_iteration=tell,
    )
    return {"symmetrise": options["symmetrise"], "text": len(text), "aligners": scores}


def lines(results: dict[str, Any]) -> Iterator[str]:
    names = ("precision", "recall", "f1", "aer", "seconds")
    yield f"{results['symmetrise']}, with {results['text']} further pairs of text"
    yield f"{'':10}" + "".join(f"{name:>11}" for name in names)
    for aligner, scores in results["aligners"].items():
        yield f"{aligner:10}" + "".join(f"{scores[name]:>11}" for name in names)


def _text(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    with (
        source.open(encoding="utf-8") as first,
        target.open(encoding="utf-8") as second,
    ):
        for record in moses.read(first, second):
            if not isinstance(record, BitextRecord):
                raise FormatError(
                    record.reason, line=record.line, column=1, remedy=record.remedy
                )
            if record.source and record.target:
                yield " ".join(record.source), " ".join(record.target)
