"""Each method of joint parsing: two analyses and their links in, what it found out.

Among the n best trees of two sentences, the pair that agrees most.

Choe & McClosky 2015, algorithm 3: least c(a, b), then greatest f(a) + f(b).

Parsing by the other sentence's arc marginals: least expected disagreement.

A tree is worth its own score and ``trust`` nats for each arc that the other sentence
is expected to have between the linked words: the probability of that arc, by its own
parser, times those of the links. So the risk that is least is expected over the trees
of the other sentence (Kumar & Byrne 2004 for minimum Bayes risk over alternatives).
Several other sentences add up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.data.check import Floats, Ints
from core.data.deps import DepAnalysis
from core.data.tree import Tree
from core.dependencies.eisner import best_eisners
from core.dependencies.mst import best_msts
from core.errors import InvalidValue
from core.forests.derivation import phrases_of, tree_of_phrases
from core.forests.kbest import best_trees
from core.joint_parsing.beliefs import (
    Labelled,
    agree,
    arc_marginals,
    carried,
    consensus_heads,
)
from core.joint_parsing.duals import (
    CLOSED,
    STEP,
    DualDecoder,
    agree_on_spans,
    linked_spans,
    slack_of,
)
from core.joint_parsing.gate import JointWeights
from core.joint_parsing.linked import LinkedWords, disagreements
from core.joint_parsing.values import JointSettings, Method, Round
from core.protocols import Analysis
from core.trees.heads import SEMANTIC, to_dependencies

Heads = tuple[int, ...]
Ranked = list[tuple[float, Heads]]
"""Trees as heads by token (ROOT = -1), each with its score in nats, best first."""


def best_pair(
    source: Ranked, target: Ranked, linked: LinkedWords
) -> tuple[int, int, int]:
    """Indices of the pair that agrees most, and its c(a, b).

    Of pairs that agree and score alike the first. O(n m tokens).
    """
    candidates = [
        (disagreements(linked, a, b), -(x + y), i, j)
        for i, (x, a) in enumerate(source)
        for j, (y, b) in enumerate(target)
    ]
    count, _, i, j = min(candidates)
    return i, j, count


def ranked_heads(arcs: Floats, k: int, *, projective: bool) -> Ranked:
    """The k best dependency trees."""
    ranked = (best_eisners if projective else best_msts)(arcs, k)
    return [(score, tuple(int(h) for h in heads)) for score, heads in ranked]


def ranked_trees(analysis: Analysis, k: int) -> tuple[Ranked, Sequence[Tree]]:
    """The k best constituency trees, converted, and the trees themselves.

    Of trees with the same dependencies only the best is kept, as in the paper. Both
    empty where the analysis has no forest or no parse.
    """
    if analysis.forest is None or analysis.edge_weights is None:
        return [], []
    words = analysis.sentence.forms
    tags = analysis.xpos or ("X",) * len(words)
    ranked = best_trees(
        analysis.forest, analysis.edge_weights, k, words=words, tags=tags
    )
    first: dict[Heads, tuple[float, Tree]] = {}
    for score, tree in ranked:
        first.setdefault(to_dependencies(tree, SEMANTIC).heads, (score, tree))
    trees = [tree for _, tree in first.values()]
    return [(score, heads) for heads, (score, _) in first.items()], trees


Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MethodResult:
    """New heads and trees of the two sides; None: that kind is left alone. Without
    ``labels`` each new arc has the parser's own best."""

    heads: tuple[Heads, Heads] | None = None
    trees: tuple[Tree, Tree] | None = None
    rounds: tuple[Round, ...] = ()
    exact: bool = True
    gap: float = 0.0
    labels: tuple[Labels, Labels] | None = None


@dataclass(frozen=True, slots=True)
class _Task:
    source: Analysis
    target: Analysis
    linked: LinkedWords
    settings: JointSettings
    weights: JointWeights


def find(
    source: Analysis,
    target: Analysis,
    linked: LinkedWords,
    settings: JointSettings,
    weights: JointWeights,
) -> MethodResult:
    """What the method of ``settings`` makes of a pair.

    Raises InvalidValue if an analysis lacks what the method needs.
    """
    return _METHODS[settings.method](_Task(source, target, linked, settings, weights))


