"""How well phrases are aligned, by method: Arase & Tsujii 2017, section 6."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from core.agreement.trees import attachment
from core.agreement.trees.attachment import Attachment
from core.data.check import Floats
from core.errors import GemelError
from core.evaluation.phrase_alignment import (
    Cell,
    Outcome,
    PhraseCase,
    Place,
    cell_of,
    is_phrase,
    only_tree,
    outcome_of,
    span_of,
)
from core.phrase_alignment.aligner import PhraseAligner
from core.phrase_alignment.forest_align import AlignSettings, alignment_of
from core.phrase_alignment.legitimacy import problems
from core.phrase_alignment.sides import BinaryForest
from core.text.wordnet import Thesaurus, thesaurus
from core.trees.heads import to_dependencies
from lab.evaluation.folds import outer_folds
from lab.evaluation.phrase_em import MU_N, EmState, features, gains
from lab.evaluation.phrase_fitting import Reference, fit
from lab.evaluation.phrase_overlap import coverage_gains, lexical_links, overlap_links

TREES = {"gold-trees": "gold", "overlap": "gold", "one-best": "one-best"}

CERTAIN = 1e-6  # of a probability, this far from 0 and 1 is as far as it goes

METHODS = (
    "forest",
    "monotonic",
    "no-crossing",
    "no-em",
    "one-best",
    "gold-trees",
    "overlap",
)


def run(
    cases: Sequence[PhraseCase],
    method: str,
    aligner_of: Callable[[int], PhraseAligner],
    *,
    trees: str = "",
    em_of: Callable[[int], EmState] | None = None,
) -> list[Outcome]:
    """What ``method`` finds; ``aligner_of(case number)`` gives its weights.

    ``em_of``: weights of the paper's features, used instead of those. "no-em" has
    none: exact and stem links of words, and how they cover the phrases. "monotonic" has
    no link but compositional ones; "no-crossing" fills nulls where nothing is crossed.

    ``trees``: gold, one-best or forest, by default what the method's name says.
    """
    kind = trees or TREES.get(method, "forest")
    return [
        _one(case, method, kind, aligner_of(at), em_of(at) if em_of else None)
        for at, case in enumerate(cases)
    ]


def _one(
    case: PhraseCase, method: str, kind: str, aligner: PhraseAligner, em: EmState | None
) -> Outcome:
    if method == "overlap":
        return _overlap(case, kind)
    settings = aligner.settings
    if method == "monotonic":
        settings = settings.monotonic()
    if method == "no-crossing":
        settings = replace(settings, cross_cost=np.inf, order_cost=np.inf)

    def gains_of(*sides: BinaryForest) -> Floats:
        return _gains(case, method, aligner, em, (sides[0], sides[1]))

    return outcome_of(case, kind, settings, gains_of)


def _overlap(case: PhraseCase, kind: str) -> Outcome:
    try:
        source, target = case.sides(kind)
    except GemelError:
        return Outcome(frozenset(), reached=False)
    links = overlap_links(source, target)
    cells = frozenset(cell_of(source, target, s, t) for s, t in links)
    trees = only_tree(source), only_tree(target)
    return Outcome(cells, reached=True, trees=trees)


def addable(outcome: Outcome) -> int:
    """How many pairs of phrases are missing in a maximum set, nulls taken for open."""
    if outcome.aligned is None or outcome.trees is None:
        return 0
    alignment, source, target = alignment_of(outcome.aligned, outcome.trees)
    is_open = replace(alignment, null_source=frozenset(), null_target=frozenset())
    return len(problems(is_open, source, target, ("maximum",)))


def is_supported(outcome: Outcome) -> bool:
    """Whether two links lie right below that of the two wholes, unary chains aside, as
    Definition 3.1 has it."""
    if outcome.aligned is None:
        return False
    best, source, target = (
        outcome.aligned.best,
        outcome.aligned.source,
        outcome.aligned.target,
    )
    whole = cell_of(source, target, *max(best.links, key=_width(source, target)))
    places = {pair: cell_of(source, target, *pair) for pair in best.links}
    below = {
        under
        for pair, unders in best.supports.items()
        for under in unders
        if places[pair] == whole != places[under]
    }
    return len(below) >= 2


def _width(
    source: BinaryForest, target: BinaryForest
) -> Callable[[tuple[int, int]], int]:
    def width(pair: tuple[int, int]) -> int:
        return sum(b - a for a, b in cell_of(source, target, *pair))

    return width


def _gains(
    case: PhraseCase,
    method: str,
    aligner: PhraseAligner,
    em: EmState | None,
    sides: tuple[BinaryForest, BinaryForest],
) -> Floats:
    if method == "no-em":
        links = lexical_links(*sides)
        return coverage_gains(sides[0].members, sides[1].members, links)
    if em is None:
        return aligner.gains(*sides, case.vectors)
    pair = features(*sides, em, thesaurus(), case.vectors)
    return gains(pair, np.array(em.weights), mu_n=MU_N)


def crossfit(
    cases: Sequence[PhraseCase],
    k: int,
    words: Thesaurus | None,
    settings: AlignSettings,
    *,
    word_bias: float,
    phrase_bias: float,
    seed: int = 0,
    parts: Sequence[Sequence[int]] = (),
) -> Callable[[int], PhraseAligner]:
    """For every case an aligner that was fitted without it: ``k`` folds, or these
    ``parts``."""
    references = [examples(case) for case in cases]
    aligners: dict[int, PhraseAligner] = {}
    texts = [(case.pair.source.words, case.pair.target.words) for case in cases]
    for part in parts or outer_folds(texts, k, np.random.default_rng(seed)):
        kept = [some for at, some in enumerate(references) if at not in part]
        rest = [one for some in kept for one in some]
        model = fit(rest, words, word_bias=word_bias, phrase_bias=phrase_bias)
        aligner = PhraseAligner(model, model, settings, {})
        aligners |= dict.fromkeys(part, aligner)
    return aligners.__getitem__


def reference(case: PhraseCase, trees: str = "gold") -> Reference:
    """The links that most annotators made, over the nodes of these trees; those whose
    nodes are missing there are left out."""
    source, target = case.sides(trees)
    at_s, at_t = _by_span(source), _by_span(target)
    votes = np.zeros((source.n_nodes, target.n_nodes))
    for pairs in case.links.values():
        for s, t in pairs:
            if s in at_s and t in at_t:
                votes[at_s[s], at_t[t]] += 1 / len(case.links)
    return Reference(source, target, votes > 0.5, case.vectors)


def _by_span(side: BinaryForest) -> dict[Place, int]:
    return {span_of(side, v): v for v in range(side.n_nodes) if side.named[v]}


def examples(case: PhraseCase) -> list[Reference]:
    """What is learnt from a pair: its gold trees, and the parser's best trees."""
    parsed = [reference(case, "one-best")] if case.parsed else []
    return [reference(case), *parsed]


