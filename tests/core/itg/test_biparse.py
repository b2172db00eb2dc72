"""Biparsing against the enumeration of all alignments."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.blocks import Block
from core.errors import InvalidScores, InvalidValue, SentenceTooLong
from core.forests.kernels.assignment import best_assignment
from core.itg.biparse import best_biparse
from core.itg.grammar import ItgWeights, blocks_of, n_inverted
from core.layout.biparse import numbered
from tests.oracles import itg as oracle
from tests.oracles.itg import edit_weights


@st.composite
def weights(draw, longest: int = 4) -> ItgWeights:
    n, m = draw(st.integers(1, longest)), draw(st.integers(1, longest))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    grid = draw(st.sampled_from([0.25, 0.5, 1e-9]))  # coarse grids make ties
    signs = draw(st.sampled_from([-1.0, 0.0, 1.0]))

    def some(*shape: int) -> np.ndarray:
        return np.round(rng.normal(0, 2, shape) / grid) * grid

    links = some(n, m)
    links[rng.random((n, m)) < draw(st.sampled_from([0.0, 0.3]))] = -np.inf
    straight, inverted = (-abs(x) if signs <= 0 else x for x in some(2))
    return ItgWeights(links, some(n), some(m), straight * abs(signs), inverted)


@given(weights())
@settings(max_examples=300)
def test_best_is_the_best_of_all_alignments(pair: ItgWeights) -> None:
    table = oracle.weighed(pair)
    best = best_biparse(pair)
    assert best.score == pytest.approx(max(table.values()), abs=1e-5)
    assert table[best.links] == pytest.approx(best.score, abs=1e-9)
    assert best.is_exact


def test_twenty_two_of_twenty_four_orders_of_four_are_reachable() -> None:
    """Wu 1997: four arguments may move freely, but for two ways to interleave."""
    beyond = []
    for order in permutations(range(4)):
        try:
            blocks_of(list(enumerate(order)))
        except InvalidValue:
            beyond.append(order)
    assert beyond == [(1, 3, 0, 2), (2, 0, 3, 1)]


def test_biparser_links_all_four_in_reachable_orders_only() -> None:
    for order in permutations(range(4)):
        distance = np.full((4, 4), 9.0)
        distance[range(4), order] = 0.0
        n_links = len(best_biparse(edit_weights(distance)).links)
        assert n_links == (3 if order in {(1, 3, 0, 2), (2, 0, 3, 1)} else 4)


@given(st.text("ab", max_size=7), st.text("ab", max_size=7))
def test_costly_inversion_leaves_levenshtein_distance(a: str, b: str) -> None:
    distance = np.array([[float(x != y) for y in b] for x in a]).reshape(len(a), len(b))
    cost = -best_biparse(edit_weights(distance, inversion=99.0)).score
    rows = np.zeros((len(a) + 1, len(b) + 1))
    rows[:, 0], rows[0] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            moved = min(rows[i, j + 1], rows[i + 1, j]) + 1
            rows[i + 1, j + 1] = min(moved, rows[i, j] + (x != y))
    assert cost == rows[-1, -1]


def test_swapped_halves_cost_one_inversion() -> None:
    words, swapped = ["a", "b", "c", "d", "e"], ["d", "e", "a", "b", "c"]
    distance = np.array([[2.0 * (x != y) for y in swapped] for x in words])
    best = best_biparse(edit_weights(distance, inversion=0.5))
    assert best.score == -0.5
    assert best.tree is not None
    assert [b.source for b in best.tree.children] == [(0, 3), (3, 5)]
    assert best.tree.orientation == "inverted"


@pytest.mark.parametrize("substitution", [1.0, 2.0])
@pytest.mark.parametrize("inversion", [0.0, 0.25, 1.0])
def test_pruned_chart_equals_unpruned_normal_form(
    substitution: float, inversion: float
) -> None:
    rng = np.random.default_rng(7)
    for n, m in [(12, 9), (9, 14), (16, 16)]:
        match = rng.random((n, m)) < 0.12
        pair = edit_weights(np.where(match, 0.0, substitution), inversion=inversion)
        assert best_biparse(pair).score == pytest.approx(oracle.best_score(pair))


def test_long_pair_says_how_far_the_best_could_be() -> None:
    order = np.r_[20:40, 0:20]
    distance = np.full((40, 40), 2.0)
    distance[range(40), order] = 0.0
    pair = edit_weights(distance, inversion=0.5)
    cut = best_biparse(pair, max_cells=41 * 41 * 15 * 15)
    whole = best_biparse(pair)
    assert whole.score == -0.5
    assert cut.score < whole.score <= cut.bound
    assert not cut.is_exact


def test_too_long_for_any_chart_is_said() -> None:
    with pytest.raises(SentenceTooLong):
        best_biparse(edit_weights(np.zeros((40, 40))), max_cells=5000)


def test_bad_weights_are_refused() -> None:
    with pytest.raises(InvalidScores, match="fit"):
        ItgWeights(np.zeros((2, 3)), np.zeros(3), np.zeros(3))
    with pytest.raises(InvalidScores, match="finite"):
        ItgWeights(np.zeros((1, 1)), np.array([-np.inf]), np.zeros(1))


def test_word_linked_twice_is_no_biparse() -> None:
    with pytest.raises(InvalidValue, match="twice"):
        blocks_of([(0, 0), (0, 1)])
    assert blocks_of([]) is None


def _n_rules(tree: Block, orientation: str) -> int:
    own = [b for _, b, _, _ in numbered(tree) if b.orientation == orientation]
    return sum(max(len(b.children) - 1, 0) for b in own)


def test_normal_form_never_nests_one_orientation_in_itself() -> None:
    tree = blocks_of([(0, 3), (1, 4), (2, 2), (3, 0), (4, 1)])
    assert tree is not None
    for _, block, _, _ in numbered(tree):
        assert all(c.orientation != block.orientation for c in block.children)
    assert (_n_rules(tree, "straight"), _n_rules(tree, "inverted")) == (2, 2)


@given(st.integers(1, 6), st.integers(0, 4), st.integers(0, 10**6))
def test_prices_are_fair_and_sum_to_the_best_assignment(
    n: int, more: int, seed: int
) -> None:
    gains = np.random.default_rng(seed).normal(0, 1, (n, n + more)).round(1).clip(0)
    prices = best_assignment(gains.astype(np.float32))[0]
    assert prices.min() >= -1e-9
    assert (prices[:n, None] + prices[None, n:] >= gains - 1e-6).all()
    best = max(
        sum(gains[i, j] for i, j in enumerate(columns))
        for columns in permutations(range(n + more), n)
    )
    assert prices.sum() == pytest.approx(best, abs=1e-5)


def test_pruned_chart_finds_the_best_of_real_sized_pairs_of_uneven_length() -> None:
    rng = np.random.default_rng(11)
    for n, m in [(26, 9), (8, 30), (22, 22)]:
        links = -rng.exponential(1.0, (n, m)) * rng.integers(0, 3, (n, m))
        nulls = -rng.exponential(1.0, n), -rng.exponential(1.0, m)
        pair = ItgWeights(links, *nulls, straight=-0.1, inverted=-0.3)
        assert best_biparse(pair).score == pytest.approx(oracle.best_score(pair))


@pytest.mark.parametrize("n", range(6))
def test_inverted_rules_are_counted_without_the_tree(n) -> None:
    counted = 0
    for order in permutations(range(n)):
        links = list(enumerate(order))
        try:
            tree = blocks_of(links)
        except InvalidValue:
            continue
        counted += 1
        assert n_inverted(links) == (_n_rules(tree, "inverted") if tree else 0)
    assert counted == (1, 1, 2, 6, 22, 90)[n]
