"""``evaluate parser``: how well a parser parses gold sentences, given their tokens.

Definitions of the scores: ``core.agreement.trees.parseval`` and
``core.agreement.trees.attachment``. Of gold's brackets a share is found; those over
whose words the parse has a spurious bracket of another label count as ``other_label``.
Coordination: phrases of gold with a child tagged CC, of which only the share found can
be told. Arcs stand under their gold relation, with its subtype, and under how far the
gold head is.

Of two parsers: what one gains over the other, whether by more than chance, and what the
better of both, sentence by sentence, would reach.
"""

import argparse
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.agreement.paired import ratio_swap_p
from core.agreement.trees import attachment, parseval
from core.agreement.trees.attachment import Attachment
from core.agreement.trees.parseval import Bracket, Parseval, brackets
from core.data.check import Floats
from core.data.deps import ROOT, DepTree
from core.data.tree import Tree
from core.errors import FormatError
from core.evaluation.golds import Gold, add_gold, bare, gold_of
from core.forests.kbest import trees_of
from core.parsing import registry
from core.parsing.registry import Say, add_parser_options, add_together, backend_of
from core.parsing.together import fitting
from core.protocols import Analysis, Capability, ParserBackend, TrainingCounts

Cells = Counter[tuple[str, str, str]]  # kind, value, what is counted
WIDEST = (2, 5, 10, 20)  # words, the last of a bin
CONJUNCTION = "CC"
COORDINATED = "with CC"


@dataclass(slots=True)
class ErrorCounts:
    """Counts over any number of sentences."""

    cells: Cells = field(default_factory=Counter)

    def add_tree(self, gold: Tree, guess: Tree | None) -> None:
        """The brackets of one sentence; ``guess`` None: no parse."""
        wanted = brackets(gold, gold.tags)
        given = brackets(guess, gold.tags) if guess else Counter[Bracket]()
        spurious = Counter((i, j) for i, j, _ in (given - wanted).elements())
        missed = Counter((i, j) for i, j, _ in (wanted - given).elements())
        coordinated = _coordinated(gold)
        counts = {
            "gold": wanted,
            "given": given,
            "right": wanted & given,
            "other_label": _among(wanted - given, spurious & missed),
        }
        for name, some in counts.items():
            for (i, j, label), n in some.items():
                self.cells["label", label, name] += n
                self.cells["width", _bin(j - i), name] += n
        self.cells["label", COORDINATED, "gold"] += coordinated.total()
        self.cells["label", COORDINATED, "right"] += (
            coordinated & counts["right"]
        ).total()

    def add_arcs(self, gold: DepTree, guess: DepTree | None) -> None:
        """The arcs of one sentence; ``guess`` None: no parse."""
        for m, (head, relation) in enumerate(zip(gold.heads, gold.labels, strict=True)):
            length = "root" if head == ROOT else _bin(abs(head - m))
            is_right = guess is not None and guess.heads[m] == head
            is_labelled = is_right and guess is not None and guess.labels[m] == relation
            for kind, value in (("relation", relation), ("length", length)):
                self.cells[kind, value, "words"] += 1
                self.cells[kind, value, "heads"] += is_right
                self.cells[kind, value, "labelled"] += is_labelled

    def to_json(self) -> dict[str, Any]:
        """By kind and value: counts, and shares in percent; the commonest first."""
        by_kind: dict[str, dict[str, Counter[str]]] = {}
        for (kind, value, name), n in self.cells.items():
            by_kind.setdefault(kind, {}).setdefault(value, Counter())[name] += n
        return {kind: _rows(by_kind[kind]) for kind in by_kind}


def _rows(rows: dict[str, Counter[str]]) -> dict[str, dict[str, float | int]]:
    order = sorted(
        rows, key=lambda value: -(rows[value]["gold"] + rows[value]["words"])
    )
    return {value: _row(rows[value]) for value in order}


def _row(counts: Counter[str]) -> dict[str, float | int]:
    """Precision is undefined where nothing was predicted (coordination)."""
    if counts["words"]:
        shares = {"uas": counts["heads"], "las": counts["labelled"]}
        n = counts["words"]
        return {"words": n} | {k: _share_right(y, n) for k, y in shares.items()}
    right, gold, given = counts["right"], counts["gold"], counts["given"]
    row: dict[str, float | int] = {"gold": gold, "recall": _share_right(right, gold)}
    if given:
        row["precision"] = _share_right(right, given)
        row["f1"] = _share_right(2 * right, gold + given)
        row["other_label"] = counts["other_label"]
    return row


