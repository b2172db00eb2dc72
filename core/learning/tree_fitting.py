"""Regression by trees: the door to scikit-learn (the ``[fit]`` extra)."""

from collections.abc import Callable
from typing import Any

from core.data.check import Floats
from core.errors import Unavailable


def fit_boosted(
    rows: Floats, targets: Floats, *, seed: int = 0
) -> Callable[[Floats], Floats]:
    """What predicts targets from rows of features (Friedman 2001).

    Raises Unavailable where scikit-learn is not installed.
    """
    model = _ensemble().HistGradientBoostingRegressor(
        max_iter=250, learning_rate=0.05, max_leaf_nodes=15, random_state=seed
    )
    model.fit(rows, targets)
    predict: Callable[[Floats], Floats] = model.predict
    return predict


def fit_forest(
    rows: Floats, targets: Floats, *, seed: int = 0
) -> Callable[[Floats], Floats]:
    """The same by the mean of 300 extremely randomised trees (Geurts et al. 2006)."""
    model = _ensemble().ExtraTreesRegressor(
        n_estimators=300, min_samples_leaf=3, max_features=0.4, random_state=seed
    )
    model.fit(rows, targets)
    predict: Callable[[Floats], Floats] = model.predict
    return predict


def _ensemble() -> Any:
    try:
        from sklearn import ensemble
    except ImportError as error:
        raise Unavailable(
            "scikit-learn is not installed: pip install scikit-learn"
        ) from error
    return ensemble
