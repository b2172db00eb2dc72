"""Dual decomposition against every pair of trees."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.data.alignment import Link
from core.data.check import Floats, Ints
from core.dependencies.eisner import eisner
from core.dependencies.mst import mst
from core.errors import Contradiction
from core.joint_parsing.duals import (
    Agreed,
    DualDecoder,
    agree_on_arcs,
    slack_of,
)
from core.joint_parsing.linked import (
    LinkedWords,
    SetLinks,
    linked_words,
    word_groups,
)
from tests.oracles import joint, strategies


@st.composite
def pairs_of_sentences(
    draw: st.DrawFn, most: int = 4
) -> tuple[Floats, Floats, LinkedWords]:
    """Arc weights of two sentences and one-to-one links, ROOT's among them or not."""
    source = draw(strategies.arc_scores(max_tokens=most))
    target = draw(strategies.arc_scores(max_tokens=most))
    n, m = len(source) - 1, len(target) - 1
    words = draw(st.permutations(range(1, m + 1)))
    kept = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    cells = [(i + 1, words[i]) for i in range(min(n, m)) if kept[i]]
    cells = [(0, 0), *cells] if draw(st.booleans()) else cells
    pairs = np.array(cells, dtype=np.int32).reshape(-1, 2)
    probs = np.linspace(1.0, 0.5, len(cells))
    return source, target, LinkedWords(pairs, probs, (None,) * len(cells))


def decoded(
    case: tuple[Floats, Floats, LinkedWords],
    slack: Floats,
    *,
    projective: bool,
    rounds: int = 200,
    one_sided: bool = False,
) -> Agreed:
    source, target, linked = case
    decoder = DualDecoder(len(source) - 1, len(target) - 1, projective=projective)
    try:
        return decoder.decode(
            source, target, linked, slack, rounds=rounds, one_sided=one_sided
        )
    except Contradiction:
        assume(False)
        raise


