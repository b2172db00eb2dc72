"""The forest aligner: packed supports, non-compositional links, legitimacy."""

from collections.abc import Callable
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.check import Floats
from core.data.tree import Tree
from core.errors import InvalidScores
from core.formats.ptb import parse_one
from core.phrase_alignment.forest_align import (
    AlignSettings,
    align,
    align_all,
    alignment_of,
    tree_of,
)
from core.phrase_alignment.legitimacy import problems
from core.phrase_alignment.sides import (
    BinaryForest,
    side_of_forest,
    side_of_tree,
)
from core.phrase_alignment.supports import Pair, fill_nulls, nodes_of, pack
from tests.oracles import alignments as oracle
from tests.oracles.strategies import forests

COSTS = (0.0, 0.7, np.inf)
ACTIVE = "(S (NP (DT the) (NN cook)) (VP (VBD burned) (NP (DT the) (NN rice))))"
PASSIVE = (
    "(S (NP (DT the) (NN rice)) (VP (VBD was) (VP (VBN burned) "
    "(PP (IN by) (NP (DT the) (NN cook))))))"
)


@st.composite
def sides(draw: Callable[..., Any], max_tokens: int = 3) -> BinaryForest:
    forest, weights = draw(forests(max_tokens))
    words = ["abc"[i % 3] for i in range(forest.n_tokens)]
    weights = np.where(weights == -np.inf, -9.0, weights)
    return side_of_forest(forest, weights, words=words, tags=["NN"] * len(words))


@st.composite
def pairs(
    draw: Callable[..., Any], max_tokens: int = 3
) -> tuple[BinaryForest, BinaryForest, Floats]:
    source, target = draw(sides(max_tokens)), draw(sides(max_tokens))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    gain = rng.normal(0.0, 2.0, (source.n_nodes, target.n_nodes))
    return source, target, gain


def n_trees(side: BinaryForest) -> int:
    return sum(1 for _ in oracle.trees(side))


@settings(max_examples=60)
@given(pairs(), st.sampled_from(COSTS), st.sampled_from(COSTS))
def test_decoder_equals_enumeration(
    pair: tuple[BinaryForest, BinaryForest, Floats], cross: float, null: float
) -> None:
    source, target, gain = pair
    if n_trees(source) * n_trees(target) > 60:
        return
    packed = pack(source, target, gain, cross_cost=cross, null_cost=null)
    best = next(packed.k_best(1))
    assert best.score == pytest.approx(oracle.best(*pair, cross, null))


def trees_of(*texts: str) -> tuple[tuple[Tree, ...], list[BinaryForest]]:
    trees = tuple(parse_one(text) for text in texts)
    return trees, [side_of_tree(tree) for tree in trees]


def gain_of(source: BinaryForest, target: BinaryForest) -> Floats:
    """Ten for nodes of the same words in any order, minus two for others."""

    def bag(side: BinaryForest, v: int) -> frozenset[str]:
        return frozenset(
            w for w, m in zip(side.words, side.members[v], strict=True) if m
        ) - {"was", "by", "the"}

    return np.array(
        [
            [
                10.0 if bag(source, s) == bag(target, t) and bag(source, s) else -2.0
                for t in range(target.n_nodes)
            ]
            for s in range(source.n_nodes)
        ]
    )


def texts(
    side: BinaryForest, links: tuple[tuple[int, int], ...], which: int
) -> set[str]:
    phrases = set()
    for link in links:
        members = side.members[link[which]]
        phrases.add(" ".join(w for w, m in zip(side.words, members, strict=True) if m))
    return phrases


def test_active_and_passive_are_linked_down_to_the_verb() -> None:
    _, (source, target) = trees_of(ACTIVE, PASSIVE)
    alignment = align(source, target, gain_of(source, target))
    assert {"the cook", "the rice", "burned"} <= texts(source, alignment.links, 0)
    # The verb stands between the two: no binarisation of both phrases joins it.
    plain = align(source, target, gain_of(source, target), AlignSettings().monotonic())
    assert len(plain.links) < len(alignment.links)


def test_every_node_is_linked_once_and_the_wholes_are() -> None:
    _, (source, target) = trees_of(ACTIVE, PASSIVE)
    alignment = align(source, target, gain_of(source, target))
    assert (source.n_nodes - 1, target.n_nodes - 1) in alignment.links
    for side in (0, 1):
        ends = [link[side] for link in alignment.links]
        assert len(set(ends)) == len(ends)


