"""Parsers in model folders: batches by length, on all cores.

The graph of a model folder, run by onnxruntime: pieces of a batch to scores.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from core.data.check import Floats
from core.data.deps import DepAnalysis, DepTree
from core.data.tokens import Sentence
from core.dependencies.mst import mst
from core.errors import GemelError, InvalidValue, SentenceTooLong
from core.forests.packing import span_forest
from core.instrumentation import timed
from core.parsing import conventions
from core.parsing.consensus import consensus, score_of
from core.parsing.reading import Reading
from core.parsing.store import ModelFolder, open_folder
from core.parsing.together import Coupling, coupled
from core.protocols import Analysis, BackendInfo, Capability
from core.text.subwords import Pieces, Subwords

Raw = dict[str, NDArray[Any]]


class BatchScorer(Protocol):
    """Scores batches. ``labels``: names by layer (upos, xpos, labels, spans).

    ``run`` returns arrays for B sentences padded to N words: upos, xpos ``(B, N,
    names)``; arcs ``(B, N + 1, N + 1)``, labels with a fourth axis, ``[head,
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
    # Where a processor has no VNNI, sums of two products of bytes overflow their 16
    # bits. With this they are summed exactly, as elsewhere; it is a seventh slower.
    options.add_session_config_entry("session.x64quantprecision", "1")
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


PIECES_A_BATCH = 1024
CELLS_A_BATCH = 45_000  # pairs of fence-posts: what bounds memory
MAX_PIECES = 512
MARGIN = 10.0  # nats below the best tree: one in 22,000 of its probability


class ScoringParser:
    """A back-end over any BatchScorer. Thread-safe.

    ``temperatures``: divisors of the scores of "spans", "arcs" and "xpos".
    ``following``: names of ``core.parsing.conventions`` to follow. ``together``: what
    arcs and brackets that do not fit cost each other; None: nothing, each for itself.
    ``threads``: batches in work at once, by default one a core. Peak memory grows by
    about 150 MB a thread, whatever the number of sentences.
    """

    def __init__(
        self,
        model: BatchScorer,
        info: BackendInfo,
        *,
        temperatures: Mapping[str, float] | None = None,
        following: Sequence[str] = (),
        together: Coupling | None = None,
        threads: int = 0,
    ) -> None:
        self.info = info
        self.model = model
        self._temperatures = {
            "spans": 1.0,
            "arcs": 1.0,
            "xpos": 1.0,
            **(temperatures or {}),
        }
        self._following = tuple(following)
        self.together = together
        self._threads = threads or len(os.sched_getaffinity(0))

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        """An Analysis each, in order; SentenceTooLong in place of what is too long.

        "forest" asks for all alternatives: every tree within 10 nats of the best, and
        relations for every arc; without it the forest holds the best tree only.
        Derivations weigh the log-probability of their tree; ``best`` is the consensus
        tree, which is seldom another than the heaviest; ``deps.arcs`` are those of
        the head given the modifier. Decoding together shows in ``best`` and, where
        trees are wanted too, in ``deps.tree``; weights and arcs stay as they are.
        ``tag_logp`` is over treebank tags (xpos).
        """
        answers: list[Analysis | Exception | None] = [None] * len(sentences)
        pieces = self.model.subwords.encode([sentence.forms for sentence in sentences])
        for i, sentence in enumerate(sentences):
            if len(sentence) > self.info.max_tokens:
                answers[i] = SentenceTooLong(len(sentence), self.info.max_tokens)
            elif len(pieces[i].ids) > MAX_PIECES:
                answers[i] = SentenceTooLong(len(pieces[i].ids), MAX_PIECES)
        short = [i for i, error in enumerate(answers) if error is None]

        def work(batch: list[int]) -> list[Analysis | Exception]:
            name, n = self.info.name, len(batch)
            with timed(name, "encoding", sentences=n):
                raw = self.model.run([pieces[i] for i in batch])
            with timed(name, "decoding", sentences=n):
                return [
                    self._read(sentences[i], pieces[i], raw, b, want)
                    for b, i in enumerate(batch)
                ]

        batches = list(cut(short, pieces))
        for batch, analyses in zip(batches, self._pool.map(work, batches), strict=True):
            for i, analysis in zip(batch, analyses, strict=True):
                answers[i] = analysis
        return [item for item in answers if item is not None]

    def decoding_together(self) -> "ScoringParser":
        """The same parser, its arcs and brackets decoded together."""
        other = copy(self)
        other.together = self.together or Coupling()
        return other

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="parse")

    def _read(
        self,
        sentence: Sentence,
        pieces: Pieces,
        raw: Raw,
        b: int,
        want: frozenset[Capability],
    ) -> Analysis | Exception:
        """Row ``b`` as an Analysis; its error if the scores cannot be parsed."""
        try:
            return self._analysis(sentence, pieces, raw, b, want)
        except GemelError as error:
            return error

    def _analysis(
        self,
        sentence: Sentence,
        pieces: Pieces,
        raw: Raw,
        b: int,
        want: frozenset[Capability],
    ) -> Analysis:
        n, names = len(sentence), self.model.labels
        xpos = _log_softmax(raw["xpos"][b, :n] / self._temperatures["xpos"])
        tags = _named(names["xpos"], xpos)
        forest = weights = best = None
        deps = self._deps(raw, b, n, want)
        if want & {"constituents", "forest"} and len(names["spans"]) > 1:
            scores = square(raw["spans"][b], n, raw["starts"], raw["ends"])
            scores /= self._temperatures["spans"]
            if tags:
                read = _reading(sentence, tags, deps, pieces)
                conventions.follow(scores, read, names["spans"], which=self._following)
            margin = MARGIN if "forest" in want else 0.0
            forest, weights = span_forest(scores, names["spans"], margin=margin)
            score, log_z, phrases = consensus(scores, names["spans"])
            if self.together is not None and deps is not None:
                fitted, deps = self._fitted(scores, deps, raw, b)
                _, _, phrases = consensus(fitted, names["spans"])
                score = score_of(scores, names["spans"], phrases)
            weights[forest.first_edge[-2] :] -= log_z
            best = score - log_z, phrases
        return Analysis(
            sentence,
            forest,
            weights,
            best,
            deps=deps if "dependencies" in want else None,
            upos=_named(names["upos"], raw["upos"][b, :n]),
            xpos=tags,
            tag_logp=xpos if names["xpos"] else None,
            tag_names=names["xpos"],
            vectors=raw["middle"][b, :n].astype(float) if "vectors" in want else None,
        )

    def _fitted(
        self, scores: Floats, deps: DepAnalysis, raw: Raw, b: int
    ) -> tuple[Floats, DepAnalysis]:
        """The scores of brackets, and the best arcs, with regard to each other."""
        assert self.together is not None
        assert deps.arcs is not None
        n = len(deps.tree)
        upos = _named(self.model.labels["upos"], raw["upos"][b, :n])
        counted = np.array([tag != "PUNCT" for tag in upos] or [True] * n)
        fitted, arcs = coupled(scores, deps.arcs, counted, self.together)
        relations = raw["labels"][b, : n + 1, : n + 1]
        tree = _best_tree(arcs, relations, deps.relation_names)
        return fitted, replace(deps, tree=tree)

    def _deps(
        self, raw: Raw, b: int, n: int, want: frozenset[Capability]
    ) -> DepAnalysis | None:
        names = self.model.labels["labels"]
        if not names:
            return None
        arcs = (
            raw["arcs"][b, : n + 1, : n + 1].astype(np.float64)
            / self._temperatures["arcs"]
        )
        np.fill_diagonal(arcs, -np.inf)
        arcs = np.ascontiguousarray(_log_softmax(arcs.T).T)
        arcs[:, 0] = -np.inf
        logits = raw["labels"][b, : n + 1, : n + 1]
        tree = _best_tree(arcs, logits, names)
        relations = _log_softmax(logits) if "forest" in want else None
        return DepAnalysis(tree, arcs, relations, names)


