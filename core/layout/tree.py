"""Positions of the nodes of one tree: a place along the words, and a level.

Words share level 0, a phrase is one level above its highest child (so phrases stay
close to their words) and midway between its outermost children. The result has no up or
down: ``links.py`` turns it into px.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.data.tree import Tree


@dataclass(frozen=True, slots=True)
class Demand:
    """Tokens ``first`` and ``last`` must be at least ``room`` px apart."""

    first: int
    last: int
    room: float


@dataclass(frozen=True, slots=True)
class Placed:
    """``at[v]``: centre along the words in px; ``level[v]``: 0 for words.

    Only visible nodes are there. ``ends``: the nodes at level 0 in order, folded
    phrases among them; ``token_at``: the centre of each visible token; ``length`` px.
    """

    at: dict[int, float]
    level: dict[int, int]
    ends: tuple[int, ...]
    length: float
    token_at: dict[int, float] = field(default_factory=dict)

    @property
    def n_levels(self) -> int:
        return max(self.level.values(), default=0) + 1


def place(
    tree: Tree,
    sizes: Sequence[float],
    *,
    gap: float = 8.0,
    folded: frozenset[int] = frozenset(),
    demands: Sequence[Demand] = (),
) -> Placed:
    """Places for all nodes that are not below a folded phrase.

    ``sizes[v]``: px that node v takes along the words; ``gap``: px between neighbours.
    Boxes of one level never overlap, also in discontinuous trees, whose phrases climb
    until there is room. O(nodes * nodes of one level).
    """
    shown = _visible(tree, folded)
    ends = sorted(
        (v for v in shown if tree.is_leaf(v) or v in folded), key=_order_of(tree)
    )
    index = {v: i for i, v in enumerate(ends)}
    slots = [sizes[v] + gap for v in ends]
    below = _ends_below(tree, shown, index)
    for v in reversed(shown):
        _widen(slots, below[v], sizes[v] + gap)
    token_index = {tree.tokens[v]: i for v, i in index.items() if tree.tokens[v] >= 0}
    _meet(slots, demands, token_index)
    at = dict(zip(ends, _centres(slots), strict=True))
    level = dict.fromkeys(ends, 0)
    _climb(tree, shown, sizes, gap, at, level)
    tokens = {tree.tokens[v]: at[v] for v in ends if tree.tokens[v] >= 0}
    return Placed(at, level, tuple(ends), sum(slots), tokens)


def place_words(
    sizes: Sequence[float], *, gap: float = 8.0, demands: Sequence[Demand] = ()
) -> Placed:
    """Places for words without a tree: node i is token i."""
    slots = [size + gap for size in sizes]
    _meet(slots, demands, {i: i for i in range(len(slots))})
    at = dict(enumerate(_centres(slots)))
    level = dict.fromkeys(at, 0)
    return Placed(at, level, tuple(at), sum(slots), dict(at))


def _visible(tree: Tree, folded: frozenset[int]) -> list[int]:
    shown, v = [], 0
    while v < len(tree):
        shown.append(v)
        v = tree.subtree_end(v) if v in folded else v + 1
    return shown


def _order_of(tree: Tree) -> Callable[[int], tuple[int, int, int]]:
    """Sort key of ends: by first token; a trace before the token that follows it."""

    def key(v: int) -> tuple[int, int, int]:
        start, end = tree.spans[v]
        return start, int(end > start), v

    return key


def _ends_below(
    tree: Tree, shown: list[int], index: dict[int, int]
) -> dict[int, list[int]]:
    below: dict[int, list[int]] = {v: [] for v in shown}
    for v in reversed(shown):
        if v in index:
            below[v] = [index[v]]
        if v:
            below[tree.parents[v]].extend(below[v])
    return below


def _widen(slots: list[float], ends: list[int], room: float) -> None:
    """Make the slots of ``ends`` sum up to ``room``, growing all equally."""
    lack = room - sum(slots[i] for i in ends)
    if lack > 0:
        for i in ends:
            slots[i] += lack / len(ends)


def _meet(slots: list[float], demands: Sequence[Demand], index: dict[int, int]) -> None:
    for want in sorted(demands, key=lambda d: (d.last - d.first, d.first)):
        if want.first not in index or want.last not in index:
            continue
        i, j = sorted((index[want.first], index[want.last]))
        lack = want.room - sum(slots[i : j + 1]) + (slots[i] + slots[j]) / 2
        if lack > 0 and j > i:
            for k in range(i, j + 1):
                slots[k] += lack / (j - i)


def _centres(slots: list[float]) -> list[float]:
    centres, start = [], 0.0
    for slot in slots:
        centres.append(start + slot / 2)
        start += slot
    return centres


def _climb(
    tree: Tree,
    shown: list[int],
    sizes: Sequence[float],
    gap: float,
    at: dict[int, float],
    level: dict[int, int],
) -> None:
    """Fill ``at`` and ``level`` for phrases, children first."""
    taken: dict[int, list[tuple[float, float]]] = {}
    for v in reversed(shown):
        if v in at:
            continue
        places = [at[c] for c in tree.children[v]]
        at[v] = (min(places) + max(places)) / 2
        half = (sizes[v] + gap) / 2
        low, high = at[v] - half, at[v] + half
        up = 1 + max(level[c] for c in tree.children[v])
        while any(low < b - 1e-6 and a < high - 1e-6 for a, b in taken.get(up, ())):
            up += 1
        taken.setdefault(up, []).append((low, high))
        level[v] = up