def pair_shares(cases: Sequence[PhraseCase], outcomes: Sequence[Outcome]) -> Floats:
    """``(pairs, 2)``: recall and precision of each pair, averaged over annotators."""
    rows = []
    for case, outcome in zip(cases, outcomes, strict=True):
        predicted = outcome.cells
        each = [
            (
                len(predicted & g & k) / max(len(g & k), 1),
                len(predicted & (g | k)) / max(len(predicted), 1),
            )
            for g, k in combinations(case.links.values(), 2)
        ]
        rows.append(np.mean(each, axis=0))
    return np.array(rows)


def pair_counts(
    cases: Sequence[PhraseCase],
    outcomes: Sequence[Outcome],
    *,
    multiword: bool = False,
) -> Floats:
    """``(pairs, 2, m, 2)``: what ``scores`` sums up, by pair: of recall and of
    precision, for each of the m pairs of annotators, links found and links wanted."""

    def kept(cells: frozenset[Cell]) -> frozenset[Cell]:
        return frozenset(c for c in cells if not multiword or is_phrase(c))

    rows = []
    for case, outcome in zip(cases, outcomes, strict=True):
        predicted = kept(outcome.cells)
        links = map(kept, case.links.values())
        both = [(g & k, g | k) for g, k in combinations(links, 2)]
        recall = [(len(predicted & every), len(every)) for every, _ in both]
        precision = [(len(predicted & some), len(predicted)) for _, some in both]
        rows.append((recall, precision))
    return np.array(rows, dtype=np.float64)


def calibration(
    cases: Sequence[PhraseCase], outcomes: Sequence[Outcome]
) -> dict[str, Any]:
    """Whether probabilities mean what they say, against the links of most annotators.

    ``log_loss``: nats a link found; ``error``: the mean gap between what is said and
    the share that holds, over tenths, weighted by size (Guo et al. 2017). None each
    where nothing was said.
    """
    probabilities, holds = [], []
    for case, outcome in zip(cases, outcomes, strict=True):
        votes = Counter(cell for links in case.links.values() for cell in links)
        for cell, much in outcome.sure.items():
            probabilities.append(min(max(much, CERTAIN), 1.0 - CERTAIN))
            holds.append(votes[cell] > len(case.links) / 2)
    if not probabilities:
        return {"links": 0, "log_loss": None, "error": None}
    p, true = np.array(probabilities), np.array(holds)
    gaps = np.bincount((p * 10).astype(int), p - true, minlength=10)
    return {
        "links": len(p),
        "log_loss": float(-np.log(np.where(true, p, 1.0 - p)).mean()),
        "error": float(np.abs(gaps).sum() / len(p)),
    }


def attachment_of(
    cases: Sequence[PhraseCase], outcomes: Sequence[Outcome]
) -> Attachment:
    """Heads of both sentences, gold trees and chosen ones converted by the same rules.

    Unlabelled alone means something; punctuation is left out, as by the script of
    CoNLL-X. Without a parse all heads are wrong.
    """
    total = Attachment()
    for case, outcome in zip(cases, outcomes, strict=True):
        golds = (case.pair.source, case.pair.target)
        for gold, tree in zip(golds, outcome.trees or (None, None), strict=True):
            signs = [not any(map(str.isalnum, word)) for word in gold.words]
            total += attachment.compare(
                to_dependencies(gold),
                to_dependencies(tree) if tree else None,
                without_punctuation=["PUNCT" if sign else "" for sign in signs],
            )
    return total
