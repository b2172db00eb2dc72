"""What is fitted with scikit-learn: logistic models and small networks."""

import numpy as np
import pytest

from core.errors import InvalidValue
from lab.evaluation.fitting import FitSettings, fit_logistic, fit_perceptron


def test_it_learns_what_no_straight_line_can() -> None:
    rows = np.random.default_rng(0).uniform(-1, 1, (2000, 2)).astype(np.float32)
    either = (rows[:, 0] > 0) != (rows[:, 1] > 0)
    net = fit_perceptron(rows, either, FitSettings(width=16, epochs=30, batch=64))
    assert ((net.nats(rows) > 0) == either).mean() > 0.95
    again = fit_perceptron(rows, either, FitSettings(width=16, epochs=30, batch=64))
    assert (again.nats(rows) == net.nats(rows)).all()


def test_rows_count_as_often_as_they_weigh() -> None:
    rows = np.zeros((400, 1), np.float32)
    rows[:200] = 1
    positive = np.tile([True, False], 200)
    counts = np.where(positive, 3.0, 1.0).astype(np.float32)
    settings = FitSettings(width=4, epochs=400, batch=400, penalty=0.0, rate=0.05)
    net = fit_perceptron(rows, positive, settings, weights=counts)
    assert net.nats(rows) == pytest.approx(np.log(3), abs=0.05)


def test_one_class_alone_is_refused() -> None:
    with pytest.raises(InvalidValue, match="both classes"):
        fit_perceptron(np.zeros((3, 2)), np.ones(3, bool), FitSettings())


def test_logistic_fit_finds_the_separating_feature() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(0, 1, (400, 3))
    rows[:, 2] = 7.0
    positive = rows[:, 0] + rng.normal(0, 0.5, 400) > 0
    model = fit_logistic(rows, positive, ["x", "noise", "constant"], penalty=1.0)
    weights = dict(zip(model.names, model.coefficients, strict=True))
    assert weights["x"] > 1.5
    assert abs(weights["noise"]) < 0.4
    assert weights["constant"] == pytest.approx(0.0, abs=1e-6)
    said = model.nats(rows) > 0
    assert (said == positive).mean() > 0.8
    assert model.log_odds({"x": rows[0, 0], "noise": rows[0, 1]}) == pytest.approx(
        model.nats(rows)[0], abs=1e-6
    )


def test_a_fitted_model_has_no_slope_of_its_loss() -> None:
    """log-loss + penalty / 2 |w|^2, differentiated by hand."""
    rng = np.random.default_rng(6)
    rows = rng.normal(3, 2, (200, 4))
    positive = rows @ [1.0, -1.0, 0.5, 0.0] + rng.normal(0, 1, 200) > 0.3
    model = fit_logistic(rows, positive, list("abcd"), penalty=2.0)
    wrong = 1 / (1 + np.exp(-model.nats(rows))) - positive
    x = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    np.testing.assert_allclose(x.T @ wrong, -2.0 * model.coefficients, atol=1e-4)
    assert wrong.sum() == pytest.approx(0.0, abs=1e-4)


def test_labels_of_one_class_are_refused() -> None:
    with pytest.raises(InvalidValue, match="both classes"):
        fit_logistic(np.zeros((50, 2)), np.ones(50, bool), ["a", "b"])
