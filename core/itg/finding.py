"""Paraphrases found in a corpus: candidates that share rare words, then scored.

Not all pairs of a corpus can be scored. *Blocking*: of each sentence the rarest words
are keys, and so is every two of them; sentences with a key in common that few others
have are candidates (Christen 2012, "Data Matching", chapter 4). Candidates are ranked
by their common words, each weighted by its rarity, and the best of each sentence are
scored as any pair is (Wu 2005), unless their numbers or names clash.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.data.check import Floats, Ints
from core.itg.grammar import WordClass, word_classes
from core.itg.kernels.sharing import shared_weights
from core.itg.scores import SCORERS
from core.text.stems import stem
from core.text.wordnet import find_thesaurus


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockingSettings:
    """``rarest``: words of a sentence that keys are made of; ``crowd``: a key of more
    sentences is none; ``overlap``: the least share of common words, weighted by rarity,
    of both sentences; ``each``: candidates that are kept of a sentence."""

    rarest: int = 8
    crowd: int = 20
    overlap: float = 0.4
    each: int = 3


@dataclass(frozen=True, slots=True)
class FoundPair:
    """Sentences ``source`` and ``target``, by their numbers; ``overlap`` of their
    words, and the ``score`` that its scorer gives them, with the links of their best
    biparse and its inverted blocks."""

    source: int
    target: int
    overlap: float
    score: float
    n_links: int = 0
    n_inverted: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SharedWords:
    """The stems of a corpus, ``words[first[i] : first[i + 1]]`` those of sentence i,
    each once, the rarest first; ``weights``: the log of n over the sentences that have
    a word; ``counts``: those sentences."""

    first: Ints
    words: Ints
    weights: Floats
    counts: Ints

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]]) -> "SharedWords":
        """Return the words of a corpus. Time is linear in its tokens."""
        number_of: dict[str, int] = {}
        stem_of: dict[str, int] = {}
        rows: list[list[int]] = []
        for sentence in sentences:
            row = set()
            for form in sentence:
                if form not in stem_of:
                    key = stem(form.lower())
                    stem_of[form] = number_of.setdefault(key, len(number_of))
                row.add(stem_of[form])
            rows.append(list(row))
        sizes = np.array([len(row) for row in rows], dtype=np.int32)
        first = np.append(0, np.cumsum(sizes)).astype(np.int32)
        words = np.array([w for row in rows for w in row], dtype=np.int32)
        counts = np.bincount(words, minlength=len(number_of)).astype(np.int32)
        owner = np.repeat(np.arange(len(rows)), sizes)
        words = words[np.lexsort((words, counts[words], owner))]
        weights = np.log(max(1, len(rows)) / np.maximum(counts, 1))
        return cls(first, words, weights, counts)

    def candidates(
        self, settings: BlockingSettings, sides: Ints | None = None
    ) -> tuple[Ints, Floats]:
        """Return pairs of sentences, int64 ``(p, 2)``, and their overlap, best first.

        ``sides``: a number for each sentence; only sentences of different sides make a
        pair. Memory: ``rarest`` squared keys a sentence.
        """
        pairs = _sharing(*self._keys(settings.rarest), len(self.first), settings.crowd)
        if sides is not None:
            pairs = pairs[sides[pairs[:, 0]] != sides[pairs[:, 1]]]
        shared = np.empty(len(pairs))
        by_number = self._by_number()
        shared_weights(self.first, by_number, self.weights, pairs, shared)
        owner = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        mass = np.bincount(
            owner, weights=self.weights[self.words], minlength=len(self.first) - 1
        )
        both = mass[pairs[:, 0]] + mass[pairs[:, 1]]
        overlap = 2 * shared / np.maximum(both, 1e-9)
        order = np.argsort(-overlap, kind="stable")
        order = order[overlap[order] >= settings.overlap]
        kept = order[_among_first(pairs[order], settings.each)]
        return pairs[kept], overlap[kept]

    def _keys(self, rarest: int) -> tuple[Ints, Ints]:
        """The keys of all sentences, and whose they are."""
        n = len(self.first) - 1
        owner = np.repeat(np.arange(n), np.diff(self.first))
        is_shared = self.counts[self.words] > 1
        owner, words = owner[is_shared], self.words[is_shared].astype(np.int64)
        begin = np.searchsorted(owner, owner)
        place = np.arange(len(owner)) - begin
        near = place < rarest
        table = np.full((n, rarest), -1, dtype=np.int64)
        table[owner[near], place[near]] = words[near]
        size = len(self.counts) + 1
        columns = [table[:, k] for k in range(rarest)]
        rows = [(column, column >= 0) for column in columns]
        for a, b in combinations(columns, 2):
            low, high = np.minimum(a, b), np.maximum(a, b)
            rows.append(((low + 1) * size + high, low >= 0))
        keys = np.concatenate([values[there] for values, there in rows])
        owners = np.concatenate([np.flatnonzero(there) for _, there in rows])
        return keys, owners

    def _by_number(self) -> Ints:
        owner = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        return self.words[np.lexsort((self.words, owner))]


def _sharing(keys: Ints, owners: Ints, n: int, crowd: int) -> Ints:
    """Pairs of sentences with a key in common that no more than ``crowd`` have."""
    order = np.lexsort((owners, keys))
    keys, owners = keys[order], owners[order]
    sizes = np.diff(np.append(np.flatnonzero(np.diff(keys, prepend=-1)), len(keys)))
    size = np.repeat(sizes, sizes)
    few = (size > 1) & (size <= crowd)
    keys, owners = keys[few], owners[few]
    found = [np.empty(0, dtype=np.int64)]
    for step in range(1, crowd):
        same = keys[step:] == keys[:-step]
        if not same.any():
            break
        found.append(np.unique(owners[:-step][same] * n + owners[step:][same]))
    both = np.unique(np.concatenate(found))
    return np.stack([both // n, both % n], axis=1)


def _among_first(pairs: Ints, each: int) -> Ints:
    """Which pairs, best first, are among the first ``each`` of one of their sides."""
    kept = np.zeros(len(pairs), dtype=bool)
    ends = pairs.ravel()
    order = np.argsort(ends, kind="stable")
    place = np.arange(len(ends)) - np.searchsorted(ends[order], ends[order])
    kept[order[place < each] // 2] = True
    return np.flatnonzero(kept).astype(np.int32)


def scored(
    sentences: Sequence[Sequence[str]],
    pairs: Ints,
    overlap: Floats,
    *,
    scorer: str = "paraphrase",
) -> Iterator[FoundPair]:
    """Yield each candidate with its score, 0 if the two clash; without vectors, so that
    no parser is asked.

    A score of "paraphrase" is a probability among pairs like those of MSRPC, of which
    two in three are paraphrases: among the pairs of a corpus it ranks.
    """
    how, thesaurus = SCORERS[scorer], find_thesaurus()[0]
    for (a, b), shared in zip(pairs.tolist(), overlap.tolist(), strict=True):
        one = FoundPair(a, b, shared, 0.0)
        if not clash(sentences[a], sentences[b]):
            best = how.score(how.view(sentences[a], sentences[b], thesaurus))
            links, n_inverted = best.biparse.links, best.biparse.n_inverted
            one = FoundPair(a, b, shared, best.value, len(links), n_inverted)
        yield one


def clash(source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether each sentence has numbers that the other lacks, or each has names.

    A capital within a sentence makes a name.
    """
    words = [{form.lower() for form in side} for side in (source, target)]
    for kind in (WordClass.NUMBER, WordClass.NAME):
        ours, theirs = (
            {
                form.lower()
                for at, (form, of) in enumerate(zip(side, classes, strict=True))
                if of == kind and (at or kind == WordClass.NUMBER)
            }
            for side in (source, target)
            if (classes := word_classes(side).tolist())
        )
        if ours - words[1] and theirs - words[0]:
            return True
    return False
