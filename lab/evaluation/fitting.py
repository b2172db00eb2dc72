"""Logistic regression and a perceptron of one hidden layer, by scikit-learn."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue, Unavailable
from core.learning.logistic import LogisticModel
from core.learning.perceptron import Perceptron

TOLERANCE = 1e-8


def regression(**options: Any) -> Any:
    """A logistic regression of scikit-learn. Raises Unavailable without it."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise Unavailable(
            "fitting needs scikit-learn: pip install 'gemel[train]'"
        ) from error
    return LogisticRegression(**options)


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
    model = regression(
        C=1.0 / penalty, solver="newton-cholesky", tol=TOLERANCE, max_iter=100
    )
    model.fit((rows - means) / scales, positive)
    weights = np.asarray(model.coef_[0], dtype=np.float64)
    return LogisticModel(
        tuple(names), means, scales, weights, float(model.intercept_[0])
    )


@dataclass(frozen=True, slots=True)
class FitSettings:
    """``width`` hidden units; ``rate`` of Adam in the first epoch; ``penalty``: on the
    squared norm of the weights, of a batch."""

    width: int = 32
    epochs: int = 12
    batch: int = 1024
    rate: float = 4e-3
    penalty: float = 1.0


def fit_perceptron(
    rows: Floats,
    positive: NDArray[np.bool_],
    settings: FitSettings,
    *,
    weights: NDArray[np.float32] | None = None,
    seed: int = 0,
) -> Perceptron:
    """Least log-loss, each row counted ``weights`` times, by Adam (Kingma & Ba 2015)
    with a rate that falls to nothing along a cosine (Loshchilov & Hutter 2017).

    Same numbers, same seed, same result. Raises InvalidValue if a class is missing,
    Unavailable without scikit-learn.
    """
    if positive.all() or not positive.any() or len(rows) != len(positive):
        raise InvalidValue("both classes are needed to fit, one row of numbers each")
    means, scales = rows.mean(0, dtype=np.float64), rows.std(0, dtype=np.float64)
    scales[scales < 1e-6] = 1.0
    net = _network(settings, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that an epoch was used up is what is wanted
        x = ((rows - means) / scales).astype(np.float32)
        for epoch in range(settings.epochs):
            net.learning_rate_init = _rate(settings, epoch)
            net.fit(x, positive, sample_weight=weights)
    hidden = np.vstack([net.coefs_[0], net.intercepts_[0]]).astype(np.float64)
    out = np.append(net.coefs_[1][:, 0], net.intercepts_[1][0]).astype(np.float64)
    return Perceptron(means, scales, hidden, out)


def _rate(settings: FitSettings, epoch: int) -> float:
    return settings.rate * (1 + math.cos(math.pi * epoch / settings.epochs)) / 2


def _network(settings: FitSettings, seed: int) -> Any:
    try:
        from sklearn.neural_network import MLPClassifier
    except ImportError as error:
        raise Unavailable(
            "fitting needs scikit-learn: pip install 'gemel[train]'"
        ) from error
    return MLPClassifier(
        (settings.width,),
        alpha=settings.penalty,
        batch_size=settings.batch,
        learning_rate_init=settings.rate,
        beta_2=0.99,
        max_iter=1,  # each epoch goes on from the one before, at a rate of its own
        warm_start=True,
        random_state=np.random.RandomState(seed),
    )
