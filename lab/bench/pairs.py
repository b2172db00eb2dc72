"""The pairs that benches of aligning and joint parsing take from a file."""

import csv
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from core.data.tokens import Sentence
from core.protocols import Analysis

LENGTHS = (10, 20, 30, 40)
PAIRS = 20
SLACK = 2


def file_of_pairs(about: str | None) -> Path:
    """Return the file named on the command line; ``about`` is the bench's docstring."""
    options = ArgumentParser(description=(about or "").split("\n")[0])
    options.add_argument(
        "file", type=Path, metavar="FILE", help="pairs: columns source and paraphrase"
    )
    file: Path = options.parse_args().file
    return file


def of_length(path: Path, length: int) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        texts = [(row["source"], row["paraphrase"]) for row in table]
    longest = [max(len(a.split()), len(b.split())) for a, b in texts]
    near = [p for p, n in zip(texts, longest, strict=True) if abs(n - length) <= SLACK]
    return near[:PAIRS]


def analysed(parser: Any, pairs: list[tuple[str, str]]) -> list[list[Analysis]]:
    sentences = [Sentence.of(text) for pair in pairs for text in pair]
    want = frozenset({"constituents", "forest", "tags", "vectors"})
    analyses = parser.analyse(sentences, want=want)
    return [analyses[at : at + 2] for at in range(0, len(analyses), 2)]
