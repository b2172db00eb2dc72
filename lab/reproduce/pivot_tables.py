"""Collections of parallel text from files to a table of paraphrases, each step kept."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.data.tokens import Sentence
from core.formats import ptb
from core.parsing.registry import Say
from core.pivoting.bitext import (
    Bitext,
    BitextPair,
    BitextParse,
    trees_in,
    write_pairs,
    write_parses,
)
from core.pivoting.building.pipeline import build_table
from core.pivoting.building.settings import BuildSettings, PairsFile
from core.protocols import ParserBackend
from core.word_alignment.bilingual import align_bitext
from lab.evaluation.paraphrase_grammar import trees_of_tokens
from lab.reproduce.bitexts import BitextText, bitexts_in

KEPT = 100  # of a phrase and label: as many as the language model sees
_PIECE = 1000  # sentences of a file of parses


def table_of(
    data: Path,
    collections: Sequence[str],
    work: Path,
    backend: ParserBackend,
    say: Say,
    *,
    limit: int = 0,
    parses: Sequence[Path] = (),
) -> Path:
    """Return the table of these collections, built in ``work``.

    ``limit``: so many lines of each bitext, 0: all. Words are aligned by the HMM, the
    English side parsed by ``backend``, but for what the files ``parses`` hold. What is
    there already is not made again, sentence by sentence.
    """
    texts = bitexts_in(data, collections)
    pairs = [aligned(text, work, say, limit=limit) for text in texts]
    english = sorted({row for path in pairs for row in Bitext(path).sources()})
    trees = [*parses, *parsed(english, work / "parses", backend, say, known=parses)]
    name = "+".join(collections) + (f"-{limit}" if limit else "")
    out = work / f"table-{name}"
    sources = [PairsFile(path, tuple(trees)) for path in pairs]
    for step in build_table(out, sources, BuildSettings(parsed_only=True, best=KEPT)):
        say(step.note)
    return out


def aligned(text: BitextText, work: Path, say: Say, *, limit: int = 0) -> Path:
    """Return the file of pairs of a bitext in ``work``, with the HMM's links."""
    size = f"-{limit}" if limit else ""
    path = work / f"{text.corpus}{size}.parquet"
    if not path.is_file():
        rows = list(text.pairs(limit=limit))
        start = time.monotonic()
        links = align_bitext([e for _, e, _ in rows], [f for _, _, f in rows])
        speed = len(rows) / max(time.monotonic() - start, 1e-9)
        say(f"{text.corpus}: {len(rows)} pairs aligned, {speed:.0f} a second")
        made = zip(rows, links.lines(), strict=True)
        write_pairs(
            path, (BitextPair(at, text.corpus, e, f, x) for (at, e, f), x in made)
        )
    return path


def parsed(
    english: Sequence[str],
    folder: Path,
    backend: ParserBackend,
    say: Say,
    *,
    known: Sequence[Path] = (),
) -> list[Path]:
    """Files of trees in ``folder``: sentences that no file there and none ``known``
    holds are parsed, a thousand at a time."""
    there = sorted(folder.glob("*.parquet"))
    held = trees_in([*known, *there], english)
    left = [text for text in english if text not in held]
    for at in range(0, len(left), _PIECE):
        say(f"{at} of {len(left)} sentences parsed")
        there.append(folder / f"{len(there):05d}.parquet")
        write_parses(there[-1], _trees(left[at : at + _PIECE], backend))
    return there


def _trees(english: Sequence[str], backend: ParserBackend) -> Iterator[BitextParse]:
    trees = trees_of_tokens([Sentence.of(text) for text in english], backend)
    for text, tree in zip(english, trees, strict=True):
        yield BitextParse(text, ptb.bracket(tree) if tree is not None else "")
