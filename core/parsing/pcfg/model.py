"""A whole model: coarse and fine rules, lexicon, names; and its estimation.

The probability of a word given a tag: seen words, rare ones, unseen ones.

P(tag | word) is counted, smoothed by P(tag | kind of word), and turned round by Bayes.
The kind is learned from rare words: the shape (letter case, whether it begins the
sentence, digits, dashes) and then ever longer ends of the word, each smoothed by the
shorter (Samuelsson 1993; Brants 2000, "TnT", section 2.3). No list of any language.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.data.check import Floats, Ints
from core.errors import InvalidValue
from core.parsing.pcfg.grammar import (
    TOP,
    Chain,
    EventReader,
    GrammarState,
    HeadChoice,
    Pairing,
    RuleTable,
    Sample,
    bare,
    diverse,
    smoothed,
)

LONGEST_END = 5
RARE = 10  # words seen so often at most teach about unseen ones


def kinds_of(form: str, *, first: bool) -> tuple[str, ...]:
    """The kinds of a word, from the most general to the most specific."""
    letters = [c for c in form if c.isalpha()]
    if not letters:
        case = "0" if any(c.isdigit() for c in form) else "sign"
    elif form[0].isupper():
        case = "X" if len(letters) > 1 and form.isupper() else "Xx"
        case += "^" if first else ""
    else:
        case = "x" if form.islower() else "xX"
    shape = case + ("9" if any(c.isdigit() for c in form) else "")
    shape += "-" if "-" in form[1:] else ""
    low = form.lower()
    ends = (f"{shape}~{low[-k:]}" for k in range(1, min(LONGEST_END, len(low)) + 1))
    return (case, shape, *ends)


@dataclass(slots=True)
class LexicalModel:
    """Counts and what follows from them; states are numbered by the grammar.

    ``by_word``, ``by_kind``: from word or kind to states and their counts.
    ``prior_weight``: how many sightings the kind of a word is worth next to its own;
    ``kind_prior_weight``: the same between kinds.
    """

    n_states: int
    by_word: dict[str, tuple[Ints, Floats]]
    by_kind: dict[str, tuple[Ints, Floats]]
    prior: Floats  # how often each state stood on a word
    rare: Floats  # on a rare word
    prior_weight: float = 0.3
    kind_prior_weight: float = 5.0
    _known: dict[tuple[str, bool], tuple[Ints, Floats]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, words: Iterable[tuple[str, int, bool]], n_states: int
    ) -> "LexicalModel":
        """From (form, state, whether it begins the sentence)."""
        seen = list(words)
        by_word: dict[str, Counter[int]] = {}
        prior = np.zeros(n_states)
        for form, state, _ in seen:
            by_word.setdefault(form, Counter())[state] += 1
            prior[state] += 1
        by_kind: dict[str, dict[int, float]] = {}
        rare = np.zeros(n_states)
        for form, state, first in seen:
            times = by_word[form].total()
            if times <= RARE:
                weight = 1.0 / times  # a word counts once, whatever its frequency
                rare[state] += weight
                for kind in kinds_of(form, first=first):
                    counts = by_kind.setdefault(kind, {})
                    counts[state] = counts.get(state, 0.0) + weight
        kept = {k: c for k, c in by_kind.items() if sum(c.values()) > 1.5}
        return cls(n_states, _arrays(by_word), _arrays(kept), prior, rare)

    def emissions(self, form: str, *, first: bool) -> tuple[Ints, Floats]:
        """States and P(word | state) up to a factor of the word, greatest 1."""
        key = form, first
        if key not in self._known:
            if len(self._known) > 50_000:
                self._known.clear()
            self._known[key] = self._emissions(form, first=first)
        return self._known[key]

    def _emissions(self, form: str, *, first: bool) -> tuple[Ints, Floats]:
        posterior = self._given_kind(form, first=first)
        seen = self._seen(form, first=first)
        if seen is not None:
            counted = np.zeros(self.n_states)
            counted[seen[0]] = seen[1]
            total = counted.sum()
            posterior = (counted + self.prior_weight * posterior) / (
                total + self.prior_weight
            )
        value = np.divide(
            posterior, self.prior, out=np.zeros_like(posterior), where=self.prior > 0
        )
        states = np.nonzero(value > value.max() * 1e-7)[0].astype(np.int32)
        return states, value[states] / value.max()

    def _seen(self, form: str, *, first: bool) -> tuple[Ints, Floats] | None:
        entry = self.by_word.get(form)
        if first and form[:1].isupper():
            low = self.by_word.get(form.lower())
            if entry is None:
                return low
            if low is not None:
                both = np.concatenate([entry[0], low[0]])
                return _summed(both, np.concatenate([entry[1], low[1]]))
        return entry

    def _given_kind(self, form: str, *, first: bool) -> Floats:
        p: Floats = self.rare / self.rare.sum()
        for kind in kinds_of(form, first=first):
            if kind not in self.by_kind:
                break
            states, counts = self.by_kind[kind]
            p = p * self.kind_prior_weight
            p[states] += counts
            p /= self.kind_prior_weight + counts.sum()
        return p


def _summed(states: Ints, counts: Floats) -> tuple[Ints, Floats]:
    unique, at = np.unique(states, return_inverse=True)
    total: Floats = np.bincount(at, counts).astype(np.float64)
    return unique.astype(np.int32), total


def _arrays(
    counters: Mapping[str, Mapping[int, float]],
) -> dict[str, tuple[Ints, Floats]]:
    return {
        key: (
            np.array(list(counter), dtype=np.int32),
            np.array(list(counter.values()), dtype=np.float64),
        )
        for key, counter in counters.items()
    }


ROOT = GrammarState("p", TOP)
TRUST = 10.0
Emission = tuple[Ints, Floats]


@dataclass(frozen=True, eq=False)
class GrammarModel:
    """The parameters of a parser; ``names``: of chains, ``names[0]`` ""."""

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
        """Return the emission probability of a coarse state: the mean over its fine
        states, weighted by how often each emits words."""
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


def train(samples: Sequence[Sample], *, trust: float = TRUST) -> GrammarModel:
    """A model by counting; linear in the samples.

    Raises InvalidValue if there is nothing to count: no phrase of two parts.
    """
    heads = HeadChoice(samples)
    reader = EventReader(heads, diverse(samples, heads))
    chains: Counter[Chain] = Counter()
    pairings: Counter[Pairing] = Counter()
    words: list[tuple[str, GrammarState, bool]] = []
    for sample in samples:
        for event in reader.events(sample):
            (chains if isinstance(event, Chain) else pairings)[event] += 1  # type: ignore[index]
        words += [(w.word, tag, w.start == 0) for w, tag in reader.words(sample)]
    if not pairings:
        raise InvalidValue(
            "no tree has a phrase with two children: nothing to learn from"
        )
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
