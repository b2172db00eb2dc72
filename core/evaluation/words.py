"""How well words are aligned: precision, recall, F1 and alignment error rate."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.agreement.alignments.aer import alignment_error_rate
from core.agreement.figures import as_json
from core.data.alignment import Kind, Link, ref_key, token_ref
from core.evaluation.word_cases import Cell, WordCase
from core.learning.folds import outer_folds
from core.phrase_alignment.overlap import lexical_word_links
from core.protocols import Analysis, WordAligner
from core.text.wordnet import Thesaurus
from core.word_alignment.aligner import TrainedWordAligner, words_of
from core.word_alignment.fitting import LinkedPair, fit_words
from core.word_alignment.lexicon import cosines

__all__ = ["METHODS", "CosineAligner", "aligner_of", "crossfit", "linked", "scores"]

METHODS = ("trained", "plain", "cosine", "lexical")
Chooser = Callable[[int], WordAligner]


class CosineAligner:
    """Links words whose vectors prefer each other to all others: the baseline."""

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        if source.vectors is None or target.vectors is None:
            return ()
        similarity = cosines(source.vectors, target.vectors)
        rows, columns = similarity.argmax(1), similarity.argmax(0)
        return tuple(
            Link(token_ref(i), token_ref(int(j)))
            for i, j in enumerate(rows)
            if columns[j] == i
        )


class LexicalAligner:
    """Links words of one form or one stem, one to one: what needs no model."""

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        cells = lexical_word_links(source.sentence.forms, target.sentence.forms)
        return tuple(Link(token_ref(int(i)), token_ref(int(j)))
                     for i, j in np.argwhere(cells))  # fmt: skip


class _Plain:
    """The trained aligner as a program without a parser has it."""

    def __init__(self, aligner: TrainedWordAligner) -> None:
        self._aligner = aligner

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        without = (Analysis(one.sentence) for one in (source, target))
        return self._aligner.align(*without)


def aligner_of(method: str, trained: TrainedWordAligner) -> WordAligner:
    """One of METHODS."""
    aligners: dict[str, WordAligner] = {
        "trained": trained,
        "plain": _Plain(trained),
        "cosine": CosineAligner(),
        "lexical": LexicalAligner(),
    }
    return aligners[method]


def linked(cases: Sequence[WordCase], *, vectors: bool = True) -> list[LinkedPair]:
    """The cases as the learner wants them, possible links among the links."""
    made = []
    for case in cases:
        source, target = words_of(case.source), words_of(case.target)
        if not vectors:
            source, target = (replace(s, vectors=None) for s in (source, target))
        made.append(LinkedPair(source, target, case.matrix()))
    return made


def crossfit(
    cases: Sequence[WordCase],
    k: int,
    trained: TrainedWordAligner,
    thesaurus: Thesaurus | None,
    *,
    vectors: bool = True,
    seed: int = 0,
) -> Iterator[dict[int, TrainedWordAligner]]:
    """For each of ``k`` parts, its case numbers and an aligner fitted on the others.

    Cases that share a sentence are in one part. The metric stays: it is fitted
    without links.
    """
    texts = [case.texts for case in cases]
    for part in outer_folds(texts, k, np.random.default_rng(seed)):
        mine = set(part)
        rest = [case for at, case in enumerate(cases) if at not in mine]
        metric = trained.context.metric if vectors else None
        pairs = linked(rest, vectors=vectors)
        model = fit_words(pairs, thesaurus, metric, seed=seed)
        yield dict.fromkeys(sorted(mine), replace(trained, context=model, plain=model))


def scores(cases: Sequence[WordCase], chooser: Chooser) -> dict[str, Any]:
    """Every figure: ``precision, recall, f1, aer`` against sure and possible links,
    ``sure``: of the links called sure against the sure ones; shares of 1.

    ``pairs_per_second``: aligning alone, the analyses being at hand.
    """
    start = time.perf_counter()
    predicted = [
        chooser(at).align(case.source, case.target) for at, case in enumerate(cases)
    ]
    seconds = time.perf_counter() - start
    every = [_cells(links, ("sure", "possible")) for links in predicted]
    gold_sure = [case.sure for case in cases]
    gold = [case.possible for case in cases]
    return {
        **_prf(every, gold),
        "aer": as_json(alignment_error_rate(every, gold_sure, gold)).get("value"),
        "sure": _prf([_cells(links, ("sure",)) for links in predicted], gold_sure),
        "links": sum(map(len, every)),
        "gold_links": sum(map(len, gold)),
        "pairs": len(cases),
        "pairs_per_second": round(len(cases) / max(seconds, 1e-9), 1),
    }


def _cells(links: Sequence[Link], kinds: Sequence[Kind]) -> frozenset[Cell]:
    return frozenset(
        (ref_key(link.source)[1], ref_key(link.target)[1])
        for link in links
        if link.kind in kinds
    )


def _prf(
    predicted: Sequence[frozenset[Cell]], gold: Sequence[frozenset[Cell]]
) -> dict[str, float]:
    hits = sum(len(a & b) for a, b in zip(predicted, gold, strict=True))
    n_predicted, n_gold = (max(1, sum(map(len, side))) for side in (predicted, gold))
    return {
        "precision": hits / n_predicted,
        "recall": hits / n_gold,
        "f1": 2 * hits / (n_predicted + n_gold),
    }
