from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from core.data.check import Floats, Ints
from core.dependencies import eisner, mst
from core.dependencies.eisner import EisnerDecoder
from core.dependencies.mst import MstDecoder
from core.errors import Contradiction, InvalidScores
from tests.oracles import strategies
from tests.oracles.arcs import dependency_trees, is_projective, weight

Best = Callable[[Floats], tuple[float, Ints]]
KINDS = [
    pytest.param(True, eisner.eisner, eisner.eisner_marginals, id="projective"),
    pytest.param(False, mst.mst, mst.tree_marginals, id="any"),
]
TREES = {
    (n, projective): list(dependency_trees(n, projective=projective))
    for n in range(1, 6)
    for projective in (True, False)
}


def _weights(arcs: Floats, projective: bool) -> Floats:
    trees = TREES[len(arcs) - 1, projective]
    return np.array([weight(heads, arcs) for heads in trees])


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 9), (4, 64), (5, 625)])
def test_the_oracle_counts_as_cayley_does(n: int, count: int) -> None:
    assert len(TREES[n, False]) == count


@pytest.mark.parametrize(("projective", "best", "_marginals"), KINDS)
@given(arcs=strategies.arc_scores())
def test_best_tree_is_the_best_of_all(
    projective: bool, best: Best, _marginals: object, arcs: Floats
) -> None:
    expected = _weights(arcs, projective).max()
    if expected == -np.inf:
        with pytest.raises(Contradiction):
            best(arcs)
        return
    score, heads = best(arcs)
    tree = tuple(heads.tolist())
    assert score == pytest.approx(expected, abs=1e-9)
    assert tree in TREES[len(arcs) - 1, projective]
    assert weight(tree, arcs) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(("projective", "_best", "marginals"), KINDS)
@given(arcs=strategies.arc_scores())
def test_marginals_count_every_tree_once(
    projective: bool,
    _best: object,
    marginals: Callable[[Floats], Floats],
    arcs: Floats,
) -> None:
    weights = _weights(arcs, projective)
    total = float(np.logaddexp.reduce(weights))
    expected = np.zeros_like(arcs)
    if total > -np.inf:
        trees = TREES[len(arcs) - 1, projective]
        for heads, share in zip(trees, np.exp(weights - total), strict=True):
            for m, h in enumerate(heads):
                expected[h + 1, m + 1] += share
    assert marginals(arcs) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("projective", "k_best"),
    [
        pytest.param(False, mst.best_msts, marks=pytest.mark.slow),
        (True, eisner.best_eisners),
    ],
)
@given(arcs=strategies.arc_scores(max_tokens=5))
def test_k_best_trees_are_the_k_best_of_all(
    projective: bool,
    k_best: Callable[[Floats, int], list[tuple[float, Ints]]],
    arcs: Floats,
) -> None:
    weights = np.sort(_weights(arcs, projective))[::-1]
    weights = weights[weights > -np.inf][:20]
    trees = k_best(arcs, 20)
    assert [score for score, _ in trees] == pytest.approx(list(weights), abs=1e-9)
    assert len({tuple(heads) for _, heads in trees}) == len(trees)
    assert all(weight(tuple(h), arcs) == pytest.approx(s, abs=1e-9) for s, h in trees)


@pytest.mark.parametrize(("projective", "best", "marginals"), KINDS)
def test_six_tokens_equal_enumeration(
    projective: bool,
    best: Best,
    marginals: Callable[[Floats], Floats],
) -> None:
    arcs = np.random.default_rng(6).normal(size=(7, 7)) * 3
    trees = list(dependency_trees(6, projective=projective))
    weights = np.array([weight(heads, arcs) for heads in trees])
    assert best(arcs)[0] == pytest.approx(weights.max(), abs=1e-9)
    shares = np.exp(weights - np.logaddexp.reduce(weights))
    expected = np.zeros_like(arcs)
    for heads, share in zip(trees, shares, strict=True):
        expected[np.array(heads) + 1, np.arange(1, 7)] += share
    assert marginals(arcs) == pytest.approx(expected, abs=1e-9)
    k_best = eisner.best_eisners if projective else mst.best_msts
    scores = [score for score, _ in k_best(arcs, 100)]
    assert scores == pytest.approx(list(np.sort(weights)[::-1][:100]), abs=1e-9)


