"""The small network: its weights as text."""

import numpy as np
import pytest

from core.errors import InvalidValue
from core.learning.perceptron import Perceptron
from core.learning.weights_file import pack, unpack


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
