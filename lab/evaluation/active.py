"""Active learning, played on gold: what a parser learns from trees corrected so far.

A PCFG begins with some trees; in each round it parses what has not been read, the
sentences that an order puts first are corrected, and it is retrained on all that is
corrected by then. What it reaches on held-back trees, over the words that people read
for it, is the learning curve; a random order is what every other one is set against.
Pool-based, in batches: Settles 2009, "Active Learning Literature Survey", 2.3 and 6.1;
of treebanks: Hwa 2004, "Sample Selection for Statistical Parsing".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.parsing.pcfg.grammar import Sample
from core.parsing.pcfg.parser import ModelParser
from core.parsing.pcfg.training import parser_of, scored, tree_of
from core.protocols import Capability
from lab.evaluation.correcting import bare
from lab.evaluation.orders import ORDERS, UnreadTree, candidate

RANDOM = "random"
PLAYED = (RANDOM, "doubt", "doubt a word", "two decoders", "longest")
_WANT: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})


@dataclass(frozen=True, slots=True)
class LearningPlan:
    """Words corrected before the first round and in each; how many rounds; how many
    unread sentences a round looks at (drawn at random; those are parsed)."""

    first: int = 2000
    step: int = 2000
    rounds: int = 8
    drawn: int = 300

    def __post_init__(self) -> None:
        if min(self.first, self.step, self.rounds, self.drawn) < 1:
            raise InvalidValue("words, rounds and sentences of a plan are at least 1")


@dataclass(frozen=True, slots=True)
class LearningPoint:
    """Words and sentences corrected so far; brackets that had to be corrected in them
    since the first trees; F1 and right tags of held-back trees, percent."""

    words: int
    sentences: int
    corrections: int
    f1: float
    tags: float


def play(
    pool: Sequence[Sample],
    held_back: Sequence[Sample],
    order: str,
    *,
    plan: LearningPlan,
    seed: int,
) -> Iterator[LearningPoint]:
    """The curve of one order, point by point: ``plan.rounds`` + 1 of them, fewer if the
    pool is read to its end. With the same ``seed`` every order begins with the same
    trees. Time: a training and ``plan.drawn`` + ``held_back`` parses a round.

    Raises InvalidValue for an order not in ``PLAYED``, and of too few trees to begin.
    """
    if order not in PLAYED:
        raise InvalidValue(f"no order {order!r}; there are {', '.join(PLAYED)}")
    rng = np.random.default_rng(seed)
    unread = [pool[k] for k in rng.permutation(len(pool))]
    read, unread = _first(unread, plan.first)
    corrections = 0
    for round_ in range(plan.rounds + 1):
        parser = parser_of(read)
        scores = scored(parser, held_back).to_json()
        yield LearningPoint(
            sum(one.end for one in read),
            len(read),
            corrections,
            float(scores["f1"]),
            float(scores["tags"]),
        )
        if not unread or round_ == plan.rounds:
            return
        chosen, unread, wrong = _chosen(parser, unread, order, plan)
        read, corrections = read + chosen, corrections + wrong
        unread = [unread[k] for k in rng.permutation(len(unread))]


def _first(samples: list[Sample], words: int) -> tuple[list[Sample], list[Sample]]:
    """Split after so many words; return the first part and the rest."""
    ends = np.cumsum([one.end for one in samples])
    n = int(np.searchsorted(ends, words)) + 1
    return samples[:n], samples[n:]


def _chosen(
    parser: ModelParser, unread: list[Sample], order: str, plan: LearningPlan
) -> tuple[list[Sample], list[Sample], int]:
    """Return what this round reads, what it leaves, and the wrong brackets."""
    if order == RANDOM:
        chosen, rest = _first(unread, plan.step)
        return chosen, rest, sum(one.wrong for one in _looked_at(parser, chosen))
    drawn, rest = unread[: plan.drawn], unread[plan.drawn :]
    seen = _looked_at(parser, drawn)
    at = ORDERS.index(order)
    ranks = np.argsort([-one.values[at] for one in seen], kind="stable").tolist()
    chosen, left = _first([drawn[k] for k in ranks], plan.step)
    wrong = sum(seen[k].wrong for k in ranks[: len(chosen)])
    return chosen, left + rest, wrong


def _looked_at(parser: ModelParser, samples: Sequence[Sample]) -> list[UnreadTree]:
    golds = [bare(tree_of(one)) for one in samples]
    answers = parser.analyse([Sentence.of(gold.words) for gold in golds], want=_WANT)
    pairs = zip(answers, golds, strict=True)
    return [candidate(answer, gold, 0) for answer, gold in pairs]


def area(curve: Sequence[LearningPoint]) -> float:
    """Return the mean F1 over the words of the curve, in percent."""
    x, y = np.array([(one.words, one.f1) for one in curve], float).T
    if x[-1] == x[0]:
        return float(y[0])
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) / (x[-1] - x[0]))
