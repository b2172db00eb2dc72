"""Active learning played: who begins alike, reads what is bought, and learns by it."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from core.errors import InvalidValue
from core.parsing.pcfg.grammar import Sample
from lab.__main__ import main
from lab.evaluation.active import PLAYED, LearningPlan, LearningPoint, area, play
from tests import small_pcfg

PLAN = LearningPlan(first=60, step=30, rounds=3, drawn=8)


def _samples() -> tuple[list[Sample], list[Sample]]:
    samples = list(small_pcfg.examples().samples)
    return samples[::2] + samples[1::4], samples[3::4]


def _curve(
    order: str, *, plan: LearningPlan = PLAN, seed: int = 1
) -> list[LearningPoint]:
    pool, held_back = _samples()
    return list(play(pool, held_back, order, plan=plan, seed=seed))


@pytest.mark.parametrize("order", PLAYED)
def test_an_order_buys_as_many_words_as_planned(order: str) -> None:
    curve = _curve(order)
    longest = max(one.end for one in _samples()[0])
    assert len(curve) == PLAN.rounds + 1
    assert curve[0] == _curve("random")[0]
    for a, b in pairwise(curve):
        assert PLAN.step <= b.words - a.words < PLAN.step + longest
        assert b.sentences > a.sentences
        assert b.corrections >= a.corrections
    assert curve == _curve(order)


def test_another_seed_begins_with_other_trees() -> None:
    curves = [_curve("random", seed=seed) for seed in range(1, 6)]
    assert len({tuple(curve) for curve in curves}) > 1


def test_a_pool_that_is_read_to_its_end_ends_the_curve() -> None:
    pool, _ = _samples()
    words = sum(one.end for one in pool)
    plan = LearningPlan(first=60, step=words, rounds=9, drawn=len(pool))
    curves = {order: _curve(order, plan=plan) for order in PLAYED}
    for curve in curves.values():
        assert [one.words for one in curve] == [curve[0].words, words]
    assert len({curve[-1].f1 for curve in curves.values()}) == 1


def test_the_longest_are_read_first() -> None:
    pool, held_back = _samples()
    plan = LearningPlan(first=60, step=1, rounds=1, drawn=len(pool))
    before, after = play(pool, held_back, "longest", plan=plan, seed=1)
    most = max(one.end for one in pool)
    begun = _curve("longest", plan=plan)[0]
    assert after.words - before.words == most or begun.words >= most


def test_what_is_read_teaches() -> None:
    plan = LearningPlan(first=8, step=60, rounds=3, drawn=20)
    for seed in (1, 2):
        curve = _curve("doubt", plan=plan, seed=seed)
        assert curve[-1].f1 > curve[0].f1


def test_area_is_the_mean_over_words() -> None:
    def points(*places: tuple[int, float]) -> list[LearningPoint]:
        return [LearningPoint(words, 1, 0, f1, 0.0) for words, f1 in places]

    assert area(points((10, 50.0))) == 50
    assert area(points((10, 40.0), (20, 60.0))) == 50
    assert area(points((0, 0.0), (30, 60.0), (40, 60.0))) == pytest.approx(37.5)


def test_an_order_that_is_not_there_and_a_plan_of_nothing_are_refused() -> None:
    with pytest.raises(InvalidValue, match="no order 'alphabet'"):
        _curve("alphabet")
    with pytest.raises(InvalidValue, match="at least 1"):
        LearningPlan(step=0)


def test_the_command_tells_gains_over_random(tmp_path: Path, capsys) -> None:
    trees = list(small_pcfg.bracketings())
    for name, part in (("pool", trees), ("held", trees[::5] * 4)):
        (tmp_path / f"{name}.mrg").write_text("\n".join(part), encoding="utf-8")
    pool, held = f"{tmp_path}/pool.mrg", f"{tmp_path}/held.mrg"
    words = f"evaluate learning-curve --gold {pool} --held-back {held}"
    plan = "--first 60 --step 30 --rounds 2 --seeds 2 --json"
    code = main(f"{words} {plan}".split())
    results = json.loads(capsys.readouterr().out)
    assert code == 0
    assert set(results["orders"]) == set(PLAYED)
    assert results["orders"]["random"]["gains"] == [0.0, 0.0]
    assert len(results["orders"]["doubt"]["points"]) == 3