@settings(max_examples=150, deadline=None)
@given(
    pairs_of_sentences(), st.floats(0, 3), st.booleans(), st.booleans(), st.booleans()
)
def test_certified_pair_is_the_best_of_all(
    case: tuple[Floats, Floats, LinkedWords],
    slack: float,
    projective: bool,
    by_prob: bool,
    one_sided: bool,
) -> None:
    source, target, linked = case
    high = slack_of(linked, slack, by_prob=by_prob)
    pair = decoded(case, high, projective=projective, one_sided=one_sided)
    low = 0 * high if one_sided else -high
    best = joint.best_pair(
        source, target, linked.pairs, low, high, projective=projective
    )
    assert pair.score <= best + 1e-9 <= pair.bound + 2e-9
    if pair.is_exact:
        assert pair.score == pytest.approx(best, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(pairs_of_sentences(), st.booleans())
def test_hard_agreement_when_certified_is_the_best_that_agrees(
    case: tuple[Floats, Floats, LinkedWords],
    projective: bool,
) -> None:
    source, target, linked = case
    high = slack_of(linked, np.inf)
    pair = decoded(case, high, projective=projective)
    best = joint.best_pair(
        source, target, linked.pairs, -high, high, projective=projective
    )
    assert best <= pair.bound + 1e-9
    if pair.is_exact:
        assert pair.score == pytest.approx(best, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(pairs_of_sentences(most=6), st.booleans())
def test_no_slack_is_parsing_apart(
    case: tuple[Floats, Floats, LinkedWords],
    projective: bool,
) -> None:
    source, target, linked = case
    pair = decoded(case, slack_of(linked, 0.0), projective=projective)
    alone = eisner if projective else mst
    assert pair.is_exact
    assert len(pair.rounds) == 1
    assert tuple(pair.source) == tuple(alone(source)[1])
    assert tuple(pair.target) == tuple(alone(target)[1])


@settings(max_examples=60, deadline=None)
@given(pairs_of_sentences(most=5), st.sampled_from([np.inf, 0.3, 1.0]))
def test_certified_pair_solves_the_integer_programme(
    case: tuple[Floats, Floats, LinkedWords], slack: float
) -> None:
    source, target, linked = case
    pair = decoded(case, slack_of(linked, slack), projective=False)
    assume(pair.is_exact)
    best = joint.programme(
        source, target, linked.pairs, hard=slack == np.inf, slack=slack
    )
    assert pair.score == pytest.approx(best, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(pairs_of_sentences(), st.integers(1, 6), st.booleans())
def test_the_last_round_is_the_best_pair_under_its_duals(
    case: tuple[Floats, Floats, LinkedWords], rounds: int, one_sided: bool
) -> None:
    """Algorithms 1 and 2 by hand, round by round."""
    source, target, linked = case
    slack = slack_of(linked, 0.7)
    pair = decoded(case, slack, projective=True, rounds=rounds, one_sided=one_sided)
    duals, step, last = np.zeros_like(slack), 1.0, np.inf
    for _ in range(len(pair.rounds)):
        trees, dual = _trees_under(source, target, linked, duals)
        step = step / 2 if dual > last else step
        last = dual
        for i, j, difference in _differences(linked, *trees):
            moved = duals[i, j] - step * difference
            duals[i, j] = np.clip(moved, 0.0 if one_sided else -0.7, 0.7)
    assert pair.rounds[-1].dual == pytest.approx(last, abs=1e-9)
    assert pair.rounds[-1].disagreements == len(_differences(linked, *pair.last))


def _trees_under(
    source: Floats, target: Floats, linked: LinkedWords, duals: Floats
) -> tuple[tuple[Floats, Floats], float]:
    bonus = [np.zeros_like(source), np.zeros_like(target)]
    for i, (s, t) in enumerate(linked.pairs):
        for j, (u, v) in enumerate(linked.pairs):
            if i != j:
                bonus[0][s, u], bonus[1][t, v] = duals[i, j], -duals[i, j]
    a, b = eisner(source + bonus[0]), eisner(target + bonus[1])
    return (a[1], b[1]), a[0] + b[0]


def _differences(
    linked: LinkedWords, a: Floats, b: Floats
) -> list[tuple[int, int, int]]:
    differences = []
    for i, (s, t) in enumerate(linked.pairs):
        for j, (u, v) in enumerate(linked.pairs):
            if i != j and u > 0:
                difference = int(a[u - 1] + 1 == s) - int(b[v - 1] + 1 == t)
                if difference:
                    differences.append((i, j, difference))
    return differences


@st.composite
def sets_of_sentences(draw: st.DrawFn) -> tuple[list[Floats], Ints]:
    """Three sentences of up to three words, and which of their words are linked."""
    sides = [draw(strategies.arc_scores(max_tokens=3)) for _ in range(3)]
    edges = []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        n, m = len(sides[a]) - 1, len(sides[b]) - 1
        cells = st.tuples(st.integers(0, n - 1), st.integers(0, m - 1))
        ends = draw(st.lists(cells, max_size=4))
        links = [Link(f"w{s}", f"w{t}") for s, t in ends]
        edges.append(SetLinks(a, b, linked_words(links, n, m)))
    return sides, word_groups(edges, 3)


@settings(max_examples=150, deadline=None)
@given(sets_of_sentences(), st.sampled_from([0.0, 0.4, 1.5, np.inf]), st.booleans())
def test_a_certified_set_is_the_best_of_all(
    case: tuple[list[Floats], Ints], slack: float, projective: bool
) -> None:
    sides, groups = case
    try:
        found = agree_on_arcs(
            sides, groups, slack=slack, projective=projective, rounds=30
        )
    except Contradiction:
        assume(False)
        raise
    best = joint.best_set(sides, groups, slack, projective=projective)
    assert found.score <= best + 1e-9
    assert best <= found.bound + 1e-9
    if found.bound - found.score < 1e-7:
        assert found.score == pytest.approx(best, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(pairs_of_sentences(most=5), st.floats(0, 2))
def test_a_set_of_two_is_a_pair(
    case: tuple[Floats, Floats, LinkedWords], slack: float
) -> None:
    source, target, linked = case
    pair = decoded(case, slack_of(linked, slack), projective=True, rounds=60)
    groups = word_groups([SetLinks(0, 1, linked)], 2)
    both = agree_on_arcs(
        [source, target], groups, slack=slack, projective=True, rounds=60
    )
    if pair.is_exact and both.bound - both.score < 1e-7:
        assert both.score == pytest.approx(pair.score, abs=1e-6)


def test_most_decide_where_one_differs() -> None:
    """Two sure sentences outvote a third, which pays less than it wins by staying."""
    sure = np.array([[0, 0.0, -9], [0, 0, 0], [0, -9, 0]], dtype=float)
    unsure = np.array([[0, -0.5, 0.0], [0, 0, -0.5], [0, 0.0, 0]], dtype=float)
    links = [Link("w0", "w0"), Link("w1", "w1")]
    edges = [
        SetLinks(a, b, linked_words(links, 2, 2)) for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    groups = word_groups(edges, 3)
    assert groups.tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
    found = agree_on_arcs(
        [unsure, sure, sure], groups, slack=1.0, projective=True, rounds=20
    )
    assert [heads.tolist() for heads in found.heads] == [[-1, 0]] * 3
    alone = agree_on_arcs(
        [unsure, sure, sure], groups, slack=0.1, projective=True, rounds=20
    )
    assert alone.heads[0].tolist() == [1, -1]


def test_no_group_holds_two_words_of_a_sentence() -> None:
    links = {
        (0, 1): [Link("w0", "w0", attrs={"prob": "0.9"})],
        (1, 2): [Link("w0", "w1", attrs={"prob": "0.8"})],
        (0, 2): [Link("w1", "w1", attrs={"prob": "0.5"})],
    }
    edges = [SetLinks(a, b, linked_words(x, 2, 2)) for (a, b), x in links.items()]
    assert word_groups(edges, 3).tolist() == [[0, 0, 0], [1, 1, 2]]
