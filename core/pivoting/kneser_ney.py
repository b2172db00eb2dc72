"""Interpolated modified Kneser-Ney estimates of a trigram model, as lmplz makes them.

A sentence gets two <s> before and one </s> behind; a blank line is a sentence of no
words. The *adjusted count* a of a trigram is how often it occurs; that of a shorter
n-gram is how many different words stand before it, or, if it begins with <s>, how often
it occurs. (Some versions of lmplz count the last n-gram of each order otherwise; the
discounts of a few sentences may then differ.) For each order, with n_k n-grams of
adjusted count k:

    Y = n_1 / (n_1 + 2 n_2)
    D_k = k - (k + 1) Y n_(k+1) / n_k       for k = 1, 2, 3 and more
    p(w | h) = (a(h w) - D) / sum a(h .) + gamma(h) p(w | shorter h)
    gamma(h) = (D_1 N_1(h) + D_2 N_2(h) + D_3 N_3+(h)) / sum a(h .)

Below the unigrams stands 1 / V, V with <unk> and </s>, without <s>. Chen & Goodman
1998, "An Empirical Study of Smoothing Techniques"; Heafield et al. 2013, "Scalable
Modified Kneser-Ney Language Model Estimation".
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import InvalidValue
from core.pivoting.language_model import (
    BEGIN,
    END,
    SPECIAL,
    UNKNOWN,
    Longs,
    TrigramModel,
)

__all__ = ["FALLBACK", "discounts", "train"]

FALLBACK = (0.5, 1.0, 1.5)
"""Discounts where the counts of counts give none, as with little text."""


def train(
    sentences: Iterable[str | Sequence[str]],
    *,
    fallback: tuple[float, float, float] | None = FALLBACK,
) -> TrigramModel:
    """The model of the sentences: token lists, or text with spaces between tokens.

    ``fallback`` None: raise InvalidValue where discounts cannot be computed.
    A token written as <unk>, <s> or </s> is left out. Streamed; 16 bytes a token
    of memory, some hundred in the end; sorting is O(n log n).
    """
    words, tokens = _numbered(sentences)
    if len(tokens) <= 2:
        raise InvalidValue("no sentence to learn a language model from")
    n = len(words)
    pairs, raw_pairs, pair_of = _bigrams(tokens, n)
    triples, raw = _trigrams(tokens, pair_of, n)
    first, second = np.divmod(pairs, n)
    contexts, third = np.divmod(triples, n)
    suffix = np.searchsorted(pairs, second[contexts] * n + third)
    a2 = np.bincount(suffix, minlength=len(pairs))
    a2 = np.where(first == BEGIN, raw_pairs, a2)
    a1 = np.bincount(second, minlength=n)
    a1[[UNKNOWN, BEGIN]] = 0
    d1, d2, d3 = (discounts(_count_of_counts(a), fallback) for a in (a1, a2, raw))
    p1 = _unigrams(a1, d1)
    p2, gamma1 = _interpolated(a2, first, d2, p1[second], n)
    p3, gamma2 = _interpolated(raw, contexts, d3, p2[suffix], len(pairs))
    p1[BEGIN] = 1.0
    return TrigramModel(
        tuple(words),
        np.stack([_log10(p1), _log10(gamma1)], axis=1),
        pairs,
        np.stack([_log10(p2), _log10(gamma2)], axis=1),
        triples,
        _log10(p3),
    )


def discounts(
    n: Sequence[int], fallback: tuple[float, float, float] | None
) -> tuple[float, float, float]:
    """The three discounts, from the numbers of n-grams with adjusted count 0 to 4.

    ``fallback`` where one of n_1 to n_3 is 0 or a D_k is outside [0, k].
    """
    if min(n[1:4]) > 0:
        y = n[1] / (n[1] + 2 * n[2])
        estimates = tuple(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
        if all(0 <= d <= k for k, d in enumerate(estimates, 1)):
            return estimates[0], estimates[1], estimates[2]
    if fallback is None:
        raise InvalidValue("too little text for Kneser-Ney discounts: give a fallback")
    return fallback


def _numbered(
    sentences: Iterable[str | Sequence[str]],
) -> tuple[list[str], Longs]:
    """The types in the order of their coming, and all tokens, each sentence after two
    <s> and before </s>."""
    ids = {word: i for i, word in enumerate(SPECIAL)}
    special, chunks = set(SPECIAL), [np.empty(0, dtype=np.int32)]
    for sentence in sentences:
        tokens = sentence.split() if isinstance(sentence, str) else sentence
        inner = [ids.setdefault(w, len(ids)) for w in tokens if w not in special]
        chunks.append(np.array([BEGIN, BEGIN, *inner, END], dtype=np.int32))
    return list(ids), np.concatenate(chunks).astype(np.int64)


def _bigrams(tokens: Longs, n: int) -> tuple[Longs, Longs, Longs]:
    """Keys, sorted; how often each occurs; and of each token the rank of the bigram
    that it ends, -1 if it is <s>."""
    inner = np.flatnonzero(tokens != BEGIN)
    keys = tokens[inner - 1] * n + tokens[inner]
    pairs, ranks, counts = np.unique(keys, return_inverse=True, return_counts=True)
    pair_of = np.full(len(tokens), -1, dtype=np.int64)
    pair_of[inner] = ranks
    return pairs, counts, pair_of


def _trigrams(tokens: Longs, pair_of: Longs, n: int) -> tuple[Longs, Longs]:
    """Keys, sorted, of the trigrams whose first two are a bigram, and their counts."""
    ends = np.flatnonzero(pair_of >= 0)
    ends = ends[pair_of[ends - 1] >= 0]
    return np.unique(pair_of[ends - 1] * n + tokens[ends], return_counts=True)


def _count_of_counts(a: Longs) -> list[int]:
    """How many n-grams have adjusted count 0 to 4."""
    return [int(x) for x in np.bincount(np.minimum(a, 5), minlength=6)[:5]]


def _unigrams(a: Longs, d: tuple[float, float, float]) -> Floats:
    """Probabilities mixed with 1 / V."""
    total = a.sum()
    spared = _discount(a, d)
    gamma = float(spared.sum() / total)
    return np.asarray((a - spared) / total + gamma / (len(a) - 1))


def _interpolated(
    a: Longs,
    context: Longs,
    d: tuple[float, float, float],
    shorter: Floats,
    n_contexts: int,
) -> tuple[Floats, Floats]:
    """Probabilities of n-grams, and gamma of every context, 1 where it is none.

    ``shorter``: the probability of each n-gram without its first word.
    """
    total = np.bincount(context, weights=a, minlength=n_contexts)
    spared = _discount(a, d)
    free = np.bincount(context, weights=spared, minlength=n_contexts)
    gamma = np.divide(free, total, out=np.ones(n_contexts), where=total > 0)
    p = (a - spared) / total[context] + gamma[context] * shorter
    return p, gamma


def _discount(a: NDArray[np.int64], d: tuple[float, float, float]) -> Floats:
    return np.array([0.0, *d])[np.minimum(a, 3)]


def _log10(p: Floats) -> Floats:
    """With -99 for 0, which only a discount of 0 can leave; ARPA has no infinity."""
    return np.asarray(np.log10(np.maximum(p, 1e-99)))