@pytest.mark.parametrize("decoder", [EisnerDecoder, MstDecoder])
def test_bonus_is_added_to_arcs_and_forgotten(
    decoder: Callable[[int], EisnerDecoder],
) -> None:
    rng = np.random.default_rng(3)
    arcs, bonus = rng.normal(size=(2, 8, 8))
    one = decoder(7)
    plain = one.argmax(arcs, bonus=np.zeros_like(arcs))[1].copy()
    score, heads = one.argmax(arcs, bonus=bonus)
    fresh_score, fresh = decoder(7).argmax(arcs + bonus, bonus=np.zeros_like(arcs))
    assert (score, heads.tolist()) == (pytest.approx(fresh_score), fresh.tolist())
    assert one.argmax(arcs, bonus=np.zeros_like(arcs))[1].tolist() == plain.tolist()


@pytest.mark.parametrize("n", [10, 40])
def test_eisner_agrees_with_mst_where_the_best_tree_is_projective(n: int) -> None:
    rng = np.random.default_rng(n)
    arcs = rng.normal(size=(n + 1, n + 1)) * 0.1
    gold = [-1, *range(n - 1)]
    arcs[np.array(gold) + 1, np.arange(1, n + 1)] += 5.0
    assert eisner.eisner(arcs)[1].tolist() == mst.mst(arcs)[1].tolist() == gold


def test_eisner_is_projective_and_no_better_than_mst() -> None:
    for seed in range(20):
        arcs = np.random.default_rng(seed).normal(size=(13, 13)) * 5
        score, heads = eisner.eisner(arcs)
        assert is_projective(tuple(heads.tolist()))
        assert score <= mst.mst(arcs)[0] + 1e-9


def test_marginals_of_long_sentences_are_a_distribution_over_heads() -> None:
    arcs = np.random.default_rng(5).normal(size=(61, 61)) * 8
    for marginals in (eisner.eisner_marginals(arcs), mst.tree_marginals(arcs)):
        assert marginals[:, 1:].sum(axis=0) == pytest.approx(1.0, abs=1e-6)
        assert marginals[0, 1:].sum() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_marginals_stay_right_where_cycles_outweigh_trees(seed: int) -> None:
    arcs = np.random.default_rng(seed).normal(size=(5, 5)) * 60
    trees, weights = TREES[len(arcs) - 1, False], _weights(arcs, False)
    total = float(np.logaddexp.reduce(weights))
    expected = np.zeros_like(arcs)
    if total > -np.inf:
        for heads, share in zip(trees, np.exp(weights - total), strict=True):
            for m, h in enumerate(heads):
                expected[h + 1, m + 1] += share
    assert mst.tree_marginals(arcs) == pytest.approx(expected, abs=1e-6)


def test_a_cycle_far_better_than_any_tree_keeps_the_marginals_right() -> None:
    arcs = np.zeros((4, 4))
    arcs[1, 2] = arcs[2, 1] = 40.0  # their cycle outweighs every tree by e^40
    trees = TREES[3, False]
    weights = np.array([weight(heads, arcs) for heads in trees])
    share = np.exp(weights - np.logaddexp.reduce(weights))
    expected = sum(p for p, heads in zip(share, trees, strict=True) if heads[1] == 0)
    assert mst.tree_marginals(arcs)[1, 2] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    "arcs", [np.zeros((1, 1)), np.zeros((2, 3)), np.full((3, 3), np.inf)]
)
def test_what_are_no_arc_scores_is_refused(arcs: Floats) -> None:
    for best in (eisner.eisner, mst.mst):
        with pytest.raises(InvalidScores):
            best(arcs)


@pytest.mark.parametrize("loop", [0.0, 60.0])
def test_trees_that_all_need_two_roots_have_no_sum(loop: float) -> None:
    arcs = np.full((5, 5), -np.inf)
    arcs[0, 1] = arcs[0, 3] = 0.0
    for head, modifier in ((1, 2), (2, 1), (3, 4), (4, 3)):
        arcs[head, modifier] = loop
    assert not mst.tree_marginals(arcs).any()
    with pytest.raises(Contradiction):
        mst.mst(arcs)


def test_of_equal_projective_trees_the_one_with_the_lowest_root_is_best() -> None:
    assert eisner.eisner(np.zeros((5, 5)))[1].tolist().index(-1) == 0
