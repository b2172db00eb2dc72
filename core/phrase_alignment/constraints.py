"""A person's decisions as constraints on the decoder.

Nodes are named by the span of their words, so that a constraint means the same in every
tree of a forest. Each constraint is a change of the decoder's inputs:

    must-link         no other links at the two nodes, and a bonus on this one
    must-not-link     gain -inf on the cell;    must-null: on the whole row or column
    must-bracket      a bonus on every edge under a named node of the span
    cannot-bracket    weight -inf on those edges

The bonus exceeds all that can be won elsewhere, so the decoder meets as many demands as
can be met at once (the bonus counts them). If that is not all, the demands that
contradict each other are found by leaving them out one by one; two that exclude each
other by what they say are found without decoding.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from core.data.check import Floats
from core.errors import Contradiction, InvalidValue
from core.phrase_alignment.forest_align import (
    Aligned,
    AlignSettings,
    Demands,
    align_all,
)
from core.phrase_alignment.sides import BinaryForest

Rule = Literal[
    "must-link", "must-null", "must-not-link", "must-bracket", "cannot-bracket"
]
Place = tuple[int, int]  # half-open span of tokens
BONUS = 1e6  # nats; gains are of the order of ten


@dataclass(frozen=True, slots=True)
class Constraint:
    """One demand. Links need both spans, the others one of them."""

    rule: Rule
    source: Place | None = None
    target: Place | None = None

    def __post_init__(self) -> None:
        n = (self.source is not None) + (self.target is not None)
        if n != (2 if self.rule in ("must-link", "must-not-link") else 1):
            raise InvalidValue(
                f"{self.rule}: expected a span on each side that it constrains"
            )

    def words(self, source: BinaryForest, target: BinaryForest) -> str:
        """``must-link “the cat” = “a cat”``."""
        named = [
            f"“{' '.join(side.words[place[0] : place[1]])}”"
            for side, place in ((source, self.source), (target, self.target))
            if place is not None
        ]
        return f"{self.rule} {' = '.join(named)}"


def align_under(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    constraints: Sequence[Constraint],
    settings: AlignSettings | None = None,
    *,
    k: int = 1,
) -> Aligned:
    """The best alignment that meets all ``constraints``; scores without bonuses.

    Raises Contradiction naming a smallest set of constraints that cannot be met
    together (none of them can be left out of it).
    """
    core = list(_clash(constraints))
    if not core:
        aligned = _attempt(source, target, gain, constraints, settings, k)
        if aligned is not None:
            return aligned
        core = _smallest(source, target, gain, constraints, settings)
    described = "; ".join(one.words(source, target) for one in core)
    raise Contradiction(f"these contradict each other: {described}", tuple(core))


def can_hold(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    constraints: Sequence[Constraint],
    settings: AlignSettings | None = None,
) -> bool:
    """Whether an alignment meets all of them: decoded once, and only the best."""
    quick = replace(settings or AlignSettings(), unpacked=1)
    return _attempt(source, target, gain, constraints, quick, 1) is not None


def _clash(constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """The first two that exclude each other whatever the trees are, else none."""
    counts = Counter(end for one in constraints for end in enumerate(_ends(one)))
    several = {end for end, n in counts.items() if n > 1 and end[1] is not None}
    near = [one for one in constraints if several.intersection(enumerate(_ends(one)))]
    for a, b in combinations(near, 2):
        if _exclude(a, b) or _exclude(b, a):
            return a, b
    return ()


def _exclude(a: Constraint, b: Constraint) -> bool:
    same = [x is not None and x == y for x, y in zip(_ends(a), _ends(b), strict=True)]
    if a.rule == "must-bracket":
        return b.rule == "cannot-bracket" and any(same)
    if a.rule != "must-link":
        return False
    if b.rule == "must-link":
        return same[0] != same[1]
    return (b.rule == "must-null" and any(same)) or (
        b.rule == "must-not-link" and all(same)
    )


def _ends(one: Constraint) -> tuple[Place | None, Place | None]:
    return one.source, one.target


def _smallest(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    constraints: Sequence[Constraint],
    settings: AlignSettings | None,
) -> list[Constraint]:
    """Those that cannot be met together, none of which can be left out.

    As if they were left out one by one from the first on. Since fewer demands are met
    wherever more are, the next indispensable one is found by bisection: with n demands
    and m found, m log n decodings.
    """

    def holds(some: Sequence[Constraint]) -> bool:
        return can_hold(source, target, gain, some, settings)

    core: list[Constraint] = []
    left = list(constraints)
    while left and (not core or holds(core)):
        first, last = 0, len(left) - 1  # of those that may be the next of the core
        while first < last:
            middle = (first + last + 1) // 2
            if holds([*core, *left[middle:]]):
                last = middle - 1
            else:
                first = middle
        core, left = [*core, left[first]], left[first + 1 :]
    return core


def _attempt(
    source: BinaryForest,
    target: BinaryForest,
    gain: Floats,
    constraints: Sequence[Constraint],
    settings: AlignSettings | None,
    k: int,
) -> Aligned | None:
    """An alignment that meets all, or None."""
    demands = Demands(
        np.zeros(gain.shape),
        _on_edges(source, [(c.rule, c.source) for c in constraints]),
        _on_edges(target, [(c.rule, c.target) for c in constraints]),
    )
    nodes = source.over, target.over
    for one in constraints:
        at_s, at_t = _at(nodes[0], one.source), _at(nodes[1], one.target)
        cells = np.ix_(at_s, at_t)
        if one.rule == "must-link":
            kept = demands.links[cells] + BONUS
        if one.rule in ("must-link", "must-null"):
            demands.links[at_s, :] = -np.inf
            demands.links[:, at_t] = -np.inf
        if one.rule == "must-link":
            demands.links[cells] = kept
        elif one.rule == "must-not-link":
            demands.links[cells] = -np.inf
    barred = np.where(demands.links == -np.inf, -np.inf, gain)
    try:
        aligned = align_all(source, target, barred, settings, k=k, demands=demands)
    except Contradiction:
        return None
    if not all(_holds(one, aligned, nodes) for one in constraints):
        return None
    n_bonus = sum(one.rule in ("must-link", "must-bracket") for one in constraints)
    best = replace(aligned.best, score=aligned.best.score - BONUS * n_bonus)
    return replace(aligned, best=best)


def _on_edges(side: BinaryForest, demanded: list[tuple[Rule, Place | None]]) -> Floats:
    """What brackets weigh: nats per edge."""
    extra = np.zeros(len(side.weight))
    for rule, place in demanded:
        if rule in ("must-bracket", "cannot-bracket"):
            for v in _at(side.over, place):
                edges = side.edges_of(v)
                nats = BONUS if rule == "must-bracket" else -np.inf
                extra[edges.start : edges.stop] += nats
    return extra


def _at(over: dict[Place, list[int]], place: Place | None) -> list[int]:
    return over.get(place, []) if place is not None else []


def _holds(
    one: Constraint,
    aligned: Aligned,
    nodes: tuple[dict[Place, list[int]], dict[Place, list[int]]],
) -> bool:
    """Whether the alignment meets the constraint."""
    at_s, at_t = set(_at(nodes[0], one.source)), set(_at(nodes[1], one.target))
    links = aligned.best.links
    if one.rule == "must-null":
        return not any(s in at_s or t in at_t for s, t in links)
    if one.rule.endswith("link"):
        linked = any(s in at_s and t in at_t for s, t in links)
        return linked == (one.rule == "must-link")
    chosen = aligned.best.edges[0 if one.source else 1]
    return bool((at_s | at_t) & set(chosen)) == (one.rule == "must-bracket")
