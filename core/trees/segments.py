"""One sentence in two tokenisations: which words correspond.

A segment is the least run of words that became a run of others: one word one or
several, or several words one. Trees over the former words are brought to the new ones
by the operations of ``core.trees.editing`` and ``core.trees.arcs``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TypeVar

from core.data.tree import Tree
from core.errors import InvalidValue
from core.trees import arcs, editing
from core.trees.arc_lines import Arcs, ArcsEdit
from core.trees.arc_splitting import JoinWords, SplitWord
from core.trees.splitting import Join, Split
from core.trees.stepping import TreeEdit

Op = TypeVar("Op")
MOST = 4  # words that one word becomes at once, or that become one
UNLIKE = 0.1  # what a segment of several words costs next to its letters


@dataclass(frozen=True, slots=True)
class Segment:
    """The words ``start`` to ``end`` - 1 became those of the other side, ``new_start``
    to ``new_end`` - 1; one of both is one word."""

    start: int
    end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class Recut:
    """How ``was`` became ``now``; ``segments`` cover both, in order."""

    was: tuple[str, ...]
    now: tuple[str, ...]
    segments: tuple[Segment, ...]

    @property
    def changed(self) -> dict[int, tuple[str, str]]:
        """The changed words by position in ``was``, former and new."""
        both = (
            (one.start, " ".join(self.was[one.start : one.end]),
             " ".join(self.now[one.new_start : one.new_end]))
            for one in self.segments
        )  # fmt: skip
        return {start: (was, now) for start, was, now in both if was != now}

    def moved(self, token: int) -> tuple[int, ...]:
        """The present positions of a word: several if it was split."""
        one = next(s for s in self.segments if s.start <= token < s.end)
        return tuple(range(one.new_start, one.new_end))

    def sources(self) -> list[int]:
        """By new position the former word, the first of several."""
        return [s.start for s in self.segments for _ in range(s.new_start, s.new_end)]

    def in_text(self, text: str) -> str | None:
        """The raw text with what its words became: as it was where the letters are.
        None where it does not hold ``was`` one after another."""
        parts, end = [], 0
        for one in self.segments:
            before, began = end, -1
            for word in self.was[one.start : one.end]:
                start = text.find(word, end)
                if start < 0 or text[end:start].strip():
                    return None
                began = start if began < 0 else began
                end = start + len(word)
            former = text[began:end]
            new = self.now[one.new_start : one.new_end]
            is_same = former == "".join(new) or self.was[one.start : one.end] == new
            parts += [text[before:began], former if is_same else " ".join(new)]
        return None if text[end:].strip() else "".join([*parts, text[end:]])

    def on_tree(self, tree: Tree) -> Tree:
        """A tree over ``was``, or as many words, over ``now``; raises InvalidValue
        where words cannot be joined in it."""
        steps: Iterator[TreeEdit] = self._steps(Split, Join, editing.Retype, tree.words)
        for op in steps:
            tree = op.on(tree).tree
        return tree

    def on_arcs(self, lines: Arcs) -> Arcs:
        """As ``on_tree``."""
        steps: Iterator[ArcsEdit] = self._steps(
            SplitWord, JoinWords, arcs.Retype, lines.words
        )
        for op in steps:
            lines = op.on(lines).tree
        return lines

    def _steps(
        self,
        split: Callable[[int, tuple[str, str]], Op],
        join: Callable[[int], Op],
        retype: Callable[[int, str], Op],
        words: Sequence[str],
    ) -> Iterator[Op]:
        """From the last segment to the first, so that positions before stay."""
        if len(words) != len(self.was):
            raise InvalidValue("This tree has other words than its sentence.")
        for one in reversed(self.segments):
            new = self.now[one.new_start : one.new_end]
            for _ in range(one.end - one.start - 1):
                yield join(one.start)
            is_join = one.end - one.start > 1
            has_former = words[one.start] == self.was[one.start]
            if is_join or (len(new) == 1 and has_former):
                yield retype(one.start, new[0])
            for i in range(len(new) - 1):
                yield split(one.start + i, (new[i], "".join(new[i + 1 :])))


def recut(was: Sequence[str], now: Sequence[str]) -> Recut | None:
    """Match words by their letters; None where no segments cover both.

    Dynamic programming over the words between those that both begin and end with.
    """
    head = _common(was, now)
    tail = _common(was[head:][::-1], now[head:][::-1])
    if len(was) != len(now):  # words of both sides are between
        while head and min(len(was), len(now)) - head - tail < 1:
            head -= 1
        while tail and min(len(was), len(now)) - head - tail < 1:
            tail -= 1
    between = _cut(
        tuple(was[head : len(was) - tail]), tuple(now[head : len(now) - tail])
    )
    if between is None:
        return None
    cuts = [*((1, 1),) * head, *between, *((1, 1),) * tail]
    segments, i, j = [], 0, 0
    for m, n in cuts:
        segments.append(Segment(i, i + m, j, j + n))
        i, j = i + m, j + n
    return Recut(tuple(was), tuple(now), tuple(segments))


Cuts = list[tuple[int, int]]
SHAPES = (
    (1, 1), *((1, n) for n in range(2, MOST + 1)), *((n, 1) for n in range(2, MOST + 1))
)  # fmt: skip


def _cut(was: tuple[str, ...], now: tuple[str, ...]) -> Cuts | None:
    """The cheapest way of cutting both into segments."""
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for i in range(len(was) + 1):
        for j in range(len(now) + 1):
            ways = [
                (best[i - m, j - n][0] + _cost(was[i - m : i], now[j - n : j]), (m, n))
                for m, n in SHAPES
                if (i - m, j - n) in best
            ]
            if ways:
                best[i, j] = min(ways)
    cuts, at = [], (len(was), len(now))
    if at not in best:
        return None
    while at != (0, 0):
        shape = best[at][1]
        cuts.append(shape)
        at = at[0] - shape[0], at[1] - shape[1]
    return cuts[::-1]


def _likeness(was: str, now: str) -> float:
    return SequenceMatcher(None, was, now, autojunk=False).ratio()


@lru_cache(maxsize=4096)
def _cost(was: tuple[str, ...], now: tuple[str, ...]) -> float:
    unlike = 1 - _likeness("".join(was), "".join(now))
    return unlike + UNLIKE * (len(was) + len(now) - 2)


def _common(was: Sequence[str], now: Sequence[str]) -> int:
    n = 0
    while n < min(len(was), len(now)) and was[n] == now[n]:
        n += 1
    return n