def _share_right(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def _coordinated(tree: Tree) -> Counter[Bracket]:
    """The brackets of phrases that have a child tagged CC."""
    words = {v for v in range(len(tree)) if not tree.children[v]}
    conjunctions = {v for v in words if tree.labels[v] == CONJUNCTION}
    nodes = [v for v in range(len(tree)) if conjunctions & set(tree.children[v])]
    return brackets(tree, tree.tags, nodes=nodes)


def _among(
    missed: Counter[Bracket], places: Counter[tuple[int, int]]
) -> Counter[Bracket]:
    """As many of the missed brackets as there are places of the same words."""
    left, some = Counter(places), Counter[Bracket]()
    for i, j, label in missed.elements():
        if left[i, j]:
            left[i, j] -= 1
            some[i, j, label] += 1
    return some


def _bin(n: int) -> str:
    """2 words or fewer: "1-2"; then "3-5" and so on, "21+" at last."""
    at = bisect_left(WIDEST, n)
    low = WIDEST[at - 1] + 1 if at else 1
    return f"{low}-{WIDEST[at]}" if at < len(WIDEST) else f"{low}+"


ORACLES = (2, 10, 50)
HEADS = (2, 3)
BATCH = 1024
PACKED = 64  # sentences whose forests are held at once
PLAIN: frozenset[Capability] = frozenset({"constituents", "dependencies", "tags"})
ALL: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})


@dataclass(slots=True)
class ParserScores:
    """Counts; ``to_json`` gives shares in percent, None where gold does not say.

    ``arcs`` counts punctuation, ``words`` excludes it (gold UPOS PUNCT). ``phrases``:
    among the predicted phrases, those connected by their arcs, and all. ``best[k]``:
    for each sentence the best of its k best trees. ``near[k]``: tokens whose gold head
    is among their k heaviest, out of the ``near[0]`` tokens with weights. ``errors``:
    by construction, where requested.
    """

    sentences: int = 0
    tokens: int = 0
    failed: int = 0
    seconds: float = 0.0
    brackets: Parseval = field(default_factory=Parseval)
    arcs: Attachment = field(default_factory=Attachment)
    words: Attachment = field(default_factory=Attachment)
    tags: Counter[str] = field(default_factory=Counter)
    phrases: Counter[str] = field(default_factory=Counter)
    best: dict[int, Parseval] = field(default_factory=dict)
    near: Counter[int] = field(default_factory=Counter)
    errors: ErrorCounts | None = None

    def to_json(self) -> dict[str, Any]:
        """``uas, las`` count punctuation and label subtypes; the variants say so."""
        arcs, words, trees = self.arcs, self.words, self.brackets
        deps, const = bool(arcs.tokens), bool(trees.sentences)
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "failed": self.failed,
            "uas": _percent(arcs.uas, deps),
            "las": _percent(arcs.las, deps),
            "las_main": _percent(arcs.las_main, deps),
            "uas_no_punct": _percent(words.uas, bool(words.tokens)),
            "las_no_punct": _percent(words.las, bool(words.tokens)),
            "upos": self._tag_share("upos"),
            "xpos": self._tag_share("xpos"),
            "precision": _percent(trees.precision, const),
            "recall": _percent(trees.recall, const),
            "f1": _percent(trees.f1, const),
            "exact": _percent(trees.exact / max(1, trees.sentences), const),
            "oracle_f1": {str(k): _percent(self.best[k].f1, const) for k in self.best}
            or None,
            "heads_among": self._near_shares(),
            "arcs_fit_brackets": _percent(
                self.phrases["fitting"] / max(1, self.phrases["all"]),
                bool(self.phrases["all"]),
            ),
            "sentences_per_second": round(self.sentences / self.seconds, 1)
            if self.seconds
            else None,
            **({"errors": self.errors.to_json()} if self.errors else {}),
        }

    def _near_shares(self) -> dict[str, float | None] | None:
        n = self.near[0]
        return {str(k): _percent(self.near[k] / n) for k in HEADS} if n else None

    def _tag_share(self, layer: str) -> float | None:
        total = self.tags["n_" + layer]
        return _percent(self.tags[layer] / total) if total else None


