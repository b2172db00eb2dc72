"""Reference pairs made ready for the phrase aligner: gold trees, parses, links.

How well phrases are aligned: Arase & Tsujii 2017, section 6.

What aligning a pair does to the parse of its source, against gold constituents.

Choosing the two trees of the forests that align best is a reranking of both. An error
is a bracket that a tree has and gold lacks, or the other way round (as PARSEVAL counts
them): it is corrected if the parser's best tree makes it and the aligned one does not,
introduced if it is the other way round (Arase & Tsujii 2017, section 6.4).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from core.agreement.alignments.layers import human_row, score_layer
from core.agreement.paired import sign_flip_p
from core.agreement.trees import attachment, parseval
from core.agreement.trees.attachment import Attachment
from core.data.check import Floats
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import Contradiction, FormatError, GemelError
from core.evaluation.joint_parsing import GoldPair
from core.forests.derivation import tree_of_phrases
from core.forests.kbest import best_trees
from core.formats.alignments.phrase_links import PhrasePair
from core.learning.folds import outer_folds
from core.phrase_alignment.aligner import PhraseAligner, side_of
from core.phrase_alignment.feature_em import MU_N, EmState, features, gains
from core.phrase_alignment.forest_align import (
    Aligned,
    AlignSettings,
    align_all,
    alignment_of,
    tree_of,
)
from core.phrase_alignment.legitimacy import problems
from core.phrase_alignment.model import Reference, fit
from core.phrase_alignment.overlap import coverage_gains, lexical_links, overlap_links
from core.phrase_alignment.sides import BinaryForest, collapsed, side_of_tree
from core.phrase_alignment.supports import Derivation
from core.protocols import Analysis, Capability, ParserBackend
from core.text.wordnet import Thesaurus, thesaurus
from core.trees.heads import to_dependencies

Place = tuple[int, int]  # half-open span
Cell = tuple[Place, Place]


@dataclass(frozen=True, slots=True, eq=False)
class PhraseCase:
    """One pair. ``links``: by annotator, as pairs of spans; ``gold``: sides of the
    gold trees; ``parsed``: what the parser says of both sentences, or None."""

    pair: PhrasePair
    links: Mapping[str, frozenset[Cell]]
    gold: tuple[BinaryForest, BinaryForest]
    parsed: tuple[Analysis, Analysis] | None

    @property
    def vectors(self) -> tuple[Floats, Floats] | None:
        if self.parsed is None:
            return None
        source, target = (one.vectors for one in self.parsed)
        return None if source is None or target is None else (source, target)

    def sides(self, trees: str) -> tuple[BinaryForest, BinaryForest]:
        """``gold`` trees, the parser's ``one-best`` trees, or its ``forest``."""
        if trees == "gold":
            return self.gold
        if self.parsed is None:
            raise GemelError("a parser is needed for anything but gold trees")
        make = side_of if trees == "forest" else best_side
        return make(self.parsed[0]), make(self.parsed[1])

    def reference(self, trees: str = "gold") -> Reference:
        """The links that most annotators made, over the nodes of these trees; those
        whose nodes are missing there are left out."""
        source, target = self.sides(trees)
        at_s, at_t = _by_span(source), _by_span(target)
        votes = np.zeros((source.n_nodes, target.n_nodes))
        for pairs in self.links.values():
            for s, t in pairs:
                if s in at_s and t in at_t:
                    votes[at_s[s], at_t[t]] += 1 / len(self.links)
        return Reference(source, target, votes > 0.5, self.vectors)


def prepare(
    pairs: Sequence[PhrasePair], backend: ParserBackend | None
) -> list[PhraseCase]:
    """The pairs, parsed if there is a parser. Raises FormatError if a link names a
    node that its tree lacks."""
    sentences = [Sentence.of(t.words) for p in pairs for t in (p.source, p.target)]
    want: frozenset[Capability] = frozenset(
        {"constituents", "forest", "tags", "vectors"}
    )
    analyses: list[Analysis | Exception] = []
    if backend is not None:
        analyses = backend.analyse(sentences, want=want)
    cases = []
    for at, pair in enumerate(pairs):
        parsed = None
        if analyses:
            a, b = analyses[2 * at : 2 * at + 2]
            if isinstance(a, Analysis) and isinstance(b, Analysis):
                parsed = a, b
        sides = side_of_tree(pair.source), side_of_tree(pair.target)
        cases.append(PhraseCase(pair, _cells(pair), sides, parsed))
    return cases


def cell_of(source: BinaryForest, target: BinaryForest, s: int, t: int) -> Cell:
    return _span(source, s), _span(target, t)


def best_side(analysis: Analysis) -> BinaryForest:
    """The parser's best tree alone, as a forest of one tree."""
    if analysis.forest is None or analysis.edge_weights is None:
        return side_of(analysis)
    words = analysis.sentence.forms
    tags = analysis.xpos or ("X",) * len(words)
    trees = best_trees(
        analysis.forest, analysis.edge_weights, 1, words=words, tags=tags
    )
    return side_of_tree(trees[0][1]) if trees else side_of(analysis)


