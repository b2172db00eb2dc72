"""A logistic model over a few named features: numbers in, log-odds out.

Fitting needs scikit-learn (``pip install 'gemel[train]'``); what was fitted is applied
by numpy alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data.check import Floats
from core.errors import InvalidValue


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel:
    """``coefficients`` in nats per standard deviation of each feature."""

    names: tuple[str, ...]
    means: Floats
    scales: Floats
    coefficients: Floats
    intercept: float

    def nats(self, rows: Floats) -> Floats:
        """The log-odds of every row ``(n, len(names))``."""
        return np.asarray(
            (rows - self.means) / self.scales @ self.coefficients + self.intercept
        )

    def log_odds(self, features: Mapping[str, float]) -> float:
        """The same of one set of named features; one that is missing is at its mean."""
        pairs = zip(self.names, self.means, strict=True)
        row = np.array([features.get(name, mean) for name, mean in pairs])
        return float(self.nats(row[None])[0])

    def to_json(self) -> dict[str, Any]:
        columns = zip(
            self.names, self.means, self.scales, self.coefficients, strict=True
        )
        table = {
            name: [round(float(x), 6) for x in values] for name, *values in columns
        }
        return {"intercept": round(self.intercept, 6), "features": table}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "LogisticModel":
        """Inverse of ``to_json``; raises InvalidValue on anything else."""
        try:
            table = {str(k): [float(x) for x in v] for k, v in data["features"].items()}
            columns = np.array(list(table.values()), dtype=np.float64).reshape(-1, 3).T
            means, scales, weights = columns
            return cls(tuple(table), means, scales, weights, float(data["intercept"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidValue(f"no logistic model: {error!r}") from error
