"""Training data with pairs to read: gold sentences next to rewordings of themselves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from core.data.check import Floats
from core.errors import Unavailable
from core.evaluation.golds import Gold, read_golds
from core.text.subwords import Subwords
from lab.training.corpus import TrainingSentence, TreebankSource
from lab.training.rewording import Reworder, likes_of
from lab.training.run import Data


def with_pairs(
    data: Data, sources: Sequence[TreebankSource], encoder: Path, n: int, *, seed: int
) -> Data:
    """The data with ``n`` reworded pairs of each training sentence that has
    dependencies; words are exchanged for those that the encoder holds alike.

    Raises FormatError on an unreadable treebank, Unavailable without an encoder.
    """
    kept = {(e.treebank, e.words) for e in data.train if e.heads is not None}
    golds = {source.name: _golds(source, kept) for source in sources}
    every = [gold for part in golds.values() for gold in part]
    words = {token.form.lower() for gold in every for token in gold.sentence.tokens}
    likes = likes_of(every, _vectors(encoder, sorted(words)))
    reworder = Reworder.of(every, likes, seed)
    pairs: list[TrainingSentence] = []
    for _ in range(n):
        for name, part in golds.items():
            pairs += reworder.pairs(part, name)
    return replace(data, pairs=pairs)


def _golds(
    source: TreebankSource, kept: set[tuple[str, tuple[str, ...]]]
) -> list[Gold]:
    golds, _ = read_golds([source.path], format="conllu")
    return [gold for gold in golds if (source.name, gold.sentence.forms) in kept]


def _vectors(encoder: Path, words: Iterable[str]) -> Mapping[str, Floats]:
    """Return the mean of each word's pieces, before any layer of the encoder."""
    path = encoder / "model.safetensors"
    if not path.is_file():
        raise Unavailable(f"{path}: no encoder weights there")
    tensors = load_file(path)
    name = next(key for key in tensors if key.endswith("word_embeddings.weight"))
    words = list(words)
    pieces = Subwords(encoder / "tokenizer.json").encode([[word] for word in words])
    means = (np.mean(tensors[name][piece.ids[1:-1]], axis=0) for piece in pieces)
    return dict(zip(words, means, strict=True))
