"""Each method of joint parsing: two analyses and their links in, what it found out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.data.check import Floats, Ints
from core.data.deps import DepAnalysis
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.derivation import phrases_of, tree_of_phrases
from core.joint_parsing.beliefs import Labelled, agree
from core.joint_parsing.consensus import arc_marginals, carried, consensus_heads
from core.joint_parsing.duals import CLOSED, STEP, DualDecoder, slack_of
from core.joint_parsing.linked import LinkedWords
from core.joint_parsing.pair_finding import best_pair, ranked_heads, ranked_trees
from core.joint_parsing.span_duals import agree_on_spans, linked_spans
from core.joint_parsing.values import JointSettings, Method, Round
from core.joint_parsing.weights import JointWeights
from core.protocols import Analysis

__all__ = ["MethodResult", "arcs_of", "find"]

Heads = tuple[int, ...]
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
        raise InvalidValue("arc weights are wanted: ask the parser for dependencies")
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
        raise InvalidValue('relations of all arcs are wanted: ask for "forest"')
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
            raise InvalidValue("a forest with a parse is wanted: ask for constituents")
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
