import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.check import Floats
from core.errors import InvalidValue
from core.forests.cky import SpanDecoder, bracket_marginals, log_partition, summed
from core.forests.derivation import phrases_of
from core.forests.inside import forest_log_partition, forest_marginals
from core.forests.kbest import k_best
from core.forests.kernels import spans
from core.forests.packing import span_forest
from tests.oracles import strategies
from tests.oracles.brackets import Brackets, cells, weights

approx = pytest.approx
NAMES = ("", "A", "B")


def _brackets(phrases: list[tuple[int, int, str]]) -> Brackets:
    return frozenset((i, j, NAMES.index(name)) for i, j, name in phrases)


@given(strategies.label_scores(max_tokens=4), st.floats(0, 12))
def test_a_span_forest_holds_every_tree_within_the_margin(
    scores: Floats, margin: float
) -> None:
    weights_of = {tree: w for tree, w in weights(scores).items() if w > -np.inf}
    names = NAMES[: scores.shape[2]]
    forest, edge_weights = span_forest(scores, names, margin=margin)
    best = max(weights_of.values(), default=-np.inf)
    ranked = k_best(forest, edge_weights, 100_000)
    trees = [_brackets(phrases_of(forest, edges)) for _, edges in ranked]
    assert len(set(trees)) == len(trees)
    for (score, _), tree in zip(ranked, trees, strict=True):
        assert weights_of[tree] == approx(score, abs=1e-9)
    assert {t for t, w in weights_of.items() if w >= best - margin} <= set(trees)


@given(strategies.label_scores(max_tokens=4))
def test_a_whole_forest_sums_and_shares_as_the_chart_does(scores: Floats) -> None:
    names = NAMES[: scores.shape[2]]
    forest, edge_weights = span_forest(scores, names, margin=1e6)
    log_z = log_partition(scores)
    assert forest_log_partition(forest, edge_weights) == approx(log_z, abs=1e-9)
    p_node, _ = forest_marginals(forest, edge_weights)
    null, phrase = summed(scores)
    _, p_phrase, p_null = bracket_marginals(phrase, null)
    marginals = np.zeros_like(scores)
    for v in range(forest.n_nodes - 1):
        marginals[forest.starts[v], forest.ends[v], forest.labels[v]] += p_node[v]
    assert marginals[:, :, 0] == approx(p_null, abs=1e-9)
    assert marginals[:, :, 1:].sum(axis=2) == approx(p_phrase, abs=1e-9)


def _best_through(scores: Floats) -> Floats:
    """From the definition: the best tree that holds each bracket, label 0 = none."""
    best = np.full_like(scores, -np.inf)
    rows = cells(len(scores) - 1, scores.shape[2])
    for tree, weight in weights(scores).items():
        for cell in rows[tree]:
            best[cell] = max(best[cell], weight)
    return best


@given(strategies.label_scores(max_tokens=4))
def test_max_marginals_are_the_best_trees_through_each_bracket(scores: Floats) -> None:
    decoder = SpanDecoder(scores)
    null, phrase = decoder.null, decoder.phrase
    complete, either_t = decoder.complete, decoder.either_t
    spans.inside_max(
        null, phrase, np.zeros_like(null), complete, either_t, decoder.split
    )
    free, outside = spans.max_marginals(null, phrase, complete, either_t)
    best = _best_through(scores)
    for i, j in zip(*np.triu_indices(len(scores), k=1), strict=True):
        splits = [complete[i, k] + either_t[j, k] for k in range(i + 1, j)]
        body = max(splits) if splits else 0.0
        through = outside[i, j] + scores[i, j] + body
        through[0] = free[i, j] + scores[i, j, 0] + body
        assert through == approx(best[i, j], abs=1e-9)


def test_k_best_over_six_tokens_equals_enumeration() -> None:
    scores = np.random.default_rng(6).normal(size=(7, 7, 2))
    best = sorted(weights(scores).values(), reverse=True)[:200]
    forest, edge_weights = span_forest(scores, NAMES[:2], margin=1e6)
    ranked = k_best(forest, edge_weights, 200)
    assert [score for score, _ in ranked] == approx(best, abs=1e-9)


def test_too_many_edges_narrow_the_margin() -> None:
    scores = np.random.default_rng(0).normal(size=(21, 21, 6))
    names = ("", "A", "B", "C", "D", "E")
    forest, edge_weights = span_forest(scores, names, margin=50, max_edges=2000)
    assert 0 < forest.n_edges <= 2000
    whole, all_weights = span_forest(scores, names, margin=3)
    assert k_best(forest, edge_weights, 1)[0][0] == approx(
        k_best(whole, all_weights, 1)[0][0]
    )


def test_names_must_fit_the_labels() -> None:
    with pytest.raises(InvalidValue, match="names"):
        span_forest(np.zeros((3, 3, 2)), ("NP", "VP"))
