"""What a judging plan achieves before it is paid for: overlap, precision, cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from core.errors import InvalidValue

ENOUGH = 10
"""Items that a pair shares, below which its own figures are too rough to read."""
Z95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class DesignPart:
    """A batch: ``items[m]`` items are to be judged by ``m`` of the ``people``."""

    name: str
    items: Mapping[int, int]
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DesignCost:
    """The cost and the expected precision of a design.

    ``shared``: expected items that both of a pair judge. ``groups``: people connected
    through at least one shared item; one group = connected. ``impossible``: items
    that want more judges than their batch has people.
    """

    judgments: int
    overlapping: int
    hours: float
    cost: float
    shared: Mapping[tuple[str, str], float]
    groups: tuple[tuple[str, ...], ...]
    impossible: int

    @property
    def is_connected(self) -> bool:
        return len(self.groups) == 1

    @property
    def fewest_shared(self) -> float:
        """Expected items that the pair with the fewest shares; 0 without pairs."""
        return min(self.shared.values(), default=0.0)

    @property
    def is_thin(self) -> bool:
        """Whether some pair shares too few items to be compared as a pair."""
        return bool(self.shared) and self.fewest_shared < ENOUGH


def plan(
    parts: Sequence[DesignPart],
    *,
    seconds_per_item: float,
    cost_per_hour: float = 0.0,
) -> DesignCost:
    """The plan of these parts. O(pairs of people) for each part."""
    judgments = sum(m * n for part in parts for m, n in part.items.items())
    over = sum(n for part in parts for m, n in part.items.items() if m > 1)
    lacking = sum(
        n for part in parts for m, n in part.items.items() if m > len(part.people)
    )
    hours = judgments * seconds_per_item / 3600
    shared = shared_items(parts)
    people = sorted({one for part in parts for one in part.people})
    groups = components(people, [p for p, n in shared.items() if n >= 1])
    return DesignCost(
        judgments, over, hours, hours * cost_per_hour, shared, groups, lacking
    )


def shared_items(parts: Sequence[DesignPart]) -> dict[tuple[str, str], float]:
    """Expected number of items that two people both judge, by sorted pair.

    Judges are drawn evenly: of A people, two given ones are among the m judges of an
    item with probability m (m - 1) / (A (A - 1)).
    """
    shared: dict[tuple[str, str], float] = {}
    for part in parts:
        people = sorted(part.people)
        pairs = len(people) * (len(people) - 1)
        if not pairs:
            continue
        each = sum(
            n * min(m, len(people)) * (min(m, len(people)) - 1)
            for m, n in part.items.items()
        )
        for at, one in enumerate(people):
            for two in people[at + 1 :]:
                shared[one, two] = shared.get((one, two), 0.0) + each / pairs
    return shared


def components(
    people: Sequence[str], edges: Sequence[tuple[str, str]]
) -> tuple[tuple[str, ...], ...]:
    """The connected groups of people, each sorted, the largest first."""
    root = {one: one for one in people}

    def find(one: str) -> str:
        while root[one] != one:
            root[one] = root[root[one]]
            one = root[one]
        return one

    for one, two in edges:
        root[find(one)] = find(two)
    groups: dict[str, list[str]] = {}
    for one in people:
        groups.setdefault(find(one), []).append(one)
    parts = (tuple(sorted(group)) for group in groups.values())
    return tuple(sorted(parts, key=lambda group: (-len(group), group)))


def kappa_width(
    n: int, *, agreement: float, categories: int, cluster: float = 1.0, rho: float = 0.0
) -> float | None:
    """Width of the 95 % interval of K with chance 1 / ``categories``; None if n < 2.

    ``n``: items with two judges; ``agreement``: the raw agreement expected. Items
    come in clusters of ``cluster`` on average with intraclass correlation ``rho``:
    the variance grows by 1 + (cluster - 1) rho (Kish 1965, "Survey sampling"). The
    standard error of raw agreement is divided by 1 - chance.
    """
    if not 0 <= agreement <= 1:
        raise InvalidValue(f"agreement must be from 0 to 1; {agreement:g} is not")
    if categories < 2:
        raise InvalidValue("a scale needs at least two categories")
    if n < 2:
        return None
    deff = 1 + (max(cluster, 1.0) - 1) * rho
    error = sqrt(agreement * (1 - agreement) / n * deff)
    return 2 * Z95 * error / (1 - 1 / categories)
