"""Arc weights under what a person has decided of a dependency tree."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from core.data.check import Floats

Heads = Sequence[int]
HeadStep = tuple[Heads, Heads, int]
"""Heads before and after a step, and the word that it was about, -1 for all of them."""


def decided_heads(steps: Iterable[HeadStep]) -> dict[int, int]:
    """By word the head that steps decide: of each word that got another head, and of
    the word that a step was about. A later step takes the place of an earlier one."""
    decided: dict[int, int] = {}
    for before, after, at in steps:
        decided |= {
            m: head
            for m, (was, head) in enumerate(zip(before, after, strict=True))
            if head != was or m == at
        }
    return decided


def arcs_under(arcs: Floats, decided: Mapping[int, int]) -> Floats:
    """The weights, with no other head than the decided one for these words.

    ``arcs``: as in ``core.dependencies.mst``. A decided arc is possible, with weight 0,
    also where the parser has forbidden it. Several roots, or a circle, leave no tree.
    """
    under = arcs.copy()
    for m, head in decided.items():
        weight = arcs[head + 1, m + 1]
        under[:, m + 1] = -np.inf
        under[head + 1, m + 1] = weight if np.isfinite(weight) else 0.0
    return under
