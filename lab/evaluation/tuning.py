"""Numbers that no gradient reaches, by Bayesian optimisation (optuna's TPE sampler).

Every trial is kept in a file with the score of each pair, so that a study goes on where
it was broken off, and what it found can be judged fairly afterwards: by ``nested`` each
fold is scored with the trial that was best on the other folds. Needs optuna, which is
imported here alone, and for tuning alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.data.check import Floats
from core.errors import InvalidValue, Unavailable
from core.learning.ridge import folds


@dataclass(frozen=True, slots=True)
class Range:
    """From ``low`` to ``high``; whole numbers if ``whole``."""

    low: float
    high: float
    whole: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TuningTrial:
    """``shares`` (pairs, 2): recall and precision of every pair."""

    numbers: Mapping[str, float]
    shares: Floats


@dataclass(frozen=True, slots=True)
class Nested:
    """F1: with the first trial's numbers, with those chosen fold by fold, and of the
    best trial on the very pairs it was chosen on; ``differences`` (pairs, 2)."""

    first: float
    chosen: float
    best: float
    numbers: Mapping[str, float]
    differences: Floats


def study(
    score: Callable[[Mapping[str, float]], Floats],
    ranges: Mapping[str, Range],
    start: Mapping[str, float],
    *,
    trials: int,
    seed: int,
    kept: Path,
    on_trial: Callable[[int, float, float], None] | None = None,
) -> list[TuningTrial]:
    """All trials of a study, those of earlier runs too, until there are ``trials``.

    ``score`` gives ``(pairs, 2)`` recall and precision; the first trial is ``start``.
    ``on_trial(number, F1, best F1)`` is told of each; raising from it stops the study.
    The sampler's seed is ``seed`` plus the trials that are kept already. Raises
    Unavailable without optuna.
    """
    optuna = _optuna()
    known = optuna.create_study(
        study_name="numbers",
        direction="maximize",
        storage=f"sqlite:///{kept}",
        load_if_exists=True,
    )
    done = sum("shares" in one.user_attrs for one in known.trials)
    known.sampler = optuna.samplers.TPESampler(seed=seed + done)
    if not done:
        known.enqueue_trial(dict(start))

    def objective(trial: Any) -> float:
        numbers = {name: _suggest(trial, name, ranges[name]) for name in ranges}
        shares = score(numbers)
        trial.set_user_attr("shares", shares.round(6).tolist())
        return f1_of(shares)

    def tell(now: Any, trial: Any) -> None:
        if on_trial:
            on_trial(trial.number, trial.value, now.best_value)

    known.optimize(objective, n_trials=max(trials - done, 0), callbacks=[tell])
    return [
        TuningTrial(one.params, np.array(one.user_attrs["shares"]))
        for one in known.trials
        if "shares" in one.user_attrs
    ]


def nested(trials: Sequence[TuningTrial], *, k: int, seed: int) -> Nested:
    """What choosing among these trials is worth on pairs that did not choose.

    Raises InvalidValue without trials. The trials themselves were proposed with all
    pairs in view, so that a little optimism is left.
    """
    if not trials:
        raise InvalidValue("there is no trial to choose from")
    n = len(trials[0].shares)
    chosen = np.empty((n, 2))
    for part in folds(n, k, np.random.default_rng(seed)):
        rest = np.setdiff1d(np.arange(n), part)
        best = max(trials, key=lambda one: f1_of(one.shares[rest]))
        chosen[part] = best.shares[part]
    top = max(trials, key=lambda one: f1_of(one.shares))
    first = trials[0].shares
    return Nested(
        f1_of(first), f1_of(chosen), f1_of(top.shares), top.numbers, chosen - first
    )


def f1_of(shares: Floats) -> float:
    """F1 of mean recall and mean precision; 0 where both are."""
    recall, precision = (float(x) for x in shares.mean(axis=0))
    total = recall + precision
    return 2 * recall * precision / total if total else 0.0


def _suggest(trial: Any, name: str, over: Range) -> float:
    if over.whole:
        return float(trial.suggest_int(name, int(over.low), int(over.high)))
    return float(trial.suggest_float(name, over.low, over.high))


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise Unavailable("tuning needs optuna: pip install 'gemel[train]'") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
