"""Dual decomposition against every pair of trees."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.data.check import Floats
from core.errors import Contradiction
from core.inference.eisner import eisner
from core.inference.mst import mst
from core.joint.duals import Agreed, DualDecoder, slack_of
from core.joint.linked import Linked
from tests.oracles import joint, strategies


@st.composite
def pairs_of_sentences(draw: st.DrawFn, most: int = 4) -> tuple[Floats, Floats, Linked]:
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
    return source, target, Linked(pairs, probs, (None,) * len(cells))


def decoded(
    case: tuple[Floats, Floats, Linked],
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
    case: tuple[Floats, Floats, Linked],
    slack: float,
    projective: bool,
    by_prob: bool,
    one_sided: bool,
) -> None:
    source, target, linked = case
    high = slack_of(linked, slack, by_prob=by_prob)
    found = decoded(case, high, projective=projective, one_sided=one_sided)
    low = 0 * high if one_sided else -high
    best = joint.best_pair(
        source, target, linked.pairs, low, high, projective=projective
    )
    assert found.score <= best + 1e-9 <= found.bound + 2e-9
    if found.is_exact:
        assert found.score == pytest.approx(best, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(pairs_of_sentences(), st.booleans())
def test_hard_agreement_when_certified_is_the_best_that_agrees(
    case: tuple[Floats, Floats, Linked],
    projective: bool,
) -> None:
    source, target, linked = case
    high = slack_of(linked, np.inf)
    found = decoded(case, high, projective=projective)
    best = joint.best_pair(
        source, target, linked.pairs, -high, high, projective=projective
    )
    assert best <= found.bound + 1e-9
    if found.is_exact:
        assert found.score == pytest.approx(best, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(pairs_of_sentences(most=6), st.booleans())
def test_no_slack_is_parsing_apart(
    case: tuple[Floats, Floats, Linked],
    projective: bool,
) -> None:
    source, target, linked = case
    found = decoded(case, slack_of(linked, 0.0), projective=projective)
    alone = eisner if projective else mst
    assert found.is_exact
    assert len(found.rounds) == 1
    assert tuple(found.source) == tuple(alone(source)[1])
    assert tuple(found.target) == tuple(alone(target)[1])


@settings(max_examples=60, deadline=None)
@given(pairs_of_sentences(most=5), st.sampled_from([np.inf, 0.3, 1.0]))
def test_certified_pair_solves_the_integer_programme(
    case: tuple[Floats, Floats, Linked], slack: float
) -> None:
    source, target, linked = case
    found = decoded(case, slack_of(linked, slack), projective=False)
    assume(found.is_exact)
    best = joint.programme(
        source, target, linked.pairs, hard=slack == np.inf, slack=slack
    )
    assert found.score == pytest.approx(best, abs=1e-5)


def test_a_warm_start_needs_fewer_rounds() -> None:
    rng = np.random.default_rng(5)
    source, target = rng.normal(size=(9, 9)) * 2, rng.normal(size=(9, 9)) * 2
    pairs = np.array([(i, i) for i in range(9)], dtype=np.int32)
    linked = Linked(pairs, np.ones(9), (None,) * 9)
    decoder = DualDecoder(8, 8)
    slack = slack_of(linked, 0.5)
    cold = decoder.decode(source, target, linked, slack, rounds=200)
    warm = decoder.decode(
        source, target, linked, slack, rounds=200, start=cold.duals, step=0.01
    )
    assert cold.is_exact
    assert warm.is_exact
    assert len(warm.rounds) < len(cold.rounds)
    assert warm.score == pytest.approx(cold.score)
