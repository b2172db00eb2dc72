"""Paraphrase pairs whose source has a gold tree, and where that tree is.

A file of pairs is tab-separated with a header: corpus, sent_id, source, paraphrase,
operations; tokens are separated by spaces, operations by commas. A sent_id is that of
a CoNLL-U file, or ``STEM:LINE`` for the tree that begins on that line of ``STEM.tree``.

How much pairs gain by being parsed jointly: the source's parse against its gold.

UAS and LAS leave punctuation out, as Choe & McClosky 2015 do: gold UPOS PUNCT, or the
punctuation tags of a gold tree. Where gold is a tree alone, its heads are converted
(``core.trees.universal``) and there is no LAS. p is two-sided approximate
randomisation over sentences (Noreen 1989) of the arcs found.

Where joint parsing gains and loses: the dimensions of Choe & McClosky 2015, 5.5.

What joint parsing learns from pairs with gold: a few numbers by grid, and gates.
"""

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from core.agreement.paired import sign_flip_p
from core.agreement.trees import attachment, parseval
from core.agreement.trees.attachment import Attachment
from core.agreement.trees.parseval import Parseval
from core.data.alignment import Link
from core.data.deps import ROOT, DepTree
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import FormatError, InvalidValue
from core.evaluation.golds import Gold, files_of, format_of
from core.forests.kbest import best_trees
from core.formats import conllu, ptb
from core.formats.records import BadLine, SentenceRecord, numbered, words
from core.joint_parsing.gate import (
    TEMPLATES,
    GateExample,
    JointWeights,
    fit_gate,
    gate_features,
)
from core.joint_parsing.in_view import View, views_of
from core.joint_parsing.linked import ends_of
from core.joint_parsing.parser import (
    WANT,
    JointParser,
    JointResult,
    JointSettings,
    JointSide,
    Method,
)
from core.protocols import Analysis, ParserBackend
from core.trees.universal import counted_words, to_universal

COLUMNS = ["corpus", "sent_id", "source", "paraphrase", "operations"]


@dataclass(frozen=True, slots=True)
class PairRow:
    """One line of a file of pairs."""

    corpus: str
    id: str
    source: Sentence
    paraphrase: Sentence
    operations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A pair and the gold of its source."""

    row: PairRow
    gold: Gold


def read_pairs(path: Path) -> list[PairRow]:
    """The pairs of a file. Raises FormatError naming the line and the remedy."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = [(at, line) for at, line, _ in numbered(file)]
    except OSError as error:
        raise FormatError(f"{path}: {error}") from error
    if not lines or lines[0][1].split("\t")[: len(COLUMNS)] != COLUMNS:
        raise FormatError(f"{path}, line 1: expected the header {' '.join(COLUMNS)}")
    return [_row(path, at, line) for at, line in lines[1:] if line]


def _row(path: Path, at: int, line: str) -> PairRow:
    cells = line.split("\t")
    both = [words(cell) for cell in cells[2:4]]
    if len(cells) < len(COLUMNS) or not all(both):
        raise FormatError(
            f"{path}, line {at}: expected five columns with two sentences"
        )
    source, paraphrase = map(Sentence.of, both)
    operations = cells[4].split(",")
    named = tuple(part.strip() for part in operations if part.strip())
    return PairRow(cells[0], cells[1], source, paraphrase, named)


def read_gold_pairs(
    rows: Iterable[PairRow], paths: Iterable[Path]
) -> tuple[list[GoldPair], int, list[str]]:
    """The pairs whose gold is in files or folders ``paths``, in order; how many have
    none; and a line about each unreadable place.

    A dependency tree is joined by the constituency tree of the same words in a file of
    the same stem. Gold of another number of tokens than the pair's source counts as
    none, with a line. Raises FormatError if a file cannot be read at all.
    """
    rows = list(rows)
    wanted = {row.id for row in rows} | {row.id.rsplit(":", 1)[0] for row in rows}
    golds, messages = _golds(paths, wanted)
    pairs = []
    for row in rows:
        gold = golds.get(row.id)
        if gold is None:
            continue
        if len(gold.sentence) != len(row.source):
            messages.append(f"{row.id}: gold of {len(gold.sentence)} tokens")
            continue
        pairs.append(GoldPair(row, gold))
    return pairs, len(rows) - len(pairs), messages


