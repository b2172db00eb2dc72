"""How much has to be judged for a difference between two conditions to be seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

from core.agreement.judgments.variance import Components
from core.errors import InvalidValue

NORMAL = NormalDist()
MOST = 10_000_000
"""Items beyond which a plan is refused: no one judges so many."""


@dataclass(frozen=True, slots=True)
class JudgingPlan:
    """Who judges how much: ``k`` people an item, of ``share`` of them ``more`` people.

    ``people``: how many annotators there are, who draw their items at random; 0 = so
    many that it does not matter. ``is_paired``: both conditions are judged on the same
    instances, the true values of whose items correlate by ``likeness``.
    ``design_effect``: by how much instances of the same phrase raise the variance, 1 =
    not at all (Kish 1965, "Survey sampling").
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

    @property
    def judges(self) -> float:
        """Judges of an item, on average."""
        return self.k + self.share * (self.most - self.k)


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
    """Items of each condition that show the difference with the power wanted.

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

    The mean over unequal m is exact, for items weigh the same. The m judges are drawn
    from the A there are, whose mean strictness both conditions share: hence the finite
    population correction (Cochran 1977, "Sampling techniques", equation 2.8), and no
    annotator effect at all where everyone judges everything. Variances of means over
    crossed items and annotators: Brennan 2001, "Generalizability theory", chapter 4.
    """
    whole = sum(part.item + _noise(part, plan) for part in (one, other))
    if plan.is_paired:
        whole -= 2 * plan.likeness * sqrt(one.item * other.item)
    return max(whole, 0.0) * plan.design_effect


def judgments(n: int, plan: JudgingPlan, *, conditions: int = 2) -> int:
    """Judgments of ``n`` items in each of so many conditions."""
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
