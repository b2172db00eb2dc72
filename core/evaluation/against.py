"""Two parsers on the same gold sentences: what one gains over the other, whether by
more than chance, and what the better of both, sentence by sentence, would reach."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.agreement.paired import ratio_swap_p
from core.agreement.trees import attachment, parseval
from core.data.check import Floats
from core.evaluation.golds import Gold
from core.evaluation.parsers import PLAIN, answers, trees_shown
from core.protocols import Analysis, ParserBackend

__all__ = ["compare"]

MEASURES = ("uas", "las", "f1")
SEED = 16
Counts = dict[str, tuple[int, int]]  # by measure: what is right, of how much


def compare(
    golds: Sequence[Gold], parser: ParserBackend, other: ParserBackend
) -> dict[str, Any]:
    """For each measure that gold allows, that of ``this`` parser and of the ``other``,
    in percent; ``p``, two-sided, of their difference (each sentence may swap its two
    parses: Noreen 1989); ``better``: of each sentence the parse that gold prefers,
    which no choice between the two can surpass.

    UAS and LAS as in ``ParserScores``: punctuation and subtypes count. A sentence that
    is answered by an error counts as parsed all wrong. Time: both parsers' once.
    """
    rows = [
        _both(gold, one, two)
        for (gold, one, _), (_, two, _) in zip(
            answers(parser, golds, PLAIN), answers(other, golds, PLAIN), strict=True
        )
    ]
    return {
        name: _figures([row[name] for row in rows if name in row])
        for name in MEASURES
        if any(name in row for row in rows)
    }


def _both(
    gold: Gold, one: Analysis | None, two: Analysis | None
) -> dict[str, tuple[tuple[int, int], tuple[int, int]]]:
    mine, theirs = _counts(gold, one), _counts(gold, two)
    return {name: (mine[name], theirs[name]) for name in mine}


def _counts(gold: Gold, answer: Analysis | None) -> Counts:
    counts: Counts = {}
    if gold.deps is not None:
        guess = answer.deps.tree if answer and answer.deps else None
        arcs = attachment.compare(gold.deps, guess)
        counts |= {
            "uas": (arcs.heads, arcs.tokens),
            "las": (arcs.labelled, arcs.tokens),
        }
    if gold.tree is not None:
        tree = next(iter(trees_shown(answer, 1)), None)
        trees = parseval.compare(gold.tree, tree)
        counts["f1"] = 2 * trees.matched, trees.guessed + trees.gold
    return counts


def _figures(
    rows: Sequence[tuple[tuple[int, int], tuple[int, int]]],
) -> dict[str, float]:
    table = np.array(rows, dtype=np.float64)  # sentences, two parsers, right and of
    this, other = table[:, :1], table[:, 1:]
    best = (max(pair, key=_share) for pair in rows)
    p = ratio_swap_p(other, this, np.random.default_rng(SEED))
    return {
        "this": _percent(this.sum((0, 1))),
        "other": _percent(other.sum((0, 1))),
        "p": round(p, 4),
        "better": _percent(np.array(list(best), dtype=np.float64).sum(0)),
    }


def _share(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1] if counts[1] else 1.0


def _percent(sums: Floats) -> float:
    right, of = sums
    return round(100 * float(right) / float(of), 2) if of else 100.0
