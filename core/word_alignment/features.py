"""Features of pairs of words that predict links.

Two rounds. First every pair of words alone and among its neighbours; then again, with
what the first round said of the pairs around it: whether either word has a better
partner, and whether the words next to them are linked to each other. Nothing searches.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.text.stems import STOP_WORDS
from core.text.wordnet import Thesaurus
from core.word_alignment.lexicon import WordRelation, cosines, relations

CLASSES = "NVJRIDPCMTWE."
"""First letters of treebank tags; what begins with no letter is punctuation, and a word
of any other tag is of no class."""
NO_TAG = "X"
BESIDE = ((-1, -1), (1, 1), (-2, -2), (2, 2), (0, -1), (0, 1), (-1, 0), (1, 0))
INVERSE_TEMPERATURE = 10.0  # of cosines in a softmax: a lead of 0.1 is one nat
BAND = 4


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedWords:
    """One side: ``tags`` of a treebank, one a word, NO_TAG where it is not known;
    ``vectors`` (n, d) in context."""

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    vectors: Floats | None = None


def table(
    source: AnalysedWords,
    target: AnalysedWords,
    thesaurus: Thesaurus | None,
    projected: tuple[Floats, Floats] | None = None,
) -> Floats:
    """The first round: float32 ``(T, V, columns)`` of words, neighbours and classes,
    and of cosines if both sides have vectors and ``projected`` ones. O(T V)."""
    related = relations(source.forms, target.forms, thesaurus)
    exact = (related == WordRelation.EXACT).astype(np.float32)
    columns = [*_lexical(source, target, related, exact), *_neighbours(exact)]
    columns += [k[:, None] for k in _kinds(source)] + [k[None] for k in _kinds(target)]
    if projected and source.vectors is not None and target.vectors is not None:
        raw = cosines(source.vectors, target.vectors)
        columns += _cosines(cosines(*projected), raw)
    rows = np.empty((*related.shape, len(columns)), dtype=np.float32)
    for at, column in enumerate(columns):
        rows[..., at] = column
    return rows


def around(nats: Floats) -> Floats:
    """The second round: float32 ``(T, V, columns)`` of log-odds ``(T, V)``."""
    nats = np.clip(nats, -8, 8)
    prob = 1 / (1 + np.exp(-nats))
    columns = [
        nats,
        prob,
        _best_other(prob, 1),
        _best_other(prob, 0),
        np.minimum(prob.sum(1, keepdims=True) - prob, 3),
        np.minimum(prob.sum(0, keepdims=True) - prob, 3),
        *_neighbours(prob),
        _shifted(prob, -1, 1),
        _shifted(prob, 1, -1),
        sum(_shifted(prob, k, k) / abs(k) for k in range(-BAND, BAND + 1) if k),
        sum(_shifted(prob, k, -k) / abs(k) for k in range(-BAND, BAND + 1) if k),
    ]
    return np.stack(columns, axis=-1).astype(np.float32)


def _lexical(
    source: AnalysedWords,
    target: AnalysedWords,
    related: NDArray[np.int8],
    exact: Floats,
) -> list[Floats]:
    """Forms and tags of the two words, and how far apart they are."""
    n, m = related.shape
    stop_s, stop_t = (_function(side) for side in (source, target))
    places_s, places_t = (np.arange(k) for k in (n, m))
    shift = (places_s[:, None] + 0.5) / n - (places_t + 0.5) / m
    spelling, beginning, number = _spellings(source.forms, target.forms)
    alone = (exact.sum(1) == 1)[:, None] & (exact.sum(0) == 1)
    known = np.array([[tag != NO_TAG] for tag in source.tags], np.float32)
    ranks = np.subtract.outer(_ranks(source.forms), _ranks(target.forms)) == 0
    return [
        *[(related == r).astype(np.float32) for r in list(WordRelation)[:5]],
        _same(source.forms, target.forms),
        spelling,
        beginning,
        number,
        exact * alone,
        exact * ranks,
        stop_s[:, None] * stop_t,
        stop_s[:, None],
        stop_t[None],
        exact * stop_s[:, None],
        known * _same(source.tags, target.tags),
        known * _same([t[:1] for t in source.tags], [t[:1] for t in target.tags]),
        np.abs(shift),
        shift,
        np.full((1, 1), np.log(n / m)),
    ]


def _cosines(cosine: Floats, raw: Floats) -> list[Floats]:
    odds = np.exp(INVERSE_TEMPERATURE * cosine)
    return [
        cosine,
        cosine * np.abs(cosine),
        cosine - _best_other(cosine, 1),
        cosine - _best_other(cosine, 0),
        odds / odds.sum(1, keepdims=True),
        odds / odds.sum(0, keepdims=True),
        *_neighbours(cosine),
        raw,
        raw - _best_other(raw, 1),
        raw - _best_other(raw, 0),
    ]


def _neighbours(cells: Floats) -> list[Floats]:
    """The table moved so that each cell holds its neighbour, for all of BESIDE."""
    return [_shifted(cells, i, j) for i, j in BESIDE]


def _shifted(cells: Floats, i: int, j: int) -> Floats:
    """``[a, b]`` holds cell ``[a + i, b + j]``; 0 outside of the table."""
    shifted = np.zeros_like(cells)
    (to_a, from_a), (to_b, from_b) = (_move(k) for k in (i, j))
    shifted[to_a, to_b] = cells[from_a, from_b]
    return shifted


def _move(by: int) -> tuple[slice, slice]:
    if by >= 0:
        return slice(None, -by or None), slice(by, None)
    return slice(-by, None), slice(None, by)


def _best_other(cells: Floats, axis: int) -> Floats:
    """For each cell the best of the other cells along ``axis``; 0 if it is alone."""
    if cells.shape[axis] < 2:
        return np.zeros_like(cells)
    ranked = np.partition(cells, (-2, -1), axis=axis)
    first, second = ranked.take([-1], axis), ranked.take([-2], axis)
    return np.where(cells == first, second, first)


def _spellings(
    source: Sequence[str], target: Sequence[str]
) -> tuple[Floats, Floats, Floats]:
    """Dice of letter pairs; share of a common beginning; both numbers, not the same."""
    shares = np.zeros((3, len(source), len(target)), dtype=np.float32)
    right = [(word.lower(), _letter_pairs(word.lower())) for word in target]
    for i, word in enumerate(source):
        a, pairs_a = word.lower(), _letter_pairs(word.lower())
        digit_a = a[:1].isdigit()
        for j, (b, pairs_b) in enumerate(right):
            if a == b:
                shares[:2, i, j] = 1.0
            elif digit_a and b[:1].isdigit():
                shares[2, i, j] = 1.0
            elif a[0] == b[0] or not pairs_a.isdisjoint(pairs_b):
                both = len(pairs_a) + len(pairs_b)
                shares[0, i, j] = 2 * len(pairs_a & pairs_b) / both if both else 0.0
                shares[1, i, j] = _common(a, b) / max(len(a), len(b))
    return shares[0], shares[1], shares[2]


def _letter_pairs(word: str) -> frozenset[str]:
    return frozenset(word[i : i + 2] for i in range(len(word) - 1))


def _common(a: str, b: str) -> int:
    """Length of the common beginning."""
    for k, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return k
    return min(len(a), len(b))


def _ranks(words: Sequence[str]) -> NDArray[np.int64]:
    """How often the word came before: the first "the" is 0, the second 1."""
    seen: Counter[str] = Counter()
    earlier = []
    for word in words:
        earlier.append(seen[word.lower()])
        seen[word.lower()] += 1
    return np.array(earlier)


def _same(a: Sequence[str], b: Sequence[str]) -> Floats:
    names = {name: at for at, name in enumerate({*a, *b})}
    left, right = (np.array([names[x] for x in side]) for side in (a, b))
    return np.asarray(left[:, None] == right, dtype=np.float32)


def _function(side: AnalysedWords) -> Floats:
    return np.array([float(w.lower() in STOP_WORDS) for w in side.forms], np.float32)


def _kinds(side: AnalysedWords) -> list[Floats]:
    """For each of CLASSES whether the words are of it."""
    kinds = np.array([t[0] if t[0].isalpha() else "." for t in side.tags])
    return [np.asarray(kinds == kind, dtype=np.float32) for kind in CLASSES]
