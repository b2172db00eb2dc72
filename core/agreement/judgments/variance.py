"""Where ratings differ: variance components of items, annotators and the rest."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.data.check import Floats, Ints
from core.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one judgment, in squared points of its scale.

    ``item``: of true values between the items of one condition; ``annotator``: of how
    strict people are; ``residual``: of all else in a single judgment.
    """

    item: float
    annotator: float
    residual: float

    def __post_init__(self) -> None:
        for name in ("item", "annotator", "residual"):
            if not 0 <= getattr(self, name) < np.inf:
                raise InvalidValue(f"the variance of {name} must be zero or more")


def of_shares(base: float, *, within: float, strict: float = 0.0) -> Components:
    """The components of a judgment that is correct (1) with chance ``base``, else 0.

    ``within``: the correlation of two judgments of one item, the share of the
    variance base (1 - base) that lies between items (Donner & Klar 2000, "Design and
    analysis of cluster randomization trials", section 1.3); ``strict``: the share that
    lies between annotators. Raises InvalidValue outside 0 to 1.
    """
    for name, value in (
        ("a base rate", base),
        ("a within-item correlation", within),
        ("what lies between items and annotators", within + strict),
    ):
        if not 0 <= value <= 1:
            raise InvalidValue(f"{name} must be a share from 0 to 1; {value:g} is not")
    whole = base * (1 - base)
    rest = max(1 - within - strict, 0.0)
    return Components(within * whole, strict * whole, rest * whole)


def of_judgments(
    values: Floats,
    *,
    item: Ints,
    annotator: Ints,
    instance: Ints,
    condition: Ints,
) -> tuple[Components, float] | None:
    """The components of these judgments, and the correlation of an instance's items.

    All arrays ``(n,)``, one row a judgment; ``condition`` is taken out, so that
    differences between systems are none between items. The correlation is that of the
    true values of two items of one instance, 0 to 1. None where the components cannot
    be told apart: no item with two judgments, or one annotator alone.
    """
    factors = {
        "condition": condition,
        "instance": instance,
        "item": item,
        "annotator": annotator,
    }
    several = {
        name: codes for name, codes in factors.items() if len(np.unique(codes)) > 1
    }
    pairs = np.unique(np.column_stack([item, instance]), axis=0) if len(item) else item
    if len(np.unique(instance)) == len(pairs):  # an item each: the same factor twice
        several.pop("instance", None)
    components = henderson(values, several) if len(several) > 1 else None
    if components is None or not {"item", "annotator"} <= set(components):
        return None
    between = components.get("instance", 0.0) + components["item"]
    likeness = components.get("instance", 0.0) / between if between else 0.0
    made = Components(between, components["annotator"], components["residual"])
    return made, likeness


def henderson(values: Floats, factors: Mapping[str, Ints]) -> dict[str, float] | None:
    """Variance components of random factors, crossed or nested, by moments.

    ``values``: float64 ``(n,)``; ``factors``: name -> the level of each value. By name,
    and ``residual``; negative estimates are 0. None where the data cannot tell them.
    With T_f the sum over the levels l of f of n_l mean_l^2, for every factor, the whole
    as one level and each value as its own,

        E T_f = n mu^2 + sum_g var_g sum_l sum_m n_lm^2 / n_l + L_f var_residual,

    n_lm the values in level l of f and m of g, L_f the number of levels: as many
    linear equations as unknowns (Henderson 1953, "Estimation of variance and covariance
    components", Biometrics 9, method 1). O(n) for each pair of factors.
    """
    n, names = len(values), list(factors)
    rows: list[list[float]] = []
    totals: list[float] = []
    centred = values - values.mean() if n else values
    codes = [_levels(factors[name]) for name in names]
    for level in [np.zeros(n, np.int32), *codes, np.arange(n, dtype=np.int32)]:
        counts = np.bincount(level).astype(np.float64)
        sums = np.bincount(level, weights=centred)
        totals.append(float((sums**2 / counts).sum()))
        spread = [_squared(level, other, counts) for other in codes]
        rows.append([n, *spread, len(counts)])
    table = np.array(rows, np.float64)
    if n < 2 or np.linalg.matrix_rank(table) < len(names) + 2:
        return None
    _, *estimates, residual = np.linalg.solve(table, np.array(totals))
    named = dict(zip([*names, "residual"], [*estimates, residual], strict=True))
    return {name: max(float(value), 0.0) for name, value in named.items()}


def _levels(codes: Ints) -> Ints:
    """The same levels, numbered from 0 without gaps."""
    return np.unique(codes, return_inverse=True)[1].astype(np.int32)


def _squared(level: Ints, other: Ints, counts: Floats) -> float:
    """The sum over levels l and m of n_lm^2 / n_l."""
    width = int(other.max(initial=0)) + 1
    cells, n_cell = np.unique(level * np.int64(width) + other, return_counts=True)
    return float((n_cell**2 / counts[cells // width]).sum())
