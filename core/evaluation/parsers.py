"""How well a back-end parses gold sentences, given their tokens. Definitions of the
scores: ``core.agreement.trees.parseval`` and ``core.agreement.trees.attachment``."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.agreement.trees import attachment, parseval
from core.agreement.trees.attachment import Attachment
from core.agreement.trees.parseval import Parseval
from core.data.check import Floats
from core.data.deps import DepTree
from core.data.tree import Tree
from core.evaluation.constructions import ErrorCounts
from core.evaluation.golds import Gold, bare
from core.forests.kbest import trees_of
from core.parsing.together import fitting
from core.protocols import Analysis, Capability, ParserBackend

__all__ = [
    "HEADS",
    "ORACLES",
    "PLAIN",
    "ParserScores",
    "answers",
    "evaluate",
    "trees_shown",
]

ORACLES = (2, 10, 50)
HEADS = (2, 3)
BATCH = 1024
PACKED = 64  # sentences whose forests are held at once
PLAIN: frozenset[Capability] = frozenset({"constituents", "dependencies", "tags"})
ALL: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})


@dataclass(slots=True)
class ParserScores:
    """Counts; ``to_json`` gives shares in percent, None where gold does not say.

    ``arcs`` counts punctuation, ``words`` leaves it out (gold UPOS PUNCT).
    ``phrases``: of the answers' own, those that hang together by their arcs, and all.
    ``best[k]``: for each sentence the best of its k best trees. ``near[k]``: tokens
    whose gold head is among its k heaviest, of ``near[0]`` that have weights.
    ``errors``: by construction, where that is asked for.
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
