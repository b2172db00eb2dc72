"""Inversion transduction grammars with several nonterminals.

Wu 2005, section 3, after Wu 1997: rules i -> [j k], i -> <j k>, i -> e/f,
i -> e/nothing and i -> nothing/f, each with a weight. One nonterminal alone is
``core.itg.biparse``, which prunes.

The loop of an inversion transduction grammar with several nonterminals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.compiled import njit
from core.data import check
from core.data.check import Floats
from core.errors import InvalidScores, SentenceTooLong

CELLS = 2**26  # of the chart: 256 MiB; six nonterminals reach 56 x 56 words
Ints = NDArray[np.int64]
Floats32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledWeights:
    """What every rule weighs for one pair of T and V words, N nonterminals, in nats.

    ``links`` ``(N, T, V)``, ``source_nulls`` ``(N, T)``, ``target_nulls`` ``(N, V)``:
    the lexical rules of every nonterminal, b_i. ``rules`` ``(R, 3)``, int64: i, j, k of
    i -> j k; ``straight`` and ``inverted`` ``(R,)``: a_i->[jk] and a_i-><jk>. ``-inf``
    forbids. The whole pair is a ``start``. Raises InvalidScores.
    """

    links: Floats
    source_nulls: Floats
    target_nulls: Floats
    rules: Ints
    straight: Floats
    inverted: Floats
    start: int = 0

    def __post_init__(self) -> None:
        lexical = {"source_nulls": self.source_nulls, "target_nulls": self.target_nulls}
        syntactic = {"straight": self.straight, "inverted": self.inverted}
        check.nats(links=self.links, **lexical, **syntactic)
        if self.links.ndim != 3:
            raise InvalidScores(f"links: expected three axes, got {self.links.shape}")
        n, n_source, n_target = self.links.shape
        shapes = (self.source_nulls.shape, self.target_nulls.shape)
        if shapes != ((n, n_source), (n, n_target)):
            raise InvalidScores(f"nulls {shapes} do not fit links {self.links.shape}")
        n_rules = len(self.rules)
        if self.rules.dtype != np.int64 or self.rules.shape != (n_rules, 3):
            raise InvalidScores("rules: expected int64 rows of i, j, k")
        if self.straight.shape != (n_rules,) or self.inverted.shape != (n_rules,):
            raise InvalidScores("rules: expected a weight for each orientation")
        if not all(0 <= label < n for label in (self.start, *self.rules.flat)):
            raise InvalidScores(f"rules: nonterminals are 0 to {n - 1}")


@dataclass(frozen=True, slots=True)
class LabelledBlock:
    """A node of the biparse, q = (s, t, u, v), and its nonterminal.

    ``source`` and ``target``: half-open, in words; one of them is empty in a ``null``.
    A rule's two parts are in source order.
    """

    label: int
    orientation: Literal["link", "null", "straight", "inverted"]
    source: tuple[int, int]
    target: tuple[int, int]
    children: tuple["LabelledBlock", ...] = ()

    def walk(self) -> Iterator["LabelledBlock"]:
        """This block and all below it, in preorder."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class LabelledBiparse:
    """``score`` in nats, ``-inf`` and no ``tree`` if the grammar cannot derive the
    pair."""

    score: float
    tree: LabelledBlock | None

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """(source, target) words, sorted by source; all others are null."""
        blocks = self.tree.walk() if self.tree else ()
        both = ((b.source[0], b.target[0]) for b in blocks if b.orientation == "link")
        return tuple(sorted(both))


def best_labelled(
    weights: LabelledWeights, *, max_cells: int = CELLS
) -> LabelledBiparse:
    """The best-scoring biparse: delta_0T0V(start), and its tree (Wu 2005, section 3).

    At least one link, as the paper's recursion has it. Exact to float32 rounding in the
    search; the score is summed in float64. O(R T^3 V^3) time for R rules, at most
    O(N^3 T^3 V^3), nothing is pruned but parts that cannot be; 4 bytes for each of
    N (T + 1)^2 (V + 1)^2 cells. Raises SentenceTooLong beyond ``max_cells``.
    """
    n, n_source, n_target = weights.links.shape
    shape = (n, n_source + 1, n_source + 1, n_target + 1, n_target + 1)
    if np.prod(shape, dtype=np.float64) > max_cells:
        limit = int((max_cells / n) ** 0.25) - 1
        raise SentenceTooLong(max(n_source, n_target), limit)
    if not n_source or not n_target:
        return LabelledBiparse(-np.inf, None)
    chart = np.full(shape, -np.inf, np.float32)
    rounded = _Rounded.of(weights)
    nulls = (rounded.source_nulls, rounded.target_nulls)
    fill_labelled(
        rounded.links, nulls, weights.rules, rounded.straight, rounded.inverted, chart
    )
    if chart[weights.start, 0, n_source, 0, n_target] == -np.inf:
        return LabelledBiparse(-np.inf, None)
    return _Tracer(weights, chart).biparse()