def _golds(
    paths: Iterable[Path], wanted: set[str]
) -> tuple[dict[str, Gold], list[str]]:
    """Gold by sent_id, trees joined to dependencies."""
    deps: dict[str, tuple[str, Gold]] = {}
    trees: dict[str, Gold] = {}
    by_words: dict[tuple[str, tuple[str, ...]], Gold] = {}
    messages: list[str] = []
    for path in (file for given in paths for file in files_of(given)):
        stem = path.name.split(".")[0]
        for record in _records(path, messages):
            if record.parse is None:
                continue
            gold = Gold(Sentence(record.tokens), record.parse.tree, record.parse.deps)
            if gold.deps is None:
                trees.setdefault(f"{stem}:{record.line}", gold)
                by_words.setdefault((stem, gold.sentence.forms), gold)
            elif record.id in wanted:
                deps.setdefault(record.id, (stem, gold))
    golds = {name: gold for name, gold in trees.items() if name in wanted}
    for name, (stem, gold) in deps.items():
        partner = by_words.get((stem, gold.sentence.forms))
        golds[name] = replace(gold, tree=partner.tree) if partner else gold
    return golds, messages


def _records(path: Path, messages: list[str]) -> Iterable[SentenceRecord]:
    codec = ptb if format_of(path) == "ptb" else conllu
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as lines:
            for record in codec.read(lines):
                if isinstance(record, BadLine):
                    messages.append(f"{path}, line {record.line}: {record.reason}")
                elif isinstance(record, SentenceRecord):
                    yield record
    except OSError as error:
        raise FormatError(f"{path}: {error}") from error


BATCH = 256
ROUNDS = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class JointCase:
    """A pair with gold, analysed; ``tree``: the source's own best one; ``views``: both
    sides read with the other in view, by a parser that can."""

    pair: GoldPair
    source: Analysis
    target: Analysis
    tree: Tree | None
    views: tuple[View, View] | None = None

    @property
    def corpus(self) -> str:
        return self.pair.row.corpus


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The counts of one source: before and after."""

    corpus: str
    baseline: Attachment
    joint: Attachment
    has_labels: bool
    trees: tuple[Parseval, Parseval] | None = None

    @property
    def gained(self) -> int:
        """Arcs right after, not before."""
        return self.joint.heads - self.baseline.heads


@dataclass(slots=True)
class _Sum:
    baseline: Attachment = field(default_factory=Attachment)
    joint: Attachment = field(default_factory=Attachment)


def analyse(
    pairs: Sequence[GoldPair], backend: ParserBackend
) -> Iterator[JointCase | str]:
    """A Case for each pair, or a line about one that the parser cannot take."""
    for begin in range(0, len(pairs), BATCH):
        part = pairs[begin : begin + BATCH]
        both = [x for pair in part for x in (pair.row.source, pair.row.paraphrase)]
        answers = backend.analyse(both, want=WANT)
        views = views_of(backend, [(p.row.source, p.row.paraphrase) for p in part])
        rows = zip(part, answers[::2], answers[1::2], views, strict=True)
        for pair, a, b, view in rows:
            if isinstance(a, Analysis) and isinstance(b, Analysis):
                yield JointCase(pair, a, b, best_tree(a), view)
            else:
                yield f"{pair.row.id}: {a if isinstance(a, Exception) else b}"


def best_tree(analysis: Analysis) -> Tree | None:
    """The best tree of an analysis' forest; None if it has none."""
    if analysis.forest is None or analysis.edge_weights is None:
        return None
    words = analysis.sentence.forms
    tags = analysis.xpos or ("X",) * len(words)
    forest, weights = analysis.forest, analysis.edge_weights
    ranked = best_trees(forest, weights, 1, words=words, tags=tags)
    return ranked[0][1] if ranked else None


