"""The best tree of a forest under brackets that somebody has decided.

``fixed``: brackets (start, end, label) that the tree must have, "" for any label;
``barred``: such as it may not have, "" for every label.

A forest was pruned: it may lack a tree that keeps all decisions. So each decision that
a derivation breaks costs more than all its weight, those that break the fewest are
left, and what they break is then put right in the brackets. What comes out keeps every
decision, whatever the forest holds; where the forest has trees that keep all, only
these count. Pereira & Schabes 1992, "Inside-Outside Reestimation from Partially
Bracketed Corpora".
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.data.forest import Forest
from core.errors import InvalidValue
from core.forests.derivation import Phrase, chain_labels, chain_name, phrases_of
from core.forests.inside import forest_marginals
from core.forests.viterbi import viterbi

__all__ = [
    "Bracket",
    "Decisions",
    "best_phrases",
    "broken",
    "consensus_phrases",
    "weights_under",
]

SURE = 0.5
UNKNOWN = "X"  # the label of a bracket of any label that the forest has not
Bracket = tuple[int, int, str]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Decisions:
    """What is decided about the brackets of one sentence.

    Raises InvalidValue where two fixed brackets cross, or one is also barred.
    """

    fixed: frozenset[Bracket] = field(default_factory=frozenset)
    barred: frozenset[Bracket] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        for bracket in self.fixed:
            if any(_cross(bracket, other) for other in self.fixed):
                raise InvalidValue(f"two brackets that must be there cross: {bracket}")
            if _names(bracket, self.barred):
                raise InvalidValue(f"{bracket} must be there, and may not")


def best_phrases(
    forest: Forest, weights: Floats, decided: Decisions
) -> tuple[Phrase, ...]:
    """The phrases, ``(start, end, chain)`` in preorder, of the best tree.

    Raises Contradiction if the forest has no derivation. Time is linear in the forest
    for each decision.
    """
    _, edges = viterbi(forest, weights_under(forest, weights, decided))
    return _put_right(phrases_of(forest, edges), decided)


def consensus_phrases(
    forest: Forest, weights: Floats, decided: Decisions
) -> tuple[Phrase, ...]:
    """The phrases of the consensus tree: of each span the chain that is likelier than
    all others and none together, given the decisions.

    No two of them cross. Otherwise as ``best_phrases``; Goodman 1996.
    """
    p_node, _ = forest_marginals(forest, weights_under(forest, weights, decided))
    named = np.array([bool(name) for name in forest.names])[forest.labels]
    nodes = np.flatnonzero(named & (p_node > SURE))
    rows = sorted(
        (int(forest.starts[v]), -int(forest.ends[v]), forest.name(v))
        for v in nodes.tolist()
    )
    return _put_right([(i, -j, name) for i, j, name in rows], decided)


def weights_under(forest: Forest, weights: Floats, decided: Decisions) -> Floats:
    """The weights, less more than any derivation weighs for each decision broken."""
    spread = weights[np.isfinite(weights)]
    most = float(np.abs(spread).max(initial=0.0)) * 6 * max(1, forest.n_tokens) + 1.0
    costs: Floats = weights - most * broken(forest, decided)[forest.heads]
    return costs


def broken(forest: Forest, decided: Decisions) -> Ints:
    """Per node, the decisions that it breaks less those that it keeps."""
    counts = np.zeros(forest.n_nodes, dtype=np.int32)
    for start, end, label in decided.fixed:
        counts += _crossing(forest, start, end)
        counts -= _having(forest, start, end, label)
    for start, end, label in decided.barred:
        counts += _having(forest, start, end, label)
    return counts


def _crossing(forest: Forest, start: int, end: int) -> Mask:
    """The phrases that cross the span; nodes without a name leave no bracket."""
    i, j = forest.starts, forest.ends
    before = (i < start) & (start < j) & (j < end)
    after = (start < i) & (i < end) & (end < j)
    named = np.array([bool(name) for name in forest.names])[forest.labels]
    crossing: Mask = named & (before | after)
    return crossing


def _having(forest: Forest, start: int, end: int, label: str) -> Mask:
    """The nodes over the span with the label in their chain; "": with any."""
    chains = [chain_labels(name) for name in forest.names]
    fits = [bool(chain) and (not label or label in chain) for chain in chains]
    here = (forest.starts == start) & (forest.ends == end)
    having: Mask = here & np.array(fits, dtype=bool)[forest.labels]
    return having


def _put_right(phrases: Iterable[Phrase], decided: Decisions) -> tuple[Phrase, ...]:
    """The brackets, without what is barred or crosses, and with what must be there."""
    chains: dict[tuple[int, int], list[str]] = {}
    for start, end, name in phrases:
        if not any(_cross((start, end, ""), must) for must in decided.fixed):
            kept = [
                label
                for label in chain_labels(name)
                if not _names((start, end, label), decided.barred)
            ]
            chains.setdefault((start, end), []).extend(kept)
    for start, end, label in sorted(decided.fixed):
        here = chains.setdefault((start, end), [])
        if not here or (label and label not in here):
            here.insert(0, label or UNKNOWN)
    order = sorted(
        (span for span, chain in chains.items() if chain), key=lambda s: (s[0], -s[1])
    )
    return tuple((*span, chain_name(chains[span])) for span in order)


def _cross(a: Bracket, b: Bracket) -> bool:
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


def _names(bracket: Bracket, decisions: frozenset[Bracket]) -> bool:
    """Whether one of the decisions is about this bracket."""
    start, end, label = bracket
    return (start, end, label) in decisions or (start, end, "") in decisions