@settings(max_examples=40)
@given(pairs(4))
def test_alignments_of_forests_are_legitimate(
    pair: tuple[BinaryForest, BinaryForest, Floats],
) -> None:
    aligned = align_all(*pair, AlignSettings(null_cost=0.5), k=3)
    alignment, source, target = alignment_of(aligned)
    grave = [
        problem
        for problem in problems(alignment, source, target)
        if problem.rule not in ("maximum", "undecided")
    ]
    assert grave == []


@settings(max_examples=40)
@given(pairs(4))
def test_the_two_trees_are_trees_of_the_forests(
    pair: tuple[BinaryForest, BinaryForest, Floats],
) -> None:
    aligned = align_all(*pair, k=1)
    for which, side in enumerate((aligned.source, aligned.target)):
        chosen = aligned.best.edges[which]
        known = [one.parts for one in oracle.trees(side)]
        assert {v: side.parts_of(e) for v, e in chosen.items()} in known
        assert tree_of(aligned.best, side, which).words == side.words


@given(pairs())
def test_k_best_is_sorted_and_starts_with_the_best(
    pair: tuple[BinaryForest, BinaryForest, Floats],
) -> None:
    packed = pack(*pair, cross_cost=1.0, null_cost=1.0)
    ranked = list(packed.k_best(5))
    scores = [one.score for one in ranked]
    assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-9)
    assert scores[0] == next(packed.k_best(1)).score
    assert len({(one.links, str(one.edges)) for one in ranked}) == len(ranked)


@settings(max_examples=40)
@given(pairs())
def test_links_and_nulls_are_as_sure_as_defined(
    pair: tuple[BinaryForest, BinaryForest, Floats],
) -> None:
    source, target, gain = pair
    one = align_all(source, target, gain, k=5)
    ranked = [one.best, *one.others]
    shares = [exp(each.score - one.best.score) for each in ranked]
    links = set(one.best.links)

    def share(held: Callable[[Pair], bool]) -> float:
        some = zip(shares, ranked, strict=True)
        return sum(w for w, each in some if any(map(held, each.links))) / sum(shares)

    def matching(s: int, t: int, displaced: float = 0.0) -> float:
        both = sqrt(source.marginal[s] * target.marginal[t])
        return float(both / (1.0 + exp(displaced - gain[s, t])))

    def displaced(which: int, v: int) -> float:
        return max([0.0, *(gain[link] for link in links if link[which] == v)])

    wrong = 0.0
    for link in links:
        sure = share(link.__eq__) * matching(*link)
        assert one.sure[link] == pytest.approx(sure)
        wrong += 1.0 - sure
    rows, columns = nodes_of(one.best, source, 0), nodes_of(one.best, target, 1)
    for s in set(rows) - {s for s, _ in links}:
        best = max(matching(s, t, displaced(1, t)) for t in columns)
        wrong += max(best, share(lambda link, s=s: link[0] == s))
    for t in set(columns) - {t for _, t in links}:
        best = max(matching(s, t, displaced(0, s)) for s in rows)
        wrong += max(best, share(lambda link, t=t: link[1] == t))
    assert one.expected_errors == pytest.approx(wrong, abs=1e-9)


def test_filling_nulls_never_lowers_the_score() -> None:
    _, (source, target) = trees_of(ACTIVE, PASSIVE)
    gain = gain_of(source, target)
    bare = next(pack(source, target, gain, null_cost=1.0).k_best(1))
    full = fill_nulls(bare, source, target, gain, order_cost=1.0)
    assert full.score > bare.score
    assert set(bare.links) < set(full.links)


def test_words_in_chains_are_linked_to_words() -> None:
    trees, (source, target) = trees_of(
        "(S (NP (NNS cooks)) (VP (VBP talk)))", "(S (NNS cooks) (VP (VBP talk)))"
    )
    aligned = align_all(source, target, gain_of(source, target), k=1)
    alignment, *_ = alignment_of(aligned, trees)
    cells = {link.cell for link in alignment.links}
    assert cells == {("n0", "n0"), ("w0", "w0"), ("n3", "n2"), ("w1", "w1")}
    assert alignment.null_source == {"n1"}


def test_gains_of_another_shape_are_refused() -> None:
    _, (source, target) = trees_of(ACTIVE, PASSIVE)
    with pytest.raises(InvalidScores):
        pack(source, target, np.zeros((2, 2)))
