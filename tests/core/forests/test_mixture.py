"""Several forests as one: every derivation, with the mean of its probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.forest import EMPTY_FOREST
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.kbest import best_trees
from core.forests.mixture import mixture, ranked_forest
from core.formats.ptb import parse_one
from tests.oracles.forests import allowed

TREES = [
    parse_one(text)
    for text in (
        "(S (NP (NN a)) (VP (VB b) (NP (NN c))))",
        "(S (NP (NN a) (NN b)) (VP (VB c)))",
        "(FRAG (NP (NN a)) (NP (NN b) (NN c)))",
    )
]
ranked = st.dictionaries(
    st.sampled_from(range(3)), st.floats(-5, 5), min_size=1, max_size=3
)


@given(st.lists(ranked, min_size=1, max_size=3))
def test_a_tree_has_the_mean_of_its_probabilities(
    given_trees: list[dict[int, float]],
) -> None:
    wanted: dict[tuple[tuple[int, int], ...], float] = {}
    for one in given_trees:
        total = np.logaddexp.reduce(list(one.values()))
        for k, weight in one.items():
            p = np.exp(weight - total) / len(given_trees)
            wanted[TREES[k].spans] = wanted.get(TREES[k].spans, 0.0) + p
    forests = [
        ranked_forest([(weight, TREES[k]) for k, weight in one.items()])
        for one in given_trees
    ]
    forest, weights = mixture(forests)
    shares: dict[tuple[tuple[int, int], ...], float] = {}
    for edges, weight in allowed(forest, weights).items():
        spans = _spans(forest, weights, edges)
        shares[spans] = shares.get(spans, 0.0) + float(np.exp(weight))
    assert shares == pytest.approx(wanted)
    assert sum(shares.values()) == pytest.approx(1.0)


def _spans(forest, weights, edges):  # type: ignore[no-untyped-def]
    only = np.where(np.isin(np.arange(len(weights)), edges), weights, -np.inf)
    ((_, tree),) = best_trees(forest, only, 1, words="abc", tags=("X",) * 3)
    return tree.spans


def test_forests_without_a_derivation_count_for_nothing() -> None:
    one: tuple[float, Tree] = (-2.0, TREES[0])
    forest, weights = mixture([(EMPTY_FOREST, np.empty(0)), ranked_forest([one])])
    assert list(allowed(forest, weights).values()) == [pytest.approx(0.0)]
    assert mixture([(EMPTY_FOREST, np.empty(0))])[0].n_nodes == 0


def test_forests_over_other_tokens_are_refused() -> None:
    pair = [ranked_forest([(0.0, parse_one(t))]) for t in ("(X a)", "(X (Y a) (Y b))")]
    with pytest.raises(InvalidValue, match="different numbers"):
        mixture(pair)
