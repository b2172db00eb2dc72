"""The model in training as a back-end, so that one scorer serves it and the export."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from core.evaluation.golds import Gold
from core.evaluation.parsers import evaluate
from core.parsing.neural import Raw, ScoringParser, tensors
from core.protocols import BackendInfo, Capability, ParserBackend
from core.text.subwords import Pieces, Subwords
from lab.training.model import Parser

SCORES = ("uas", "las", "las_main", "upos", "xpos", "precision", "recall", "f1")


class TorchModel:
    """A Parser as a ``core.parsing.neural.BatchScorer``, in one treebank's style."""

    def __init__(self, parser: Parser, subwords: Subwords, style: str) -> None:
        self._parser = parser
        self.subwords = subwords
        inventory = parser.inventory
        self._style = (
            inventory.treebanks.index(style) + 1 if style in inventory.treebanks else 0
        )
        self.labels = {k: tuple(v) for k, v in inventory.to_json().items()}

    def run(self, pieces: Sequence[Pieces]) -> Raw:
        """Return the scores of a batch, computed where the parser is."""
        arrays = tensors(pieces)
        device = self._parser.upos.weight.device
        batch = {k: torch.from_numpy(v).to(device) for k, v in arrays.items()}
        batch["treebank"] = torch.full_like(batch["ids"][:, 0], self._style)
        with torch.no_grad():
            scores = self._parser(batch)._asdict()
        arrays_out: Raw = {name: x.float().cpu().numpy() for name, x in scores.items()}
        return arrays_out | {"starts": arrays["starts"], "ends": arrays["ends"]}


def backend_of(model: TorchModel) -> ScoringParser:
    """Return a back-end over the model; torch uses the cores itself."""
    info = BackendInfo("in-training", "0", "", (), capabilities(model.labels))
    return ScoringParser(model, info, threads=1)


def capabilities(labels: Mapping[str, Sequence[str]]) -> frozenset[Capability]:
    """Return what a parser with these labels can do."""
    can: set[Capability] = {"tags", "vectors"}
    if labels["labels"]:
        can.add("dependencies")
    if len(labels["spans"]) > 1:
        can |= {"constituents", "forest"}
    return frozenset(can)


def scores_of(
    backend: ParserBackend, golds: Sequence[Gold], *, oracle: bool = False
) -> dict[str, Any]:
    """Return scores against gold in percent; with ``oracle`` also oracle_f1 by k."""
    oracle = oracle and any(gold.tree for gold in golds)
    figures = evaluate(backend, golds, oracle=oracle).to_json()
    names = (*SCORES, "exact", "oracle_f1") if oracle else SCORES
    return {name: figures[name] for name in names if figures[name] is not None}


def style_quality(model: TorchModel, dev: Mapping[str, Sequence[Gold]]) -> float:
    """Return the mean of LAS and F1 over at most 600 sentences per dev set."""
    backend = backend_of(model)
    scores = [scores_of(backend, golds[:600]) for golds in dev.values()]
    values = [s[key] for s in scores for key in ("las", "f1") if key in s]
    return float(sum(values) / max(1, len(values)))
