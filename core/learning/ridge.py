"""Ridge regression on named features: a log-linear combination of a few components.

Folds for cross-validation, and members that must stay together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data.check import Floats
from core.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class LinearModel:
    """``scores(rows)``: standardised features times weights, plus the bias."""

    names: tuple[str, ...]
    means: Floats
    scales: Floats
    weights: Floats
    bias: float

    def scores(self, rows: Floats) -> Floats:
        """``(n, f)`` to ``(n,)``."""
        scores: Floats = (rows - self.means) / self.scales @ self.weights + self.bias
        return scores

    def to_json(self) -> dict[str, Any]:
        arrays = {"means": self.means, "scales": self.scales, "weights": self.weights}
        plain = {name: values.tolist() for name, values in arrays.items()}
        return {"names": list(self.names), **plain, "bias": self.bias}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "LinearModel":
        """Raises KeyError, TypeError or ValueError if this is not such a model."""
        names = tuple(data["names"])
        means, scales, weights = (
            np.array(data[key], float) for key in ("means", "scales", "weights")
        )
        if any(one.shape != (len(names),) for one in (means, scales, weights)):
            raise ValueError("expected as many values as names")
        return cls(names, means, scales, weights, float(data["bias"]))


def fit_ridge(
    rows: Floats, targets: Floats, names: Sequence[str], *, penalty: float = 10.0
) -> LinearModel:
    """Least squares plus ``penalty`` times the squared norm (Hoerl & Kennard 1970).

    Features are standardised; a constant one gets no weight. Raises InvalidValue if
    rows, targets and names do not match, or a value is not finite. O(n f^2).
    """
    if rows.shape != (len(targets), len(names)) or not len(targets):
        raise InvalidValue("expected one row of features per target, and at least one")
    if not np.isfinite(rows).all() or not np.isfinite(targets).all():
        raise InvalidValue("expected finite features and targets")
    means, scales = rows.mean(axis=0), rows.std(axis=0)
    scales[scales < 1e-12] = 1.0
    design = (rows - means) / scales
    curve = design.T @ design + penalty * np.eye(len(names))
    weights = np.linalg.solve(curve, design.T @ (targets - targets.mean()))
    return LinearModel(tuple(names), means, scales, weights, float(targets.mean()))


def folds(n: int, k: int, rng: np.random.Generator) -> list[list[int]]:
    """``k`` random parts of 0 to n - 1."""
    order = rng.permutation(n)
    return [sorted(order[at::k].tolist()) for at in range(k)]
