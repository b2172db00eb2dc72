"""Bracketing inversion transduction grammar: its weights, and its blocks.

Wu 1997, "Stochastic inversion transduction grammars", CL 23(3); Wu 2005. One
nonterminal A, rules A -> [A A], A -> <A A>, A -> e/f, A -> e/nothing, A -> nothing/f.

The costs of linking words or leaving them unlinked, by kind of word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.data import check
from core.data.blocks import Block, Orientation
from core.data.check import Floats
from core.data.tokens import Span
from core.errors import InvalidScores, InvalidValue
from core.text.stems import STOP_WORDS
from core.word_alignment.lexicon import LexiconSettings


@dataclass(frozen=True, slots=True, eq=False)
class ItgWeights:
    """The weights of all rules for one pair of T and V words, in nats.

    ``links`` ``(T, V)``, ``-inf`` forbids; ``source_nulls`` ``(T,)`` and
    ``target_nulls`` ``(V,)``, finite; ``straight`` and ``inverted`` for every rule
    that joins two parts which hold links. The rule that joins a null to its
    neighbour is counted within the null. Raises InvalidScores.
    """

    links: Floats
    source_nulls: Floats
    target_nulls: Floats
    straight: float = 0.0
    inverted: float = 0.0

    def __post_init__(self) -> None:
        rules = np.array([self.straight, self.inverted])
        nulls = {"source_nulls": self.source_nulls, "target_nulls": self.target_nulls}
        check.nats(links=self.links, **nulls, rules=rules)
        if self.links.ndim != 2:
            raise InvalidScores(f"links: expected a matrix, got {self.links.shape}")
        shapes = (self.source_nulls.shape, self.target_nulls.shape)
        if shapes != ((self.links.shape[0],), (self.links.shape[1],)):
            raise InvalidScores(f"nulls {shapes} do not fit links {self.links.shape}")
        if not all(np.isfinite(x).all() for x in (*nulls.values(), rules)):
            raise InvalidScores("nulls and rules: expected finite weights")

    @property
    def shape(self) -> tuple[int, int]:
        return self.links.shape[0], self.links.shape[1]

    @property
    def gains(self) -> Floats:
        """``(T, V)``: what each link adds over leaving both its words alone."""
        return self.links - self.source_nulls[:, None] - self.target_nulls[None, :]

    @property
    def all_null(self) -> float:
        """The weight of linking nothing."""
        return float(self.source_nulls.sum() + self.target_nulls.sum())


def blocks_of(links: Sequence[tuple[int, int]]) -> Block | None:
    """The unique biparse tree of these links; None if there are none.

    Raises InvalidValue if a word is linked twice, or if no ITG can order them so.
    O(n^2) for n links: neighbours are joined as soon as they touch on both sides.
    """
    ordered = sorted(links)
    if any(len(set(side)) != len(ordered) for side in zip(*ordered, strict=True)):
        raise InvalidValue("a word is linked twice: a biparse links one word to one")
    rank = {target: k for k, target in enumerate(sorted(t for _, t in ordered))}
    stack: list[tuple[int, int, Block]] = []
    for s, t in ordered:
        link = Block("link", Span(s, s + 1), Span(t, t + 1))
        stack.append((rank[t], rank[t] + 1, link))
        while len(stack) > 1 and (joined := _joined(*stack[-2:])):
            stack[-2:] = [joined]
    if len(stack) > 1:
        raise InvalidValue(
            "no ITG derivation has these links: they interleave (inside-out)"
        )
    return stack[0][2] if stack else None


def n_inverted(links: Sequence[tuple[int, int]]) -> int:
    """The number of inverted rules of ``blocks_of(links)``, without building it.

    The links must be such that ITG can order them. O(n log n).
    """
    ordered = sorted(links)
    rank = {target: k for k, target in enumerate(sorted(t for _, t in ordered))}
    stack: list[tuple[int, int]] = []
    n_inverted = 0
    for _, target in ordered:
        low, high = rank[target], rank[target] + 1
        while stack and (stack[-1][1] == low or stack[-1][0] == high):
            n_inverted += stack[-1][0] == high
            low, high = min(low, stack[-1][0]), max(high, stack[-1][1])
            stack.pop()
        stack.append((low, high))
    return n_inverted


_Part = tuple[int, int, Block]


def _joined(left: _Part, right: _Part) -> _Part | None:
    if left[1] == right[0]:
        return left[0], right[1], _parent("straight", left[2], right[2])
    if right[1] == left[0]:
        return right[0], left[1], _parent("inverted", left[2], right[2])
    return None


def _parent(orientation: Orientation, left: Block, right: Block) -> Block:
    children = tuple(
        child
        for block in (left, right)
        for child in (block.children if block.orientation == orientation else (block,))
    )
    low, high = sorted((left.target, right.target))
    source = Span(left.source.start, right.source.end)
    return Block(orientation, source, Span(low.start, high.end), children)


class WordClass(IntEnum):
    """A coarse class, read off the form alone."""

    CONTENT = 0
    FUNCTION = 1
    PUNCTUATION = 2
    NUMBER = 3
    NAME = 4


def word_classes(forms: Sequence[str]) -> NDArray[np.int8]:
    """The WordClass of every form, int8 ``(n,)``; a capital makes a name."""
    return np.array([_word_class(form) for form in forms], dtype=np.int8)


@lru_cache(maxsize=100_000)
def _word_class(form: str) -> int:
    if not any(c.isalnum() for c in form):
        return WordClass.PUNCTUATION
    if form.lower() in STOP_WORDS:
        return WordClass.FUNCTION
    if any(c.isdigit() for c in form):
        return WordClass.NUMBER
    return WordClass.NAME if form[0].isupper() else WordClass.CONTENT


@dataclass(frozen=True, slots=True)
class CostSettings:
    """Edit costs with block inversion.

    ``lexicon``: the distance of two words, times the mean null cost of their classes.
    ``match``: what a link costs beyond its distance. Null costs per class, those of
    the source side times ``source_factor`` (small: the text may say more than the
    hypothesis; Wu 2005, section 5.3). ``inversion``: each inverted rule.
    """

    lexicon: LexiconSettings
    content: float = 1.0
    function: float = 1.0
    punctuation: float = 1.0
    number: float = 1.0
    name: float = 1.0
    source_factor: float = 1.0
    inversion: float = 0.0
    match: float = 0.0

    def __post_init__(self) -> None:
        values = (*self.null_costs, self.source_factor, self.inversion, self.match)
        if min(values) < 0:
            raise InvalidValue("a cost must not be negative")

    @property
    def null_costs(self) -> tuple[float, float, float, float, float]:
        return self.content, self.function, self.punctuation, self.number, self.name


def pair_costs(
    distance: Floats,
    source_classes: NDArray[np.int8],
    target_classes: NDArray[np.int8],
    settings: CostSettings,
) -> ItgWeights:
    """The weights (cost = -nats) of one pair from the distances of its words."""
    by_class = np.array(settings.null_costs)
    source, target = by_class[source_classes], by_class[target_classes]
    links = distance * (source[:, None] + target[None, :]) / 2 + settings.match
    return ItgWeights(
        -links,
        -source * settings.source_factor,
        -target,
        straight=0.0,
        inverted=-settings.inversion,
    )
