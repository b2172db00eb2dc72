"""The settings of a paraphrase table, and the name of each choice."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from core.errors import InvalidValue

VERSION = 2  # of the files of a table and of what they mean

Labels = Literal["none", "constituents", "ccg"]


@dataclass(frozen=True, slots=True)
class PairsFile:
    """One file of pairs, and the files that hold trees of its English side, if any."""

    pairs: Path
    parses: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Settings of a build; the rest does not change the table.

    ``max_length``: words of a phrase, in either language. ``lowercase``: letter case
    is ignored. ``labels``: which are given to phrases of parsed sentences;
    ``parsed_only``: sentences without a tree are left out, so that counts with and
    without labels rest on the same text. ``forest``: labels are taken from all trees
    that the files of parses have of a sentence, each for its share of their
    probability, instead of the likeliest tree alone. ``best``: paraphrases kept for
    a phrase and label. ``widest``: so many English phrases, the likeliest, are kept
    for a foreign one; what the others could have added is known and stored (0: all
    are kept).
    ``wanted``: phrases to paraphrase, none: all. ``buckets``: a power of two, into
    which phrases are divided, and ``chunk``: pairs read at once; both bound memory.
    """

    max_length: int = 5
    lowercase: bool = True
    labels: Labels = "ccg"
    parsed_only: bool = False
    forest: bool = False
    best: int = 20
    widest: int = 100
    wanted: tuple[str, ...] = field(default=(), repr=False)
    buckets: int = 64
    chunk: int = 10_000

    def __post_init__(self) -> None:
        if self.buckets < 1 or self.buckets & (self.buckets - 1):
            raise InvalidValue(f"buckets: expected a power of two, not {self.buckets}")
        if self.labels not in ("none", "constituents", "ccg"):
            raise InvalidValue(f"labels: none, constituents or ccg, not {self.labels}")
        if not 1 <= self.max_length <= 64 or self.best < 1 or self.chunk < 1:
            raise InvalidValue(
                "expected a max_length of 1 to 64, and best and chunk above 0"
            )
        if self.widest < 0:
            raise InvalidValue("widest: expected a number, 0 for all")

    def facts(self) -> dict[str, Any]:
        """The manifest's form: the requested phrases by their number and digest."""
        facts = asdict(self)
        facts["wanted"] = digest(sorted(self.wanted)) if self.wanted else None
        return facts


def digest(value: Sequence[Any] | Mapping[str, Any]) -> str:
    """Twelve hexadecimal digits that name a choice."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def file_digest(path: Path) -> str:
    """SHA-256 of what a file holds; raises InvalidValue if there is none."""
    if not path.is_file():
        raise InvalidValue(f"{path}: no such file")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
