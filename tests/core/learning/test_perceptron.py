"""The small network: what it learns, its slope, and its weights as text."""

import numpy as np
import pytest

from core.errors import InvalidValue
from core.formats.packed import pack, unpack
from core.learning.perceptron import Perceptron
from core.learning.perceptron_fitting import FitSettings, fit_perceptron


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


def test_weights_survive_as_text() -> None:
    rng = np.random.default_rng(1)
    net = Perceptron(rng.normal(size=3), np.ones(3), rng.normal(size=(4, 5)),
                     rng.normal(size=6))  # fmt: skip
    rows = rng.normal(size=(50, 3))
    again = Perceptron.from_json(net.to_json())
    assert again.nats(rows) == pytest.approx(net.nats(rows), abs=2e-3)
    with pytest.raises(InvalidValue):
        Perceptron.from_json({"means": {}})


@pytest.mark.parametrize("bits", [8, 16])
def test_packed_numbers_are_within_half_a_step(bits: int) -> None:
    array = np.random.default_rng(2).normal(size=(20, 6)) * [1, 10, 100, 0, 1e-3, 1e6]
    unpacked = unpack(pack(array, bits=bits))
    step = np.abs(array).max(0) / (2 ** (bits - 1) - 1)
    assert (np.abs(unpacked - array) <= 0.5001 * step + 1e-5 * np.abs(array)).all()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"shape": [2, 2], "bits": 8, "scales": [1, 1], "data": "00"},
        {"shape": [1], "bits": 9, "scales": [1], "data": "00"},
        {"shape": "x", "bits": 8, "scales": [1], "data": "\x00"},
    ],
)
def test_what_is_not_packed_is_refused(data: dict) -> None:
    with pytest.raises(InvalidValue, match="packed"):
        unpack(data)
