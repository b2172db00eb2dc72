"""Stages over files of pairs, piece by piece: ``parse`` and ``align``.

A piece is a fixed number of rows in the order of the file: the last digits of a
parser's scores may depend on the sentences parsed together. So the text alone
determines the pieces, and every worker makes the same rows.

The pieces of a run on disk: what is to do, what is done, and the whole.

``todo/KEY.parquet`` holds the rows of a piece, ``done/KEY.parquet`` what came of them;
KEY is the SHA-256 of the rows and of all that decides the result, so a piece that is
there need not be made again, anyone who made it and when. Each file is written next to
its place and renamed: killed at any time, a run leaves no half of one.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from math import exp
from pathlib import Path
from typing import Any, Protocol

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.forests.inside import forest_log_partition
from core.forests.kbest import trees_of
from core.formats import ptb
from core.parsing import registry
from core.pivoting.bitext import (
    Bitext,
    BitextPair,
    BitextParse,
    join_files,
    parses_of,
    write_pairs,
    write_parses,
)
from core.protocols import Analysis, Capability, ParserBackend
from core.word_alignment.aligner import ENGINE, VERSION, TrainedWordAligner

SIZE = 256  # rows of a piece
_LEAST = 0.01  # probability of a tree that is kept next to the likeliest
Rows = Sequence[Any]


class Stage(Protocol):
    """``key`` tells all that decides what comes out, next to the rows."""

    @property
    def key(self) -> str: ...

    def pieces(self, files: Sequence[Path]) -> Iterator[tuple[str, Rows]]:
        """The name of a file to make, and the next rows for it, in order."""
        ...

    def put(self, path: Path, rows: Rows) -> int:
        """Write rows, as they come in or as they go out; how many."""
        ...

    def make(self, path: Path) -> Rows:
        """Compute the result of the given rows."""
        ...


@dataclass(frozen=True)
class ParseStage:
    """The sources of pairs, each once, to ``parses.parquet``: one tree each, '' where
    the parser finds none; with ``trees`` above 1, that many of the most probable, each
    with its share of the forest's probability."""

    backend: ParserBackend
    trees: int = 1

    @property
    def key(self) -> str:
        several = f", {self.trees} trees" if self.trees > 1 else ""
        return f"parse 1, {_name(self.backend)}{several}"

    def pieces(self, files: Sequence[Path]) -> Iterator[tuple[str, Rows]]:
        for piece in _batched(_once(files)):
            yield "parses.parquet", [BitextParse(source, "") for source in piece]

    def put(self, path: Path, rows: Rows) -> int:
        return write_parses(path, rows)

    def make(self, path: Path) -> Rows:
        sources = [row.source for row in parses_of(path)]
        want: frozenset[Capability] = frozenset({"constituents", "tags"})
        answers = _analysed(self.backend, sources, want)
        return [row for s in sources for row in _parses(s, answers[s], self.trees)]


@dataclass(frozen=True)
class AlignStage:
    """Pairs of one language to the same pairs with their words linked, file by file; a
    pair with a side that cannot be parsed keeps NULL for links."""

    backend: ParserBackend
    aligner: TrainedWordAligner

    @property
    def key(self) -> str:
        wordnet = "without" if self.aligner.thesaurus is None else "with"
        return f"align 1, {ENGINE} {VERSION} {wordnet} WordNet, {_name(self.backend)}"

    def pieces(self, files: Sequence[Path]) -> Iterator[tuple[str, Rows]]:
        if len({file.name for file in files}) < len(files):
            raise InvalidValue("two files have the same name")
        for file in files:
            for piece in _batched(Bitext(file).pairs()):
                yield file.name, piece

    def put(self, path: Path, rows: Rows) -> int:
        return write_pairs(path, rows)

    def make(self, path: Path) -> Rows:
        pairs = list(Bitext(path).pairs())
        sides = list(
            dict.fromkeys(s for one in pairs for s in (one.source, one.target))
        )
        want: frozenset[Capability] = frozenset({"tags"})
        if self.aligner.knows(self.backend.info):
            want |= {"vectors"}
        answers = _analysed(self.backend, sides, want)
        return [self._linked(one, answers) for one in pairs]

    def _linked(self, pair: BitextPair, answers: dict[str, Any]) -> BitextPair:
        source, target = answers[pair.source], answers[pair.target]
        if not isinstance(source, Analysis) or not isinstance(target, Analysis):
            return replace(pair, links=None)
        links = self.aligner.align(source, target)
        cells = sorted((int(one.source[1:]), int(one.target[1:])) for one in links)
        return replace(pair, links=" ".join(f"{i}-{j}" for i, j in cells))


