"""Tuning by Bayesian optimisation: kept trials, and what choosing is worth."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from core.data.check import Floats
from core.errors import InvalidValue
from core.learning.ridge import folds
from lab.evaluation.tuning import Range, TuningTrial, f1_of, nested, study

RANGES = {"cost": Range(0.0, 4.0), "beam": Range(1, 5, whole=True)}
START = {"cost": 3.5, "beam": 1.0}


def score(numbers: Mapping[str, float]) -> Floats:
    """Best at a cost of 1 and a beam of 4."""
    off = abs(numbers["cost"] - 1) / 4 + abs(numbers["beam"] - 4) / 8
    return np.full((6, 2), 1 - off)


def test_a_study_begins_with_the_present_numbers_and_does_better(
    tmp_path: Path,
) -> None:
    trials = study(score, RANGES, START, trials=25, seed=1, kept=tmp_path / "a.db")
    assert dict(trials[0].numbers) == START
    best = max(trials, key=lambda one: f1_of(one.shares))
    assert f1_of(best.shares) > f1_of(trials[0].shares) + 0.2
    assert all(float(one.numbers["beam"]).is_integer() for one in trials)


def test_a_study_broken_off_goes_on_with_what_is_kept(tmp_path: Path) -> None:
    def stop(at: int, f1: float, best: float) -> None:
        raise KeyboardInterrupt if at == 2 else StopAsyncIteration

    kept = tmp_path / "b.db"
    with pytest.raises((KeyboardInterrupt, StopAsyncIteration)):
        study(score, RANGES, START, trials=4, seed=0, kept=kept, on_trial=stop)
    told: list[int] = []
    trials = study(
        score,
        RANGES,
        START,
        trials=4,
        seed=0,
        kept=kept,
        on_trial=lambda at, f1, best: told.append(at),
    )
    assert len(trials) == 4
    assert len(told) == 3
    assert dict(trials[0].numbers) == START


def test_nested_choice_scores_each_fold_with_what_is_best_elsewhere() -> None:
    rng = np.random.default_rng(3)
    trials = [
        TuningTrial({"cost": float(k)}, rng.uniform(size=(9, 2))) for k in range(4)
    ]
    choice = nested(trials, k=3, seed=5)
    wanted = np.empty((9, 2))
    for part in folds(9, 3, np.random.default_rng(5)):
        rest = [at for at in range(9) if at not in part]
        by_f1 = [f1_of(one.shares[rest]) for one in trials]
        wanted[part] = trials[int(np.argmax(by_f1))].shares[part]
    assert choice.chosen == pytest.approx(f1_of(wanted))
    assert choice.first == pytest.approx(f1_of(trials[0].shares))
    assert choice.best == max(f1_of(one.shares) for one in trials)
    assert choice.differences == pytest.approx(wanted - trials[0].shares)
    with pytest.raises(InvalidValue):
        nested([], k=3, seed=0)
