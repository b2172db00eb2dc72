"""Examples to tensors: label ids, noise, batches of like length."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from core.text.subwords import Pieces, Subwords
from lab.training.corpus import TrainingSentence, derivation
from lab.training.losses import IGNORE
from lab.training.model import Inventory

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def inventory_of(
    examples: Sequence[TrainingSentence], *, at_least: int = 3
) -> Inventory:
    """Return tags and labels seen ``at_least`` times, and treebanks by name."""
    counts: dict[str, Counter[str]] = {
        layer: Counter(name for e in examples for name in getattr(e, layer) or ())
        for layer in ("upos", "xpos", "labels")
    }
    spans = Counter(label for e in examples for *_, label in e.spans or ())

    def common(counter: Counter[str]) -> tuple[str, ...]:
        return tuple(sorted(name for name, n in counter.items() if n >= at_least))

    return Inventory(
        common(counts["upos"]),
        common(counts["xpos"]),
        common(counts["labels"]),
        ("", *common(spans)),
        tuple(sorted({e.treebank for e in examples})),
    )


def noisy(example: TrainingSentence, rng: np.random.Generator) -> TrainingSentence:
    """Return the sentence, now and then in one case or with typing errors."""
    draw = rng.random()
    if draw < 0.04:
        return replace(example, words=tuple(w.upper() for w in example.words))
    if draw < 0.10:
        return replace(example, words=tuple(w.lower() for w in example.words))
    if draw < 0.20:
        return replace(example, words=tuple(_mistyped(w, rng) for w in example.words))
    return example


def _mistyped(word: str, rng: np.random.Generator) -> str:
    is_long = len(word) > 3 and word.isalpha()
    return _typo(word, rng) if is_long and rng.random() < 0.15 else word


def _typo(word: str, rng: np.random.Generator) -> str:
    """Return ``word`` with two letters swapped, or one lost, doubled or changed."""
    at = int(rng.integers(len(word) - 1))
    kind = int(rng.integers(4))
    middle = (
        word[at + 1] + word[at],
        word[at + 1],
        2 * word[at] + word[at + 1],
        str(rng.choice(list(LETTERS))) + word[at + 1],
    )[kind]
    return word[:at] + middle + word[at + 2 :]


class Batcher:
    """Cuts examples into batches of at most ``size`` pieces, padding counted."""

    def __init__(
        self,
        subwords: Subwords,
        inventory: Inventory,
        *,
        size: int,
        device: str = "cpu",
    ) -> None:
        self.subwords = subwords
        self._inventory = inventory
        self._size = size
        self._device = device
        self._ids = {
            layer: {name: i for i, name in enumerate(getattr(inventory, layer))}
            for layer in ("upos", "xpos", "labels", "spans", "treebanks")
        }

    def epoch(
        self, examples: Sequence[TrainingSentence], rng: np.random.Generator
    ) -> Iterator[dict[str, Tensor]]:
        """Yield one noisy pass in random order, in batches of similar length."""
        noised = [noisy(examples[i], rng) for i in rng.permutation(len(examples))]
        pieces = self.subwords.encode([e.words for e in noised])
        pool = 4000
        for begin in range(0, len(noised), pool):
            part = range(begin, min(begin + pool, len(noised)))
            order = sorted(part, key=lambda i: len(pieces[i].ids))
            cuts = list(self._cut(order, pieces))
            for cut in rng.permutation(len(cuts)):
                chosen = cuts[cut]
                batch = self.tensors(
                    [noised[i] for i in chosen], [pieces[i] for i in chosen]
                )
                yield self._masked(batch, rng)

    def _cut(self, order: Iterable[int], pieces: list[Pieces]) -> Iterator[list[int]]:
        cut: list[int] = []
        for i in order:
            if cut and (len(cut) + 1) * len(pieces[i].ids) > self._size:
                yield cut
                cut = []
            cut.append(i)
        if cut:
            yield cut

    def _masked(
        self, batch: dict[str, Tensor], rng: np.random.Generator
    ) -> dict[str, Tensor]:
        """Hide two pieces in a hundred, and one treebank name in ten."""
        hide = rng.random(tuple(batch["ids"].shape)) < 0.02
        hide &= (batch["shapes"] > 0).cpu().numpy()
        batch["ids"][torch.from_numpy(hide).to(self._device)] = self.subwords.mask
        forget = rng.random(len(batch["treebank"])) < 0.1
        batch["treebank"][torch.from_numpy(forget).to(self._device)] = 0
        return batch

    def tensors(
        self, examples: Sequence[TrainingSentence], pieces: Sequence[Pieces]
    ) -> dict[str, Tensor]:
        """Return the batch in the form of Parser and losses."""
        n = max(len(e.words) for e in examples)
        width = max(len(p.ids) for p in pieces)
        size = len(examples)
        starts, ends = np.triu_indices(n + 1, 1)
        of_span = np.full((n + 1, n + 1), -1)
        of_span[starts, ends] = np.arange(len(starts))
        arrays = {
            "ids": np.full((size, width), self.subwords.pad),
            "shapes": np.zeros((size, width), dtype=np.int64),
            "first": np.zeros((size, n + 2), dtype=np.int64),
            "last": np.zeros((size, n + 2), dtype=np.int64),
            "upos": np.full((size, n), IGNORE),
            "xpos": np.full((size, n), IGNORE),
            "heads": np.full((size, n), IGNORE),
            "labels": np.full((size, n), IGNORE),
            "spans": np.full((size, len(starts)), IGNORE),
            "treebank": np.zeros(size, dtype=np.int64),
            "has_tree": np.array([e.spans is not None for e in examples]),
            "lengths": np.array([len(e.words) for e in examples]),
            "not_heads": np.ones((size, n + 1), dtype=bool),
            "starts": starts,
            "ends": ends,
        }
        mask = np.zeros((size, width), dtype=np.float32)
        for b, (example, piece) in enumerate(zip(examples, pieces, strict=True)):
            mask[b, : len(piece.ids)] = 1
            self._fill(arrays, b, example, piece, of_span)
        batch = {name: torch.from_numpy(array) for name, array in arrays.items()}
        batch["mask"] = torch.from_numpy(mask)
        return {name: tensor.to(self._device) for name, tensor in batch.items()}

    def _fill(
        self,
        arrays: dict[str, np.ndarray],
        b: int,
        example: TrainingSentence,
        piece: Pieces,
        of_span: np.ndarray,
    ) -> None:
        n = len(example.words)
        arrays["ids"][b, : len(piece.ids)] = piece.ids
        arrays["shapes"][b, : len(piece.ids)] = piece.shapes
        for name, inner in (("first", piece.first), ("last", piece.last)):
            arrays[name][b, 1 : n + 1] = inner
            arrays[name][b, n + 1] = len(piece.ids) - 1
        arrays["not_heads"][b, : n + 1] = False
        arrays["treebank"][b] = self._ids["treebanks"].get(example.treebank, -1) + 1
        for layer in ("upos", "xpos", "labels"):
            for i, name in enumerate(getattr(example, layer) or ()):
                arrays[layer][b, i] = self._ids[layer].get(name, IGNORE)
        if example.heads is not None:
            arrays["heads"][b, :n] = example.heads
        if example.spans is not None:
            for start, end, label in derivation(example.spans, n):
                arrays["spans"][b, of_span[start, end]] = self._span_id(label)

    def _span_id(self, label: str) -> int:
        """Return the id of a chain; a rare one gets that of its top label."""
        ids = self._ids["spans"]
        return ids.get(label, ids.get(label.split("+")[0], 1))