def evaluate(
    backend: ParserBackend,
    golds: Sequence[Gold],
    *,
    oracle: bool = True,
    errors: bool = False,
) -> ParserScores:
    """The scores of ``backend`` on ``golds``.

    ``seconds`` is the time from tokens to 1-best trees and arcs, all of them in one
    go, after one sentence to warm up. With ``oracle``, gold trees are compared with
    the 2, 10 and 50 best of a second pass. A sentence that is answered by an error
    counts as parsed all wrong.
    """
    scores = ParserScores(
        best={k: Parseval() for k in ORACLES} if oracle else {},
        errors=ErrorCounts() if errors else None,
    )
    backend.analyse([bare(gold.sentence) for gold in golds[:1]], want=PLAIN)
    for gold, answer, seconds in answers(backend, golds, PLAIN):
        start = time.perf_counter()
        trees = trees_shown(answer, 1)
        scores.seconds += seconds + time.perf_counter() - start
        _count(scores, gold, answer, trees[0] if trees else None)
    with_trees = [gold for gold in golds if gold.tree] if oracle else []
    for gold, answer, _ in answers(backend, with_trees, ALL, PACKED):
        assert gold.tree is not None
        none = parseval.compare(gold.tree, None)
        ways = [
            parseval.compare(gold.tree, t) for t in trees_shown(answer, max(ORACLES))
        ]
        for k in ORACLES:
            scores.best[k] += max(ways[:k], key=lambda way: way.f1, default=none)
    return scores


def answers(
    backend: ParserBackend,
    golds: Sequence[Gold],
    want: frozenset[Capability],
    batch: int = BATCH,
) -> Iterator[tuple[Gold, Analysis | None, float]]:
    """Each gold sentence, its analysis (None: an error), and its share of the time."""
    for begin in range(0, len(golds), batch):
        part = golds[begin : begin + batch]
        sentences = [bare(gold.sentence) for gold in part]
        start = time.perf_counter()
        given = backend.analyse(sentences, want=want & backend.info.capabilities)
        seconds = (time.perf_counter() - start) / len(part)
        for gold, answer in zip(part, given, strict=True):
            yield gold, answer if isinstance(answer, Analysis) else None, seconds


def _count(
    scores: ParserScores, gold: Gold, answer: Analysis | None, tree: Tree | None
) -> None:
    n = len(gold.sentence)
    scores.sentences += 1
    scores.tokens += n
    scores.failed += answer is None
    if gold.tree is not None:
        scores.brackets += parseval.compare(gold.tree, tree)
        if scores.errors:
            scores.errors.add_tree(gold.tree, tree)
    if gold.deps is not None:
        guess = answer.deps.tree if answer and answer.deps else None
        scores.arcs += attachment.compare(gold.deps, guess)
        if answer and answer.deps and answer.deps.arcs is not None:
            scores.near += _near(gold.deps, answer.deps.arcs)
        if scores.errors:
            scores.errors.add_arcs(gold.deps, guess)
        upos = [token.upos for token in gold.sentence.tokens]
        if any(upos):
            scores.words += attachment.compare(
                gold.deps, guess, without_punctuation=upos
            )
    if answer and answer.deps and answer.best and answer.upos:
        counted = [tag != "PUNCT" for tag in answer.upos]
        heads = answer.deps.tree.heads
        n_fitting, n_phrases = fitting(answer.best[1], heads, counted)
        scores.phrases.update({"fitting": n_fitting, "all": n_phrases})
    for layer in ("upos", "xpos"):
        wanted = [getattr(token, layer) for token in gold.sentence.tokens]
        predicted = getattr(answer, layer) if answer else ()
        if all(wanted):
            scores.tags["n_" + layer] += n
            pairs = zip(wanted, predicted or ("",) * n, strict=True)
            scores.tags[layer] += sum(a == b for a, b in pairs)


def _near(gold: DepTree, arcs: Floats) -> Counter[int]:
    """How many tokens there are, under 0, and how many with their head among the k
    heaviest; a head is behind all that weigh more."""
    heads, words = np.array(gold.heads) + 1, np.arange(1, len(gold) + 1)
    heavier = (arcs[:, words] > arcs[heads, words]).sum(0)
    return Counter({0: len(gold)} | {k: int((heavier < k).sum()) for k in HEADS})


def trees_shown(answer: Analysis | None, k: int) -> list[Tree]:
    """The k best trees of an answer; none if it has no forest, or no parse."""
    return [tree for _, tree in trees_of(answer, k)] if answer else []


