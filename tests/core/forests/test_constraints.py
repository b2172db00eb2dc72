"""Trees under what somebody has decided, against every tree there is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.check import Floats
from core.errors import InvalidValue
from core.forests.constraints import (
    Bracket,
    Decisions,
    best_phrases,
    consensus_phrases,
)
from core.forests.derivation import Phrase, chain_labels, phrases_of
from core.forests.kbest import viterbi
from core.forests.packing import span_forest
from tests.oracles import strategies
from tests.oracles.brackets import Brackets, weights

NAMES = ("", "A", "B")


@st.composite
def decided(draw: st.DrawFn, n: int) -> Decisions:
    """Any decisions on spans of ``n`` tokens that do not contradict each other."""
    spans = st.integers(0, n - 1).flatmap(
        lambda i: st.tuples(st.just(i), st.integers(i + 1, n))
    )
    labels = st.sampled_from(["", "A", "B"])
    one = st.tuples(spans, labels).map(lambda pair: (*pair[0], pair[1]))
    sets = st.frozensets(one, max_size=2)
    fixed, barred = draw(sets), draw(sets)
    try:
        return Decisions(fixed, barred)
    except InvalidValue:
        return Decisions(frozenset(), barred)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Floats, Decisions]:
    scores = draw(strategies.label_scores(max_tokens=4))
    return scores, draw(decided(len(scores) - 1))


def bracketed(phrases: tuple[Phrase, ...]) -> list[Bracket]:
    return [(i, j, label) for i, j, name in phrases for label in chain_labels(name)]


def keeps(brackets: list[Bracket], decisions: Decisions) -> bool:
    """From the definition."""

    def has(start: int, end: int, label: str) -> bool:
        return any((i, j) == (start, end) and label in ("", x) for i, j, x in brackets)

    return all(has(*b) for b in decisions.fixed) and not any(
        has(*b) for b in decisions.barred
    )


def named(tree: Brackets) -> list[Bracket]:
    return [(i, j, NAMES[x]) for i, j, x in tree if x]


@given(questions())
def test_the_heaviest_tree_that_keeps_all_decisions(
    question: tuple[Floats, Decisions],
) -> None:
    scores, decisions = question
    n_labels = scores.shape[2]
    forest, edge_weights = span_forest(scores, NAMES[:n_labels], margin=1e6)
    if not forest.n_nodes:
        return
    phrases = bracketed(best_phrases(forest, edge_weights, decisions))
    assert keeps(phrases, decisions)
    assert not any(a[0] < b[0] < a[1] < b[1] for a in phrases for b in phrases)
    all_trees = {tree: w for tree, w in weights(scores).items() if w > -np.inf}
    fine = {t: w for t, w in all_trees.items() if keeps(named(t), decisions)}
    if fine:
        best = max(fine.values())
        mine = [w for t, w in fine.items() if sorted(named(t)) == sorted(phrases)]
        assert mine
        assert max(mine) == pytest.approx(best, abs=1e-6)


@given(questions())
def test_the_consensus_has_what_most_trees_that_keep_all_decisions_have(
    question: tuple[Floats, Decisions],
) -> None:
    scores, decisions = question
    forest, edge_weights = span_forest(scores, NAMES[: scores.shape[2]], margin=1e6)
    if not forest.n_nodes:
        return
    phrases = bracketed(consensus_phrases(forest, edge_weights, decisions))
    assert keeps(phrases, decisions)
    all_trees = {tree: w for tree, w in weights(scores).items() if w > -np.inf}
    fine = {t: w for t, w in all_trees.items() if keeps(named(t), decisions)}
    if not fine:
        return
    log_z = np.logaddexp.reduce([*fine.values()])
    for i, j, x in {bracket for tree in fine for bracket in tree if bracket[2]}:
        having = [w for tree, w in fine.items() if (i, j, x) in tree]
        p = np.exp(np.logaddexp.reduce(having) - log_z)
        if abs(p - 0.5) > 1e-6:
            assert ((i, j, NAMES[x]) in phrases) == (p > 0.5)


@given(strategies.label_scores(max_tokens=4))
def test_without_decisions_it_is_the_best_tree(scores: Floats) -> None:
    forest, edge_weights = span_forest(scores, NAMES[: scores.shape[2]], margin=5)
    if forest.n_nodes:
        _, edges = viterbi(forest, edge_weights)
        phrases = best_phrases(forest, edge_weights, Decisions())
        assert sorted(phrases) == sorted(phrases_of(forest, edges))


def test_a_bracket_that_no_tree_of_the_forest_has_is_there_all_the_same() -> None:
    scores = np.zeros((4, 4, 2))
    scores[0, 2, 1] = 9.0
    forest, edge_weights = span_forest(scores, ("", "A"), margin=0.5)
    must = Decisions(frozenset({(1, 3, "PP")}))
    phrases = bracketed(best_phrases(forest, edge_weights, must))
    assert (1, 3, "PP") in phrases
    assert (0, 2, "A") not in phrases


def test_decisions_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(InvalidValue, match="cross"):
        Decisions(frozenset({(0, 2, "A"), (1, 3, "A")}))
    with pytest.raises(InvalidValue, match="required and forbidden"):
        Decisions(frozenset({(0, 2, "A")}), frozenset({(0, 2, "")}))
