from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.check import Floats
from core.data.forest import EMPTY_FOREST, Forest, ForestBuilder
from core.errors import Contradiction, InvalidScores
from core.forests.derivation import phrases_of
from core.forests.inside import (
    entropy,
    forest_log_partition,
    forest_marginals,
    inside_log,
)
from core.forests.kbest import inside_max, k_best, viterbi
from core.forests.packing import max_marginals, prune
from tests.oracles import strategies
from tests.oracles.forests import allowed, weigh
from tests.oracles.semiring import (
    BOOL,
    COUNT,
    EXPECTATION,
    KBEST,
    LOG,
    MAX,
    inside,
    outside,
)

Weighted = tuple[Forest, Floats]
approx = pytest.approx


def _top(values: list[float], k: int) -> list[float]:
    return sorted(values, reverse=True)[:k]


@given(strategies.forests())
def test_every_semiring_answers_its_question(weighted: Weighted) -> None:
    forest, weights = weighted
    nats = list(allowed(forest, weights).values())
    assert inside(forest, weights, BOOL)[-1] == bool(nats)
    assert inside(forest, weights, COUNT)[-1] == len(nats)
    log_z = float(np.logaddexp.reduce([-np.inf, *nats]))
    assert inside(forest, weights, LOG)[-1] == approx(log_z, abs=1e-9)
    assert inside(forest, weights, MAX)[-1] == approx(max(nats, default=-np.inf))
    best = inside(forest, weights, KBEST(5))[-1]
    assert list(best) == approx(_top(nats, 5), abs=1e-9)
    shares = np.exp(np.array(nats) - log_z)
    total, mean = inside(forest, weights, EXPECTATION)[-1]
    assert total == approx(log_z, abs=1e-9)
    assert mean == approx(float(shares @ np.array(nats)) if nats else 0.0, abs=1e-7)


@given(strategies.forests())
def test_compiled_passes_equal_the_readable_ones(weighted: Weighted) -> None:
    forest, weights = weighted
    assert list(inside_log(forest, weights)) == approx(inside(forest, weights, LOG))
    assert list(inside_max(forest, weights)[0]) == approx(inside(forest, weights, MAX))


@given(strategies.forests())
def test_marginals_are_shares_of_derivations(weighted: Weighted) -> None:
    forest, weights = weighted
    weights_of = allowed(forest, weights)
    log_z = float(np.logaddexp.reduce([-np.inf, *weights_of.values()]))
    nodes, edges = np.zeros(forest.n_nodes), np.zeros(forest.n_edges)
    for derivation, weight in weights_of.items():
        for e in derivation:
            edges[e] += np.exp(weight - log_z)
            nodes[forest.heads[e]] += np.exp(weight - log_z)
    p_node, p_edge = forest_marginals(forest, weights)
    assert p_edge == approx(edges, abs=1e-9)
    assert p_node == approx(nodes, abs=1e-9)
    below = inside(forest, weights, LOG)
    above = outside(forest, weights, LOG, below)
    if weights_of:
        assert np.exp(np.add(below, above) - log_z) == approx(nodes, abs=1e-9)


@given(strategies.forests())
def test_entropy_is_that_of_the_derivations(weighted: Weighted) -> None:
    forest, weights = weighted
    nats = np.array(list(allowed(forest, weights).values()))
    expected = 0.0
    if len(nats):
        log_p = nats - np.logaddexp.reduce(nats)
        expected = -float(np.exp(log_p) @ log_p)
    assert entropy(forest, weights) == approx(expected, abs=1e-7)


@given(strategies.forests())
def test_viterbi_is_a_best_derivation(weighted: Weighted) -> None:
    forest, weights = weighted
    weights_of = allowed(forest, weights)
    if not weights_of:
        with pytest.raises(Contradiction):
            viterbi(forest, weights)
        return
    score, edges = viterbi(forest, weights)
    assert score == approx(max(weights_of.values()), abs=1e-9)
    assert weights_of[tuple(edges.tolist())] == approx(score, abs=1e-9)