def _percent(share: float, known: bool = True) -> float | None:  # noqa: FBT001, FBT002
    return round(100 * share, 2) if known else None


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
        "this": _percent_of(this.sum((0, 1))),
        "other": _percent_of(other.sum((0, 1))),
        "p": round(p, 4),
        "better": _percent_of(np.array(list(best), dtype=np.float64).sum(0)),
    }


def _share(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1] if counts[1] else 1.0


def _percent_of(sums: Floats) -> float:
    right, of = sums
    return round(100 * float(right) / float(of), 2) if of else 100.0


ENDS = (0.0, 0.05, 0.1, 0.2, 0.4, 1.0)
"""A class of sentences ends with each of these shares; the first: no unknown word."""


@dataclass(slots=True)
class _Class:
    sentences: int = 0
    tokens: int = 0
    unknown: int = 0
    brackets: Parseval = field(default_factory=Parseval)


@dataclass(slots=True)
class Rates:
    """Sums by class of sentences, in the order of ``ENDS``."""

    classes: tuple[_Class, ...] = field(
        default_factory=lambda: tuple(_Class() for _ in ENDS)
    )

    def add(
        self, forms: Sequence[str], is_known: Callable[[str], bool],
        brackets: Parseval | None,
    ) -> None:  # fmt: skip
        """Count a sentence. ``brackets``: its own against gold, None without gold.

        Words are tokens with a letter: every parser knows punctuation and numbers. The
        first word may be known in lower case.
        """
        words = [form for form in forms if any(map(str.isalpha, form))]
        n = sum(not is_known(form) for form in words)
        first = forms[0] if forms else ""
        if first in words[:1] and not is_known(first):
            n -= is_known(first[:1].lower() + first[1:])
        share = n / len(words) if words else 0.0
        rate = next(
            c for c, end in zip(self.classes, ENDS, strict=True) if share <= end
        )
        rate.sentences += 1
        rate.tokens += len(words)
        rate.unknown += n
        if brackets is not None:
            rate.brackets += brackets

    def to_json(self) -> list[dict[str, Any]]:
        """A row a class: ``most`` (share), counts, ``scored`` sentences, ``f1`` in
        percent (None without gold)."""
        return [
            {
                "most": end,
                "sentences": one.sentences,
                "words": one.tokens,
                "unknown": one.unknown,
                "scored": one.brackets.sentences,
                "f1": round(100 * one.brackets.f1, 2)
                if one.brackets.sentences
                else None,
            }
            for end, one in zip(ENDS, self.classes, strict=True)
        ]


def knower(backend: ParserBackend) -> Callable[[str], bool] | None:
    """Whether a parser has seen a word in training; None if it does not tell.

    For a parser that supports another one: whether that one knows the word.
    """
    inner = getattr(backend, "parser", backend)
    if not isinstance(inner, TrainingCounts):
        return None
    lexicon, entry_of = inner.lexicon(), inner.entry_of
    return lambda form: entry_of(form) in lexicon


HELP = "measure a parser against treebanks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_gold(parser)
    add = parser.add_argument
    add("--no-oracle", action="store_true", help="skip the n-best measurements")
    add(
        "--against", metavar="ENGINE", help="compare with another parser, with p values"
    )
    add(
        "--errors", action="store_true", help="add scores by label, relation and length"
    )
    add_parser_options(parser)
    add_together(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Every figure of the parser; what could not be read is under "unreadable"."""
    golds, unreadable = gold_of(options)
    if not golds:
        raise FormatError("no gold sentence to score; see --gold and --max-tokens")
    backend = backend_of(options)
    say(f"{len(golds)} sentences")
    scores = evaluate(
        backend, golds, oracle=not options["no_oracle"], errors=options["errors"]
    )
    figures = {"engine": _named(backend), **scores.to_json()}
    if options["against"]:
        figures["against"] = _against(backend, golds, options)
    return {**figures, "unreadable": unreadable}


def _against(
    backend: ParserBackend, golds: list[Gold], options: dict[str, Any]
) -> dict[str, Any]:
    other = registry.chosen(options["against"], options["models"])
    return {"engine": _named(other), **compare(golds, backend, other)}


def _named(backend: ParserBackend) -> str:
    return f"{backend.info.name} {backend.info.version}"
