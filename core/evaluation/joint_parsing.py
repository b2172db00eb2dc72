"""``evaluate joint``: joint parsing of pairs against gold trees of their sources.

A file of pairs is tab-separated with a header: corpus, sent_id, source, paraphrase,
operations; tokens are separated by spaces, operations by commas. A sent_id is that of
a CoNLL-U file, or ``STEM:LINE`` for the tree that begins on that line of ``STEM.tree``.

UAS and LAS exclude punctuation, as in Choe & McClosky 2015: gold UPOS PUNCT, or the
punctuation tags of a gold tree. Where gold is only a constituency tree, its heads are
converted (``core.trees.universal``) and there is no LAS. p is two-sided approximate
randomisation over sentences (Noreen 1989) of the correct arcs.
"""

import argparse
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from core.agreement.paired import sign_flip_p
from core.agreement.trees import attachment, parseval
from core.agreement.trees.attachment import Attachment
from core.agreement.trees.parseval import Parseval
from core.data.deps import DepTree
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import FormatError
from core.evaluation.golds import Gold, files_of, format_of, records
from core.forests.kbest import forest_trees
from core.formats.records import BadLine, numbered, words
from core.joint_parsing.parser import WANT, JointParser
from core.joint_parsing.values import METHODS, JointResult, JointSettings, JointSide
from core.parsing.registry import Say, add_parser_options, backend_of
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
        for record in records(path, format_of(path)):
            if isinstance(record, BadLine):
                messages.append(f"{path}, line {record.line}: {record.reason}")
                continue
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


BATCH = 256
ROUNDS = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class JointCase:
    """A pair with gold, analysed; ``tree``: the source's own best one."""

    pair: GoldPair
    source: Analysis
    target: Analysis
    tree: Tree | None

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
        for pair, a, b in zip(part, answers[::2], answers[1::2], strict=True):
            if isinstance(a, Analysis) and isinstance(b, Analysis):
                tree = next((tree for _, tree in forest_trees(a, 1)), None)
                yield JointCase(pair, a, b, tree)
            else:
                yield f"{pair.row.id}: {a if isinstance(a, Exception) else b}"


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
            score(one, parser.parse(one.source, one.target, settings)) for one in some
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


HELP = "measure the gain of joint parsing against gold trees of the source sentences"
SEED = 16
STEP = 100  # pairs between two lines that say how far it is


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        type=Path,
        required=True,
        metavar="FILE",
        help="tab-separated: corpus, sent_id, source, paraphrase, operations",
    )
    add(
        "--gold",
        type=Path,
        nargs="+",
        required=True,
        metavar="PATH",
        help="files or folders of CoNLL-U or bracketings; pairs without gold are "
        "left out and counted",
    )
    add(
        "--method",
        choices=METHODS,
        default=JointSettings().method,
        help="method of joint inference",
    )
    add_parser_options(parser)
    add(
        "--crossing",
        action="store_true",
        help="allow crossing arcs (non-projective trees)",
    )
    add("--no-gate", action="store_true", help="keep every joint parse, without a gate")
    add(
        "--sets",
        action="store_true",
        help="parse a source with all of its paraphrases as one set, next to the pairs",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Figures under "all" and each corpus; what was left out next to them."""
    cases, left_out, unreadable = read_cases(
        options["pairs"], options["gold"], backend_of(options), say
    )
    chosen = JointSettings(
        options["method"],
        gate=not options["no_gate"],
        projective=not options["crossing"],
    )
    joint = JointParser.load()
    if options["sets"]:
        return {
            **report_sets(list(score_sets(cases, joint, chosen))),
            "method": options["method"],
            "without_gold": left_out,
            "unreadable": unreadable,
        }
    results = [joint.parse(case.source, case.target, chosen) for case in cases]
    scored = [score(case, result) for case, result in zip(cases, results, strict=True)]
    return {
        **report(scored),
        "method": options["method"],
        "kept": sum(result.kept for result in results),
        "exact": sum(result.exact for result in results),
        "without_gold": left_out,
        "unreadable": unreadable,
    }


def read_cases(
    pairs: Path,
    golds: list[Path],
    backend: ParserBackend,
    say: Say,
    *,
    sample: int = 0,
) -> tuple[list[JointCase], int, list[str]]:
    """The pairs with gold, parsed; how many have none; a line about each trouble.

    ``sample``: use only this many of them, drawn with a fixed seed. Raises FormatError
    if no pair is left.
    """
    records, left_out, lines = read_gold_pairs(read_pairs(pairs), golds)
    if not records:
        raise FormatError(
            f"{pairs}: no pair has gold in {' '.join(map(str, golds))}",
            remedy="give the treebanks named in its sent_id column",
        )
    if sample:
        records = random.Random(SEED).sample(records, min(sample, len(records)))  # noqa: S311
    cases: list[JointCase] = []
    for item in analyse(records, backend):
        if isinstance(item, str):
            lines.append(item)
            continue
        cases.append(item)
        if len(cases) % STEP == 0:
            say(f"{len(cases)} of {len(records)} pairs parsed")
    return cases, left_out, lines