def score(case: JointCase, result: JointResult | None) -> Scored:
    """Counts of the source before and after ``result``; None: it changed nothing."""
    is_kept = result is not None and result.kept
    return score_side(case, result.source if result and is_kept else JointSide())


def score_side(case: JointCase, side: JointSide) -> Scored:
    """Return the counts of the source before and after; ``side`` is its joint parse."""
    gold = case.pair.gold
    before = case.source.deps.tree if case.source.deps else None
    after = side.deps.tree if side.deps else before
    tree = side.tree or case.tree
    trees = None
    if gold.tree is not None and case.tree is not None:
        trees = (
            parseval.compare(gold.tree, case.tree),
            parseval.compare(gold.tree, tree),
        )
    wanted, tags = gold_arcs(gold)
    ours, joint = (
        attachment.compare(wanted, one, without_punctuation=tags)
        for one in (before, after)
    )
    return Scored(case.corpus, ours, joint, gold.deps is not None, trees)


def gold_arcs(gold: Gold) -> tuple[DepTree, list[str]]:
    """Gold heads, and "PUNCT" for each token that is not counted."""
    if gold.deps is not None:
        return gold.deps, [token.upos for token in gold.sentence.tokens]
    assert gold.tree is not None
    counted = counted_words(gold.tree)
    return to_universal(gold.tree), ["" if c else "PUNCT" for c in counted]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredSet:
    """The counts of the first sentence of a set; ``pairs``: how many of its arcs are
    right when it is parsed with one of the others, on average; ``seconds`` that the
    set took, links included; ``is_exact`` and ``agreed`` as in ``JointSet``."""

    scored: Scored
    pairs: float
    seconds: float
    is_exact: bool
    agreed: tuple[int, int]
    sentences: int


def score_sets(
    cases: Iterable[JointCase], parser: JointParser, settings: JointSettings
) -> Iterator[ScoredSet]:
    """Parse cases with the same source as one set, and as pairs."""
    sets: dict[str, list[JointCase]] = {}
    for case in cases:
        sets.setdefault(case.pair.row.id, []).append(case)
    for some in sets.values():
        first = some[0]
        in_pairs = [
            score(one, parser.parse(one.source, one.target, settings, views=one.views))
            for one in some
        ]
        start = perf_counter()
        sides = [first.source, *(one.target for one in some)]
        joint = parser.parse_set(sides, settings)
        yield ScoredSet(
            score_side(first, joint.sides[0]),
            sum(one.joint.heads for one in in_pairs) / len(some),
            perf_counter() - start,
            joint.exact,
            (joint.agreement_before, joint.agreement_after),
            len(sides),
        )


def report_sets(sets: Sequence[ScoredSet]) -> dict[str, Any]:
    """Return ``report`` of the sets, and under "pairs" what the same sentences gain in
    pairs, how much more in the set, and p of the difference."""
    figures: dict[str, Any] = report([one.scored for one in sets])
    joint = np.array([[float(one.scored.joint.heads)] for one in sets])
    pairs = np.array([[one.pairs] for one in sets])
    alone = sum(one.scored.baseline.heads for one in sets)
    words = max(1, figures["all"]["words"])
    p = sign_flip_p(joint - pairs, np.random.default_rng(0), draws=ROUNDS)[0]
    figures["pairs"] = {
        "gain": round(100 * float(pairs.sum() - alone) / words, 2),
        "set_over_pairs": round(100 * float((joint - pairs).sum()) / words, 2),
        "p": round(p, 4),
    }
    n = max(1, len(sets))
    return figures | {
        "sentences_a_set": round(sum(one.sentences for one in sets) / n, 1),
        "ms_a_set": round(1000 * sum(one.seconds for one in sets) / n, 1),
        "exact": sum(one.is_exact for one in sets),
        "disagreements": [sum(one.agreed[k] for one in sets) for k in (0, 1)],
    }


