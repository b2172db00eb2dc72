"""How well phrases are aligned: Arase & Tsujii 2017, section 6."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from core.agreement.alignments.layers import human_row, score_layer
from core.agreement.trees import attachment, parseval
from core.agreement.trees.attachment import Attachment
from core.data.check import Floats
from core.data.tree import Tree
from core.errors import Contradiction, GemelError
from core.evaluation.phrases.cases import (
    Cell,
    PhraseCase,
    best_side,
    cell_of,
    only_tree,
)
from core.learning.folds import outer_folds
from core.phrase_alignment.aligner import PhraseAligner
from core.phrase_alignment.coverage import coverage_gains
from core.phrase_alignment.feature_em import MU_N, EmState, features, gains
from core.phrase_alignment.fitting import Reference, fit
from core.phrase_alignment.forest_align import (
    Aligned,
    AlignSettings,
    align_all,
    alignment_of,
    tree_of,
)
from core.phrase_alignment.legitimacy import problems
from core.phrase_alignment.overlap import lexical_links, overlap_links
from core.phrase_alignment.sides import BinaryForest
from core.phrase_alignment.supports import Derivation
from core.text.wordnet import Thesaurus, thesaurus
from core.trees.heads import to_dependencies

__all__ = [
    "METHODS",
    "Outcome",
    "attachment_of",
    "calibration",
    "crossfit",
    "examples",
    "pair_counts",
    "pair_shares",
    "run",
    "scores",
    "source_parses",
]

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


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one method found for one pair. ``reached``: the two wholes are linked;
    ``supported``: and rest on two links below, as Definition 3.1 has it. ``trees``: of
    both sides, None: no parse. ``addable``: pairs of nulls that two links below would
    support (Definition 3.2, 6: a maximum set has none). ``sure``: the probability of
    each link, where the method tells one."""

    cells: frozenset[Cell]
    reached: bool
    supported: bool = False
    trees: tuple[Tree, Tree] | None = None
    addable: int = 0
    sure: Mapping[Cell, float] = field(default_factory=dict)


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
    try:
        source, target = case.sides(kind)
    except GemelError:
        return Outcome(frozenset(), reached=False)
    if method == "overlap":
        cells = _cells(source, target, overlap_links(source, target))
        trees = only_tree(source), only_tree(target)
        return Outcome(cells, reached=True, trees=trees)
    settings = aligner.settings
    if method == "monotonic":
        settings = settings.monotonic()
    if method == "no-crossing":
        settings = replace(settings, cross_cost=np.inf, order_cost=np.inf)
    if kind != "forest":
        settings = replace(settings, parse_weight=0.0)
    try:
        gain = _gains(case, method, aligner, em, (source, target))
        aligned = align_all(source, target, gain, settings, k=1)
    except Contradiction:
        return Outcome(frozenset(), reached=False)
    best = aligned.best
    trees = only_tree(source), only_tree(target)
    if kind == "forest":
        trees = tree_of(best, source, 0), tree_of(best, target, 1)
    sure = {cell_of(source, target, s, t): p for (s, t), p in aligned.sure.items()}
    return Outcome(
        frozenset(sure),
        reached=True,
        supported=_supports_of_whole(best, source, target) >= 2,
        trees=trees,
        addable=_addable(aligned, trees),
        sure=sure,
    )


def _addable(aligned: Aligned, trees: tuple[Tree, Tree]) -> int:
    """How many pairs of phrases are missing in a maximum set, nulls taken for open."""
    alignment, source, target = alignment_of(aligned, trees)
    is_open = replace(alignment, null_source=frozenset(), null_target=frozenset())
    return len(problems(is_open, source, target, ("maximum",)))


def _supports_of_whole(
    best: Derivation, source: BinaryForest, target: BinaryForest
) -> int:
    """How many links lie right below that of the two wholes, unary chains aside."""
    whole = cell_of(source, target, *max(best.links, key=_width(source, target)))
    places = {pair: cell_of(source, target, *pair) for pair in best.links}
    below = {
        under
        for pair, unders in best.supports.items()
        for under in unders
        if places[pair] == whole != places[under]
    }
    return len(below)


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


def _cells(
    source: BinaryForest, target: BinaryForest, links: Sequence[tuple[int, int]]
) -> frozenset[Cell]:
    return frozenset(cell_of(source, target, s, t) for s, t in links)


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


def examples(case: PhraseCase) -> list[Reference]:
    """What is learnt from a pair: its gold trees, and the parser's best trees."""
    parsed = [case.reference("one-best")] if case.parsed else []
    return [case.reference(), *parsed]


def scores(
    cases: Sequence[PhraseCase], outcomes: Sequence[Outcome], *, multiword: bool
) -> dict[str, Any]:
    """Shares of 1 over all nodes, or over links of more than one word on both sides.

    Recall on what two annotators both linked, precision on what either did, averaged
    over the pairs of annotators (section 6.3); ``human_``: each against the others.
    """
    who = sorted(cases[0].links)

    def kept(cells: frozenset[Cell]) -> frozenset[Cell]:
        return frozenset(c for c in cells if not multiword or _is_phrase(c))

    predicted = [kept(one.cells) for one in outcomes]
    golds = [[kept(case.links[name]) for case in cases] for name in who]
    ours = score_layer(predicted, golds, replicates=1)
    human = human_row(golds, replicates=1)
    recall, precision = _value(ours.recall), _value(ours.precision)
    f1 = 0.0
    if recall and precision:
        f1 = 2 * recall * precision / (recall + precision)
    return {
        "recall": recall,
        "precision": precision,
        "f1": f1,
        "human_recall": _value(human.recall),
        "human_precision": _value(human.precision),
    }


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


def pair_counts(cases: Sequence[PhraseCase], outcomes: Sequence[Outcome]) -> Floats:
    """``(pairs, 2, m, 2)``: what ``scores`` sums up, by pair: of recall and of
    precision, for each of the m pairs of annotators, links found and links wanted."""
    rows = []
    for case, outcome in zip(cases, outcomes, strict=True):
        predicted = outcome.cells
        both = [(g & k, g | k) for g, k in combinations(case.links.values(), 2)]
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


def source_parses(
    cases: Sequence[PhraseCase], outcomes: Sequence[Outcome]
) -> dict[str, Any]:
    """F1 of the source trees against gold: the parser's best, and the aligned ones."""
    before, after = parseval.Parseval(), parseval.Parseval()
    for case, outcome in zip(cases, outcomes, strict=True):
        if case.parsed is None or outcome.trees is None:
            continue
        gold = case.pair.source
        side = best_side(case.parsed[0])
        before += parseval.compare(gold, only_tree(side))
        after += parseval.compare(gold, outcome.trees[0])
    return {"f1_before": before.f1, "f1_after": after.f1, "trees": after.sentences}


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


def _is_phrase(cell: Cell) -> bool:
    return all(end - start > 1 for start, end in cell)


def _value(figure: Any) -> float | None:
    return getattr(figure, "value", None)
