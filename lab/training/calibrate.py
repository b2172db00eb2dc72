"""Do probabilities mean what they say? Temperatures, reliability, calibration error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.data.tokens import Sentence
from core.dependencies.mst import tree_marginals
from core.evaluation.golds import Gold
from core.forests.cky import log_partition
from core.forests.inside import forest_marginals
from core.parsing.neural import MAX_PIECES, BatchScorer, Raw, cut, square
from core.protocols import Analysis, ParserBackend
from lab.training.corpus import derivation, spans_of

BINS = 10
LEAST = 0.01  # brackets and arcs below this are no claim
HEATED = ("spans", "arcs", "xpos")
TEMPERATURES = np.round(np.arange(0.6, 2.01, 0.05), 2)


@dataclass(frozen=True, slots=True)
class Reliability:
    """Per bin of confidence: its mean, the share that is right, and how many.

    ``error``: expected calibration error, the mean gap weighted by size, 0 to 1.
    """

    confidence: tuple[float, ...]
    share: tuple[float, ...]
    count: tuple[int, ...]
    error: float

    @classmethod
    def of(cls, claims: Sequence[tuple[float, bool]]) -> "Reliability":
        p = np.array([claim[0] for claim in claims])
        right = np.array([claim[1] for claim in claims], dtype=float)
        which = np.minimum((p * BINS).astype(int), BINS - 1)
        bins = [which == k for k in range(BINS) if (which == k).any()]
        gaps = [abs(p[b].mean() - right[b].mean()) * b.sum() for b in bins]
        return cls(
            tuple(round(float(p[b].mean()), 4) for b in bins),
            tuple(round(float(right[b].mean()), 4) for b in bins),
            tuple(int(b.sum()) for b in bins),
            round(float(sum(gaps)) / max(1, len(p)), 4),
        )


def temperatures(model: BatchScorer, golds: Sequence[Gold]) -> dict[str, float]:
    """Divisors of the scores of spans, arcs and tags under which the gold analyses
    are likeliest; 1 for what they lack. Guo et al. 2017, "On Calibration of Modern
    Neural Networks"."""
    losses: dict[str, Floats] = {name: np.zeros(len(TEMPERATURES)) for name in HEATED}
    pieces = model.subwords.encode([gold.sentence.forms for gold in golds])
    short = [i for i, p in enumerate(pieces) if len(p.ids) <= MAX_PIECES]
    for batch in cut(short, pieces):
        raw = model.run([pieces[i] for i in batch])
        for b, i in enumerate(batch):
            losses["xpos"] += _tag_loss(raw["xpos"][b], golds[i], model.labels["xpos"])
            losses["arcs"] += _arc_loss(raw["arcs"][b], golds[i])
            losses["spans"] += _tree_loss(raw, b, golds[i], model.labels["spans"])
    return {
        name: float(TEMPERATURES[loss.argmin()]) if loss.any() else 1.0
        for name, loss in losses.items()
    }


def _tag_loss(logits: NDArray[Any], gold: Gold, names: Sequence[str]) -> Floats:
    ids = {name: i for i, name in enumerate(names)}
    columns = [ids.get(token.xpos, -1) for token in gold.sentence.tokens]
    return _rows_loss(logits[: len(columns)].astype(np.float64), columns)


def _arc_loss(logits: NDArray[Any], gold: Gold) -> Floats:
    if gold.deps is None:
        return np.zeros(len(TEMPERATURES))
    n = len(gold.deps)
    arcs = logits[: n + 1, 1 : n + 1].astype(np.float64)
    arcs[np.arange(1, n + 1), np.arange(n)] = -np.inf
    return _rows_loss(arcs.T, [head + 1 for head in gold.deps.heads])


def _rows_loss(rows: NDArray[np.float64], gold: Sequence[int]) -> Floats:
    """Return -log p of the gold columns for each temperature, skipping -1."""
    known = [i for i, column in enumerate(gold) if column >= 0]
    columns = [gold[i] for i in known]
    losses = np.zeros(len(TEMPERATURES))
    for at, temperature in enumerate(TEMPERATURES):
        scaled = rows[known] / temperature
        top = scaled.max(axis=1, keepdims=True)
        log_z = top[:, 0] + np.log(np.exp(scaled - top).sum(axis=1))
        losses[at] = (log_z - scaled[np.arange(len(known)), columns]).sum()
    return losses


def _tree_loss(raw: Raw, b: int, gold: Gold, names: Sequence[str]) -> Floats:
    labels = {name: i for i, name in enumerate(names)}
    spans = gold_spans(gold)
    n = len(gold.sentence)
    brackets = list(derivation(spans or (), n))
    if spans is None or n > 40 or any(name not in labels for *_, name in brackets):
        return np.zeros(len(TEMPERATURES))  # no tree, or an unknown chain
    scores = square(raw["spans"][b], n, raw["starts"], raw["ends"])
    total = sum(scores[i, j, labels[name]] for i, j, name in brackets)
    return np.array([log_partition(scores / h) - total / h for h in TEMPERATURES])


def reliability(parser: ParserBackend, golds: Sequence[Gold]) -> dict[str, Reliability]:
    """Of brackets and arcs, by their marginals. Words that stand bare are no claim."""
    sentences = [Sentence.of(gold.sentence.forms) for gold in golds]
    answers = parser.analyse(sentences, want=frozenset({"forest", "dependencies"}))
    claims: dict[str, list[tuple[float, bool]]] = {"brackets": [], "arcs": []}
    for gold, answer in zip(golds, answers, strict=True):
        if isinstance(answer, Analysis):
            claims["brackets"] += _bracket_claims(gold, answer)
            claims["arcs"] += _arc_claims(gold, answer)
    return {kind: Reliability.of(rows) for kind, rows in claims.items() if rows}


def gold_spans(gold: Gold) -> tuple[tuple[int, int, str], ...] | None:
    """Return gold constituents as the model names them: chains joined, no roots."""
    if gold.tree is None:
        return None
    return spans_of(gold.tree, list(range(gold.tree.n_tokens)))


def _bracket_claims(gold: Gold, answer: Analysis) -> list[tuple[float, bool]]:
    forest, weights = answer.forest, answer.edge_weights
    spans = gold_spans(gold)
    if spans is None or forest is None or weights is None:
        return []
    true = set(spans)
    p_node, _ = forest_marginals(forest, weights)
    rows = zip(
        forest.starts.tolist(),
        forest.ends.tolist(),
        forest.labels.tolist(),
        strict=True,
    )
    return [
        (float(p), (i, j, forest.names[x]) in true)
        for (i, j, x), p in zip(rows, p_node, strict=True)
        if forest.names[x] and p >= LEAST
    ]


def _arc_claims(gold: Gold, answer: Analysis) -> list[tuple[float, bool]]:
    if gold.deps is None or answer.deps is None or answer.deps.arcs is None:
        return []
    marginals = tree_marginals(answer.deps.arcs)
    return [
        (float(marginals[h, m]), gold.deps.heads[m - 1] == h - 1)
        for h, m in np.argwhere(marginals >= LEAST).tolist()
        if m > 0
    ]
