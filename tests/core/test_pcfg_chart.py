"""The chart of a PCFG against all of its trees, enumerated."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.forests.inside import inside_log
from core.forests.kbest import best_trees
from core.parsing.pcfg.grammar import Chain, GrammarState, Pairing, RuleTable
from core.parsing.pcfg.parser import Emission, fill
from tests.oracles import pcfg as oracle

ROOT, S, A, B = (GrammarState("p", x) for x in ("ROOT", "S", "A", "B"))
T, U = GrammarState("t", "T"), GrammarState("t", "U")
PART = GrammarState("@", "S", ("x",))
STATES = (ROOT, S, A, B, PART, T, U)
NAMES = ("", "S", "A", "B", "S+A", "A+B")
CHAINS = (
    *(Chain(state, state, "") for state in (PART, T, U)),
    Chain(ROOT, S, "S"), Chain(ROOT, A, "S+A"), Chain(ROOT, T, "S"),
    Chain(A, A, "A"), Chain(A, B, "A+B"), Chain(A, T, "A"), Chain(B, B, "B"),
    Chain(B, U, "B"), Chain(S, S, "S"), Chain(S, A, "S+A"),
)  # fmt: skip
PAIRS = (
    Pairing(S, A, B), Pairing(S, A, PART), Pairing(PART, B, A), Pairing(PART, T, PART),
    Pairing(A, T, A), Pairing(A, U, T), Pairing(B, B, T), Pairing(B, S, U),
    Pairing(S, T, U),
)  # fmt: skip
Words = list[dict[int, float]]


@st.composite
def grammars(draw: Callable[..., Any]) -> tuple[RuleTable, Words]:
    """Some of the rules, with any weights; a sentence with any tags."""
    p = st.sampled_from([0.01, 0.2, 0.5, 1.0])
    kept = {pair: draw(p) for pair in PAIRS if draw(st.integers(0, 3))}
    kept = kept or {PAIRS[-1]: 1.0}
    chains = {chain: draw(p) for chain in CHAINS}
    number = {state: x for x, state in enumerate(STATES)}
    coarse = {GrammarState(s.kind, s.label): x for x, s in enumerate(STATES)}
    names = {name: x for x, name in enumerate(NAMES)}
    rules = RuleTable.of(
        kept, chains, root=ROOT, states=number, coarse=coarse, names=names
    )
    tags = st.dictionaries(st.sampled_from([number[T], number[U]]), p, min_size=1)
    return rules, draw(st.lists(tags, min_size=1, max_size=5))


def _emissions(words: Words) -> list[Emission]:
    return [
        (
            np.array(sorted(word), dtype=np.int32),
            np.array([word[s] for s in sorted(word)]),
        )
        for word in words
    ]


def _enumerated(rules: RuleTable, words: Words) -> list[tuple[float, oracle.Named]]:
    binary, chains = defaultdict(list), defaultdict(list)
    for left in range(rules.n_states):
        for r in range(rules.by_left[left], rules.by_left[left + 1]):
            row = left, int(rules.right[r]), float(rules.p_rule[r])
            binary[int(rules.head[r])].append(row)
        for c in range(rules.by_start[left], rules.by_start[left + 1]):
            name = NAMES[rules.chain_name[c]]
            row_ = int(rules.chain_end[c]), name, float(rules.p_by_start[c])
            chains[left].append(row_)
    return list(oracle.trees(binary, chains, words, rules.root, 0, len(words)))


@given(grammars())
def test_the_chart_sums_all_trees(given_: tuple[RuleTable, Words]) -> None:
    rules, words = given_
    trees = _enumerated(rules, words)
    chart = fill(rules, _emissions(words))
    assert chart.is_complete == bool(trees)
    if trees:
        total = sum(weight for weight, _ in trees)
        assert chart.log_partition == pytest.approx(np.log(total))


@given(grammars())
def test_chain_posteriors_are_the_share_of_trees_that_have_them(
    given_: tuple[RuleTable, Words],
) -> None:
    rules, words = given_
    trees = _enumerated(rules, words)
    if not trees:
        return
    wanted: dict[tuple[int, int, str], float] = defaultdict(float)
    for weight, named in trees:
        for chain in named:
            wanted[chain] += weight / sum(w for w, _ in trees)
    posteriors = fill(rules, _emissions(words)).chain_posteriors(len(NAMES))
    for (i, j, x), p in np.ndenumerate(posteriors):
        if x:
            assert p == pytest.approx(wanted[i, j, NAMES[x]], abs=1e-9)


@given(grammars())
def test_the_forest_has_every_tree_with_its_probability(
    given_: tuple[RuleTable, Words],
) -> None:
    rules, words = given_
    trees = _enumerated(rules, words)
    if not trees:
        return
    emissions = _emissions(words)
    forest, weights = fill(rules, emissions).forest(NAMES, emissions, 1e-13)
    assert inside_log(forest, weights)[-1] == pytest.approx(0.0, abs=1e-6)
    total = sum(weight for weight, _ in trees)
    best = max(weight for weight, _ in trees)
    labels = ["x"] * len(words)
    ranked = best_trees(forest, weights, 1, words=labels, tags=labels)
    assert ranked[0][0] == pytest.approx(np.log(best / total))


@given(grammars())
def test_what_is_pruned_is_less_probable_than_the_threshold(
    given_: tuple[RuleTable, Words],
) -> None:
    rules, words = given_
    emissions = _emissions(words)
    chart = fill(rules, emissions)
    if not chart.is_complete:
        return
    everything = fill(rules, emissions, chart.alive(0.0, len(STATES)))
    assert everything.log_partition == pytest.approx(chart.log_partition)
    few = fill(rules, emissions, chart.alive(0.3, len(STATES)))
    if few.is_complete:
        assert few.log_partition <= chart.log_partition + 1e-9


@given(grammars(), st.floats(1e-250, 1e-3))
def test_tiny_probabilities_do_not_vanish(
    given_: tuple[RuleTable, Words], tiny: float
) -> None:
    rules, words = given_
    chart = fill(rules, _emissions(words))
    small = [{state: p * tiny for state, p in word.items()} for word in words]
    shrunk = fill(rules, _emissions(small))
    assert shrunk.is_complete == chart.is_complete
    if chart.is_complete:
        by = len(words) * np.log(tiny)
        assert shrunk.log_partition == pytest.approx(chart.log_partition + by)