class _Rounded(NamedTuple):
    links: Floats32
    source_nulls: Floats32
    target_nulls: Floats32
    straight: Floats32
    inverted: Floats32

    @classmethod
    def of(cls, weights: LabelledWeights) -> "_Rounded":
        given = (getattr(weights, name) for name in cls._fields)
        return cls(*(np.ascontiguousarray(x, dtype=np.float32) for x in given))


class _Quadruple(NamedTuple):
    """A nonterminal over a block; a null where one side is empty."""

    label: int
    s: int
    t: int
    u: int
    v: int


class _Step(NamedTuple):
    """One way to build a cell: its weight by the chart, the rule's own, its parts."""

    total: float
    own: float
    orientation: Literal["link", "null", "straight", "inverted"]
    parts: tuple[_Quadruple, ...] = ()


class _Tracer:
    """The way back (section 3.3): every cell's best step is looked for again."""

    def __init__(self, weights: LabelledWeights, chart: Floats32) -> None:
        self.weights, self.chart, self.score = weights, chart, 0.0

    def biparse(self) -> LabelledBiparse:
        _, n_source, n_target = self.weights.links.shape
        whole = _Quadruple(self.weights.start, 0, n_source, 0, n_target)
        tree = self._block(whole)
        return LabelledBiparse(float(self.score), tree)

    def _block(self, cell: _Quadruple) -> LabelledBlock:
        step = max(self._steps(cell), key=lambda one: one.total)
        self.score += step.own
        children = tuple(self._block(part) for part in step.parts)
        source, target = (cell.s, cell.t), (cell.u, cell.v)
        return LabelledBlock(cell.label, step.orientation, source, target, children)

    def _steps(self, cell: _Quadruple) -> Iterator[_Step]:
        label, s, t, u, v = cell
        if s == t or u == v:
            own = self._worth(cell)
            yield _Step(own, own, "null")
            return
        if t - s == v - u == 1:
            own = float(self.weights.links[label, s, u])
            yield _Step(own, own, "link")
            return  # the recursion begins above: two nulls are no block
        for r in np.flatnonzero(self.weights.rules[:, 0] == label):
            _, j, k = (int(x) for x in self.weights.rules[r])
            for own, orientation, parts in self._ways(int(r), j, k, cell):
                total = own + sum(self._worth(part) for part in parts)
                yield _Step(total, own, orientation, parts)

    def _ways(
        self, rule: int, j: int, k: int, cell: _Quadruple
    ) -> Iterator[
        tuple[float, Literal["straight", "inverted"], tuple[_Quadruple, _Quadruple]]
    ]:
        """One rule's best split of each kind: two parts, or one and a null."""
        _, s, t, u, v = cell
        straight = float(self.weights.straight[rule])
        inverted = float(self.weights.inverted[rule])
        cuts = [(s + 1, u), (t - 1, v), (s, u + 1), (t, v - 1)]
        if min(t - s, v - u) > 1:
            cuts.append(self._cut(j, k, cell, is_straight=True))
        for i, x in cuts:
            yield (
                straight,
                "straight",
                (_Quadruple(j, s, i, u, x), _Quadruple(k, i, t, x, v)),
            )
        cuts = [(s + 1, v), (t - 1, u), (s, v - 1), (t, u + 1)]
        if min(t - s, v - u) > 1:
            cuts.append(self._cut(j, k, cell, is_straight=False))
        for i, x in cuts:
            yield (
                inverted,
                "inverted",
                (_Quadruple(j, s, i, x, v), _Quadruple(k, i, t, u, x)),
            )

    def _cut(
        self, j: int, k: int, cell: _Quadruple, *, is_straight: bool
    ) -> tuple[int, int]:
        _, s, t, u, v = cell
        i, x = slice(s + 1, t), slice(u + 1, v)
        if is_straight:
            both = self.chart[j, s, i, u, x] + self.chart[k, i, t, x, v]
        else:
            both = self.chart[j, s, i, x, v] + self.chart[k, i, t, u, x]
        row, column = np.unravel_index(int(both.argmax()), both.shape)
        return s + 1 + int(row), u + 1 + int(column)

    def _worth(self, cell: _Quadruple) -> float:
        """Of a part, by the chart; ``-inf`` for what is no part: no word at all, or
        several words without a counterpart."""
        label, s, t, u, v = cell
        if (t - s, v - u) == (1, 0):
            return float(self.weights.source_nulls[label, s])
        if (t - s, v - u) == (0, 1):
            return float(self.weights.target_nulls[label, u])
        return float(self.chart[cell]) if t > s and v > u else -np.inf


