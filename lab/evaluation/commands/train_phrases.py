"""``train phrases``: the phrase aligner without references, by feature-enhanced EM."""

from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from core.data.tokens import Sentence
from core.errors import FormatError, InvalidValue
from core.evaluation.phrase_alignment import best_side
from core.formats.records import numbered
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.aligner import WEIGHTS, PhraseAligner, side_of
from core.phrase_alignment.sides import BinaryForest
from core.protocols import Analysis, ParserBackend
from core.text.wordnet import thesaurus
from lab.evaluation.phrase_em import EmState, FeaturePair, features, train
from lab.evaluation.phrases_untaught import Unlinked, self_trained

SHORTEST, LONGEST = 10, 30  # tokens, as in the paper
BATCH = 64
HELP = "the phrase aligner, by EM on translations of the same sentences"


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="tokenised, line by line; files of one name but for the ending are "
        "translations of one text: every two lines at one place are a pair",
    )
    add("--out", type=Path, required=True, help="read first if it is there")
    add("--pairs", type=int, default=2000)
    add("--epochs", type=int, default=3)
    add("--batch", type=int, default=200, help="pairs of one update of the weights")
    add(
        "--forests",
        action="store_true",
        help="guess links over the parser's forests, as the paper does, instead of "
        "its best trees",
    )
    add_parser_options(parser)
    add("--seed", type=int, default=0)
    add(
        "--self-train",
        action="store_true",
        help="instead of EM over the paper's features, fit the aligner's own on "
        "what the rules without weights align: a weights file",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Train, writing after each epoch; return the number of pairs and the folder."""
    out: Path = options["out"]
    batch: int = options["batch"]
    backend = backend_of(options)
    texts = _sampled(options["files"], options["pairs"], options["seed"])
    if options["self_train"]:
        return _self_train(texts, backend, out)
    state = EmState.loads(out.read_text()) if out.exists() else EmState()
    make = side_of if options["forests"] else best_side
    pairs = list(_prepared(texts, backend, state, make))
    train(
        pairs,
        state,
        epochs=options["epochs"],
        batch=batch,
        seed=options["seed"],
        on_iteration=lambda now: _tell(now, out, say, ceil(len(pairs) / batch)),
    )
    return {"pairs": len(pairs), "weights": str(out)}


def _self_train(
    texts: list[tuple[str, str]], backend: ParserBackend, out: Path
) -> dict[str, Any]:
    ready = list(_parsed(texts, backend))
    aligner = self_trained(ready, thesaurus(), PhraseAligner.load(WEIGHTS))
    aligner.save(out)
    return {"pairs": len(ready), "weights": str(out)}


def _tell(state: EmState, out: Path, say: Say, an_epoch: int) -> None:
    if state.step % an_epoch == 0:
        out.write_text(state.dumps())
    say(f"batch {state.step}: {state.curve[-1]:.3f} nats a link")


def _sampled(files: list[Path], n: int, seed: int) -> list[tuple[str, str]]:
    """Return ``n`` random pairs of different lines at one place."""
    texts: dict[Path, list[list[str]]] = defaultdict(list)
    for path in files:
        columns = texts[path.with_suffix("")]
        columns.append(_lines(path))
        if len(columns[-1]) != len(columns[0]):
            reason = f"{path}: {len(columns[-1])} lines, {len(columns[0])} in the first"
            raise FormatError(reason, remedy="translations of one text, line by line")
    pairs = [
        pair
        for columns in texts.values()
        for lines in zip(*columns, strict=True)
        for pair in combinations(lines, 2)
        if pair[0] != pair[1]
        and all(SHORTEST <= len(text.split()) <= LONGEST for text in pair)
    ]
    order = np.random.default_rng(seed).permutation(len(pairs))[:n]
    return [pairs[at] for at in sorted(order.tolist())]


def _lines(path: Path) -> list[str]:
    """Return the lines of a file; only line ends separate them."""
    with path.open(encoding="utf-8", newline="") as file:
        return [line for _, line, _ in numbered(file)]


def _prepared(
    texts: list[tuple[str, str]],
    backend: ParserBackend,
    state: EmState,
    make: Callable[[Analysis], BinaryForest],
) -> Iterator[FeaturePair]:
    """Yield the features of each pair that the parser can read."""
    for source, target, vectors in _parsed(texts, backend, make):
        yield features(source, target, state, thesaurus(), vectors)


def _parsed(
    texts: list[tuple[str, str]],
    backend: ParserBackend,
    make: Callable[[Analysis], BinaryForest] = best_side,
) -> Iterator[Unlinked]:
    """Yield what ``make`` takes of both parses, and word vectors, of each pair that the
    parser can read."""
    want = frozenset({"constituents", "forest", "tags", "vectors"})
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        sentences = [Sentence.of(text) for pair in batch for text in pair]
        analyses = backend.analyse(sentences, want=want & backend.info.capabilities)  # type: ignore[arg-type]
        for a, b in zip(analyses[::2], analyses[1::2], strict=True):
            if isinstance(a, Analysis) and isinstance(b, Analysis):
                vectors = None
                if a.vectors is not None and b.vectors is not None:
                    vectors = a.vectors, b.vectors
                try:
                    sides = make(a), make(b)
                except InvalidValue:
                    continue  # no parse
                yield *sides, vectors
