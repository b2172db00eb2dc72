"""The headroom of lexical substitution: the best candidates, if gold said which."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.agreement.trees import parseval
from core.agreement.trees.parseval import Parseval
from core.evaluation.golds import Gold, bare
from core.evaluation.substitution import SEED, WANT, _percent_f1, _tree
from core.protocols import Analysis
from core.substitution.candidates import Candidate
from core.substitution.substituting import (
    QueryWord,
    Substituting,
    SubstitutionPlan,
)


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
