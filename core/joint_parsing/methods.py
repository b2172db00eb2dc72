"""The methods of joint parsing: from two analyses and their links to a result.

Among the n best trees of two sentences, the pair that agrees most.

Choe & McClosky 2015, algorithm 3: least c(a, b), then greatest f(a) + f(b).

Parsing by the other sentence's arc marginals: least expected disagreement.

A tree is worth its own score and ``trust`` nats for each arc that the other sentence
is expected to have between the linked words: the probability of that arc, by its own
parser, times those of the links. So the risk that is least is expected over the trees
of the other sentence (Kumar & Byrne 2004 for minimum Bayes risk over alternatives).
Several other sentences add up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from core.data.check import Floats, Ints
from core.data.deps import DepAnalysis
from core.data.tree import Tree
from core.dependencies.eisner import best_eisners
from core.dependencies.mst import best_msts
from core.errors import InvalidValue
from core.forests.derivation import phrases_of, tree_of_phrases
from core.forests.kbest import forest_trees
from core.joint_parsing.beliefs import (
    agree,
    arc_marginals,
    carried,
    consensus_heads,
)
from core.joint_parsing.duals import (
    CLOSED,
    STEP,
    DualDecoder,
    agree_on_arcs,
    agree_on_spans,
    linked_spans,
    slack_of,
)
from core.joint_parsing.gate import JointWeights
from core.joint_parsing.linked import (
    LinkedWords,
    SetLinks,
    disagreements,
    word_groups,
)
from core.joint_parsing.values import JointSettings, Method, Round
from core.protocols import Analysis
from core.trees.heads import SEMANTIC, to_dependencies

Heads = tuple[int, ...]
Ranked = list[tuple[float, Heads]]
"""Trees as heads by token (ROOT = -1), each with its score in nats, best first."""


MOST_CHOICES = 100_000  # combinations of n-best trees that are looked through


def best_choice(
    ranked: Sequence[Ranked], edges: Sequence[SetLinks]
) -> tuple[tuple[int, ...], int]:
    """Return which tree of each sentence of a set, so that they agree most, and the sum
    of c(a, b) over the edges. Of choices that agree and score alike the first.

    Raises InvalidValue if there are more than MOST_CHOICES choices.
    """
    sizes = [range(len(one)) for one in ranked]
    if prod(map(len, sizes)) > MOST_CHOICES:
        raise InvalidValue("n_best: expected fewer trees for so many sentences")
    tables = [
        (x.a, x.b, [[disagreements(x.linked, a, b) for _, b in ranked[x.b]]
                    for _, a in ranked[x.a]])
        for x in edges
    ]  # fmt: skip
    count, _, chosen = min(
        (
            sum(table[choice[a]][choice[b]] for a, b, table in tables),
            -sum(one[k][0] for one, k in zip(ranked, choice, strict=True)),
            choice,
        )
        for choice in product(*sizes)
    )
    return chosen, count


def ranked_heads(arcs: Floats, k: int, *, projective: bool) -> Ranked:
    """The k best dependency trees."""
    ranked = (best_eisners if projective else best_msts)(arcs, k)
    return [(score, tuple(int(h) for h in heads)) for score, heads in ranked]


def ranked_trees(analysis: Analysis, k: int) -> tuple[Ranked, Sequence[Tree]]:
    """The k best constituency trees, converted, and the trees themselves.

    Among trees with the same dependencies only the best is kept, as in the paper. Both
    empty where the analysis has no forest or no parse.
    """
    first: dict[Heads, tuple[float, Tree]] = {}
    for score, tree in forest_trees(analysis, k):
        first.setdefault(to_dependencies(tree, SEMANTIC).heads, (score, tree))
    trees = [tree for _, tree in first.values()]
    return [(score, heads) for heads, (score, _) in first.items()], trees


Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MethodResult:
    """New heads and trees of all sides; None: that kind is left alone. Without
    ``labels`` each new arc has the parser's own best."""

    heads: tuple[Heads, ...] | None = None
    trees: tuple[Tree, ...] | None = None
    rounds: tuple[Round, ...] = ()
    exact: bool = True
    gap: float = 0.0
    labels: tuple[Labels, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Task:
    sides: Sequence[Analysis]
    edges: Sequence[SetLinks]
    settings: JointSettings
    weights: JointWeights

    def pair(self) -> tuple[Analysis, Analysis, LinkedWords]:
        if len(self.sides) != 2 or len(self.edges) != 1:
            raise InvalidValue(f"{self.settings.method}: expected two sentences")
        return self.sides[0], self.sides[1], self.edges[0].linked


def find(
    sides: Sequence[Analysis],
    edges: Sequence[SetLinks],
    settings: JointSettings,
    weights: JointWeights,
) -> MethodResult:
    """What the method of ``settings`` makes of two sentences or more.

    Raises InvalidValue if an analysis lacks what the method needs, or if the method
    takes fewer sentences.
    """
    return _METHODS[settings.method](_Task(sides, edges, settings, weights))


def arcs_of(analysis: Analysis) -> Floats:
    """The arc weights of an analysis. Raises InvalidValue if it has none."""
    arcs = _deps(analysis).arcs
    assert arcs is not None
    return arcs


def _deps(analysis: Analysis) -> DepAnalysis:
    if analysis.deps is None or analysis.deps.arcs is None:
        raise InvalidValue("arc weights are missing: ask the parser for dependencies")
    return analysis.deps


def _bp(task: _Task) -> MethodResult:
    settings = task.settings
    trees = agree(
        [_deps(side) for side in task.sides],
        task.edges,
        slack=task.weights.bp_slack if settings.slack is None else settings.slack,
        projective=settings.projective,
    )
    heads = tuple(tree.heads for tree in trees)
    return MethodResult(heads, labels=tuple(tree.labels for tree in trees))


def _mbr(task: _Task) -> MethodResult:
    settings = task.settings
    kind = settings.projective
    trust = task.weights.trust if settings.trust is None else settings.trust
    arcs = [arcs_of(side) for side in task.sides]
    p_arcs = [arc_marginals(one, projective=kind) for one in arcs]
    told: list[list[Floats]] = [[] for _ in arcs]
    for x in task.edges:
        for a, b, linked in ((x.a, x.b, x.linked), (x.b, x.a, x.linked.swapped())):
            told[a].append(carried(linked, p_arcs[b], len(arcs[a]) - 1))
    return MethodResult(
        tuple(
            _plain(consensus_heads(one, others, trust=trust, projective=kind))
            for one, others in zip(arcs, told, strict=True)
        )
    )


def _soft(task: _Task) -> MethodResult:
    settings = task.settings
    slack = task.weights.slack if settings.slack is None else settings.slack
    if len(task.sides) != 2:
        return _consensus(task, slack)
    linked = task.pair()[2]
    by_prob = settings.slack_kind == "prob"
    return _dual(task, slack_of(linked, slack, by_prob=by_prob))


def _hard(task: _Task) -> MethodResult:
    if len(task.sides) != 2:
        return _consensus(task, np.inf)
    return _dual(task, slack_of(task.pair()[2], np.inf))


def _consensus(task: _Task, slack: float) -> MethodResult:
    settings = task.settings
    if settings.slack_kind != "one" or settings.one_sided or settings.last_round:
        raise InvalidValue("a set of sentences: expected one slack on all sides")
    agreed = agree_on_arcs(
        [arcs_of(side) for side in task.sides],
        word_groups(task.edges, len(task.sides)),
        slack=slack,
        projective=settings.projective,
        rounds=settings.rounds,
        step=settings.step or STEP,
    )
    gap = max(0.0, agreed.bound - agreed.score)
    heads = tuple(_plain(one) for one in agreed.heads)
    return MethodResult(heads, None, agreed.rounds, _is_closed(gap, agreed.bound), gap)


def _is_closed(gap: float, bound: float) -> bool:
    return gap <= CLOSED * (1 + abs(bound))


def _dual(task: _Task, slack: Floats) -> MethodResult:
    settings = task.settings
    source, target, linked = task.pair()
    n, m = len(source.sentence), len(target.sentence)
    agreed = DualDecoder(n, m, projective=settings.projective).decode(
        arcs_of(source),
        arcs_of(target),
        linked,
        slack,
        rounds=settings.rounds,
        step=settings.step or STEP,
        one_sided=settings.one_sided,
    )
    best = _plain(agreed.source), _plain(agreed.target)
    last = _plain(agreed.last[0]), _plain(agreed.last[1])
    heads = last if settings.last_round else best
    is_exact = agreed.is_exact and heads == best
    return MethodResult(heads, None, agreed.rounds, is_exact, agreed.gap)


def _pairs(task: _Task) -> MethodResult:
    settings, edges = task.settings, task.edges
    heads = trees = None
    k = settings.n_best
    if all(side.deps is not None for side in task.sides):
        of_arcs = [
            ranked_heads(arcs_of(one), k, projective=settings.projective)
            for one in task.sides
        ]
        chosen, _ = best_choice(of_arcs, edges)
        heads = tuple(one[at][1] for one, at in zip(of_arcs, chosen, strict=True))
    ranked = [ranked_trees(one, k) for one in task.sides]
    if all(scored for scored, _ in ranked):
        chosen, _ = best_choice([scored for scored, _ in ranked], edges)
        trees = tuple(own[at] for (_, own), at in zip(ranked, chosen, strict=True))
    if heads is None and trees is None:
        raise InvalidValue("neither arc weights nor a forest: nothing to choose among")
    return MethodResult(heads, trees)


def _spans(task: _Task) -> MethodResult:
    settings, weights = task.settings, task.weights
    source, target, linked = task.pair()
    forests = []
    for one in (source, target):
        if one.forest is None or one.edge_weights is None or not one.forest.n_nodes:
            raise InvalidValue("a forest with a parse is missing: ask for constituents")
        forests.append((one.forest, one.edge_weights))
    agreed = agree_on_spans(
        forests[0],
        forests[1],
        linked_spans(linked, len(source.sentence), len(target.sentence)),
        slack=weights.span_slack if settings.slack is None else settings.slack,
        rounds=settings.rounds,
        step=settings.step or STEP,
    )
    trees = tuple(
        tree_of_phrases(
            phrases_of(forest, edges),
            words=one.sentence.forms,
            tags=one.xpos or ("X",) * len(one.sentence),
        )
        for one, (forest, _), edges in zip(
            (source, target), forests, (agreed.source, agreed.target), strict=True
        )
    )
    gap = max(0.0, agreed.bound - agreed.score)
    exact = _is_closed(gap, agreed.bound)
    return MethodResult(None, trees, agreed.rounds, exact, gap)


def _plain(heads: Ints) -> Heads:
    return tuple(int(h) for h in heads)


_METHODS: dict[Method, Callable[[_Task], MethodResult]] = {
    "bp": _bp,
    "mbr": _mbr,
    "soft": _soft,
    "hard": _hard,
    "pairs": _pairs,
    "spans": _spans,
}
