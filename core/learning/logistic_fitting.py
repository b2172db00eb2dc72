"""Logistic regression on a few named features: all that labels tune.

Fitting needs scikit-learn (``pip install 'gemel[fit]'``), whose doors are here and in
``perceptron_fitting``; what was fitted is applied by numpy alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue, Unavailable
from core.learning.logistic import LogisticModel

TOLERANCE = 1e-8


def fit_logistic(
    rows: Floats,
    positive: NDArray[np.bool_],
    names: Sequence[str],
    *,
    penalty: float = 10.0,
) -> LogisticModel:
    """The model of least loss: log-loss plus ``penalty / 2`` times the squared norm.

    Over standardised features; a constant one gets no weight. Raises InvalidValue if a
    class is missing, Unavailable without scikit-learn. O(n f^2) an iteration.
    """
    if rows.shape != (len(positive), len(names)) or not np.isfinite(rows).all():
        raise InvalidValue("expected one finite row of features per label")
    if positive.all() or not positive.any():
        raise InvalidValue("both classes are needed to fit")
    means, scales = rows.mean(axis=0), rows.std(axis=0)
    scales[scales < TOLERANCE] = 1.0
    model = _regression(
        C=1.0 / penalty, solver="newton-cholesky", tol=TOLERANCE, max_iter=100
    )
    model.fit((rows - means) / scales, positive)
    weights = np.asarray(model.coef_[0], dtype=np.float64)
    return LogisticModel(
        tuple(names), means, scales, weights, float(model.intercept_[0])
    )


def sparse_regression() -> Any:
    """An estimator with an L1 penalty, C = 1: most weights are 0. Raises Unavailable
    without scikit-learn."""
    return _regression(l1_ratio=1.0, C=1.0, solver="liblinear", random_state=0)


def _regression(**options: Any) -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise Unavailable(
            "fitting needs scikit-learn: pip install 'gemel[fit]'"
        ) from error
    return LogisticRegression(**options)
