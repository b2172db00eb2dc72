"""``find-paraphrases``: the pairs of sentences of a text that mean the same."""

import argparse
import gzip
import sys
from pathlib import Path

from core.errors import FormatError
from core.formats.standard_input import SAVE_AS_UTF8, not_utf8
from core.itg.finding import BlockingSettings, FoundPair, SharedWords, scored
from core.itg.scores import SCORERS
from core.text.tokenize import tokenize

HELP = "find paraphrases among the sentences of a text, one per line"
STEP = 2_000  # pairs between two lines about progress
SHORTEST = 4  # words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add, usual = parser.add_argument, BlockingSettings()
    add("file", type=Path, metavar="FILE", help="text, gzipped if named .gz")
    add("--scorer", choices=sorted(SCORERS), default="paraphrase")
    add("--least", type=float, default=0.8, help="lowest score of a pair")
    add("--limit", type=int, default=0, help="most pairs to score, 0 for all")
    add(
        "--overlap",
        type=float,
        default=usual.overlap,
        help="least share of words in common, rare words counting more",
    )
    add(
        "--crowd",
        type=int,
        default=usual.crowd,
        help="words of more sentences than this do not suggest a pair",
    )
    add("--each", type=int, default=usual.each, help="candidates of each sentence")
    add(
        "--tokens",
        action="store_true",
        help="input is tokenised, with spaces between tokens",
    )


def run(options: argparse.Namespace) -> int:
    """Print a row for each pair as TSV, best first.

    Sentences of the same words count once, at the first one's line. Raises FormatError
    if the file cannot be read or is not UTF-8.
    """
    lines, texts, sentences = _read(options.file, tokens=options.tokens)
    _say(f"{len(sentences):,} different sentences read")
    settings = BlockingSettings(
        crowd=options.crowd, overlap=options.overlap, each=options.each
    )
    pairs, overlap = SharedWords.of(sentences).candidates(settings)
    if options.limit:
        pairs, overlap = pairs[: options.limit], overlap[: options.limit]
    _say(f"{len(pairs):,} candidate pairs")
    found: list[FoundPair] = []
    for k, pair in enumerate(
        scored(sentences, pairs, overlap, scorer=options.scorer), 1
    ):
        if pair.score >= options.least:
            found.append(pair)
        if k % STEP == 0:
            _say(f"{k:,} of {len(pairs):,} pairs scored, {len(found):,} found")
    found.sort(key=lambda one: -one.score)
    print("score\toverlap\tline_1\tline_2\tsentence_1\tsentence_2")
    for one in found:
        a, b = one.source, one.target
        numbers = f"{one.score:.4f}\t{one.overlap:.4f}\t{lines[a]}\t{lines[b]}"
        print(f"{numbers}\t{texts[a]}\t{texts[b]}")
    return 0


def _read(
    path: Path, *, tokens: bool
) -> tuple[list[int], list[str], list[tuple[str, ...]]]:
    """The line, text and words of each sentence, of those with the same words in lower
    case the first."""
    first: dict[tuple[str, ...], tuple[int, str, tuple[str, ...]]] = {}
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                text = " ".join(line.split())
                words = tuple(text.split()) if tokens or not text else _words(text)
                if len(words) >= SHORTEST:
                    lower = tuple(word.lower() for word in words)
                    first.setdefault(lower, (number, text, words))
    except UnicodeDecodeError as error:
        raise FormatError(
            not_utf8(error), file=str(path), remedy=SAVE_AS_UTF8
        ) from error
    except OSError as error:
        raise FormatError(error.strerror or str(error), file=str(path)) from error
    rows = list(first.values())
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def _words(text: str) -> tuple[str, ...]:
    return tokenize(text).forms


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
