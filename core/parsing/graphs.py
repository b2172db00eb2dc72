"""The graph of a model folder, run by onnxruntime: pieces of a batch to scores."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from core.parsing.store import ModelFolder
from core.text.subwords import Pieces, Subwords

__all__ = ["BatchScorer", "OnnxModel", "Raw", "tensors"]

Raw = dict[str, NDArray[Any]]


class BatchScorer(Protocol):
    """What scores a batch. ``labels``: names by layer (upos, xpos, labels, spans).

    ``run`` answers with arrays for B sentences padded to N words: upos, xpos
    ``(B, N, names)``; arcs ``(B, N + 1, N + 1)``, labels with a fourth axis, ``[head,
    modifier]``, 0 = ROOT; spans ``(B, P, names)`` for the P spans ``starts, ends``;
    middle ``(B, N, d)``. All but the last are scores in nats up to a constant.
    """

    @property
    def labels(self) -> dict[str, tuple[str, ...]]: ...

    @property
    def subwords(self) -> Subwords: ...

    def run(self, pieces: Sequence[Pieces]) -> Raw: ...


class OnnxModel:
    """The weights of a model folder, read when they are first needed.

    ``treebank``: the number of the annotation style to write in, for a graph that
    takes it as an input.
    """

    def __init__(self, folder: ModelFolder, *, treebank: int | None = None) -> None:
        self._folder = folder
        self._treebank = treebank

    @cached_property
    def labels(self) -> dict[str, tuple[str, ...]]:
        return {k: tuple(v) for k, v in self._folder.json("labels.json").items()}

    @cached_property
    def subwords(self) -> Subwords:
        return Subwords(self._folder.file("tokenizer.json"))

    @cached_property
    def _session(self) -> Any:
        sha256 = str(self._folder.manifest["files"]["model.onnx"]["sha256"])
        return _session_of(self._folder.file("model.onnx"), sha256)

    def run(self, pieces: Sequence[Pieces]) -> Raw:
        inputs = tensors(pieces)
        if self._treebank is not None:
            inputs["treebank"] = np.full(len(pieces), self._treebank, dtype=np.int64)
        outputs = self._session.run(None, inputs)
        names = [output.name for output in self._session.get_outputs()]
        scores = dict(zip(names, outputs, strict=True))
        return scores | {"starts": inputs["starts"], "ends": inputs["ends"]}


@lru_cache(maxsize=4)
def _session_of(path: Path, sha256: str) -> Any:
    """The graph at ``path``; one for all styles of a model. ``sha256`` tells graphs
    apart that were written to one path."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"]
    )


def tensors(pieces: Sequence[Pieces]) -> dict[str, NDArray[Any]]:
    """The inputs of a model for these sentences, padded."""
    size, width = len(pieces), max(len(p.ids) for p in pieces)
    n = max(len(p.first) for p in pieces)
    ids = np.zeros((size, width), dtype=np.int64)
    shapes = np.zeros((size, width), dtype=np.int64)
    mask = np.zeros((size, width), dtype=np.float32)
    first = np.zeros((size, n + 2), dtype=np.int64)
    last = np.zeros((size, n + 2), dtype=np.int64)
    for b, piece in enumerate(pieces):
        end, words = len(piece.ids), len(piece.first)
        ids[b, :end], shapes[b, :end], mask[b, :end] = piece.ids, piece.shapes, 1
        first[b, 1 : words + 1], last[b, 1 : words + 1] = piece.first, piece.last
        first[b, words + 1] = last[b, words + 1] = end - 1
    starts, ends = np.triu_indices(n + 1, 1)
    return {
        "ids": ids,
        "shapes": shapes,
        "mask": mask,
        "first": first,
        "last": last,
        "starts": starts,
        "ends": ends,
    }