def report(scored: Sequence[Scored]) -> dict[str, dict[str, Any]]:
    """Under "all" and each corpus: shares in percent, gain in points, p, counts.

    ``f1`` is that of the joint brackets, where gold is constituency; ``oracle_gain``
    what choosing the better of both parses of each sentence would gain.
    """
    corpora = sorted({one.corpus for one in scored})
    named = {"all": list(scored)} | {
        name: [one for one in scored if one.corpus == name] for name in corpora
    }
    return {name: _figures(part) for name, part in named.items()}


def _figures(part: Sequence[Scored]) -> dict[str, Any]:
    every, labelled = _sum(part), _sum([one for one in part if one.has_labels])
    differences = np.array([[float(one.gained)] for one in part])
    p = sign_flip_p(differences, np.random.default_rng(0), draws=ROUNDS)[0]
    figures: dict[str, Any] = {
        "baseline": {"uas": _percent(every.baseline.uas)},
        "joint": {"uas": _percent(every.joint.uas)},
    }
    for name in ("baseline", "joint"):
        one: Attachment = getattr(labelled, name)
        figures[name]["las"] = _percent(one.las) if one.tokens else None
    figures["gain"] = round(100 * (every.joint.uas - every.baseline.uas), 2)
    figures |= {"p": round(p, 4), "sentences": len(part), "words": every.joint.tokens}
    figures["better"] = sum(one.gained > 0 for one in part)
    figures["worse"] = sum(one.gained < 0 for one in part)
    best = sum(max(one.gained, 0) for one in part)
    figures["oracle_gain"] = round(100 * best / max(1, every.joint.tokens), 2)
    trees = [one.trees for one in part if one.trees is not None]
    if trees:
        before, after = (sum((t[k] for t in trees), Parseval()) for k in (0, 1))
        figures["baseline"]["f1"] = _percent(before.f1)
        figures["joint"]["f1"] = figures["f1"] = _percent(after.f1)
    return figures


def _sum(part: Sequence[Scored]) -> _Sum:
    total = _Sum()
    for one in part:
        total.baseline += one.baseline
        total.joint += one.joint
    return total


def _percent(share: float) -> float:
    return round(100 * share, 2)


@dataclass(frozen=True, slots=True)
class _Word:
    """A counted token: where it stands, whether its head was right, the head of its
    own parse, and the one that the paraphrase's parse has through the links."""

    case: JointCase
    m: int
    gold: DepTree
    linked: frozenset[int]
    before: bool
    after: bool
    own: int
    carried: int | None


def breakdown(
    cases: Sequence[JointCase], results: Sequence[JointResult]
) -> dict[str, dict[str, dict[str, Any]]]:
    """By dimension and its values: words, UAS before, gain in points.

    A sentence counts under each of the operations of its rewording.
    """
    words = [
        word
        for case, result in zip(cases, results, strict=True)
        for word in _words(case, result)
    ]
    by_kind: dict[str, dict[str, dict[str, Any]]] = {}
    for name, of in _DIMENSIONS.items():
        counts: dict[str, list[int]] = {}
        for word in words:
            for value in of(word):
                row = counts.setdefault(value, [0, 0, 0])
                row[0] += 1
                row[1] += word.before
                row[2] += word.after
        by_kind[name] = {value: _shares(*counts[value]) for value in sorted(counts)}
    return by_kind


def _words(case: JointCase, result: JointResult) -> Iterator[_Word]:
    gold, tags = gold_arcs(case.pair.gold)
    if case.source.deps is None:
        return
    before = after = case.source.deps.tree.heads
    if result.kept and result.source.deps is not None:
        after = result.source.deps.tree.heads
    carried = _carried(case, result)
    linked = frozenset(ends_of(link)[0] for link in result.links)
    for m, head in enumerate(gold.heads):
        if tags[m] != "PUNCT":
            right = before[m] == head, after[m] == head
            yield _Word(case, m, gold, linked, *right, before[m], carried.get(m))