def only_tree(side: BinaryForest) -> Tree:
    """The tree of a side that came of one, without what binarisation added."""
    phrases = []
    for v in range(side.n_nodes):
        if side.labels[v] and side.origin[v] >= 0:
            places = np.flatnonzero(side.members[v])
            phrases.append((int(places[0]), int(places[-1]) + 1, side.labels[v]))
    phrases.sort(key=lambda phrase: (phrase[0], -phrase[1]))
    return tree_of_phrases(phrases, words=side.words, tags=side.tags)


def _cells(pair: PhrasePair) -> dict[str, frozenset[Cell]]:
    spans_s = [pair.source.spans[v] for v in collapsed(pair.source)]
    spans_t = [pair.target.spans[v] for v in collapsed(pair.target)]
    try:
        return {
            who: frozenset((spans_s[s], spans_t[t]) for s, t in links)
            for who, links in pair.links.items()
        }
    except IndexError:
        reason = f"pair {pair.ref}: a link to a node that the tree does not have"
        raise FormatError(
            reason, remedy="nodes must be in preorder, unary chains as one node"
        ) from None


def _span(side: BinaryForest, v: int) -> Place:
    places = np.flatnonzero(side.members[v])
    return int(places[0]), int(places[-1]) + 1


def _by_span(side: BinaryForest) -> dict[Place, int]:
    return {_span(side, v): v for v in range(side.n_nodes) if side.named[v]}


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
        cells = _score_cells(source, target, overlap_links(source, target))
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


def _score_cells(
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


WANT: frozenset[Capability] = frozenset({"constituents", "forest", "tags", "vectors"})
BATCH = 32


@dataclass(frozen=True, slots=True)
class Reranked:
    """The gold tree of a source, the parser's best, and the one that aligns best."""

    id: str
    corpus: str
    gold: Tree
    before: Tree
    after: Tree

    @property
    def corrected(self) -> int:
        return (self._errors(self.before) - self._errors(self.after)).total()

    @property
    def introduced(self) -> int:
        return (self._errors(self.after) - self._errors(self.before)).total()

    def _errors(self, tree: Tree) -> Counter[tuple[bool, parseval.Bracket]]:
        """Missing (True) and wrong (False) brackets, each as often as it counts."""
        tags = self.gold.tags
        has, wanted = parseval.brackets(tree, tags), parseval.brackets(self.gold, tags)
        missing = {(True, one): n for one, n in (wanted - has).items()}
        wrong = {(False, one): n for one, n in (has - wanted).items()}
        return Counter(missing | wrong)


def rerank(
    pairs: Sequence[GoldPair], backend: ParserBackend, aligner: PhraseAligner
) -> Iterator[Reranked]:
    """Every pair that has a gold tree and whose two sentences the parser can take."""
    trees = [pair for pair in pairs if pair.gold.tree is not None]
    for at in range(0, len(trees), BATCH):
        some = trees[at : at + BATCH]
        texts = [x for pair in some for x in (pair.row.source, pair.row.paraphrase)]
        answers = backend.analyse(texts, want=WANT & backend.info.capabilities)
        for place, pair in enumerate(some):
            both = answers[2 * place : 2 * place + 2]
            analyses = [one for one in both if isinstance(one, Analysis)]
            if len(analyses) == 2 and pair.gold.tree is not None:
                yield from _one_parse(pair, pair.gold.tree, analyses, aligner)


def _one_parse(
    pair: GoldPair, gold: Tree, both: Sequence[Analysis], aligner: PhraseAligner
) -> Iterator[Reranked]:
    """Nothing without a parse; where no alignment reaches the roots, the parser's."""
    try:
        before = only_tree(best_side(both[0]))
    except GemelError:
        return
    vectors = None
    if both[0].vectors is not None and both[1].vectors is not None:
        vectors = both[0].vectors, both[1].vectors
    try:
        aligned = aligner.align(side_of(both[0]), side_of(both[1]), vectors)
        after = tree_of(aligned.best, aligned.source, 0)
    except GemelError:
        after = before
    yield Reranked(pair.row.id, pair.row.corpus, gold, before, after)


def ledger(reranked: Sequence[Reranked], *, seed: int = 0) -> dict[str, Any]:
    """Sentences, F1 before and after, errors corrected and introduced, and how likely
    that difference is by chance (approximate randomisation over sentences)."""
    before, after = parseval.Parseval(), parseval.Parseval()
    for one in reranked:
        before += parseval.compare(one.gold, one.before)
        after += parseval.compare(one.gold, one.after)
    net = np.array([[float(one.corrected - one.introduced)] for one in reranked])
    return {
        "sentences": len(reranked),
        "changed": sum(one.before.spans != one.after.spans for one in reranked),
        "f1_before": before.f1,
        "f1_after": after.f1,
        "errors_before": before.guessed + before.gold - 2 * before.matched,
        "corrected": sum(one.corrected for one in reranked),
        "introduced": sum(one.introduced for one in reranked),
        "p": sign_flip_p(net, np.random.default_rng(seed))[0] if reranked else None,
    }
