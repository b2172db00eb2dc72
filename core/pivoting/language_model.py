r"""A trigram language model: estimation, probabilities of text, ARPA files.

ARPA (gzipped where the name ends in .gz), numbers log10:

    \data\
    ngram 1=N ...
    \1-grams:
    p \t word \t backoff
    \2-grams:
    p \t word word \t backoff
    \3-grams:
    p \t word word word
    \end\

A sentence begins after <s> and ends with </s>, which is scored; a word that the model
does not know counts as <unk>.

Interpolated modified Kneser-Ney estimates of a trigram model, as lmplz makes them.

A sentence gets two <s> before and one </s> after it; a blank line is a sentence without
words. The *adjusted count* a of a trigram is how often it occurs; that of a shorter
n-gram is how many different words precede it, or, if it begins with <s>, how often it
occurs. (Some versions of lmplz count the last n-gram of each order differently; the
discounts of a few sentences may then differ.) For each order, with n_k n-grams of
adjusted count k:

    Y = n_1 / (n_1 + 2 n_2)
    D_k = k - (k + 1) Y n_(k+1) / n_k       for k = 1, 2, 3 and more
    p(w | h) = (a(h w) - D) / sum a(h .) + gamma(h) p(w | shorter h)
    gamma(h) = (D_1 N_1(h) + D_2 N_2(h) + D_3 N_3+(h)) / sum a(h .)

Below the unigrams is 1 / V, V with <unk> and </s>, without <s>. Chen & Goodman 1998,
"An Empirical Study of Smoothing Techniques"; Heafield et al. 2013, "Scalable Modified
Kneser-Ney Language Model Estimation".
"""

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.errors import FormatError, InvalidValue

Longs = NDArray[np.int64]
UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
_BATCH = 5_000  # sentences scored at once