@settings(max_examples=200)
@given(strategies.forests(), st.integers(1, 30))
def test_k_best_are_the_k_best_of_all_without_repeats(
    weighted: Weighted, k: int
) -> None:
    forest, weights = weighted
    weights_of = allowed(forest, weights)
    ranked = k_best(forest, weights, k)
    assert [s for s, _ in ranked] == approx(
        _top(list(weights_of.values()), k), abs=1e-9
    )
    derivations = [tuple(edges.tolist()) for _, edges in ranked]
    assert len(set(derivations)) == len(derivations)
    for (score, _), edges in zip(ranked, derivations, strict=True):
        assert weigh(edges, weights) == approx(score, abs=1e-9)


@settings(max_examples=200)
@given(strategies.forests(), st.integers(1, 30))
def test_k_best_by_name_are_the_best_of_each_kind(weighted: Weighted, k: int) -> None:
    forest, weights = weighted
    best: dict[Any, float] = {}
    for derivation, weight in allowed(forest, weights).items():
        kind = tuple(phrases_of(forest, np.array(derivation)))
        best[kind] = max(weight, best.get(kind, -np.inf))
    ranked = k_best(forest, weights, k, named=True)
    assert [s for s, _ in ranked] == approx(_top(list(best.values()), k), abs=1e-9)
    kinds = [tuple(phrases_of(forest, edges)) for _, edges in ranked]
    assert len(set(kinds)) == len(kinds)
    assert [best[kind] for kind in kinds] == approx([s for s, _ in ranked], abs=1e-9)


def test_equal_derivations_come_by_edges_and_then_by_ranks() -> None:
    build = ForestBuilder()
    left, right = build.node("A", 0, 1), build.node("B", 1, 2)
    root = build.node("S", 0, 2)
    for node in (left, right):
        build.edge(node)
        build.edge(node)
    build.edge(root, [left, right])
    forest = build.freeze()
    derivations = [edges.tolist()[1:] for _, edges in k_best(forest, np.zeros(5), 9)]
    assert derivations == [[0, 2], [0, 3], [1, 2], [1, 3]]


@given(strategies.forests(), st.floats(0, 6))
def test_pruning_keeps_exactly_what_is_within_the_margin(
    weighted: Weighted, margin: float
) -> None:
    forest, weights = weighted
    weights_of = allowed(forest, weights)
    through = np.full(forest.n_edges, -np.inf)
    for derivation, weight in weights_of.items():
        through[list(derivation)] = np.maximum(through[list(derivation)], weight)
    assert max_marginals(forest, weights) == approx(through, abs=1e-9)
    smaller, kept = prune(forest, weights, margin=margin)
    if not weights_of:
        assert smaller.n_nodes == 0
        return
    best = max(weights_of.values())
    assert smaller.n_edges == (through >= best - margin - 1e-9).sum()
    near = [w for w in weights_of.values() if w >= best - margin]
    ranked = k_best(smaller, kept, len(near))
    assert [s for s, _ in ranked] == approx(sorted(near, reverse=True), abs=1e-9)


def test_an_empty_forest_is_no_parse_not_an_error() -> None:
    nothing = np.empty(0)
    assert forest_log_partition(EMPTY_FOREST, nothing) == -np.inf
    assert k_best(EMPTY_FOREST, nothing, 5) == []
    assert entropy(EMPTY_FOREST, nothing) == 0.0
    assert forest_marginals(EMPTY_FOREST, nothing)[1].size == 0
    with pytest.raises(Contradiction):
        viterbi(EMPTY_FOREST, nothing)


@pytest.mark.parametrize("bad", [np.zeros(3), np.array([np.nan]), np.zeros(1, "f4")])
def test_weights_that_do_not_fit_are_refused(bad: Floats) -> None:
    forest, weights = strategies.ambiguous_forest()
    wrong = np.resize(bad, len(weights)) if len(bad) == 1 else bad
    with pytest.raises(InvalidScores):
        k_best(forest, wrong, 2)
