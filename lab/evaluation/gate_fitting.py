"""Fitting the gate of joint parsing: L1 logistic regression, greedy templates.

Choe & McClosky 2015, sections 3.4 and 5.3: sentences whose score the joint parse
raises or lowers, C = 1, features seen fewer than three times left out. The random
greedy search is over 15 groups: the templates of table 2 and the four features of
section 3.4.1. Uses scikit-learn.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.agreement.paired import sign_flip_p
from core.data.check import Floats, Ints
from core.joint_parsing.gate import TEMPLATES, Features, Gate
from lab.evaluation.fitting import regression

BULLETS = ("crossing links", "more non-projective arcs", "shorter", "words in common")
"""The four features of section 3.4.1 that are no templates: with the eleven templates
the 15 groups among which the greedy search chooses."""
SEEN = 3
INNER_FOLDS = 5
LEAST = 0.5
CHANCE = 0.05  # a gate that wins so little by luck so often is none
STARTS = 3  # random orders of the greedy search


@dataclass(frozen=True, slots=True)
class GateExample:
    """One parse of one pair: ``plain`` features, those of each template, the arcs
    gained. ``pair``: which it is; parses of one pair are never in two folds."""

    plain: Features
    by_template: tuple[Features, ...]
    gained: int
    pair: str

    def features(self, templates: Sequence[int]) -> Features:
        """Return the plain features and those of ``templates``."""
        some = dict(self.plain)
        for k in templates:
            some |= self.by_template[k]
        return some


def fit_gate(
    examples: Sequence[GateExample], *, seed: int = 0, printed: bool = False
) -> Gate | None:
    """Return the gate of these examples; those without gain or loss teach nothing.

    Templates are tried in random orders and kept while held-out log-loss falls. None
    unless gating gains arcs over keeping everything, by more than chance, each example
    judged by a model that has not seen it; ``printed``: a gate is used all the same,
    and has the 15 groups alone, as in the paper. None if a class has fewer examples
    than there are folds. Raises Unavailable without scikit-learn.
    """
    changed = [_printed(one) if printed else one for one in examples if one.gained]
    better = np.array([one.gained > 0 for one in changed], dtype=bool)
    few = len({one.pair for one in changed}) < INNER_FOLDS
    if few or min(better.sum(), (~better).sum()) < INNER_FOLDS:
        return None
    chosen = _search(changed, better, seed)
    names, rows = _table(changed, chosen)
    if not names:
        return None
    if not printed and not _wins(changed, rows, better, seed):
        return None
    model = _sparse_regression().fit(rows, better)
    weights = {
        name: round(float(w), 6)
        for name, w in zip(names, model.coef_[0], strict=True)
        if w
    }
    templates = tuple(k for k in chosen if k < len(TEMPLATES))
    return Gate(round(float(model.intercept_[0]), 6), weights, templates, LEAST)


def _printed(one: GateExample) -> GateExample:
    return replace(one, plain={name: one.plain.get(name, 0.0) for name in BULLETS})


def _wins(
    changed: Sequence[GateExample],
    rows: Floats,
    better: np.ndarray[Any, Any],
    seed: int,
) -> bool:
    """Return whether held-out gates gain arcs by more than chance."""
    gained = np.array([one.gained for one in changed])
    put_back = _held_out(rows, better, _fold_of(changed)) < LEAST
    won = np.where(put_back, -gained, 0.0)[:, None]
    return bool(
        won.sum() > 0 and sign_flip_p(won, np.random.default_rng(seed))[0] <= CHANCE
    )


def _search(
    changed: Sequence[GateExample], better: np.ndarray[Any, Any], seed: int
) -> tuple[int, ...]:
    """The best set of templates that random greedy search meets."""
    rng = np.random.default_rng(seed)
    best: tuple[float, tuple[int, ...]] = (_held_out_loss(changed, better, ()), ())
    for _ in range(STARTS):
        here = (_held_out_loss(changed, better, ()), ())
        for k in rng.permutation(len(TEMPLATES) + len(BULLETS)).tolist():
            wider = (*here[1], k)
            here = min(here, (_held_out_loss(changed, better, wider), wider))
        best = min(best, here)
    return tuple(sorted(best[1]))


def _held_out_loss(
    changed: Sequence[GateExample],
    better: np.ndarray[Any, Any],
    chosen: tuple[int, ...],
) -> float:
    """Mean log-loss of what held-out models say."""
    rows = _table(changed, chosen)[1]
    predicted = _held_out(rows, better, _fold_of(changed)).clip(1e-6, 1 - 1e-6)
    return -float(np.log(np.where(better, predicted, 1 - predicted)).mean())


def _fold_of(changed: Sequence[GateExample]) -> Ints:
    """The fold of each example, the same for all of one pair."""
    place = {pair: k for k, pair in enumerate(dict.fromkeys(x.pair for x in changed))}
    return np.array([place[one.pair] % INNER_FOLDS for one in changed])


def _held_out(rows: Floats, better: np.ndarray[Any, Any], fold_of: Ints) -> Floats:
    """The probability of each example, by a model that has not seen its fold."""
    predicted = np.empty(len(rows))
    for fold in range(INNER_FOLDS):
        inside = fold_of != fold
        if not rows.shape[1] or len(set(better[inside].tolist())) < 2:
            predicted[~inside] = better[inside].mean()
            continue
        model = _sparse_regression().fit(rows[inside], better[inside])
        predicted[~inside] = model.predict_proba(rows[~inside])[:, 1]
    return predicted


def _table(
    changed: Sequence[GateExample], chosen: tuple[int, ...]
) -> tuple[list[str], Floats]:
    """Feature names, and a row for each example."""
    full = [_of_groups(one, chosen) for one in changed]
    seen = Counter(name for features in full for name in features)
    names = sorted(name for name, count in seen.items() if count >= SEEN)
    column = {name: k for k, name in enumerate(names)}
    rows = np.zeros((len(full), len(names)))
    for i, features in enumerate(full):
        for name, value in features.items():
            if name in column:
                rows[i, column[name]] = value
    return names, rows


def _of_groups(one: GateExample, chosen: tuple[int, ...]) -> Features:
    """What is always looked at, and the chosen groups: templates, then ``BULLETS``."""
    n = len(TEMPLATES)
    left_out = {name for k, name in enumerate(BULLETS) if n + k not in chosen}
    features = one.features([k for k in chosen if k < n])
    return {name: x for name, x in features.items() if name not in left_out}


def _sparse_regression() -> Any:
    """An estimator with an L1 penalty, C = 1: most weights are 0. Raises Unavailable
    without scikit-learn."""
    return regression(l1_ratio=1.0, C=1.0, solver="liblinear", random_state=0)
