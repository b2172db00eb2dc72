"""How much of an alignment between two sentences ITG can express."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.errors import InvalidValue
from core.forests.kernels.assignment import best_assignment
from core.itg.biparse import best_biparse
from core.itg.grammar import ItgWeights, blocks_of

Links = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Coverage:
    """``n_links`` as given; ``n_single``: the most of them that link every word at
    most once; ``n_built``: the most of those that one biparse holds.

    ``n_units``: groups of links that share words. ``is_split``: a unit is
    interrupted by another. ``is_built``: with whole units as leaves (no unit is
    split), a biparse holds all links. ``is_exact``: ``n_built`` is no mere lower bound.
    """

    n_links: int
    n_single: int
    n_built: int
    n_units: int
    is_split: bool
    is_built: bool
    is_exact: bool


def coverage(links: Iterable[tuple[int, int]]) -> Coverage:
    """What ITG can express of these links; words that are in none do not matter.

    One-to-one: as Wellington et al. 2006 and Zens & Ney 2003 measure it, but by the
    best biparse instead of all or nothing. With units: Sogaard & Wu 2009. Raises
    InvalidValue without a link.
    """
    given = sorted(set(links))
    if not given:
        raise InvalidValue("no links to cover")
    rows, columns = (sorted({link[side] for link in given}) for side in (0, 1))
    matrix = np.zeros((len(rows), len(columns)), np.float32)
    for i, j in given:
        matrix[rows.index(i), columns.index(j)] = 1.0
    wide = matrix if len(rows) <= len(columns) else matrix.T
    single = round(float(best_assignment(np.ascontiguousarray(wide))[0].sum()))
    biparse = best_biparse(
        ItgWeights(
            np.where(matrix > 0, 0.0, -np.inf),
            np.full(len(rows), -0.5),
            np.full(len(columns), -0.5),
        )
    )
    units = _units(given)
    is_split = any(_interleave(units, side) for side in (0, 1))
    return Coverage(
        len(given),
        single,
        len(biparse.links),
        len(units),
        is_split,
        not is_split and _is_separable(units),
        biparse.is_exact or len(biparse.links) == single,
    )


def _units(links: Links) -> list[Links]:
    """The links, grouped with all that share a word with them."""
    units: list[tuple[set[int], set[int], Links]] = []
    for i, j in links:
        touched = [unit for unit in units if i in unit[0] or j in unit[1]]
        merged: tuple[set[int], set[int], Links] = ({i}, {j}, [(i, j)])
        for unit in touched:
            merged[0].update(unit[0])
            merged[1].update(unit[1])
            merged[2].extend(unit[2])
            units.remove(unit)
        units.append(merged)
    return [unit[2] for unit in units]


def _interleave(units: list[Links], side: int) -> bool:
    """Whether a unit starts, on this side, before another has ended."""
    spans = sorted(
        (min(link[side] for link in unit), max(link[side] for link in unit))
        for unit in units
    )
    return any(a[1] > b[0] for a, b in pairwise(spans))


def _is_separable(units: list[Links]) -> bool:
    starts = [(min(i for i, _ in unit), min(j for _, j in unit)) for unit in units]
    try:
        blocks_of(starts)
    except InvalidValue:
        return False
    return True
