"""The headroom of lexical substitution: the best candidates, if gold said which."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from core.agreement.paired import f1_gain
from core.agreement.trees import parseval
from core.data.check import Floats
from core.evaluation.golds import Gold, bare
from core.evaluation.substitution import SEED, WANT, _tree
from core.protocols import Analysis
from core.substitution.candidates import Candidate
from core.substitution.substituting import (
    QueryWord,
    Substituting,
    SubstitutionPlan,
)

DRAWS = 3


def oracle(parser: Substituting, golds: Sequence[Gold]) -> dict[str, Any]:
    """F1 if of each sentence's readings the best by gold were known: the headroom.

    Readings: as it stands, and with every query word replaced by its first, second,
    … candidate. As many parses of a sentence as a word has candidates. The best of
    several readings gains even where they differ at random, so ``random`` is the same
    with as many words drawn from all candidates of the parser, whatever the query, over
    ``DRAWS`` draws; ``gain`` is oracle less random, with its 95 % interval. ``one`` and
    ``random_one``: the mean over the readings, which no gold chose. Raises InvalidValue
    without sentences.
    """
    with_trees = [gold for gold in golds if gold.tree]
    sentences = [bare(gold.sentence) for gold in with_trees]
    plans = parser.plans(sentences)
    plain = _counts(with_trees, parser.parser.analyse(sentences, want=WANT))
    rng = np.random.default_rng(SEED)
    near = _readings(parser, with_trees, plans, plain)
    drawn = [
        _readings(parser, with_trees, _drawn(parser, plans, rng), plain)
        for _ in range(DRAWS)
    ]
    best, best_drawn = _best(plain, near), [_best(plain, some) for some in drawn]
    gain = f1_gain(np.mean(best_drawn, 0), best, rng)
    return {
        "sentences": len(plans),
        "helped": sum(_has_rank(plan, 0) for plan in plans),
        "before": _percent_f1([plain]),
        "oracle": _percent_f1([best]),
        "random": _percent_f1(best_drawn),
        "gain": [round(100 * value, 2) for value in gain],
        "one": _percent_f1(near),
        "random_one": _percent_f1(chain.from_iterable(drawn)),
    }


def _readings(
    parser: Substituting,
    golds: Sequence[Gold],
    plans: Sequence[SubstitutionPlan],
    plain: Floats,
) -> list[Floats]:
    """By rank the counts of every sentence, ``plain`` where nothing has this rank."""
    by_rank = []
    for rank in range(parser.options.n_nearest):
        some = [k for k, plan in enumerate(plans) if _has_rank(plan, rank)]
        read = [plans[k].read_with(rank) for k in some]
        counts = plain.copy()
        answers = parser.parser.analyse(read, want=WANT)
        counts[some] = _counts([golds[k] for k in some], answers)
        by_rank.append(counts)
    return by_rank


def _best(plain: Floats, readings: Sequence[Floats]) -> Floats:
    """The counts of each sentence's reading with the highest F1."""
    table = np.array([plain, *readings])
    best = (table[..., 0] / np.maximum(table[..., 1], 1)).argmax(0)
    chosen: Floats = table[best, np.arange(len(plain))]
    return chosen


def _percent_f1(tables: Iterable[Floats]) -> float:
    """The mean F1 of several tables of counts."""
    sums = np.array([table.sum(0) for table in tables])
    return round(float(200 * (sums[:, 0] / sums[:, 1]).mean()), 2)


def _drawn(
    parser: Substituting,
    plans: Sequence[SubstitutionPlan],
    rng: np.random.Generator,
) -> list[SubstitutionPlan]:
    """The plans, each query's candidates replaced by as many drawn from all."""
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


def _counts(golds: Sequence[Gold], answers: Sequence[Analysis | Exception]) -> Floats:
    """Matched brackets, and guessed plus gold ones, of each sentence."""
    scores = [
        parseval.compare(gold.tree, _tree(answer))
        for gold, answer in zip(golds, answers, strict=True)
        if gold.tree
    ]
    rows = [[score.matched, score.guessed + score.gold] for score in scores]
    return np.array(rows, np.float64).reshape(-1, 2)
