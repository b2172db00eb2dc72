"""The headroom of lexical substitution: the best candidates, if gold said which."""

from collections.abc import Sequence
from typing import Any

from core.agreement.trees import parseval
from core.agreement.trees.parseval import Parseval
from core.evaluation.golds import Gold, bare
from core.evaluation.substitution import WANT, _percent_f1, _tree
from core.protocols import Analysis
from core.substitution.substituting import (
    Substituting,
    SubstitutionPlan,
)


def oracle(parser: Substituting, golds: Sequence[Gold]) -> dict[str, Any]:
    """F1 if of each sentence's readings the best by gold were known: the headroom.

    Readings: as it stands, and with every query word replaced by its first, second,
    … candidate. As many parses of a sentence as a word has candidates.
    """
    with_trees = [gold for gold in golds if gold.tree]
    sentences = [bare(gold.sentence) for gold in with_trees]
    plans = parser.plans(sentences)
    best = _compared(with_trees, parser.parser.analyse(sentences, want=WANT))
    plain = list(best)
    for rank in range(parser.options.n_nearest):
        some = [k for k, plan in enumerate(plans) if _has_rank(plan, rank)]
        read = [plans[k].read_with(rank) for k in some]
        answers = parser.parser.analyse(read, want=WANT)
        for k, score in zip(
            some, _compared([with_trees[k] for k in some], answers), strict=True
        ):
            best[k] = max(best[k], score, key=lambda one: one.f1)
    return {
        "sentences": len(plans),
        "helped": sum(_has_rank(plan, 0) for plan in plans),
        "before": _percent_f1(sum(plain, Parseval())),
        "oracle": _percent_f1(sum(best, Parseval())),
    }


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
