"""Fitting the gate of joint parsing: L1 logistic regression, greedy templates.

Choe & McClosky 2015, sections 3.4 and 5.3: sentences whose score the joint parse
raises or lowers, C = 1, features seen fewer than three times left out, templates by
random greedy search. Uses scikit-learn, which is needed for fitting alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.agreement.paired import sign_flip_p
from core.data.check import Floats
from core.errors import InvalidValue, Unavailable
from core.joint.gate import TEMPLATES, Features, Gate

__all__ = ["GateExample", "fit_gate"]

SEEN = 3
INNER_FOLDS = 5
LEAST = 0.5
CHANCE = 0.05  # a gate that wins so little by luck so often is none
STARTS = 3  # random orders of the greedy search


@dataclass(frozen=True, slots=True)
class GateExample:
    """One pair: ``plain`` features, those of each template, and the arcs gained."""

    plain: Features
    by_template: tuple[Features, ...]
    gained: int


def fit_gate(examples: Sequence[GateExample], *, seed: int = 0) -> Gate | None:
    """The gate of these examples; those without gain or loss teach nothing.

    Templates are tried in random orders and kept while held-out log-loss falls. None
    unless gating gains arcs over keeping everything, by more than chance, each example
    judged by a model that has not seen it. Raises InvalidValue if a class has fewer
    examples than there are folds, Unavailable without scikit-learn.
    """
    told = [one for one in examples if one.gained]
    better = np.array([one.gained > 0 for one in told], dtype=bool)
    if min(better.sum(), (~better).sum()) < INNER_FOLDS:
        raise InvalidValue("the gate wants five pairs of either outcome at least")
    chosen = _search(told, better, seed)
    names, rows = _table(told, chosen)
    gained = np.array([one.gained for one in told])
    put_back = _held_out(rows, better) < LEAST
    won = np.where(put_back, -gained, 0.0)[:, None]
    if won.sum() <= 0 or sign_flip_p(won, np.random.default_rng(seed))[0] > CHANCE:
        return None
    model = _model().fit(rows, better)
    weights = {
        name: round(float(w), 6)
        for name, w in zip(names, model.coef_[0], strict=True)
        if w
    }
    return Gate(round(float(model.intercept_[0]), 6), weights, chosen, LEAST)


def _search(
    told: Sequence[GateExample], better: np.ndarray[Any, Any], seed: int
) -> tuple[int, ...]:
    """The best set of templates that random greedy search meets."""
    rng = np.random.default_rng(seed)
    best: tuple[float, tuple[int, ...]] = (_held_out_loss(told, better, ()), ())
    for _ in range(STARTS):
        here = (_held_out_loss(told, better, ()), ())
        for k in rng.permutation(len(TEMPLATES)).tolist():
            wider = (*here[1], k)
            here = min(here, (_held_out_loss(told, better, wider), wider))
        best = min(best, here)
    return tuple(sorted(best[1]))


def _held_out_loss(
    told: Sequence[GateExample], better: np.ndarray[Any, Any], chosen: tuple[int, ...]
) -> float:
    """Mean log-loss of what held-out models say."""
    said = _held_out(_table(told, chosen)[1], better).clip(1e-6, 1 - 1e-6)
    return -float(np.log(np.where(better, said, 1 - said)).mean())


def _held_out(rows: Floats, better: np.ndarray[Any, Any]) -> Floats:
    """The probability of each example, by a model that has not seen its fold."""
    at = np.arange(len(rows)) % INNER_FOLDS
    said = np.empty(len(rows))
    for fold in range(INNER_FOLDS):
        inside = at != fold
        model = _model().fit(rows[inside], better[inside])
        said[~inside] = model.predict_proba(rows[~inside])[:, 1]
    return said


def _table(
    told: Sequence[GateExample], chosen: tuple[int, ...]
) -> tuple[list[str], Floats]:
    """Feature names, and a row for each example."""
    full = [
        dict(one.plain) | {k: v for t in chosen for k, v in one.by_template[t].items()}
        for one in told
    ]
    seen = Counter(name for features in full for name in features)
    names = sorted(name for name, count in seen.items() if count >= SEEN)
    column = {name: k for k, name in enumerate(names)}
    rows = np.zeros((len(full), len(names)))
    for i, features in enumerate(full):
        for name, value in features.items():
            if name in column:
                rows[i, column[name]] = value
    return names, rows


def _model() -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise Unavailable(
            "fitting the gate needs scikit-learn: pip install 'gemel[dev]'"
        ) from error
    return LogisticRegression(l1_ratio=1.0, C=1.0, solver="liblinear", random_state=0)
