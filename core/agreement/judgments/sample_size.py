"""How many judgments show a difference between two conditions.

By variance components: where ratings differ, between items, annotators and the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

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

    ``within``: the correlation of two judgments of one item, the share of the variance
    base (1 - base) between items (Donner & Klar 2000, "Design and analysis of cluster
    randomization trials", section 1.3); ``strict``: the share between annotators.
    Raises InvalidValue outside 0 to 1.
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

    All arrays have shape ``(n,)``, one row per judgment. ``condition`` is subtracted,
    so differences between systems do not count as differences between items. The
    correlation is that of the true values of two items of one instance, 0 to 1. None
    where the components cannot be separated: no item with two judgments, or a single
    annotator.
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


NORMAL = NormalDist()
MOST = 10_000_000
"""Items beyond which a plan is refused: no one judges so many."""


@dataclass(frozen=True, slots=True)
class JudgingPlan:
    """A plan: ``k`` people judge an item, and ``more`` people judge ``share`` of them.

    ``people``: the number of annotators, who draw their items at random; 0 means so
    many that it does not matter. ``is_paired``: both conditions are judged on the same
    instances, the true values of whose items correlate by ``likeness``.
    ``design_effect``: the factor by which instances of the same phrase raise the
    variance, 1 for none (Kish 1965, "Survey sampling").
    """

    k: int = 1
    share: float = 0.0
    more: int = 2
    people: int = 0
    is_paired: bool = True
    likeness: float = 0.0
    design_effect: float = 1.0

    def __post_init__(self) -> None:
        if self.k < 1 or not 0 <= self.share <= 1:
            raise InvalidValue(
                "an item needs at least one judge, and a share must be 0 to 1"
            )
        if not 0 <= self.likeness <= 1 or self.design_effect < 1:
            raise InvalidValue(
                "similarity must be 0 to 1, and a design effect at least 1"
            )
        if self.people and self.people < self.most:
            raise InvalidValue(
                f"an item for {self.most} judges needs {self.most} people; there are "
                f"{self.people}"
            )

    @property
    def most(self) -> int:
        """Judges of the items that have most."""
        return max(self.k, self.more) if self.share else self.k


@dataclass(frozen=True, slots=True)
class DetectableDifference:
    """The ``difference`` to be seen, in points of the scale or as a share, with a
    chance of ``power``, by a two-sided test at ``alpha``."""

    difference: float
    power: float = 0.8
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.difference <= 0:
            raise InvalidValue("the difference must be more than 0")
        if not self.alpha < self.power < 1 or not 0 < self.alpha < 1:
            raise InvalidValue("the power must be between alpha and 1")


def items_needed(
    wanted: DetectableDifference, one: Components, other: Components, plan: JudgingPlan
) -> int:
    """Return how many items of each condition show the difference with the given power.

    ``one, other``: the components of the two conditions. With V from ``variance``,

        n = (z_(1 - alpha/2) + z_power)^2 V / D^2

    (Chow, Shao & Wang 2008, "Sample size calculations in clinical research", sections
    3.1.1 and 3.2.1: normal approximation, variances known, the far tail left out) plus
    z_(1 - alpha/2)^2 / 2 instances if paired, / 4 if not, for the variance is estimated
    (Guenther 1981, "Sample size formulas for normal theory t tests", The American
    Statistician 35). At least 2. Raises InvalidValue beyond ``MOST``.
    """
    z = _z(wanted.alpha) + NORMAL.inv_cdf(wanted.power)
    known = z**2 * variance(one, other, plan) / wanted.difference**2
    n = known + _correction(wanted.alpha, plan)
    if n > MOST:
        raise InvalidValue(
            f"more than {MOST:,} items would be needed: the difference is too small "
            "for a campaign"
        )
    return max(2, ceil(n - 1e-9))


def power_at(
    n: int,
    wanted: DetectableDifference,
    one: Components,
    other: Components,
    plan: JudgingPlan,
) -> float:
    """The chance to see the difference with ``n`` items of each condition.

    ``items_needed`` read the other way round; 0 where n is too small for a test.
    """
    known = n - _correction(wanted.alpha, plan)
    if n < 2 or known <= 0:
        return 0.0
    error = sqrt(variance(one, other, plan) / known)
    if error == 0:
        return 1.0
    return NORMAL.cdf(wanted.difference / error - _z(wanted.alpha))


def width(n: int, one: Components, other: Components, plan: JudgingPlan) -> float:
    """Width of the 95 % interval of the difference of two means of ``n`` items."""
    return 2 * _z(0.05) * sqrt(variance(one, other, plan) / n)


def curve(
    sizes: Sequence[int],
    wanted: DetectableDifference,
    one: Components,
    other: Components,
    plan: JudgingPlan,
) -> list[float]:
    """The power at each of these sizes."""
    return [power_at(n, wanted, one, other, plan) for n in sizes]


def variance(one: Components, other: Components, plan: JudgingPlan) -> float:
    """n times the variance of the difference of two means of ``n`` items.

    An item's score is the mean of its m judgments:

        V = deff sum_c (item_c + E[annotator_c (1/m - 1/A) + residual_c / m])
            - [paired] deff 2 likeness sqrt(item_1 item_2)

    The mean over unequal m is exact, since items have equal weight. The m judges are
    drawn from the A annotators, whose mean strictness both conditions share: hence the
    finite population correction (Cochran 1977, "Sampling techniques", equation 2.8),
    and no annotator effect where everyone judges everything. Variances of means over
    crossed items and annotators: Brennan 2001, "Generalizability theory", chapter 4.
    """
    whole = sum(part.item + _noise(part, plan) for part in (one, other))
    if plan.is_paired:
        whole -= 2 * plan.likeness * sqrt(one.item * other.item)
    return max(whole, 0.0) * plan.design_effect


def judgments(n: int, plan: JudgingPlan, *, conditions: int = 2) -> int:
    """Return the number of judgments of ``n`` items in each condition."""
    items = n * conditions
    return items * plan.k + round(items * plan.share) * (plan.most - plan.k)


def _noise(part: Components, plan: JudgingPlan) -> float:
    left = 1 / plan.people if plan.people else 0.0
    each = {plan.k: 1 - plan.share}
    each[plan.most] = each.get(plan.most, 0.0) + plan.share
    return sum(
        share * (part.annotator * (1 / m - left) + part.residual / m)
        for m, share in each.items()
    )


def _z(alpha: float) -> float:
    return NORMAL.inv_cdf(1 - alpha / 2)


def _correction(alpha: float, plan: JudgingPlan) -> float:
    return _z(alpha) ** 2 / (2 if plan.is_paired else 4)