class NeuralParser(ScoringParser):
    """The back-end of one model folder.

    A folder whose manifest lists ``styles`` writes in the ``style`` asked for, by
    default the manifest's, and is called NAME-STYLE. Raises InvalidValue for a style
    that it does not have.
    """

    def __init__(
        self,
        folder: ModelFolder | Path,
        *,
        threads: int = 0,
        style: str | None = None,
    ) -> None:
        opened = folder if isinstance(folder, ModelFolder) else open_folder(folder)
        manifest = opened.manifest
        named, treebank, temperatures = _style_of(manifest, style)
        info = BackendInfo(
            name=named,
            version=str(manifest["version"]),
            licence=str(manifest.get("licence", "")),
            languages=tuple(manifest.get("languages", ())),
            capabilities=frozenset(manifest.get("capabilities", ())),
            max_tokens=int(manifest.get("max_tokens", 200)),
            note=str(manifest.get("note", "")),
        )
        following = manifest.get("conventions", ())
        costs = manifest.get("together")
        super().__init__(
            OnnxModel(opened, treebank=treebank),
            info,
            temperatures=temperatures,
            following=following,
            together=Coupling(**costs) if costs else None,
            threads=threads,
        )


def _style_of(
    manifest: Mapping[str, Any], style: str | None
) -> tuple[str, int | None, Mapping[str, float]]:
    """The name, the number of the treebank and the temperatures of a style."""
    name, styles = str(manifest["name"]), manifest.get("styles", {})
    if not styles and style is None:
        return name, None, manifest.get("temperatures", {})
    asked = style or str(manifest.get("style", ""))
    if asked not in styles:
        known = ", ".join(sorted(styles)) or "none"
        raise InvalidValue(f"parser {name} has no style {asked!r}; it has {known}")
    entry = styles[asked]
    return f"{name}-{asked}", int(entry["treebank"]), entry["temperatures"]