def _carried(case: JointCase, result: JointResult) -> dict[int, int]:
    """The head of each linked word whose partner's head is linked, too."""
    if case.target.deps is None:
        return {}
    partner = dict(ends_of(link) for link in result.links) | {ROOT: ROOT}
    back = {t: s for s, t in partner.items()}
    heads = case.target.deps.tree.heads
    carried = {s: back.get(heads[t]) for s, t in partner.items() if s != ROOT}
    return {s: head for s, head in carried.items() if head is not None}


def _shares(words: int, before: int, after: int) -> dict[str, Any]:
    return {
        "words": words,
        "uas": round(100 * before / words, 2),
        "gain": round(100 * (after - before) / words, 2),
    }


def _label(word: _Word) -> list[str]:
    """Gold labels without subtypes; none where gold is a converted tree."""
    if word.case.pair.gold.deps is None:
        return []
    return [word.gold.labels[word.m].partition(":")[0]]


def _length(word: _Word) -> list[str]:
    n = len(word.gold)
    return [next(text for most, text in _LENGTHS if n <= most)]


def _distance(word: _Word) -> list[str]:
    head = word.gold.heads[word.m]
    if head == ROOT:
        return ["root"]
    far = abs(head - word.m)
    return [
        "1" if far == 1 else "2" if far == 2 else "3-5" if far < 6 else "6 and more"
    ]


def _is_linked(word: _Word) -> list[str]:
    return ["linked" if word.m in word.linked else "not linked"]


def _paraphrase(word: _Word) -> list[str]:
    """What the paraphrase's own parse says through the links: what it gives to gain
    ("another head, the right one") and to lose."""
    carried, own = word.carried, word.own
    if carried is None:
        return ["says nothing"]
    if carried == own:
        return ["the same head"]
    is_right = carried == word.gold.heads[word.m]
    return ["another head, the right one" if is_right else "another head, a wrong one"]


def _coverage(word: _Word) -> list[str]:
    share = len(word.linked) / len(word.gold)
    return [next(text for least, text in _COVERAGES if share >= least)]


def _operations(word: _Word) -> list[str]:
    return list(word.case.pair.row.operations)


_LENGTHS = ((10, "6-10"), (15, "11-15"), (20, "16-20"), (10_000, "21 and more"))
_COVERAGES = (
    (0.9, "90% linked and more"),
    (0.7, "70-90% linked"),
    (0.0, "less than 70% linked"),
)
_DIMENSIONS: dict[str, Callable[[_Word], list[str]]] = {
    "label": _label,
    "length": _length,
    "distance": _distance,
    "linked": _is_linked,
    "paraphrase": _paraphrase,
    "coverage": _coverage,
    "operation": _operations,
}


Grid = tuple[str, tuple[float, ...]]
GRIDS: dict[Method, tuple[Grid, ...]] = {
    "bp": (("bp_slack", (0.6, 0.7, 0.8, 0.9, 1.0)),),
    "mbr": (("trust", (0.5, 1.0, 1.5, 2.0)),),
    "soft": (("slack", tuple(k / 10 for k in range(1, 16))),),  # section 5.1
    "spans": (("span_slack", (0.25, 0.5, 1.0, 1.5)),),
}
"""Which weights each method has, and what is tried for each."""
IN_VIEW: tuple[Grid, ...] = (
    ("view_share", (0.25, 0.5, 0.75)),
    ("view_slack", (0.3, 0.5, 0.7, 0.9)),
)
"""Those of bp where the pair was read as one, too; fitted one after the other."""


