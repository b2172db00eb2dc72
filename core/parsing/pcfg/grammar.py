"""The numbers of a grammar: arrays for the kernels, estimated from counts."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from core.data.check import Floats, Ints
from core.parsing.kernels.charts import Pairings
from core.parsing.pcfg.events import Chain, GrammarState, Pairing, bare

__all__ = ["RuleTable", "smoothed"]

CUT = 1e-3  # what smoothing alone allows and is less probable is left out
W = TypeVar("W")


@dataclass(frozen=True, eq=False)
class RuleTable:
    """Binary rules grouped by left part, chains by end and by start; probabilities.

    Rules with left part s are rows ``by_left[s] .. by_left[s + 1] - 1`` of ``right,
    head, p_rule``; chains likewise, in two orders. ``coarse[s]``: the state of the
    coarse grammar that s refines. ``root``: the state that every tree starts from.
    """

    root: int
    coarse: Ints
    by_left: Ints
    right: Ints
    head: Ints
    p_rule: Floats
    by_end: Ints
    chain_start: Ints
    p_by_end: Floats
    by_start: Ints
    chain_end: Ints
    p_by_start: Floats
    chain_name: Ints

    @property
    def n_states(self) -> int:
        return len(self.by_left) - 1

    @cached_property
    def pairings(self) -> Pairings:
        """The binary rules as kernels take them. Grouped here, not in the file, so
        that a folder need not say which of its rules stand together."""
        every = np.arange(self.n_states, dtype=np.int32)
        left = np.repeat(every, np.diff(self.by_left))
        kind = self.coarse[self.right]
        order = np.lexsort((self.head, self.right, kind, left))
        left, kind = left[order], kind[order]
        is_new = np.ones(len(left), dtype=np.bool_)
        is_new[1:] = (np.diff(left) != 0) | (np.diff(kind) != 0)
        begin = np.append(np.flatnonzero(is_new), len(left)).astype(np.int32)
        return Pairings(
            _offsets(left[is_new], self.n_states),
            kind[is_new],
            begin,
            self.right[order],
            self.head[order],
            self.p_rule[order],
        )

    @classmethod
    def of(
        cls,
        pairings: Mapping[Pairing, float],
        chains: Mapping[Chain, float],
        *,
        root: GrammarState,
        states: Mapping[GrammarState, int],
        coarse: Mapping[GrammarState, int],
        names: Mapping[str, int],
    ) -> "RuleTable":
        """From probabilities; ``states``, ``coarse``, ``names`` number them."""
        n = len(states)
        rows = [(states[p.left], states[p.right], states[p.head]) for p in pairings]
        left, right, head = np.array(rows, dtype=np.int32).reshape(-1, 3).T
        p_rule = np.array(list(pairings.values()))
        order = np.lexsort((head, right, left))
        steps = [(states[c.start], states[c.end], names[c.name]) for c in chains]
        start, end, name = np.array(steps, dtype=np.int32).reshape(-1, 3).T
        p_chain = np.array(list(chains.values()))
        up, down = np.lexsort((name, start, end)), np.lexsort((name, end, start))
        return cls(
            root=states[root],
            coarse=np.array([coarse[bare(s)] for s in states], dtype=np.int32),
            by_left=_offsets(left, n),
            right=right[order],
            head=head[order],
            p_rule=p_rule[order],
            by_end=_offsets(end, n),
            chain_start=start[up],
            p_by_end=p_chain[up],
            by_start=_offsets(start, n),
            chain_end=end[down],
            p_by_start=p_chain[down],
            chain_name=name[down],
        )


def _offsets(keys: Ints, n: int) -> Ints:
    counts = np.bincount(keys, minlength=n)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def smoothed(
    counts: Mapping[tuple[GrammarState, W], float], *, trust: float
) -> dict[tuple[GrammarState, W], float]:
    """P(what | state) for states with what they become.

    With ``trust``, a phrase seen c times weighs c / (c + trust) against all phrases
    of its label, whatever their context; parts of phrases and tags stand alone.
    """
    own: dict[GrammarState, dict[W, float]] = defaultdict(dict)
    shared: dict[str, dict[W, float]] = defaultdict(lambda: defaultdict(float))
    for (state, what), count in counts.items():
        own[state][what] = count
        if state.kind == "p":
            shared[state.label][what] += count
    chances: dict[tuple[GrammarState, W], float] = {}
    for state, ways in own.items():
        total = sum(ways.values())
        if state.kind != "p" or not trust:
            chances |= {(state, what): c / total for what, c in ways.items()}
            continue
        share = total / (total + trust)
        everyone = sum(shared[state.label].values())
        for what, count in shared[state.label].items():
            p = share * ways.get(what, 0.0) / total
            p += (1 - share) * count / everyone
            if p > CUT or what in ways:
                chances[state, what] = p
    return chances
