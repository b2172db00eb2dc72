"""What lexical substitution does to a parser's trees and tags, against gold ones.

Caplan et al., sections 4.1 and 4.2: tags of query words, F1 over all sentences and
over those whose parse changed, and whether the difference is more than chance.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from core.agreement.paired import f1_swap_p
from core.agreement.trees import parseval
from core.agreement.trees.parseval import Parseval
from core.data.tree import Tree
from core.evaluation.golds import Gold, bare
from core.forests.kbest import trees_of
from core.protocols import Analysis, Capability
from core.substitution.candidates import Candidate
from core.substitution.substituting import (
    QueryWord,
    SubstitutedParse,
    Substituting,
    SubstitutionPlan,
)

WANT: frozenset[Capability] = frozenset({"constituents", "tags"})
SEED = 16


@dataclass(slots=True)
class Effect:
    """Counts before and after; a row of ``rows`` is a sentence."""

    replaced: int = 0
    changed: int = 0
    words: int = 0
    tags_before: int = 0
    tags_after: int = 0
    unknown: int = 0
    tokens: int = 0
    rows: list[tuple[Parseval, Parseval, bool]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """F1 and tags of query words in percent; None where there is nothing."""
        changed = [row for row in self.rows if row[2]]
        return {
            "sentences": len(self.rows),
            "replaced": self.replaced,
            "changed": self.changed,
            "f1": _f1s(self.rows),
            "tags": {
                "before": _percent(self.tags_before, self.words),
                "after": _percent(self.tags_after, self.words),
            },
            "p": self.p(),
            "changed_only": {"f1": _f1s(changed)},
            "query_words": self.words,
            "unknown_words": _percent(self.unknown, self.tokens),
        }

    def __add__(self, other: "Effect") -> "Effect":
        """The counts of both, the rows of ``other`` last."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Effect(*(a + b for a, b in pairs))

    def p(self, *, draws: int = 10_000) -> float:
        """Of the difference in F1; two-sided, sentences swapped."""
        table = np.array(
            [
                [b.matched, b.guessed + b.gold, a.matched, a.guessed + a.gold]
                for b, a, _ in self.rows
            ],
            dtype=np.float64,
        ).reshape(-1, 4)
        rng = np.random.default_rng(SEED)
        return round(f1_swap_p(table[:, :2], table[:, 2:], rng, draws=draws), 4)


def effect(
    parser: Substituting, golds: Sequence[Gold], *, batch: int = 256
) -> Iterator[tuple[int, Effect]]:
    """How many sentences are done, and the counts so far; the last pair is the whole.

    Query words are those with a candidate, of all sentences, whether or not they were
    replaced. A sentence without a gold tree is left out; one that is answered by an
    error counts as parsed all wrong.
    """
    with_trees = [gold for gold in golds if gold.tree]
    total = Effect()
    for begin in range(0, len(with_trees), batch):
        part = with_trees[begin : begin + batch]
        sentences = [bare(gold.sentence) for gold in part]
        plans = parser.plans(sentences)
        for gold, plan, reading in zip(
            part, plans, parser.readings(sentences, want=WANT), strict=True
        ):
            _count(total, parser, gold, plan, reading)
        yield begin + len(part), total


def oracle(parser: Substituting, golds: Sequence[Gold]) -> dict[str, Any]:
    """F1 if of each sentence's readings the best by gold were known: the headroom.

    Readings: as it stands, and with every query word replaced by its first, second,
    … candidate. As many parses of a sentence as a word has candidates. The best of
    several readings gains even where they differ at random, so ``random`` is the same
    with as many words drawn from all candidates of the parser, whatever the query.
    """
    with_trees = [gold for gold in golds if gold.tree]
    sentences = [bare(gold.sentence) for gold in with_trees]
    plans = parser.plans(sentences)
    plain = _compared(with_trees, parser.parser.analyse(sentences, want=WANT))
    return {
        "sentences": len(plans),
        "helped": sum(_has_rank(plan, 0) for plan in plans),
        "before": _percent_f1(sum(plain, Parseval())),
        "oracle": _best_of(parser, with_trees, plans, plain),
        "random": _best_of(parser, with_trees, _drawn(parser, plans), plain),
    }