Nulls = tuple[Floats32, Floats32]


@njit(cache=True, nogil=True)
def fill_labelled(
    links: Floats32,
    nulls: Nulls,
    rules: Ints,
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
) -> None:
    """Fill ``chart`` with the best weight of every block under every nonterminal.

    ``links`` ``(N, T, V)``; ``nulls``: of the source ``(N, T)`` and of the target
    ``(N, V)``; ``rules`` ``(R, 3)``: i, j, k of i -> j k, ``straight`` and ``inverted``
    ``(R,)`` what it weighs in each orientation. ``chart``
    ``(N, T + 1, T + 1, V + 1, V + 1)`` comes in as -inf; ``[i, s, t, u, v]`` is
    delta_stuv(i), nats (Wu 2005, section 3). A part with an empty side is one word, as
    in the paper's initialization, so it is no cell. O(R T^3 V^3).
    """
    n_labels, n_source, n_target = links.shape
    for length in range(1, n_source + 1):
        for s in range(n_source + 1 - length):
            t = s + length
            for u in range(n_target - 1, -1, -1):
                if length == 1:
                    for i in range(n_labels):
                        for v in range(u + 1, n_target + 1):
                            chart[i, s, t, u, v] = -np.inf
                        chart[i, s, t, u, u + 1] = links[i, s, u]
                else:
                    _join(rules, straight, inverted, chart, s, t, u)
                    _null_source(nulls[0], rules, straight, inverted, chart, s, t, u)
                _null_target(nulls[1], rules, straight, inverted, chart, s, t, u)


@njit(cache=True, nogil=True)
def _join(
    rules: Ints,
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
    s: int,
    t: int,
    u: int,
) -> None:
    """Blocks ``[s, t) x [u, .)`` of two parts that both hold words of both sides."""
    n_target = chart.shape[3] - 1
    for r in range(len(rules)):
        i, j, k = rules[r]
        row = chart[i, s, t, u]
        for middle in range(s + 1, t):
            for cross in range(u + 1, n_target):
                x = straight[r] + chart[j, s, middle, u, cross]
                if x > -np.inf:
                    right = chart[k, middle, t, cross]
                    for v in range(cross + 1, n_target + 1):
                        row[v] = max(row[v], x + right[v])
                y = inverted[r] + chart[k, middle, t, u, cross]
                if y > -np.inf:
                    left = chart[j, s, middle, cross]
                    for v in range(cross + 1, n_target + 1):
                        row[v] = max(row[v], y + left[v])


@njit(cache=True, nogil=True)
def _null_source(
    nulls: Floats32,
    rules: Ints,
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
    s: int,
    t: int,
    u: int,
) -> None:
    """The same where the first or the last source word is null, in its own part."""
    for r in range(len(rules)):
        i, j, k = rules[r]
        rule = max(straight[r], inverted[r])  # an empty side lies before and after
        first, last = rule + nulls[j, s], rule + nulls[k, t - 1]
        row, inner = chart[i, s, t, u], chart[k, s + 1, t, u]
        left = chart[j, s, t - 1, u]
        for v in range(u + 1, chart.shape[3]):
            row[v] = max(row[v], max(first + inner[v], last + left[v]))


@njit(cache=True, nogil=True)
def _null_target(
    nulls: Floats32,
    rules: Ints,
    straight: Floats32,
    inverted: Floats32,
    chart: Floats32,
    s: int,
    t: int,
    u: int,
) -> None:
    """The same where the first or the last target word is null: from narrow to wide."""
    for v in range(u + 2, chart.shape[3]):
        for r in range(len(rules)):
            i, j, k = rules[r]
            tail_j, tail_k = chart[j, s, t, u + 1, v], chart[k, s, t, u + 1, v]
            head_j, head_k = chart[j, s, t, u, v - 1], chart[k, s, t, u, v - 1]
            first = max(nulls[j, u] + tail_k, head_j + nulls[k, v - 1]) + straight[r]
            last = max(nulls[j, v - 1] + head_k, tail_j + nulls[k, u]) + inverted[r]
            chart[i, s, t, u, v] = max(chart[i, s, t, u, v], max(first, last))
