"""Weights that are adapted to what a person linked."""

import numpy as np

from core.learning.logistic import LogisticModel
from lab.evaluation.commands.links_curve import _curve
from lab.evaluation.links_learned import adapted


def model() -> LogisticModel:
    return LogisticModel(("x",), np.zeros(1), np.ones(1), np.ones(1), 0.0)


def test_a_model_moves_towards_what_was_linked_and_stays_where_nothing_pulls() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 1))
    wanted = rows[:, 0] < 0  # the opposite of what the model says
    moved = adapted(model(), rows, wanted, penalty=1.0)
    held = adapted(model(), rows, wanted, penalty=1e9)
    assert moved.coefficients[0] < 0
    assert abs(held.coefficients[0] - 1) < 1e-4


def test_a_curve_without_change_gains_nothing() -> None:
    shares = np.full((2, 5, 2), 0.5)
    rows = _curve(shares, [0, 5])
    assert rows[1] == {"pairs": 5, "f1": 50.0, "gain": 0.0, "low": 0.0, "high": 0.0}