def cut(order: Iterable[int], pieces: Sequence[Pieces]) -> Iterator[list[int]]:
    """Batches of like length, longest first, bounded in pieces and in span cells."""
    batch: list[int] = []
    widest = posts = 0
    for i in sorted(order, key=lambda i: -len(pieces[i].ids)):
        widest = widest or len(pieces[i].ids)
        posts = max(posts, len(pieces[i].first) + 1)
        size = len(batch) + 1
        full = size * widest > PIECES_A_BATCH or size * posts**2 > CELLS_A_BATCH
        if batch and full:
            yield batch
            batch, widest, posts = [], len(pieces[i].ids), len(pieces[i].first) + 1
        batch.append(i)
    if batch:
        yield batch


def square(
    logits: NDArray[np.float32], n: int, starts: NDArray[Any], ends: NDArray[Any]
) -> Floats:
    """``(P, L)`` scores as ``(n + 1, n + 1, L)``, ``-inf`` outside the triangle."""
    scores = np.full((n + 1, n + 1, logits.shape[1]), -np.inf)
    inside = ends <= n
    scores[starts[inside], ends[inside]] = logits[inside]
    return scores


def _best_tree(arcs: Floats, logits: NDArray[Any], names: tuple[str, ...]) -> DepTree:
    _, heads = mst(arcs)
    chosen = logits[heads + 1, np.arange(1, len(heads) + 1)].argmax(-1)
    return DepTree(tuple(int(h) for h in heads), tuple(names[x] for x in chosen))


def _reading(
    sentence: Sentence, tags: Sequence[str], deps: DepAnalysis | None, pieces: Pieces
) -> Reading:
    sizes = [b - a + 1 for a, b in zip(pieces.first, pieces.last, strict=True)]
    if deps is None:
        return Reading(sentence.forms, tags, pieces=sizes)
    return Reading(sentence.forms, tags, deps.tree.heads, deps.tree.labels, sizes)


def _named(names: tuple[str, ...], scores: NDArray[Any]) -> tuple[str, ...]:
    """The best name of each row; nothing where the model has no names."""
    return tuple(names[i] for i in scores.argmax(-1)) if names else ()


def _log_softmax(logits: NDArray[Any]) -> Floats:
    """Over the last axis, in float64."""
    shifted = logits.astype(np.float64) - logits.max(-1, keepdims=True)
    log_p: Floats = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return log_p