def _agreed(
    source: Analysis,
    others: Sequence[tuple[Analysis, LinkedWords]],
    settings: JointSettings,
    weights: JointWeights,
) -> tuple[Labelled, ...]:
    return agree(
        _deps(source),
        [(_deps(other), linked) for other, linked in others],
        slack=weights.bp_slack if settings.slack is None else settings.slack,
        projective=settings.projective,
    )


def _by_marginals(
    source: Analysis,
    others: Sequence[tuple[Analysis, LinkedWords]],
    settings: JointSettings,
    weights: JointWeights,
) -> Heads:
    kind, n = settings.projective, len(source.sentence)
    seen = [
        carried(linked, arc_marginals(arcs_of(other), projective=kind), n)
        for other, linked in others
    ]
    trust = weights.trust if settings.trust is None else settings.trust
    heads = consensus_heads(arcs_of(source), seen, trust=trust, projective=kind)
    return _plain(heads)


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
    others = [(task.target, task.linked)]
    a, b = _agreed(task.source, others, task.settings, task.weights)
    return MethodResult((a.heads, b.heads), labels=(a.labels, b.labels))


def _mbr(task: _Task) -> MethodResult:
    there, back = (task.target, task.linked), (task.source, task.linked.swapped())
    ours = _by_marginals(task.source, [there], task.settings, task.weights)
    return MethodResult(
        (ours, _by_marginals(task.target, [back], task.settings, task.weights))
    )


def _soft(task: _Task) -> MethodResult:
    settings = task.settings
    slack = task.weights.slack if settings.slack is None else settings.slack
    by_arc = None
    if settings.slack_kind == "relation":
        by_arc = _by_relation(task.source, task.weights.slacks, slack)
    by_prob = settings.slack_kind == "prob"
    return _dual(task, slack_of(task.linked, slack, by_prob=by_prob, by_arc=by_arc))


def _hard(task: _Task) -> MethodResult:
    return _dual(task, slack_of(task.linked, np.inf))


def _dual(task: _Task, slack: Floats) -> MethodResult:
    settings = task.settings
    n, m = len(task.source.sentence), len(task.target.sentence)
    agreed = DualDecoder(n, m, projective=settings.projective).decode(
        arcs_of(task.source),
        arcs_of(task.target),
        task.linked,
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


def _by_relation(source: Analysis, slacks: Mapping[str, float], usual: float) -> Floats:
    """``(n + 1, n + 1)``: the slack of the best relation of each arc."""
    deps = source.deps
    if deps is None or deps.relations is None:
        raise InvalidValue('the relations of all arcs are missing: ask for "forest"')
    names = [name.partition(":")[0] for name in deps.relation_names]
    by_name = np.array([slacks.get(name, usual) for name in names])
    return np.asarray(by_name[deps.relations.argmax(-1)])


def _pairs(task: _Task) -> MethodResult:
    settings, linked = task.settings, task.linked
    heads = trees = None
    k = settings.n_best
    if task.source.deps is not None and task.target.deps is not None:
        a, b = (
            ranked_heads(arcs_of(one), k, projective=settings.projective)
            for one in (task.source, task.target)
        )
        i, j, _ = best_pair(a, b, linked)
        heads = a[i][1], b[j][1]
    (a, ours), (b, theirs) = (ranked_trees(x, k) for x in (task.source, task.target))
    if a and b:
        i, j, _ = best_pair(a, b, linked)
        trees = ours[i], theirs[j]
    if heads is None and trees is None:
        raise InvalidValue("neither arc weights nor a forest: nothing to choose among")
    return MethodResult(heads, trees)


def _spans(task: _Task) -> MethodResult:
    source, target, settings = task.source, task.target, task.settings
    forests = []
    for one in (source, target):
        if one.forest is None or one.edge_weights is None or not one.forest.n_nodes:
            raise InvalidValue("a forest with a parse is missing: ask for constituents")
        forests.append((one.forest, one.edge_weights))
    slack = task.weights.span_slack if settings.slack is None else settings.slack
    agreed = agree_on_spans(
        forests[0],
        forests[1],
        linked_spans(task.linked, len(source.sentence), len(target.sentence)),
        slack=slack,
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
    exact = gap <= CLOSED * (1 + abs(agreed.bound))
    return MethodResult(None, (trees[0], trees[1]), agreed.rounds, exact, gap)


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
