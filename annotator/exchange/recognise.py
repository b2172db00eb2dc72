"""Which format files are in, by trying: the one that reads their beginning best."""

import io
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import BinaryIO

from annotator.errors import Refusal
from annotator.exchange import registry
from annotator.exchange.files import Source
from annotator.exchange.registry import FORMATS, Format
from core.errors import GemelError
from core.formats.gemel import GemelItem
from core.formats.records import BadLine, PairRecord, SentenceRecord

START = 2**18  # bytes of a file that are tried
TRIED = 30  # records of a format
WELL = 0.5  # share of the records that can be read
OWN = {".conllu": "conllu", ".gemel": "gemel", ".jsonl": "jsonl", ".ndjson": "jsonl"}
START_OF_XML = 4096  # bytes in which the root element begins
ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<[?!][^>]*>\s*)*<([a-z][a-z-]*)")
ROOTS = {"treealign": "treealigner", "entailment-corpus": "rte"}
STRICT_FIRST = (
    *("gemel", "conllu", "msrpc", "multimwa", "treealigner", "tigerxml", "rte"),
    *("jsonl", "pharaoh", "ptb", "pairs"),
)  # "lines" reads anything: see below
"""What reads less comes before what reads more: rows of CoNLL-U, too, have tabs."""


def format_of(sources: Sequence[Source]) -> Format | None:
    """The format with the greatest share of records that can be read; None if no format
    reads one. Of several as good the one whose files are called so, then the strictest.

    A suffix that only one format has decides, so that its errors name their lines.
    Files of text that nothing else reads well hold a sentence a line.
    """
    if kind := _claimed(sources):
        return kind
    best, most = None, (0.0, False)
    for name in STRICT_FIRST:
        kind = FORMATS[name]
        worth = (_share(kind, sources), sources[0].name.endswith(kind.suffixes))
        if worth[0] and worth > most:
            best, most = kind, worth
    if most[0] < WELL and all(_suffix(one) == ".txt" for one in sources):
        lines = FORMATS["lines"]
        return lines if _share(lines, sources) >= WELL else best
    return best


def _claimed(sources: Sequence[Source]) -> Format | None:
    """The format whose suffix all files have, or whose root element a file of XML has:
    an alignment is not one more treebank next to those that it names."""
    suffixes = {_suffix(one) for one in sources}
    if suffixes <= set(OWN) and len({OWN[one] for one in suffixes}) == 1:
        return FORMATS[OWN[suffixes.pop()]]
    roots = set()
    for source in sources:
        with source.open() as file:
            if match := ROOT.match(file.read(START_OF_XML)):
                roots.add(match[1].decode("ascii", "replace"))
    name = next((ROOTS[root] for root in ROOTS if root in roots), "")
    return FORMATS[name] if name else None


def _suffix(source: Source) -> str:
    return PurePosixPath(source.name).suffix.lower()


def _share(kind: Format, sources: Sequence[Source]) -> float:
    """Of the first records, those that can be read; 0 where files lack."""
    good = bad = 0
    try:
        arranged = registry.arrange(kind, list(sources))
        for _, record in islice(registry.read(kind, arranged), TRIED):
            good += isinstance(record, SentenceRecord | PairRecord | GemelItem)
            bad += isinstance(record, BadLine)
    except (Refusal, GemelError):
        return 0.0
    return good / (good + bad) if good else 0.0


def beginning(file: BinaryIO) -> io.BytesIO:
    """The first lines of a file, as a file; one line that is longer, cut."""
    start = file.read(START)
    whole = len(start) < START
    return io.BytesIO(start if whole else start[: start.rfind(b"\n") + 1] or start)
