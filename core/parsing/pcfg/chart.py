"""The passes over one sentence: a coarse one that prunes, a fine one, their sums."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.data.forest import EMPTY_FOREST, Forest
from core.forests.prune import restrict
from core.parsing.kernels import charts, packing
from core.parsing.pcfg.grammar import RuleTable

__all__ = ["Chart", "Emission", "fill"]

Emission = tuple[Ints, Floats]  # the states of a word, and how probable it is from each


@dataclass(slots=True, eq=False)
class Chart:
    """Inside and outside values of one sentence; see ``core.parsing.kernels.charts``.

    ``is_complete``: some tree spans the sentence; without it there is nothing to ask.
    """

    n: int
    rules: RuleTable
    bounds: Ints
    scale: Floats
    built: Ints
    built_in: Floats
    chained: Ints
    chained_in: Floats
    built_out: Floats = field(init=False)
    chained_out: Floats = field(init=False)
    is_complete: bool = field(init=False)

    def __post_init__(self) -> None:
        self.built_out = np.zeros_like(self.built_in)
        self.chained_out = np.zeros_like(self.chained_in)
        rules = self.rules
        self.is_complete = charts.outside(
            self.n, rules.root, rules.pairings, rules.by_start, rules.chain_end,
            rules.p_by_start, rules.coarse, self.bounds, self.scale, self.built,
            self.chained, self.chained_in, self.built_out, self.chained_out,
        )  # fmt: skip

    @property
    def log_partition(self) -> float:
        """The log of the summed weights of all trees."""
        cell = slice(*self.bounds[self.n, 2:])
        at = np.flatnonzero(self.chained[cell] == self.rules.root)[0]
        return float(np.log(self.chained_in[cell][at]) + self.scale[self.n])

    def alive(self, threshold: float, n_coarse: int) -> NDArray[np.bool_]:
        """``(cells, coarse states)``: what is more probable than ``threshold``."""
        alive = np.zeros((len(self.bounds), n_coarse), dtype=np.bool_)
        rows = (
            (self.built, self.built_in, self.built_out, 0),
            (self.chained, self.chained_in, self.chained_out, 2),
        )
        for states, values, outs, first in rows:
            coarse = self.rules.coarse
            charts.kept(
                coarse, self.bounds, states, values, outs, first, threshold, alive
            )
        return alive

    def chain_posteriors(self, n_names: int) -> Floats:
        """``(n + 1, n + 1, names)``: how probable each chain is over each span."""
        rules = self.rules
        chances = np.zeros((self.n + 1, self.n + 1, n_names))
        charts.posteriors(
            self.n, rules.by_start, rules.chain_end, rules.p_by_start,
            rules.chain_name, self.bounds, self.built, self.built_in, self.chained,
            self.chained_out, chances,
        )  # fmt: skip
        return chances

    def tag_posteriors(self, tag_of: Ints, n_tags: int) -> Floats:
        """``(n, tags)``; ``tag_of[s]``: the tag of state s, -1 of none."""
        chances = np.zeros((self.n, n_tags))
        for i in range(self.n):
            rows = slice(*self.bounds[i * (self.n + 1) + i + 1, :2])
            p = self.built_in[rows] * self.built_out[rows]
            np.add.at(chances[i], tag_of[self.built[rows]], p)
        chances /= chances.sum(1, keepdims=True)
        return chances

    def forest(
        self, names: tuple[str, ...], words: Sequence[Emission], threshold: float
    ) -> tuple[Forest, Floats]:
        """What is more probable than ``threshold``, packed; nats.

        A derivation weighs the log-probability of its tree given the sentence, among
        all trees of the grammar. If the threshold cuts every tree, a smaller is taken.
        """
        room = 4 * len(self.built) + 4 * len(self.chained) + 1000
        while threshold > 1e-30:
            packed = self._packed(names, words, threshold, room)
            if packed is None:
                room *= 2
                continue
            forest, weights = restrict(*packed, np.ones(len(packed[1]), dtype=np.bool_))
            if forest.n_nodes and forest.ends[-1] - forest.starts[-1] == self.n:
                weights[forest.first_edge[-2] :] -= self.log_partition
                return forest, weights
            threshold *= 1e-3
        return EMPTY_FOREST, np.empty(0)

    def _packed(
        self,
        names: tuple[str, ...],
        words: Sequence[Emission],
        threshold: float,
        room: int,
    ) -> tuple[Forest, Floats] | None:
        rules, leaf_weight = self.rules, np.zeros(len(self.built))
        for i, (states, values) in enumerate(words):
            rows = slice(*self.bounds[i * (self.n + 1) + i + 1, :2])
            value_of = dict(zip(states.tolist(), np.log(values), strict=True))
            leaf_weight[rows] = [value_of[s] for s in self.built[rows].tolist()]
        nodes = np.empty((room, 3), dtype=np.int32)
        n_edges = np.empty(room, dtype=np.int32)
        tails = np.empty((room, 2), dtype=np.int32)
        weights = np.empty(room)
        v, e = packing.pack(
            self.n, rules.pairings, rules.by_start, rules.chain_end,
            rules.p_by_start, rules.chain_name, rules.coarse, self.bounds, self.scale,
            self.built, self.built_in, leaf_weight, self.chained, self.chained_in,
            self.chained_out, threshold, nodes, n_edges, tails, weights,
        )  # fmt: skip
        if v < 0:
            return None
        label, start, end = np.ascontiguousarray(nodes[:v].T)
        used = tails[:e] >= 0
        forest = Forest(
            names, label, start, end,
            _offsets(n_edges[:v]), _offsets(used.sum(1)), tails[:e][used],
        )  # fmt: skip
        return forest, weights[:e].copy()


def fill(
    rules: RuleTable, words: Sequence[Emission], alive: NDArray[np.bool_] | None = None
) -> Chart:
    """The chart of a sentence. ``alive`` ``(cells, coarse states)``: what may be used.

    O(n^3) times the rules that fit; memory grows with what is alive.
    """
    n = len(words)
    cells = (n + 1) ** 2
    if alive is None:
        alive = np.ones((cells, int(rules.coarse.max()) + 1), dtype=np.bool_)
    lex_first = _offsets(np.array([len(states) for states, _ in words]))
    lex_state = np.concatenate([states for states, _ in words])
    lex_value = np.concatenate([values for _, values in words])
    room = 40 * cells + 1000
    while True:
        bounds, scale = np.zeros((cells, 4), dtype=np.int32), np.zeros(cells)
        built, chained = (np.empty(room, dtype=np.int32) for _ in range(2))
        built_in, chained_in = np.empty(room), np.empty(room)
        a, b = charts.inside(
            n, lex_first, lex_state, lex_value, rules.pairings, rules.by_end,
            rules.chain_start, rules.p_by_end, alive, rules.coarse, bounds, scale,
            built, built_in, chained, chained_in,
        )  # fmt: skip
        if a >= 0:
            return Chart(
                n, rules, bounds, scale, built[:a], built_in[:a], chained[:b],
                chained_in[:b],
            )  # fmt: skip
        room *= 2


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
