"""Logistic regression on a few named features: all that labels tune."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from core.scoring.logistic import LogisticModel

__all__ = ["fit_logistic"]

ITERATIONS = 50
TOLERANCE = 1e-8


def fit_logistic(
    rows: Floats,
    positive: NDArray[np.bool_],
    names: Sequence[str],
    *,
    penalty: float = 10.0,
) -> LogisticModel:
    """The model of least loss: log-loss plus ``penalty / 2`` times the squared norm.

    Newton's method on standardised features (Hastie et al. 2009, section 4.4); a
    constant feature gets no weight. Raises InvalidValue if a class is missing.
    O(n f^2) an iteration.
    """
    if rows.shape != (len(positive), len(names)) or not np.isfinite(rows).all():
        raise InvalidValue("one finite row of features per label wanted")
    if positive.all() or not positive.any():
        raise InvalidValue("both classes are needed to fit")
    means, scales = rows.mean(axis=0), rows.std(axis=0)
    scales[scales < TOLERANCE] = 1.0
    design = np.column_stack([(rows - means) / scales, np.ones(len(rows))])
    ridge = np.full(design.shape[1], float(penalty))
    ridge[-1] = 0.0
    weights = np.zeros(design.shape[1])
    for _ in range(ITERATIONS):
        said = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (said - positive) + ridge * weights
        spread = np.maximum(said * (1 - said), 1e-9)
        curve = (design * spread[:, None]).T @ design + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < TOLERANCE:
            break
    return LogisticModel(tuple(names), means, scales, weights[:-1], float(weights[-1]))
