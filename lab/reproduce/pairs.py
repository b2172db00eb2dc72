"""Labelled pairs from the files of MSRPC and RTE, tokenised and encoded."""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.data.tokens import Sentence
from core.errors import FormatError, GemelError, Unavailable
from core.formats import msrpc, rte
from core.formats.records import PairRecord, SentenceRecord
from core.parsing import registry
from core.text.tokenize import tokenize

POSITIVE = frozenset({"paraphrase", "TRUE", "YES", "ENTAILMENT"})


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPairs:
    """``sides``: the forms of both sentences; ``task``: "" where none is said;
    ``kind``: paraphrase or entailment; ``n_bad``: lines that could not be read."""

    name: str
    kind: str
    sides: list[tuple[tuple[str, ...], tuple[str, ...]]]
    positive: NDArray[np.bool_]
    task: tuple[str, ...]
    n_bad: int = 0
    vectors: list[tuple[Floats, Floats] | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.sides)

    def with_task(self, task: str) -> NDArray[np.bool_]:
        return np.array([one == task for one in self.task])


def load(name: str, *paths: Path) -> LabelledPairs:
    """Return the labelled pairs of these files, in order: XML is RTE, all else MSRPC.

    Raises FormatError if a file holds none, OSError if it cannot be read.
    """
    sides: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    labels: list[bool] = []
    tasks: list[str] = []
    n_bad, kind = 0, "paraphrase"
    for path in paths:
        codec = (
            rte
            if path.read_bytes()[:200].lstrip(codecs.BOM_UTF8)[:1] == b"<"
            else msrpc
        )
        kind = "entailment" if codec is rte else "paraphrase"
        with path.open(encoding="utf-8-sig", newline="") as lines:
            for record in codec.read(lines):
                if isinstance(record, PairRecord):
                    sides.append((_forms(record.source), _forms(record.target)))
                    labels.append(record.label in POSITIVE)
                    tasks.append(str(record.meta.get("task", "")))
                n_bad += not isinstance(record, PairRecord) and hasattr(
                    record, "reason"
                )
    if not sides:
        reason = f"{paths[0]}: no labelled pair in it"
        raise FormatError(reason, remedy="a file in the format of MSRPC or RTE")
    return LabelledPairs(name, kind, sides, np.array(labels), tuple(tasks), n_bad)


def _forms(side: SentenceRecord) -> tuple[str, ...]:
    return side.forms or tokenize(side.text).forms


def encode(pairs: Sequence[LabelledPairs]) -> str:
    """Add word vectors of the default parser to every set; return its name and version.

    "" if there is no model: then nothing is added.
    """
    try:
        parser = registry.load(registry.DEFAULT)
    except Unavailable:
        return ""
    for one in pairs:
        sentences = [Sentence.of(side) for pair in one.sides for side in pair]
        analyses = parser.analyse(sentences, want=frozenset({"vectors"}))
        vectors: list[Any] = [
            None if isinstance(x, GemelError) else getattr(x, "vectors", None)
            for x in analyses
        ]
        for source, target in zip(vectors[::2], vectors[1::2], strict=True):
            known = source is not None and target is not None
            one.vectors.append((source, target) if known else None)
    return f"{parser.info.name} {parser.info.version}"