STAGES = ("align", "parse")


@lru_cache(maxsize=2)
def stage_of(
    name: str, engine: str, models: Path | None = None, trees: int = 1
) -> Stage:
    """A stage with its models, loaded once a process. Raises Unavailable."""
    backend = registry.chosen(engine, models)
    if name == "align":
        return AlignStage(backend, TrainedWordAligner.load())
    return ParseStage(backend, trees)


def _name(backend: ParserBackend) -> str:
    return f"{backend.info.name} {backend.info.version}"


def _batched(rows: Iterable[Any]) -> Iterator[Rows]:
    left = iter(rows)
    while piece := list(islice(left, SIZE)):
        yield piece


def _once(files: Sequence[Path]) -> Iterator[str]:
    """Each sentence where it comes first. Memory: some 100 bytes a sentence."""
    seen: set[bytes] = set()
    for file in files:
        for source in Bitext(file).sources():
            key = blake2b(source.encode(), digest_size=16).digest()
            if key not in seen:
                seen.add(key)
                yield source


def _analysed(
    backend: ParserBackend, texts: Sequence[str], want: frozenset[Capability]
) -> dict[str, Analysis | Exception]:
    sentences = [Sentence.of(text) for text in texts]
    answers = backend.analyse(sentences, want=want & backend.info.capabilities)
    return dict(zip(texts, answers, strict=True))


def _parses(source: str, answer: Analysis | Exception, most: int) -> list[BitextParse]:
    """Likeliest first; of several, those of .01 and more."""
    if isinstance(answer, Exception):
        return [BitextParse(source, "")]
    words = [ptb.escape(form) for form in answer.sentence.forms]
    trees = trees_of(answer, most, words=words)
    if most == 1 or not trees or answer.forest is None or answer.edge_weights is None:
        return [BitextParse(source, ptb.bracket(tree)) for _, tree in trees[:1]] or [
            BitextParse(source, "")
        ]
    whole = forest_log_partition(answer.forest, answer.edge_weights)
    rows = [BitextParse(source, ptb.bracket(t), exp(w - whole)) for w, t in trees]
    rows.sort(key=lambda row: -row.p)
    return [row for at, row in enumerate(rows) if not at or row.p >= _LEAST]


@dataclass(frozen=True, slots=True)
class StageOrder:
    """A stage over files, to be done in ``folder``; plain values, as it travels.
    ``trees``: kept of a sentence that is parsed."""

    stage: str
    engine: str
    models: str
    folder: str
    trees: int = 1

    def load(self) -> Stage:
        models = Path(self.models) if self.models else None
        return stage_of(self.stage, self.engine, models, self.trees)

    def todo(self, key: str) -> Path:
        return Path(self.folder) / "todo" / f"{key}.parquet"

    def done(self, key: str) -> Path:
        return Path(self.folder) / "done" / f"{key}.parquet"


def plan(order: StageOrder, files: Sequence[Path]) -> dict[str, list[str]]:
    """The pieces of each file to make, in order; their input is in ``todo``."""
    stage, pieces = order.load(), dict[str, list[str]]()
    for name in ("todo", "done"):
        (Path(order.folder) / name).mkdir(parents=True, exist_ok=True)
    for name, rows in stage.pieces(files):
        key = _key(stage, rows)
        pieces.setdefault(name, []).append(key)
        if not is_done(order, key) and not order.todo(key).exists():
            stage.put(order.todo(key), rows)
    if not pieces:
        raise InvalidValue("there are no rows in these files")
    return pieces


def do(order: StageOrder, key: str) -> None:
    """Make a piece, unless it is there."""
    if not is_done(order, key):
        stage = order.load()
        stage.put(order.done(key), stage.make(order.todo(key)))


def is_done(order: StageOrder, key: str) -> bool:
    return order.done(key).exists()


def finish(order: StageOrder, pieces: dict[str, list[str]], out: Path) -> None:
    """Join the pieces into files in ``out`` and clean up; finished pieces stay for a
    run over more text."""
    for name, keys in pieces.items():
        join_files([order.done(key) for key in keys], out / name)
    shutil.rmtree(Path(order.folder) / "todo")
    for left in (Path(order.folder) / "done").glob(".writing-*"):
        shutil.rmtree(left, ignore_errors=True)


def _key(stage: Stage, rows: Sequence[object]) -> str:
    digest = hashlib.sha256(stage.key.encode())
    for row in rows:
        digest.update(repr(astuple(row)).encode())  # type: ignore[call-overload]
    return digest.hexdigest()