@dataclass(frozen=True, eq=False)
class Bench:
    """Cases with their links, and a parser whose weights are replaced as needed.

    Cases may come from several parsers: the same pair is then one fold in all.
    """

    cases: Sequence[JointCase]
    links: Sequence[tuple[Link, ...]]
    parser: JointParser

    @classmethod
    def of(cls, cases: Sequence[JointCase], parser: JointParser) -> "Bench":
        """The cases with the links of the parser's aligner."""
        links = [parser.aligner.align(case.source, case.target) for case in cases]
        return cls(cases, links, parser)

    def results(
        self, settings: JointSettings, weights: JointWeights, which: Iterable[int]
    ) -> Iterator[tuple[JointCase, JointResult]]:
        """Each of the cases ``which``, and its joint parse."""
        parser = replace(self.parser, weights=weights)
        for at in which:
            case = self.cases[at]
            sides, links = (case.source, case.target), self.links[at]
            result = parser.parse(*sides, settings, links=links, views=case.views)
            yield case, result

    def fit(
        self, settings: JointSettings, which: Sequence[int], *, seed: int = 0
    ) -> JointWeights:
        """The parser's weights with this method's own refitted on ``which``.

        The number that gains most, of equals the smallest; then the gate, if there is
        one that gains.
        """
        weights, method = self.parser.weights, settings.method
        bare = replace(settings, gate=False)
        for (name, values), cases in self._grids(settings, which):
            tried = [weights.with_number(name, value) for value in values]
            gains = [self._gained(bare, one, cases) for one in tried]
            weights = tried[gains.index(max(gains))]
        examples = [
            self._example(case, result)
            for case, result in self.results(bare, weights, which)
            if result.source.arcs
        ]
        gates = {k: gate for k, gate in weights.gates.items() if k != method}
        try:
            gate = fit_gate(examples, seed=seed)
        except InvalidValue:
            gate = None  # too few changes to learn from
        return replace(weights, gates=gates | ({method: gate} if gate else {}))

    def crossfit(
        self, settings: JointSettings, folds: int, *, seed: int = 0
    ) -> Iterator[tuple[int, Scored, JointResult]]:
        """Every case parsed with weights fitted on the other folds."""
        names = sorted({case.pair.row.id for case in self.cases})
        fold_of = {name: k % folds for k, name in enumerate(names)}
        of_case = [fold_of[case.pair.row.id] for case in self.cases]
        for fold in range(folds):
            inside = [at for at, k in enumerate(of_case) if k != fold]
            outside = [at for at, k in enumerate(of_case) if k == fold]
            weights = self.fit(settings, inside, seed=seed)
            results = self.results(settings, weights, outside)
            for at, (case, result) in zip(outside, results, strict=True):
                yield at, score(case, result), result

    def _grids(
        self, settings: JointSettings, which: Sequence[int]
    ) -> Iterator[tuple[Grid, Sequence[int]]]:
        """Each grid of the method, and the cases that its number says something of."""
        in_view = [at for at in which if self._is_in_view(at, settings)]
        rest = [at for at in which if not self._is_in_view(at, settings)]
        for grid in GRIDS.get(settings.method, ()):
            if rest:
                yield grid, rest
        for grid in IN_VIEW:
            if in_view:
                yield grid, in_view

    def _is_in_view(self, at: int, settings: JointSettings) -> bool:
        uses_view = settings.method == "bp" and settings.in_view
        return uses_view and self.cases[at].views is not None

    def _gained(
        self, settings: JointSettings, weights: JointWeights, which: Sequence[int]
    ) -> int:
        """Arcs gained, or brackets where the method leaves arcs alone."""
        scored = [score(*pair) for pair in self.results(settings, weights, which)]
        if settings.method != "spans":
            return sum(one.gained for one in scored)
        return sum(
            2 * (t[1].matched - t[0].matched) - (t[1].guessed - t[0].guessed)
            for one in scored
            if (t := one.trees) is not None
        )

    def _example(self, case: JointCase, result: JointResult) -> GateExample:
        plain = gate_features(case.source, case.target, result)
        by_template = tuple(
            {
                name: value
                for name, value in gate_features(
                    case.source, case.target, result, (k,)
                ).items()
                if name not in plain
            }
            for k in range(len(TEMPLATES))
        )
        gained = score(case, result).gained
        return GateExample(plain, by_template, gained, case.pair.row.id)
