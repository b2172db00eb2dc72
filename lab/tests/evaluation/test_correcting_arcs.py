"""An annotator of arcs who is played: each wrong word is a step, unless it follows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.check import Floats
from core.data.deps import ROOT, DepAnalysis, DepTree
from core.dependencies.mst import arcs_under, decided_heads, mst
from lab.evaluation.correcting_arcs import (
    ArcCourse,
    ArcTally,
    correct_arcs,
    followed_heads,
)
from tests.oracles import strategies
from tests.oracles.arcs import dependency_trees, weight

TREES = {n: list(dependency_trees(n, projective=False)) for n in range(1, 6)}


def labelled(heads) -> DepTree:
    return DepTree(tuple(heads), tuple("root" if h < 0 else "dep" for h in heads))


@st.composite
def finite(draw: st.DrawFn, n: int) -> Floats:
    """Weights that forbid nothing."""
    return np.nan_to_num(draw(strategies.arrays((n + 1, n + 1), 4.0)), neginf=-9.0)


@st.composite
def decisions(draw: st.DrawFn, n: int) -> dict[int, int]:
    """Some arcs of one tree: together they are possible."""
    heads = draw(st.sampled_from(TREES[n]))
    chosen = draw(st.sets(st.integers(0, n - 1)))
    return {m: heads[m] for m in chosen}


@given(st.data())
def test_under_decisions_the_best_tree_is_the_best_that_has_them(data) -> None:
    n = data.draw(st.integers(1, 5))
    arcs = data.draw(finite(n))
    decided = data.draw(decisions(n))
    score, heads = mst(arcs_under(arcs, decided))
    fit = [t for t in TREES[n] if all(t[m] == h for m, h in decided.items())]
    assert score == pytest.approx(max(weight(t, arcs) for t in fit), abs=1e-9)
    assert tuple(heads.tolist()) in fit


def test_a_forbidden_arc_is_possible_once_it_is_decided() -> None:
    arcs = np.full((3, 3), -np.inf)
    arcs[0, 1] = arcs[1, 2] = 0.0
    assert mst(arcs_under(arcs, {1: ROOT, 0: 1}))[1].tolist() == [1, ROOT]


def test_a_step_decides_its_word_and_whatever_it_moved() -> None:
    steps = [((1, ROOT, 1), (1, ROOT, 0), 2), ((1, ROOT, 0), (1, ROOT, 0), 0)]
    assert decided_heads(steps) == {0: 1, 2: 0}
    whole = ((1, ROOT, 0), (ROOT, 0, 0), -1)
    assert decided_heads([*steps, whole]) == {0: ROOT, 1: 0, 2: 0}


@given(st.data())
def test_what_follows_is_a_tree_that_keeps_what_is_decided(data) -> None:
    n = data.draw(st.integers(2, 5))
    arcs = data.draw(finite(n))
    gold = data.draw(st.sampled_from(TREES[n]))
    m = data.draw(st.integers(0, n - 1))
    heads = [*mst(arcs)[1].tolist()]
    heads[m] = gold[m]
    new = followed_heads(heads, ({}, {m: gold[m]}), arcs)
    assert new[m] == gold[m]
    assert new in TREES[n] or list(new) == heads


def analysis(arcs: Floats) -> DepAnalysis:
    return DepAnalysis(labelled(mst(arcs)[1].tolist()), arcs)


@given(st.data())
def test_gold_is_reached_by_a_step_for_each_wrong_word(data) -> None:
    n = data.draw(st.integers(1, 5))
    guess = analysis(data.draw(finite(n)))
    gold = labelled(data.draw(st.sampled_from(TREES[n])))
    wrong = sum(a != b for a, b in zip(guess.tree.heads, gold.heads, strict=True))
    assert correct_arcs(guess, gold).cost == wrong
    course = correct_arcs(guess, gold, arcs=guess.arcs)
    assert course.refused <= course.followed
    tally = ArcTally()
    tally.add(gold, guess)
    assert (tally.steps, tally.wrong, tally.steps_following) == (
        wrong, wrong, course.cost,
    )  # fmt: skip


def test_the_former_root_follows_the_new_one() -> None:
    arcs = np.zeros((4, 4))
    arcs[0, 1] = arcs[1, 2] = arcs[1, 3] = 2.0
    arcs[2, 1] = 1.0
    guess, gold = analysis(arcs), labelled((1, ROOT, 0))
    assert guess.tree.heads == (ROOT, 0, 0)
    assert correct_arcs(guess, gold).cost == 2
    assert correct_arcs(guess, gold, arcs=arcs) == ArcCourse(1, followed=1)
