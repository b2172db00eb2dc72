"""The consensus tree against enumeration, and what follows from its definition."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.data.check import Floats
from core.data.forest import Forest
from core.data.tokens import Sentence
from core.errors import Contradiction
from core.forests.cky import cky, log_partition
from core.forests.derivation import Phrase, chain_labels, phrases_of
from core.forests.inside import forest_marginals
from core.forests.kbest import best_trees, trees_of
from core.forests.packing import span_forest
from core.parsing.consensus import COST, consensus, in_forest
from core.protocols import Analysis
from tests.oracles import strategies
from tests.oracles.brackets import Brackets, weights
from tests.oracles.forests import derivations

NAMES = ("", "NP", "S", "S+NP", "NP+NP")
Bracket = tuple[int, int, str, int]


def brackets(tree: Brackets) -> set[Bracket]:
    return {b for i, j, x in tree for b in chain_brackets(i, j, NAMES[x])}


def chain_brackets(i: int, j: int, name: str) -> set[Bracket]:
    """Every label of a chain; a label's second time in it apart."""
    labels = chain_labels(name)
    return {(i, j, label, labels[:k].count(label)) for k, label in enumerate(labels)}


def shares(scores: Floats) -> tuple[dict[Brackets, float], dict[Bracket, float]]:
    """Every tree with its weight, every bracket with its probability."""
    trees = weights(scores)
    total = np.logaddexp.reduce(list(trees.values()))
    p: Counter[Bracket] = Counter()
    for tree, weight in trees.items():
        for bracket in brackets(tree):
            p[bracket] += float(np.exp(weight - total))
    return trees, p


def ids(phrases: tuple[Phrase, ...]) -> Brackets:
    return frozenset((i, j, NAMES.index(name)) for i, j, name in phrases)


@given(strategies.label_scores(max_tokens=3, max_labels=5))
def test_no_tree_is_expected_to_have_more_right_less_half_of_its_brackets(
    scores: Floats,
) -> None:
    names = NAMES[: scores.shape[2]]
    if log_partition(scores) == -np.inf:
        with pytest.raises(Contradiction):
            consensus(scores, names)
        return
    trees, p = shares(scores)

    def gain(tree: Brackets) -> float:
        return sum(p[bracket] - 0.5 for bracket in brackets(tree))

    try:
        score, log_z, phrases = consensus(scores, names)
    except Contradiction:  # then it is none of the trees that are allowed
        assert not np.isfinite(scores).all()
        return
    best = ids(phrases)
    assert score == pytest.approx(trees[best], abs=1e-9)
    assert log_z == pytest.approx(log_partition(scores), abs=1e-9)
    assert gain(best) == pytest.approx(max(map(gain, trees)), abs=1e-7)


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_a_sure_parser_has_its_best_tree_as_consensus(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = 60.0 * rng.permuted(np.arange((n + 1) ** 2 * 3.0)).reshape(n + 1, n + 1, 3)
    most, phrases = cky(scores)
    assume(log_partition(scores) - most < 1e-6)  # two trees may have equal sums
    best = frozenset((int(i), int(j), int(x)) for i, j, x in phrases)
    assert ids(consensus(scores, NAMES[:3])[2]) == best


def test_labels_of_a_chain_are_judged_one_by_one() -> None:
    """S alone 0.4, S over NP 0.35, NP alone 0.25: S has 0.75, NP 0.6."""
    scores = np.full((2, 2, 4), -np.inf)
    scores[0, 1, 1:] = np.log([0.25, 0.4, 0.35])
    assert consensus(scores, NAMES[:4])[2] == ((0, 1, "S+NP"),)


def test_the_consensus_is_shown_first_and_once() -> None:
    scores = np.random.default_rng(3).normal(size=(6, 6, 3))
    forest, edges = span_forest(scores, NAMES[:3])
    words = tuple("abcde")
    score, _, phrases = consensus(scores, NAMES[:3])
    plain = best_trees(forest, edges, 6, words=words, tags=("X",) * 5)
    answer = Analysis(Sentence.of("a b c d e"), forest, edges, (score, phrases))
    shown = trees_of(answer, 6)
    assert shown[0][0] == pytest.approx(score)
    assert len({tree for _, tree in shown}) == len(shown) == 6
    others = [tree for _, tree in shown[1:]]
    assert others == [tree for _, tree in plain if tree != shown[0][1]][:5]
    assert trees_of(answer, 1) == shown[:1]
    heaviest = trees_of(Analysis(answer.sentence, forest, edges), 6)
    assert heaviest == plain


@given(strategies.forests())
def test_no_tree_of_a_forest_is_expected_to_have_more_of_its_brackets(
    case: tuple[Forest, Floats],
) -> None:
    forest, weights = case
    p_node, _ = forest_marginals(forest, weights)
    n, n_names = forest.n_tokens, len(forest.names)
    posterior = np.zeros((n + 1, n + 1, n_names))
    np.add.at(posterior, (forest.starts, forest.ends, forest.labels), p_node)
    p: Counter[Bracket] = Counter()
    for i, j, x in zip(*np.nonzero(posterior), strict=True):
        for bracket in chain_brackets(int(i), int(j), forest.names[x]):
            p[bracket] += float(posterior[i, j, x])

    def gain(phrases: list[Phrase]) -> float:
        return sum(p[b] - COST for row in phrases for b in chain_brackets(*row))

    trees = [phrases_of(forest, np.array(edges)) for edges in derivations(forest)]
    chosen = list(in_forest(forest, posterior))
    assert sorted(chosen) in [sorted(tree) for tree in trees]
    assert gain(chosen) == pytest.approx(max(gain(tree) for tree in trees))
