"""The parameters of a grammar: arrays for the kernels, estimated from counts.

Samples as what a grammar counts: states, binary rules, unary chains, words.

A state is (kind, label, context): a phrase "X" under its parent; a word's tag "t" under
its parent; "@": part of a phrase, head and what has been taken in so far, with the
memory of the markovisation (Klein & Manning 2003). Context is what annotation adds; a
grammar without it is the coarse one.

Trees to learn from: continuous, bare labels, no traces, heads found without a table.

Discontinuous phrases (TigerXML) are made continuous by raising: a phrase keeps the run
of words that holds its head, and the words beyond a gap go to its parent.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from core.data.check import Floats, Ints
from core.data.tree import Tree
from core.forests.derivation import chain_name
from core.parsing.kernels.charts import Pairings
from core.trees.heads import category

TOP = "ROOT"
_ROOTS = frozenset({"", "ROOT", "TOP", "S1", "VROOT"})
MAX_CHILDREN = 200


@dataclass(slots=True)
class Sample:
    """A phrase (``parts``) or a word (``word``); tokens ``start`` to ``end - 1``."""

    label: str
    start: int
    end: int
    parts: list["Sample"]
    word: str = ""
    is_head: bool = False  # the treebank's own word for it: edge HD

    def phrases(self) -> Iterable["Sample"]:
        """This phrase and those below, parents first; words left out."""
        stack = [self]
        while stack:
            one = stack.pop()
            if one.parts:
                yield one
                stack += reversed(one.parts)

    def leaves(self) -> list["Sample"]:
        leaves, stack = [], [self]
        while stack:
            one = stack.pop()
            if one.parts:
                stack += reversed(one.parts)
            else:
                leaves.append(one)
        return leaves


def sample_of(tree: Tree, words: Sequence[str]) -> Sample | None:
    """``tree`` over ``words`` under TOP; None if no word has a phrase above it.

    Labels are cut to their category; a chain X over X is one X.
    """
    made, beyond = _grown(tree, 0, words)
    parts = [one for one in (made, *beyond) if one is not None]
    if not parts or not any(one.parts for one in parts):
        return None
    while len(parts) == 1 and parts[0].parts and parts[0].label in _ROOTS:
        parts = parts[0].parts
    parts.sort(key=lambda one: one.start)
    return Sample(TOP, 0, parts[-1].end, parts)


def wanted(sample: Sample, *, max_tokens: int) -> bool:
    """Whether it is short enough to learn from, and no phrase absurdly flat."""
    flat = all(len(one.parts) <= MAX_CHILDREN for one in sample.phrases())
    return sample.end <= max_tokens and flat


def _grown(
    tree: Tree, v: int, words: Sequence[str]
) -> tuple[Sample | None, list[Sample]]:
    """Node ``v`` as a continuous sample, and what of it must go further up."""
    label = category(tree.labels[v])
    is_head = bool(tree.edges) and tree.edges[v] == "HD"
    if not tree.children[v]:
        i = tree.tokens[v]
        if i < 0:
            return None, []
        return Sample(label, i, i + 1, [], words[i], is_head), []
    parts: list[Sample] = []
    for child in tree.children[v]:
        made, beyond = _grown(tree, child, words)
        parts += ([made] if made else []) + beyond
    if not parts:
        return None, []
    runs = _runs(sorted(parts, key=lambda one: one.start))
    kept = max(runs, key=lambda run: (any(x.is_head for x in run), _size(run)))
    beyond = [one for run in runs if run is not kept for one in run]
    if len(kept) == 1 and kept[0].parts and kept[0].label == label:
        kept = kept[0].parts
    made = Sample(label, kept[0].start, kept[-1].end, kept, is_head=is_head)
    return made, beyond


def _size(run: list[Sample]) -> int:
    return run[-1].end - run[0].start


def _runs(parts: list[Sample]) -> list[list[Sample]]:
    runs = [[parts[0]]]
    for one in parts[1:]:
        if one.start == runs[-1][-1].end:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


class HeadChoice:
    """Which child is the head, learned from counts alone: no table of any language.

    An edge HD marks it where a treebank has one. Elsewhere a category that at least
    half of the phrases of this label have (VP in S, IN in PP) goes before others, a
    word before a phrase, then the category that more of these phrases have. Ties: the
    later child. Punctuation (a word without a letter or digit) is never the head.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._having: Counter[tuple[str, str]] = Counter()
        self._all: Counter[str] = Counter()
        for sample in samples:
            for one in sample.phrases():
                if len(one.parts) > 1:
                    self._all[one.label] += 1
                    names = {part.label for part in one.parts if not _is_sign(part)}
                    self._having.update((one.label, name) for name in names)

    def __call__(self, one: Sample) -> int:
        """The place of the head among the children of a phrase."""

        def worth(at: int) -> tuple[bool, bool, bool, bool, int, int]:
            part = one.parts[at]
            having = self._having[one.label, part.label]
            common = 2 * having >= self._all[one.label]
            is_word = not part.parts
            return part.is_head, not _is_sign(part), common, is_word, having, at

        return max(range(len(one.parts)), key=worth)


def diverse(samples: Iterable[Sample], heads: HeadChoice) -> frozenset[str]:
    """Labels of phrases that differ by what heads them: no tag, nor a phrase, is
    a quarter of the heads (VP, by the form of its verb; not NP or PP)."""
    kinds: dict[str, Counter[str]] = {}
    for sample in samples:
        for one in sample.phrases():
            if len(one.parts) > 1:
                head = one.parts[heads(one)]
                tag = "" if head.parts else head.label
                kinds.setdefault(one.label, Counter())[tag] += 1
    return frozenset(
        label for label, tags in kinds.items() if 4 * max(tags.values()) < tags.total()
    )


def _is_sign(part: Sample) -> bool:
    return bool(part.word) and not any(c.isalnum() for c in part.word)


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
    """``head`` has two parts; ``general``: the head with less context, for
    smoothing."""

    head: GrammarState
    left: GrammarState
    right: GrammarState


def bare(state: GrammarState) -> GrammarState:
    """The coarse state that this one refines."""
    return GrammarState(state.kind, state.label)


class EventReader:
    """Reads events off samples.

    Phrases and tags know their parent, phrases over nothing but words are apart, and
    those labelled as in ``head_tags`` know the tag of their head; a part of a phrase
    knows what the phrase knows, the category of the head, and the part before it.
    """

    def __init__(self, heads: HeadChoice, head_tags: frozenset[str]) -> None:
        self._heads, self._head_tags = heads, head_tags

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
        context: tuple[str, ...] = (mother,)
        if not one.parts:
            return GrammarState("t", one.label, context)
        if all(not part.parts for part in one.parts):
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
        outermost = one.parts[low if low < head else high - 1].label
        side = "<" if low < head else ">"
        context = (one.parts[head].label, side, outermost, *state.context)
        return GrammarState("@", one.label, context)


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
        """The binary rules in the form the kernels need. They are grouped here, not in
        the file, so the file format stays simple."""
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

    With ``trust``, a phrase seen c times weighs c / (c + trust) against all phrases of
    its label, whatever their context; parts of phrases and tags are not smoothed.
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