class SentenceModel(Protocol):
    """The interface of a language model for the conditions: log10 of whole
    sentences."""

    def scores(
        self, sentences: Sequence[str | Sequence[str]]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...


@dataclass(frozen=True)
class TrigramModel:
    """n-grams by sorted key, each with log10 probability and log10 backoff weight.

    ``words``: type of each id, the first three <unk>, <s>, </s>. A bigram's key is
    ``first * V + second``; a trigram's is ``rank of its first two * V + third``. An
    n-gram that is not a context has backoff 0.
    """

    words: tuple[str, ...]
    unigrams: Floats  # (V, 2): probability, backoff
    bigram_keys: Longs  # (B,)
    bigrams: Floats  # (B, 2)
    trigram_keys: Longs  # (T,)
    trigrams: Floats  # (T,)
    ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.words[:3] != SPECIAL:
            raise InvalidValue("the first three words must be <unk>, <s>, </s>")
        object.__setattr__(self, "ids", {w: i for i, w in enumerate(self.words)})

    def score(self, sentence: str | Sequence[str]) -> tuple[float, int]:
        """log10 probability of one sentence, and how many of its words are unknown."""
        scores, unknown = self.scores([sentence])
        return float(scores[0]), int(unknown[0])

    def scores(self, sentences: Sequence[str | Sequence[str]]) -> tuple[Floats, Longs]:
        """``(n,)`` each: log10 probabilities, with </s>; numbers of unknown words.

        ``sentences``: token lists, or text with spaces between tokens. Divide by the
        number of tokens + 1 for the mean; 10 ** -mean is the perplexity. O(log) a word.
        """
        totals = np.zeros(len(sentences)), np.zeros(len(sentences), dtype=np.int64)
        for start in range(0, len(sentences), _BATCH):
            some = sentences[start : start + _BATCH]
            by_word, ids, of = self._by_word(some)
            for out, values in zip(totals, (by_word, ids == UNKNOWN), strict=True):
                sums = np.bincount(of, weights=values, minlength=len(some))
                out[start : start + len(some)] = sums
        return totals

    def _by_word(
        self, sentences: Sequence[str | Sequence[str]]
    ) -> tuple[Floats, Longs, Longs]:
        """Probability, id and sentence of each word; </s> included."""
        rows: list[int] = []
        of: list[int] = []
        for number, sentence in enumerate(sentences):
            tokens = sentence.split() if isinstance(sentence, str) else sentence
            known = [self.ids.get(word, UNKNOWN) for word in tokens]
            inner = [one if one > END else UNKNOWN for one in known]
            rows += [BEGIN, BEGIN, *inner, END]
            of += [-1, -1] + [number] * (len(inner) + 1)
        ids, numbers = np.array(rows, dtype=np.int64), np.array(of, dtype=np.int64)
        here = np.flatnonzero(numbers >= 0)
        values = self._conditional(ids[here - 2], ids[here - 1], ids[here])
        return values, ids[here], numbers[here]

    def _conditional(self, first: Longs, second: Longs, third: Longs) -> Floats:
        """log10 p(third | first second): the longest n-gram there is, with the backoff
        weights of the contexts passed over."""
        n = len(self.words)
        context = _find(self.bigram_keys, first * n + second)
        pair = _find(self.bigram_keys, second * n + third)
        whole = _find(self.trigram_keys, np.where(context < 0, -1, context * n + third))
        whole = np.where(context < 0, -1, whole)
        weight = np.where(context < 0, 0.0, _at(self.bigrams[:, 1], context))
        short = self.unigrams[second, 1] + self.unigrams[third, 0]
        middle = np.where(pair < 0, short, _at(self.bigrams[:, 0], pair))
        long = _at(self.trigrams, whole)
        return np.asarray(np.where(whole < 0, weight + middle, long))


def _find(keys: Longs, wanted: Longs) -> Longs:
    """Return the index of each key, -1 where it is missing."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)


def _at(values: Floats, index: Longs) -> Floats:
    """Return the values; arbitrary where the index is -1."""
    if not len(values):
        return np.zeros(len(index))
    return np.asarray(values[np.maximum(index, 0)])


def write_arpa(model: TrigramModel, path: Path) -> None:
    """Write the file, gzipped if its name ends in .gz; seven digits, as a float32."""
    with _open(path, "wt") as out:
        out.writelines(_arpa(model))


def _arpa(model: TrigramModel) -> Iterator[str]:
    words, n = model.words, len(model.words)
    sizes = n, len(model.bigram_keys), len(model.trigram_keys)
    yield "\\data\\\n"
    yield from (f"ngram {order}={size}\n" for order, size in enumerate(sizes, 1))
    yield "\n\\1-grams:\n"
    for word, (p, weight) in zip(words, model.unigrams.tolist(), strict=True):
        yield f"{p:.8g}\t{word}\t{weight:.8g}\n"
    yield "\n\\2-grams:\n"
    firsts, seconds = np.divmod(model.bigram_keys, n)
    pairs = zip(firsts.tolist(), seconds.tolist(), strict=True)
    for (a, b), (p, weight) in zip(pairs, model.bigrams.tolist(), strict=True):
        yield f"{p:.8g}\t{words[a]} {words[b]}\t{weight:.8g}\n"
    yield "\n\\3-grams:\n"
    contexts, thirds = np.divmod(model.trigram_keys, n)
    rows = zip(
        firsts[contexts].tolist(), seconds[contexts].tolist(), thirds.tolist(),
        model.trigrams.tolist(), strict=True,
    )  # fmt: skip
    for a, b, c, p in rows:
        yield f"{p:.8g}\t{words[a]} {words[b]} {words[c]}\n"
    yield "\n\\end\\\n"


def read_arpa(path: Path) -> TrigramModel:
    """The model of an ARPA file of order 3, or below.

    Raises FormatError at a line that is not valid ARPA, a number of n-grams other than
    the announced one, or an n-gram whose words or context are missing.
    """
    with _open(path, "rt") as lines:
        sections = _sections(lines)
    words = [row[1] for row in sections[1]]
    missing = [special for special in SPECIAL if special not in words]
    if missing:
        raise FormatError(
            f"no {missing[0]} among the words", remedy="use lmplz's files"
        )
    order = [*SPECIAL, *(word for word in words if word not in SPECIAL)]
    ids: dict[str, int] = {word: i for i, word in enumerate(order)}
    n = len(order)
    unigrams = np.zeros((n, 2))
    for p, word, weight, _line in sections[1]:
        unigrams[ids[word]] = p, weight
    keys = np.array([_key(row, ids, n) for row in sections[2]], dtype=np.int64)
    rank = np.argsort(keys)
    bigrams = np.array([(p, w) for p, _, w, _ in sections[2]]).reshape(-1, 2)[rank]
    at: dict[int, int] = {int(key): i for i, key in enumerate(keys[rank])}
    tri = np.array([_key(row, ids, n, at) for row in sections[3]], dtype=np.int64)
    by_key = np.argsort(tri)
    trigrams = np.array([row[0] for row in sections[3]])[by_key]
    return TrigramModel(
        tuple(order), unigrams, keys[rank], bigrams, tri[by_key], trigrams
    )


_Row = tuple[float, str, float, int]  # probability, n-gram, backoff, line


def _sections(lines: Iterable[str]) -> dict[int, list[_Row]]:
    sections: dict[int, list[_Row]] = {1: [], 2: [], 3: []}
    announced: dict[int, int] = {}
    order = 0
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if head := re.fullmatch(r"ngram ([0-9])=([0-9]{1,18})", text):
            announced[int(head[1])] = int(head[2])
        elif section := re.fullmatch(r"\\([0-9])-grams:", text):
            order = int(section[1])
        elif text and text[0] != "\\":
            sections.setdefault(order, []).append(_row(text, order, number))
    for order, size in announced.items():
        n_rows = len(sections.get(order, ()))
        if n_rows != size or order > 3:
            raise FormatError(
                f"{n_rows} {order}-grams; the header announces {size}",
                remedy="give a whole ARPA file of order 3 or less",
            )
    return sections


def _row(text: str, order: int, number: int) -> _Row:
    cells = text.split("\t")
    try:
        if order == 0 or len(cells[1].split(" ")) != order:
            raise ValueError
        weight = float(cells[2]) if len(cells) > 2 else 0.0
        return float(cells[0]), cells[1], weight, number
    except (ValueError, IndexError):
        raise FormatError(
            f"{text[:40]!r} is not a {order}-gram",
            line=number,
            column=1,
            remedy="write probability, tab, words, tab, backoff",
        ) from None


def _key(
    row: _Row, ids: dict[str, int], n: int, pairs: dict[int, int] | None = None
) -> int:
    try:
        *context, last = (ids[word] for word in row[1].split(" "))
        first = context[0] if pairs is None else pairs[context[0] * n + context[1]]
        return first * n + last
    except KeyError:
        raise FormatError(
            f"{row[1]!r} extends an n-gram that is missing",
            line=row[3],
            column=1,
            remedy="give the file unchanged, as the estimator wrote it",
        ) from None


def _open(path: Path, mode: str) -> IO[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    return cast(IO[str], opened(path, mode, encoding="utf-8", newline="\n"))


FALLBACK = (0.5, 1.0, 1.5)
"""Discounts where the counts of counts give none, as with little text."""


def train(sentences: Iterable[str | Sequence[str]]) -> TrigramModel:
    """The model of the sentences: token lists, or text with spaces between tokens.

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
    d1, d2, d3 = (discounts(_count_of_counts(a)) for a in (a1, a2, raw))
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


def discounts(n: Sequence[int]) -> tuple[float, float, float]:
    """The three discounts, from the numbers of n-grams with adjusted count 0 to 4.

    ``FALLBACK`` where one of n_1 to n_3 is 0 or a D_k is outside [0, k].
    """
    if min(n[1:4]) > 0:
        y = n[1] / (n[1] + 2 * n[2])
        estimates = tuple(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
        if all(0 <= d <= k for k, d in enumerate(estimates, 1)):
            return estimates[0], estimates[1], estimates[2]
    return FALLBACK


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
