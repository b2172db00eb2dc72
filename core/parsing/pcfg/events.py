"""Samples as what a grammar counts: states, binary rules, unary chains, words.

A state is (kind, label, context): a phrase "X" under its mother; a word's tag "t" under
its mother; "@": part of a phrase, head and what has been taken in so far, with the
memory of the markovisation (Klein & Manning 2003). Context is what annotation adds; a
grammar without it is the coarse one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from core.forests.derivation import chain_name
from core.parsing.pcfg.samples import TOP, HeadChoice, Sample

__all__ = ["Chain", "EventReader", "GrammarState", "Method", "Pairing", "bare"]


class GrammarState(NamedTuple):
    kind: str  # "p" phrase, "t" tag, "@" part of a phrase
    label: str
    context: tuple[str, ...] = ()


class Chain(NamedTuple):
    """``start`` becomes ``end`` by unary steps; ``name``: the phrases passed."""

    start: GrammarState
    end: GrammarState
    name: str


class Pairing(NamedTuple):
    """``head`` is made of two; ``general``: the head with less context, to smooth."""

    head: GrammarState
    left: GrammarState
    right: GrammarState


@dataclass(frozen=True, slots=True)
class Method:
    """How much context a state has.

    ``memory``: how many of a phrase's parts, from the outermost in, a part of it
    remembers; ``with_head``: and the head's category; ``mother``: phrases know what
    is above them; ``tag_mother``: tags too; ``part_mother``: parts of phrases too;
    ``flat``: phrases over nothing but words are told apart; ``head_tags``: labels whose
    phrases know their head's tag, None: those that ``samples.diverse`` finds.
    """

    memory: int = 1
    with_head: bool = True
    mother: bool = True
    tag_mother: bool = True
    part_mother: bool = True
    flat: bool = True
    head_tags: frozenset[str] | None = None


def bare(state: GrammarState) -> GrammarState:
    """The coarse state that this one refines."""
    return GrammarState(state.kind, state.label)


class EventReader:
    """Reads events off samples."""

    def __init__(self, heads: HeadChoice, method: Method) -> None:
        self._heads = heads
        self._method = method
        self._head_tags = method.head_tags or frozenset()

    def events(self, sample: Sample) -> Iterator[Chain | Pairing]:
        """All chains and pairings of a sample, which is under TOP."""
        stack = [(sample, GrammarState("p", TOP), TOP)]
        while stack:
            one, state, mother = stack.pop()
            labels = [] if one.label == TOP and mother == TOP else [one.label]
            start = state
            while len(one.parts) == 1:
                above, one = one.label, one.parts[0]
                if one.parts:
                    labels.append(one.label)
                state = self.state_of(one, above)
            yield Chain(start, state, chain_name(labels))
            if one.parts:
                yield from self._pairings(one, state)
                stack += [
                    (part, self.state_of(part, one.label), one.label)
                    for part in one.parts
                    if part.parts
                ]

    def words(self, sample: Sample) -> Iterator[tuple[Sample, GrammarState]]:
        """Every word with the state of its tag."""
        for one in sample.phrases():
            for part in one.parts:
                if not part.parts:
                    yield part, self.state_of(part, one.label)

    def state_of(self, one: Sample, mother: str) -> GrammarState:
        method = self._method
        if not one.parts:
            return GrammarState("t", one.label, (mother,) if method.tag_mother else ())
        context: tuple[str, ...] = (mother,) if method.mother else ()
        if method.flat and all(not part.parts for part in one.parts):
            context += ("flat",)
        if one.label in self._head_tags:
            context += (self.head_tag(one),)
        return GrammarState("p", one.label, context)

    def head_tag(self, one: Sample) -> str:
        while one.parts:
            one = one.parts[self._heads(one)]
        return one.label

    def _pairings(self, one: Sample, state: GrammarState) -> Iterator[Pairing]:
        """From the whole to the head: left parts off first, then right ones."""
        head = self._heads(one)
        low, high = 0, len(one.parts)
        upper = state
        while high - low > 1:
            leftmost = low < head
            side = one.parts[low] if leftmost else one.parts[high - 1]
            low, high = (low + 1, high) if leftmost else (low, high - 1)
            inner = self._part(one, state, head, low, high)
            taken = self.state_of(side, one.label)
            pair = (taken, inner) if leftmost else (inner, taken)
            yield Pairing(upper, *pair)
            upper = inner

    def _part(
        self, one: Sample, state: GrammarState, head: int, low: int, high: int
    ) -> GrammarState:
        """The state of parts low to high - 1; of the head alone, its own."""
        if high - low == 1:
            return self.state_of(one.parts[head], one.label)
        method = self._method
        order = [*range(low, head), *range(high - 1, head, -1)]
        recent = [one.parts[at].label for at in order[: method.memory]]
        context: tuple[str, ...] = ()
        if method.with_head:
            context += (one.parts[head].label,)
        context += ("<" if low < head else ">", *recent)
        if method.part_mother:
            context += state.context
        return GrammarState("@", one.label, context)
