"""Parts of a sample that may not be parted, for cross-validation."""

from collections.abc import Collection, Hashable, Sequence

import numpy as np

from core.errors import InvalidValue
from core.learning.ridge import folds


def grouped(keys: Sequence[Collection[Hashable]]) -> list[list[int]]:
    """The numbers of the members that hang together by keys they share, in order.

    ``keys[i]``: those of member i, such as its two sentences.
    """
    group_of: dict[Hashable, list[int]] = {}
    for at, mine in enumerate(keys):
        merged = [at]
        for key in mine:
            if group_of.get(key, merged) is not merged:
                merged += group_of[key]
        for number in merged:
            group_of |= dict.fromkeys(keys[number], merged)
    unique = {id(group): sorted(set(group)) for group in group_of.values()}
    return sorted(unique.values())


def grouped_folds(
    keys: Sequence[Collection[Hashable]], k: int, rng: np.random.Generator
) -> list[list[int]]:
    """At most ``k`` random parts; what shares a key is in one part."""
    groups = grouped(keys)
    parts = folds(len(groups), min(k, len(groups)), rng)
    return [sorted(at for group in part for at in groups[group]) for part in parts]


def outer_folds(
    keys: Sequence[Collection[Hashable]], k: int, rng: np.random.Generator
) -> list[list[int]]:
    """``grouped_folds``, of which each leaves something to fit on.

    Raises InvalidValue if all members hang together.
    """
    parts = grouped_folds(keys, k, rng)
    if len(parts) < 2:
        raise InvalidValue(
            "nothing is left to fit on: cross-validation needs two folds or more, and "
            "pairs that do not all share a sentence"
        )
    return parts
