"""Grammars with several nonterminals against all derivations, and against one."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.errors import InvalidScores, SentenceTooLong
from core.itg.biparse import best_biparse
from core.itg.grammar import ItgWeights
from lab.reproduce.itg_labelled import LabelledBlock, LabelledWeights, best_labelled

SIZES = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3), (3, 2)]


def labelled(weights: LabelledWeights, cell: tuple[int, ...]) -> Iterator[float]:
    """What every derivation of a cell (i, s, t, u, v) weighs.

    By the recursion of Wu 2005, section 3, word for word: S and U over all of
    s..t and u..v but where each part would be empty on a side that the other fills.
    """
    label, s, t, u, v = cell
    if (t - s, v - u) == (1, 1):
        yield float(weights.links[label, s, u])
    elif (t - s, v - u) == (1, 0):
        yield float(weights.source_nulls[label, s])
    elif (t - s, v - u) == (0, 1):
        yield float(weights.target_nulls[label, u])
    if s == t or u == v:
        return
    for (i, j, k), a, b in zip(
        weights.rules.tolist(), weights.straight, weights.inverted, strict=True
    ):
        if i != label:
            continue
        for x, y in product(range(s, t + 1), range(u, v + 1)):
            if (x - s) * (t - x) + (y - u) * (v - y) == 0:
                continue
            for rule, parts in (
                (a, ((j, s, x, u, y), (k, x, t, y, v))),
                (b, ((j, s, x, y, v), (k, x, t, u, y))),
            ):
                ways = (list(labelled(weights, part)) for part in parts)
                yield from (float(rule + p + q) for p, q in product(*ways))


def some_weights(seed: int, n: int, sides: tuple[int, int]) -> LabelledWeights:
    """Random weights of ``n`` nonterminals, a third of all rules forbidden."""
    rng = np.random.default_rng(seed)
    n_source, n_target = sides

    def some(*shape: int) -> np.ndarray:
        values = np.round(rng.normal(0, 2, shape) * 4) / 4
        values[rng.random(shape) < 0.3] = -np.inf
        return values

    rules = np.array(list(np.ndindex(n, n, n)), dtype=np.int64)
    rules = rules[rng.random(len(rules)) < 0.6]
    nulls = some(n, n_source), some(n, n_target)
    orientations = some(len(rules)), some(len(rules))
    return LabelledWeights(some(n, *sides), *nulls, rules, *orientations, start=n - 1)


def bracketing(weights: ItgWeights) -> LabelledWeights:
    """The same grammar written out with its one nonterminal: a null pays the rule that
    joins it, which ``ItgWeights`` counts within the null."""
    joins = max(weights.straight, weights.inverted)
    return LabelledWeights(
        weights.links[None],
        weights.source_nulls[None] - joins,
        weights.target_nulls[None] - joins,
        np.zeros((1, 3), dtype=np.int64),
        np.array([weights.straight]),
        np.array([weights.inverted]),
    )


def weigh(weights: LabelledWeights, block: LabelledBlock) -> float:
    """What a tree weighs, by its own rules; it must cover each block exactly."""
    (s, t), (u, v) = block.source, block.target
    if block.orientation == "link":
        assert (t - s, v - u) == (1, 1)
        return float(weights.links[block.label, s, u])
    if block.orientation == "null":
        nulls = weights.source_nulls if t > s else weights.target_nulls
        assert (t - s) + (v - u) == 1
        return float(nulls[block.label, s if t > s else u])
    first, second = block.children
    assert (first.source[0], second.source) == (s, (first.source[1], t))
    low, high = first.target, second.target
    low, high = (low, high) if block.orientation == "straight" else (high, low)
    assert (low[0], low[1], high[1]) == (u, high[0], v)
    labels = (block.label, first.label, second.label)
    rule = weights.rules.tolist().index(list(labels))
    return float(getattr(weights, block.orientation)[rule]) + sum(
        weigh(weights, child) for child in block.children
    )


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from(SIZES))
@settings(max_examples=60, deadline=None)
def test_best_is_the_best_of_all_derivations(
    seed: int, n: int, sides: tuple[int, int]
) -> None:
    weights = some_weights(seed, n, sides)
    whole = (n - 1, 0, sides[0], 0, sides[1])
    best = max(labelled(weights, whole), default=-np.inf)
    biparse = best_labelled(weights)
    assert biparse.score == pytest.approx(best, abs=1e-5)
    assert (biparse.tree is None) == (best == -np.inf)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_tree_weighs_its_score(seed: int, n: int, n_source: int) -> None:
    weights = some_weights(seed, n, (n_source, 6))
    biparse = best_labelled(weights)
    assume(biparse.tree is not None)
    assert biparse.tree is not None
    assert weigh(weights, biparse.tree) == pytest.approx(biparse.score, abs=1e-9)
    assert biparse.tree.label == weights.start


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=100, deadline=None)
def test_one_nonterminal_is_the_bracketing_grammar(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    links, nulls = (
        rng.normal(0, 2, (n, m)),
        (rng.normal(-1, 1, n), rng.normal(-1, 1, m)),
    )
    weights = ItgWeights(links, *nulls, *rng.normal(0, 1, 2))
    best = best_biparse(weights)
    assume(best.links)  # the paper's recursion has no pair without any link
    biparse = best_labelled(bracketing(weights))
    assert biparse.score == pytest.approx(best.score, abs=1e-4)
    assert biparse.links == best.links


def test_label_keeps_apart_what_one_nonterminal_would_link() -> None:
    """A noun and a verb of the same form share no lexical rule, so both are null."""
    links = np.full((3, 2, 2), -np.inf)
    links[1, 0, 0] = links[1, 1, 0] = links[2, 0, 1] = links[2, 1, 1] = 0.0
    links[1, 1, 0] = links[2, 0, 1] = -np.inf
    rules = np.array([(0, 1, 2)], dtype=np.int64)
    nulls = np.full((3, 2), -1.0)
    straight, inverted = np.zeros(1), np.zeros(1)
    weights = LabelledWeights(links, nulls, nulls, rules, straight, inverted)
    biparse = best_labelled(weights)
    assert biparse.links == ((0, 0), (1, 1))
    forbidden = LabelledWeights(links, nulls, nulls, rules, straight - np.inf, inverted)
    assert best_labelled(forbidden).score == -np.inf


def test_too_long_a_pair_is_refused_with_the_limit() -> None:
    with pytest.raises(SentenceTooLong):
        best_labelled(some_weights(1, 2, (6, 6)), max_cells=1000)


def test_rules_of_unknown_nonterminals_are_refused() -> None:
    good = some_weights(1, 2, (2, 2))
    rules = np.array([(0, 0, 2)], dtype=np.int64)
    with pytest.raises(InvalidScores):
        LabelledWeights(
            good.links, good.source_nulls, good.target_nulls, rules, *np.zeros((2, 1))
        )
