"""Weights of the ninth condition, fitted on judged substitutes and cross-validated."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.agreement.correlation import spearman
from core.agreement.rank_gaps import rank_gaps
from core.data.check import Floats, Ints
from core.errors import InvalidValue
from core.learning.folds import folds
from core.learning.ridge import LinearModel, fit_ridge
from core.pivoting.language_model import SentenceModel
from core.pivoting.table import Table
from core.pivoting.weighting import (
    ALONE,
    PLACED,
    Site,
    Weights,
    components,
    scored,
)
from core.protocols import ParserBackend

__all__ = ["LEAST", "JudgedSubstitute", "fit_weights"]

LEAST = 20  # judged substitutes that the table knows
_FOLDS = 10
_REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class JudgedSubstitute:
    """``value``: what people said of it on average, 0 the worst and 1 the best."""

    site: Site
    text: str
    value: float


def fit_weights(
    table: Table,
    judged: Sequence[JudgedSubstitute],
    *,
    model: SentenceModel | None = None,
    backend: ParserBackend | None = None,
    facts: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Weights:
    """Ridge regression of people's means on the components.

    Substitutes that the table does not know are left out. Added to ``facts``, all of a
    phrase in one of ten folds: Spearman's rho with people, of what is said of phrases
    that the fit never saw (``alone``, ``placed``) and of each component by itself
    (``components``); ``gain``: of ``placed`` over the ``best`` component, the best on
    these very substitutes, with a 95 % interval over phrases.

    Raises InvalidValue if fewer than 20 are known, or all are of one phrase.
    """
    rows, people, group = _known(table, judged, model, backend)
    n_phrases = int(group.max(initial=-1)) + 1
    if len(rows) < LEAST or n_phrases < 2:
        raise InvalidValue(
            f"{len(rows)} judged substitutes of {n_phrases} phrases are in this table: "
            f"at least {LEAST} of two phrases are needed"
        )
    rng = np.random.default_rng(seed)
    parts = folds(n_phrases, min(_FOLDS, n_phrases), rng)
    held = {
        name: _cross_fitted(rows[:, :width], people, group, parts)
        for name, width in (("alone", len(ALONE)), ("placed", len(PLACED)))
    }
    measured = {
        "judged": len(judged),
        "known": len(rows),
        "phrases": n_phrases,
        "folds": len(parts),
        **{name: _rho(one, people) for name, one in held.items()},
        **_compared(rows, held["placed"], people, group, rng),
    }
    return Weights(
        _fit(rows[:, : len(ALONE)], people),
        _fit(rows, people),
        {**(facts or {}), **measured},
    )


def _known(
    table: Table,
    judged: Sequence[JudgedSubstitute],
    model: SentenceModel | None,
    backend: ParserBackend | None,
) -> tuple[Floats, Floats, Ints]:
    """Of each that is known its components, people's value, and its phrase's number."""
    by_site: dict[Site, list[JudgedSubstitute]] = defaultdict(list)
    for one in judged:
        by_site[one.site].append(one)
    rows, people, group = [np.zeros((0, len(PLACED)))], [], []
    phrases: dict[str, int] = {}
    for site, ours in by_site.items():
        there = {row[1] for row in table.rows(site.phrase)}
        kept = [one for one in ours if table.key(one.text) in there]
        if kept:
            texts = [one.text for one in kept]
            made = components(table, site, texts, model=model, backend=backend)
            rows.append(made)
            people += [one.value for one in kept]
            number = phrases.setdefault(table.key(site.phrase), len(phrases))
            group += [number] * len(kept)
    return np.vstack(rows), np.array(people), np.array(group, dtype=np.int32)


def _fit(rows: Floats, people: Floats) -> LinearModel:
    """What is not known has no weight where it never is, and else counts as average."""
    known = np.isfinite(rows)
    sums = np.where(known, rows, 0.0).sum(axis=0)
    means = sums / np.maximum(known.sum(axis=0), 1)
    names = PLACED[: rows.shape[1]]
    return fit_ridge(np.where(known, rows, means), people, names)


def _cross_fitted(
    rows: Floats, people: Floats, group: Ints, parts: Iterable[Sequence[int]]
) -> Floats:
    """What is said of each part by what never saw one of its phrases."""
    scores = np.zeros(len(people))
    for part in parts:
        held = np.isin(group, part)
        if held.any() and not held.all():
            scores[held] = scored(_fit(rows[~held], people[~held]), rows[held])
    return scores


def _compared(
    rows: Floats, placed: Floats, people: Floats, group: Ints, rng: np.random.Generator
) -> dict[str, Any]:
    single = {
        name: _rho(column, people)
        for name, column in zip(PLACED, rows.T, strict=True)
        if np.isfinite(column).all()
    }
    real = {name: rho for name, rho in single.items() if rho is not None}
    if not real:
        return {"components": single, "best": None, "gain": None}
    best = max(real, key=lambda name: real[name])
    base = rows[:, PLACED.index(best)]
    gaps = rank_gaps(
        {"gain": placed}, base, people, group, replicates=_REPLICATES, rng=rng
    )
    return {"components": single, "best": best, "gain": gaps.get("gain")}


def _rho(scores: Floats, people: Floats) -> float | None:
    rho = spearman(scores, people)
    return None if np.isnan(rho) else rho
