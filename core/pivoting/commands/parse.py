"""``pivot parse``: the English sentences of parallel text, each parsed once, in pieces.

A piece is a fixed number of sentences in the order of the text: the last digits of a
parser's scores may depend on the sentences parsed together. ``pieces/KEY.parquet``
holds what came of one; KEY is the SHA-256 of its sentences and of all that decides the
result, so a piece that is there need not be made again. Each file is written next to
its place and renamed: killed at any time, a run leaves no half of one.
"""

import argparse
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from math import ceil, exp
from pathlib import Path
from typing import Any

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.forests.inside import forest_log_partition
from core.forests.kbest import trees_of
from core.formats import ptb
from core.parsing import registry
from core.parsing.registry import Say, add_parser_options
from core.pivoting.bitext import Bitext, BitextParse, join_files, write_parses
from core.protocols import Analysis, Capability, ParserBackend

HELP = "parse the English sides of pairs in pieces; continues where it stopped"
SIZE = 256  # sentences of a piece
_LEAST = 0.01  # probability of a tree that is kept next to the likeliest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_parser_options(parser)
    add(
        "--in",
        dest="files",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="pairs.parquet files",
    )
    add("--out", type=Path, required=True, metavar="DIR", help="folder to create")
    add(
        "--trees",
        type=int,
        default=1,
        help="the likeliest of a sentence, each with its probability, those "
        "below .01 left out; for pivot build --forest",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Write ``parses.parquet`` in ``out``, and return a summary; ``say`` receives the
    number of finished pieces."""
    trees, folder = options["trees"], options["out"] / "pieces"
    if trees < 1:
        raise InvalidValue("trees: expected at least one per sentence")
    backend = registry.chosen(options["engine"], options.get("models"))
    several = f", {trees} trees" if trees > 1 else ""
    how = f"parse 1, {backend.info.name} {backend.info.version}{several}"
    n = ceil(sum(1 for _ in _once(options["files"])) / SIZE)
    sources, pieces, made = _once(options["files"]), list[Path](), 0
    while piece := list(islice(sources, SIZE)):
        key = hashlib.sha256("\n".join([how, *piece]).encode()).hexdigest()
        pieces.append(folder / f"{key}.parquet")
        if not pieces[-1].exists():
            write_parses(pieces[-1], _parsed(backend, piece, trees))
            made += 1
            say(f"{len(pieces)} of {n} pieces")
    if not pieces:
        raise InvalidValue("there are no rows in these files")
    join_files(pieces, options["out"] / "parses.parquet")
    for left in folder.glob(".writing-*"):
        shutil.rmtree(left, ignore_errors=True)
    return {"pieces": len(pieces), "made": made}


def _once(files: Sequence[Path]) -> Iterator[str]:
    """Each sentence where it comes first. Memory: some 100 bytes a sentence."""
    seen: set[bytes] = set()
    for file in files:
        for source in Bitext(file).sources():
            key = blake2b(source.encode(), digest_size=16).digest()
            if key not in seen:
                seen.add(key)
                yield source


def _parsed(
    backend: ParserBackend, sources: Sequence[str], most: int
) -> Iterator[BitextParse]:
    sentences = [Sentence.of(text) for text in sources]
    want: frozenset[Capability] = frozenset({"constituents", "tags"})
    answers = backend.analyse(sentences, want=want & backend.info.capabilities)
    for source, answer in zip(sources, answers, strict=True):
        yield from _parses(source, answer, most)


def _parses(source: str, answer: Analysis | Exception, most: int) -> list[BitextParse]:
    """Likeliest first; of several, those of .01 and more; '' where there is none."""
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