def _best_of(
    parser: Substituting,
    golds: Sequence[Gold],
    plans: Sequence[SubstitutionPlan],
    plain: Sequence[Parseval],
) -> float | None:
    """F1 of the best by gold of each sentence's readings, ``plain`` being one."""
    best = list(plain)
    for rank in range(parser.options.n_nearest):
        some = [k for k, plan in enumerate(plans) if _has_rank(plan, rank)]
        read = [plans[k].read_with(rank) for k in some]
        answers = parser.parser.analyse(read, want=WANT)
        for k, score in zip(
            some, _compared([golds[k] for k in some], answers), strict=True
        ):
            best[k] = max(best[k], score, key=lambda one: one.f1)
    return _percent_f1(sum(best, Parseval()))


def _drawn(
    parser: Substituting, plans: Sequence[SubstitutionPlan]
) -> list[SubstitutionPlan]:
    """The plans, each query's candidates replaced by as many drawn from all."""
    rng = np.random.default_rng(SEED)
    forms = parser.candidates.forms

    def redrawn(query: QueryWord) -> QueryWord:
        n = min(len(query.candidates), len(forms))
        places = rng.choice(len(forms), n, replace=False).tolist()
        return replace(
            query, candidates=tuple(Candidate(forms[k], 0.0, {}) for k in places)
        )

    return [replace(p, queries=tuple(map(redrawn, p.queries))) for p in plans]


def _has_rank(plan: SubstitutionPlan, rank: int) -> bool:
    return any(len(query.candidates) > rank for query in plan.queries)


def _compared(
    golds: Sequence[Gold], answers: Sequence[Analysis | Exception]
) -> list[Parseval]:
    return [
        parseval.compare(gold.tree, _tree(answer))
        for gold, answer in zip(golds, answers, strict=True)
        if gold.tree
    ]


def _count(
    total: Effect,
    parser: Substituting,
    gold: Gold,
    plan: SubstitutionPlan,
    reading: SubstitutedParse,
) -> None:
    assert gold.tree is not None
    before, after = _tree(reading.before), _tree(reading.after)
    is_changed = before != after
    total.rows.append(
        (
            parseval.compare(gold.tree, before),
            parseval.compare(gold.tree, after),
            is_changed,
        )
    )
    total.replaced += bool(getattr(reading.after, "advice", ()))
    total.changed += is_changed
    forms = gold.sentence.forms
    total.tokens += len(forms)
    total.unknown += sum(not parser.candidates.training_count(f) for f in forms)
    for query in plan.queries:
        if query.candidates:
            wanted = gold.tree.tags[query.token]
            total.words += 1
            total.tags_before += _tag(reading.before, query.token) == wanted
            total.tags_after += _tag(reading.after, query.token) == wanted


def _tree(answer: Analysis | Exception) -> Tree | None:
    if not isinstance(answer, Analysis):
        return None
    trees = trees_of(answer, 1)
    return trees[0][1] if trees else None


def _tag(answer: Analysis | Exception, token: int) -> str:
    has_tags = isinstance(answer, Analysis) and answer.xpos
    return answer.xpos[token] if has_tags else ""  # type: ignore[union-attr]


def _f1s(rows: Sequence[tuple[Parseval, Parseval, bool]]) -> dict[str, float | None]:
    return {
        "before": _percent_f1(sum((row[0] for row in rows), Parseval())),
        "after": _percent_f1(sum((row[1] for row in rows), Parseval())),
    }


def _percent_f1(score: Parseval) -> float | None:
    return round(100 * score.f1, 2) if score.sentences else None


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
