"""A perceptron of one hidden layer: numbers in, log-odds out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data.check import Floats
from core.errors import InvalidValue
from core.learning.weights_file import pack, unpack


@dataclass(frozen=True, slots=True, eq=False)
class Perceptron:
    """``means, scales`` (f,), ``hidden`` (f + 1, h) and ``out`` (h + 1,): the last row
    of each is the bias. The hidden layer is cut off at zero (rectified)."""

    means: Floats
    scales: Floats
    hidden: Floats
    out: Floats

    def nats(self, rows: Floats) -> Floats:
        """The log-odds of every row ``(..., f)``. O(f h) a row."""
        weights = self.hidden[:-1] / self.scales[:, None]
        bias = self.hidden[-1] - self.means @ weights
        inner = rows @ weights.astype(rows.dtype) + bias.astype(rows.dtype)
        np.maximum(inner, 0, out=inner)
        scores: Floats = (inner @ self.out[:-1] + self.out[-1]).astype(np.float64)
        return scores

    def to_json(self) -> dict[str, Any]:
        arrays = self.means, self.scales, self.hidden, self.out
        names = "means", "scales", "hidden", "out"
        return {k: pack(v) for k, v in zip(names, arrays, strict=True)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Perceptron":
        """Inverse of ``to_json``; raises InvalidValue on anything else."""
        try:
            return cls(*(unpack(data[k]) for k in ("means", "scales", "hidden", "out")))
        except (KeyError, TypeError) as error:
            raise InvalidValue(f"not a perceptron: {error!r}") from error
