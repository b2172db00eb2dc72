"""``evaluate alignment``: phrase links against those of several annotators.

The measures are those of Arase & Tsujii 2017, section 6.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.alignments.layers import human_row, score_layer
from core.agreement.trees import parseval
from core.data.check import Floats
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import Contradiction, FormatError, GemelError, InvalidValue
from core.forests.derivation import tree_of_phrases
from core.forests.kbest import forest_trees
from core.formats.alignments import spade
from core.formats.alignments.phrase_links import PhrasePair, loads
from core.parsing.registry import Say, add_parser_options, backend_of
from core.phrase_alignment.aligner import PhraseAligner, side_of
from core.phrase_alignment.forest_align import (
    Aligned,
    AlignSettings,
    align_all,
    tree_of,
)
from core.phrase_alignment.sides import BinaryForest, collapsed, side_of_tree
from core.protocols import Analysis, Capability, ParserBackend

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


def prepare(
    pairs: Sequence[PhrasePair], backend: ParserBackend | None
) -> list[PhraseCase]:
    """The pairs, parsed if there is a parser. Raises FormatError if a link names a node
    that its tree does not have."""
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
    return span_of(source, s), span_of(target, t)


def best_side(analysis: Analysis) -> BinaryForest:
    """The parser's best tree alone, as a forest of one tree."""
    trees = forest_trees(analysis, 1)
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


def span_of(side: BinaryForest, v: int) -> Place:
    places = np.flatnonzero(side.members[v])
    return int(places[0]), int(places[-1]) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What was found for one pair. ``reached``: the two wholes are linked. ``trees``:
    of both sides, None: no parse. ``sure``: the probability of each link, where it is
    known. ``aligned``: the alignment itself, None without one."""

    cells: frozenset[Cell]
    reached: bool
    trees: tuple[Tree, Tree] | None = None
    sure: Mapping[Cell, float] = field(default_factory=dict)
    aligned: Aligned | None = None


def outcomes_of(
    cases: Sequence[PhraseCase], aligner: PhraseAligner, *, trees: str = "forest"
) -> list[Outcome]:
    """What the aligner finds over these ``trees``: gold, one-best or forest."""

    def found(case: PhraseCase) -> Outcome:
        def gains(source: BinaryForest, target: BinaryForest) -> Floats:
            return aligner.gains(source, target, case.vectors)

        return outcome_of(case, trees, aligner.settings, gains)

    return [found(case) for case in cases]


def outcome_of(
    case: PhraseCase,
    trees: str,
    settings: AlignSettings,
    gains: Callable[[BinaryForest, BinaryForest], Floats],
) -> Outcome:
    """The best alignment under ``gains`` of the two sides, ``(n_s, n_t)`` nats."""
    try:
        source, target = case.sides(trees)
    except GemelError:
        return Outcome(frozenset(), reached=False)
    if trees != "forest":
        settings = replace(settings, parse_weight=0.0)
    try:
        aligned = align_all(source, target, gains(source, target), settings, k=1)
    except Contradiction:
        return Outcome(frozenset(), reached=False)
    if trees == "forest":
        both = tree_of(aligned.best, source, 0), tree_of(aligned.best, target, 1)
    else:
        both = only_tree(source), only_tree(target)
    sure = {cell_of(source, target, s, t): p for (s, t), p in aligned.sure.items()}
    return Outcome(
        frozenset(sure), reached=True, trees=both, sure=sure, aligned=aligned
    )


def scores(
    cases: Sequence[PhraseCase], outcomes: Sequence[Outcome], *, multiword: bool
) -> dict[str, Any]:
    """Shares of 1 over all nodes, or over links of more than one word on both sides.

    Recall on what two annotators both linked, precision on what either did, averaged
    over the pairs of annotators (section 6.3); ``human_``: each against the others.
    """
    who = sorted(cases[0].links)

    def kept(cells: frozenset[Cell]) -> frozenset[Cell]:
        return frozenset(c for c in cells if not multiword or is_phrase(c))

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


def is_phrase(cell: Cell) -> bool:
    return all(end - start > 1 for start, end in cell)


def _value(figure: Any) -> float | None:
    return getattr(figure, "value", None)


HELP = "measure phrase links against those of several annotators"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        type=Path,
        required=True,
        metavar="FILE",
        help="JSON (see core.formats.alignments.phrase_links) or a folder of SPADE's "
        "files (s-1.xml, t-1.xml, …)",
    )
    add(
        "--trees",
        choices=("gold", "one-best", "forest"),
        default="forest",
        help="trees to align: gold trees, the parser's best, or its forest",
    )
    add_parser_options(parser)


def read(path: Path, backend: ParserBackend | None) -> list[PhraseCase]:
    """The pairs of a file, parsed if there is a parser; FormatError names the file."""
    return prepare(read_links(path), backend)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors in a file, as a FormatError that names it.

    Bytes that are no UTF-8 are placed by ``core.commands.catalogue``.
    """
    try:
        yield
    except OSError as error:
        raise FormatError(f"{error.filename or path}: {error.strerror}") from error
    except (FormatError, InvalidValue) as error:
        raise FormatError(f"{path}: {error}") from error


def read_links(path: Path) -> list[PhrasePair]:
    """The pairs of a file or folder. Raises FormatError naming it."""
    with naming(path):
        if path.is_dir():
            pairs = [_read_spade(one) for one in sorted(path.glob("*s-*.xml"))]
        else:
            pairs = loads(path.read_text(encoding="utf-8"))
        if not pairs:
            raise FormatError("it has no pairs")
    return pairs


def _read_spade(source: Path) -> PhrasePair:
    """The pair of ``…s-N.xml`` and ``…t-N.xml``."""
    head, _, number = source.name.rpartition("s-")
    target = source.with_name(f"{head}t-{number}")
    try:
        with source.open(encoding="utf-8") as one, target.open(encoding="utf-8") as two:
            return spade.pair(source.stem, one, two)
    except FormatError as error:
        raise FormatError(f"{source.name}: {error}") from error


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Every figure of the aligner; shares of 1."""
    cases = read(options["pairs"], backend_of(options))
    aligner = PhraseAligner.load()
    outcomes = outcomes_of(cases, aligner, trees=options["trees"])
    return {
        "pairs": len(cases),
        **scores(cases, outcomes, multiword=False),
        "multiword": scores(cases, outcomes, multiword=True),
        "reachability": sum(one.reached for one in outcomes) / len(outcomes),
        **source_parses(cases, outcomes),
        "weights": aligner.facts.get("fitted_on"),
    }
