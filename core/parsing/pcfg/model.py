"""A whole model: coarse and fine rules, lexicon, names; and how it is estimated."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from core.data.check import Floats, Ints
from core.errors import InvalidValue
from core.parsing.pcfg.events import (
    Chain,
    EventReader,
    GrammarState,
    Method,
    Pairing,
    bare,
)
from core.parsing.pcfg.grammar import RuleTable, smoothed
from core.parsing.pcfg.lexicon import LexicalModel
from core.parsing.pcfg.samples import TOP, HeadChoice, Sample, diverse

__all__ = ["GrammarModel", "train"]

ROOT = GrammarState("p", TOP)
TRUST = 10.0
Emission = tuple[Ints, Floats]


@dataclass(frozen=True, eq=False)
class GrammarModel:
    """What a parser needs; ``names``: of chains, ``names[0]`` ""."""

    fine: RuleTable
    coarse: RuleTable
    lexicon: LexicalModel
    states: tuple[GrammarState, ...]
    coarse_states: tuple[GrammarState, ...]
    names: tuple[str, ...]

    @cached_property
    def tags(self) -> tuple[str, ...]:
        return tuple(sorted({s.label for s in self.states if s.kind == "t"}))

    def tag_of(self, rules: RuleTable) -> Ints:
        """Per state of the fine or coarse rules, its tag, -1 of phrases."""
        return self._tags_of[0 if rules is self.fine else 1]

    def coarse_emission(self, states: Ints, values: Floats) -> Emission:
        """How probable a word is from coarse states, from what it is from fine ones:
        their mean, weighted by how often each stands on words."""
        to, prior = self.fine.coarse[states], self.lexicon.prior[states]
        unique, at = np.unique(to, return_inverse=True)
        value = np.bincount(at, values * prior) / self._coarse_prior[unique]
        return unique.astype(np.int32), value

    @cached_property
    def _coarse_prior(self) -> Floats:
        n = len(self.coarse_states)
        return np.bincount(self.fine.coarse, self.lexicon.prior, n).astype(np.float64)

    @cached_property
    def _tags_of(self) -> tuple[Ints, Ints]:
        number = {tag: x for x, tag in enumerate(self.tags)}

        def of(states: Iterable[GrammarState]) -> Ints:
            numbers = [number[s.label] if s.kind == "t" else -1 for s in states]
            return np.array(numbers, dtype=np.int32)

        return of(self.states), of(self.coarse_states)


def train(
    samples: Sequence[Sample], method: Method, *, trust: float = TRUST
) -> GrammarModel:
    """A model by counting; linear in the samples.

    Raises InvalidValue if there is nothing to count: no phrase of two parts.
    """
    heads = HeadChoice(samples)
    if method.head_tags is None:
        method = replace(method, head_tags=diverse(samples, heads))
    reader = EventReader(heads, method)
    chains: Counter[Chain] = Counter()
    pairings: Counter[Pairing] = Counter()
    words: list[tuple[str, GrammarState, bool]] = []
    for sample in samples:
        for event in reader.events(sample):
            (chains if isinstance(event, Chain) else pairings)[event] += 1  # type: ignore[index]
        words += [(w.word, tag, w.start == 0) for w, tag in reader.words(sample)]
    if not pairings:
        raise InvalidValue("no tree has a phrase of two parts: nothing to learn from")
    chains.update(_of_themselves(pairings))
    coarse_pairs, coarse_chains = _coarsened(pairings, chains)
    states, coarse = _numbered(pairings, chains), _numbered(coarse_pairs, coarse_chains)
    names = {name: x for x, name in enumerate(_names(chains))}
    fine = _rules(pairings, chains, trust, states, coarse, names)
    rough = _rules(coarse_pairs, coarse_chains, 0.0, coarse, coarse, names)
    numbered = ((form, states[tag], first) for form, tag, first in words)
    lexicon = LexicalModel.of(numbered, len(states))
    return GrammarModel(
        fine, rough, lexicon, tuple(states), tuple(coarse), tuple(names)
    )


def _of_themselves(pairings: Iterable[Pairing]) -> Counter[Chain]:
    """Chains of no step: parts of phrases, and words among several parts."""
    parts = {part for p in pairings for part in (p.left, p.right)}
    return Counter(Chain(part, part, "") for part in parts if part.kind != "p")


def _names(chains: Iterable[Chain]) -> list[str]:
    return list(dict.fromkeys(["", *(chain.name for chain in chains)]))


def _coarsened(
    pairings: Mapping[Pairing, int], chains: Mapping[Chain, int]
) -> tuple[Counter[Pairing], Counter[Chain]]:
    coarse_pairs: Counter[Pairing] = Counter()
    coarse_chains: Counter[Chain] = Counter()
    for p, count in pairings.items():
        coarse_pairs[Pairing(bare(p.head), bare(p.left), bare(p.right))] += count
    for c, count in chains.items():
        coarse_chains[Chain(bare(c.start), bare(c.end), c.name)] += count
    return coarse_pairs, coarse_chains


def _numbered(
    pairings: Iterable[Pairing], chains: Iterable[Chain]
) -> dict[GrammarState, int]:
    """States in order of first sight; two that are in no event cannot be met."""
    seen: dict[GrammarState, int] = {}
    for chain in chains:
        seen.setdefault(chain.start, len(seen))
        seen.setdefault(chain.end, len(seen))
    for pairing in pairings:
        for state in pairing:
            seen.setdefault(state, len(seen))
    return seen


def _rules(
    pairings: Mapping[Pairing, int],
    chains: Mapping[Chain, int],
    trust: float,
    states: Mapping[GrammarState, int],
    coarse: Mapping[GrammarState, int],
    names: Mapping[str, int],
) -> RuleTable:
    pairs = {(p.head, (p.left, p.right)): float(c) for p, c in pairings.items()}
    steps = {(c.start, (c.end, c.name)): float(n) for c, n in chains.items()}
    return RuleTable.of(
        {
            Pairing(head, *parts): p
            for (head, parts), p in smoothed(pairs, trust=trust).items()
        },
        {
            Chain(start, *rest): p
            for (start, rest), p in smoothed(steps, trust=trust).items()
        },
        root=ROOT,
        states=states,
        coarse=coarse,
        names=names,
    )
