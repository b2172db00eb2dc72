"""What a table says of given pairs of phrases, kept among its best or not.

What the words of two phrases themselves say of how alike they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

import numpy as np

from core.data.check import Floats
from core.errors import Unavailable
from core.pivoting.table import Table
from core.text.stems import STOP_WORDS, stem
from core.text.wordnet import Related, Thesaurus, thesaurus

WORD_FEATURES = (
    "words 1",
    "words 2",
    "difference",
    "shared",
    "within",
    "stems",
    "content stems",
    "letters",
    "beginning",
    "end",
    "digits",
    "first letter",
    "negation",
    "determiner",
    "plural",
    *(f"label {name}" for name in ("phrase", "noun", "verb", "adjective", "adverb")),
    "same lemma",
    "synonyms",
    "derived",
    "kin",
)
_PHRASES = frozenset({"NP", "VP", "S", "PP", "SBAR", "ADJP", "ADVP"})
_NEGATIONS = frozenset({"no", "not", "n't", "never", "without", "nor", "neither"})
_DETERMINERS = frozenset({"a", "an", "the", "this", "that", "these", "those", "any"})


def word_features(pairs: Sequence[tuple[str, str, str]]) -> Floats:
    """``(n, len(WORD_FEATURES))`` of each ``(phrase, paraphrase, label)``.

    The last four need WordNet, and are 0 without it.
    """
    rows = [[*_shape(a, b), *_label(s), *_senses(a, b)] for a, b, s in pairs]
    return np.array(rows, dtype=np.float64).reshape(len(pairs), len(WORD_FEATURES))


def _shape(one: str, other: str) -> list[float]:
    a, b = one.split(" "), other.split(" ")
    inside = f" {one} " in f" {other} " or f" {other} " in f" {one} "
    digits = [sum(c.isdigit() for c in text) for text in (one, other)]
    longest = max(len(one), len(other))
    return [
        len(a),
        len(b),
        abs(len(a) - len(b)),
        _jaccard(set(a), set(b)),
        float(inside),
        _jaccard({stem(word) for word in a}, {stem(word) for word in b}),
        _jaccard(_content(a), _content(b)),
        SequenceMatcher(None, one, other, autojunk=False).ratio(),
        _common(one, other) / longest,
        _common(one[::-1], other[::-1]) / longest,
        float(digits[0] != digits[1]),
        float(one[0] == other[0]),
        float(bool(_NEGATIONS & set(a)) != bool(_NEGATIONS & set(b))),
        float((_DETERMINERS & set(a)) != (_DETERMINERS & set(b))),
        float(a[-1].endswith("s") != b[-1].endswith("s")),
    ]


def _label(label: str) -> list[float]:
    return [
        float(label in _PHRASES),
        *(float(label.startswith(tag)) for tag in ("N", "V", "J", "R")),
    ]


def _content(words: Sequence[str]) -> set[str]:
    return {stem(word) for word in words if word not in STOP_WORDS}


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _common(one: str, other: str) -> int:
    """How many letters they begin with alike."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    return same


@cache
def _thesaurus() -> Thesaurus | None:
    try:
        return thesaurus()
    except Unavailable:
        return None


def _senses(one: str, other: str) -> list[float]:
    """Of the words of content, the share that has a like one on the other side."""
    known = _thesaurus()
    if known is None:
        return [0.0] * 4
    sides = [
        [word for word in text.split(" ") if word not in STOP_WORDS] or text.split(" ")
        for text in (one, other)
    ]
    related = {word: known.related(word) for side in sides for word in side}
    return [_matched(sides[0], sides[1], related, field) for field in Related._fields]


def _matched(
    one: Sequence[str], other: Sequence[str], related: dict[str, Related], field: str
) -> float:
    """The share of the words of both that have one across in this field."""
    matched = 0
    for side, across in ((one, other), (other, one)):
        there = {name for word in across for name in (word, *related[word].lemmas)}
        matched += sum(bool(there & getattr(related[word], field)) for word in side)
    return matched / (len(one) + len(other))


_TINY = 1e-9
_PAIRS = """
    SELECT a.id, p.label, sum(p.n / p.of_e * (q.n / q.of_f)) AS forward,
        sum(q.n / q.of_e * (p.n / p.of_f)) AS backward, count(*) AS pivots,
        count(DISTINCT p.corpus) AS corpora, sum(least(p.n, q.n)) AS support,
        sum(p.n / p.of_e * (q.n / q.of_e)) AS dot
    FROM asked a JOIN mine p ON p.phrase = a.e1
    JOIN mine q ON q.phrase = a.e2 AND q.label = p.label AND q.corpus = p.corpus
        AND q.foreign_phrase = p.foreign_phrase
    GROUP BY a.id, p.label"""
_SCORED_PHRASES = """
    SELECT phrase, label, sum(of_e) AS n, sum(many) AS many, sum(square) AS square,
        count(*) AS corpora FROM (
        SELECT phrase, label, corpus, max(of_e) AS of_e, count(*) AS many,
            sum((n / of_e) * (n / of_e)) AS square
        FROM mine WHERE label = '' OR label IN (SELECT label FROM asked)
        GROUP BY phrase, label, corpus) single
    GROUP BY phrase, label"""


@dataclass(frozen=True, slots=True)
class PairScores:
    """Columns ``(n,)`` over n pairs, probabilities and counts, 0 where there is none.

    ``baseline``: equation 5; ``syntactic``: equation 7 under the label that the pair
    was given with; ``extraction``: equation 10, under whichever label is best;
    ``*_back``: the same from the paraphrase to the phrase. ``is_covered``: the two
    share a foreign phrase. ``cosine``: of their translations' probabilities.
    ``n1, n2``: how often either occurs, ``under 1, under 2``: with that label.
    ``features`` ``(n, len(FEATURES))``: all that a fitted ranking may look at.
    """

    columns: Mapping[str, Floats]
    features: Floats

    @property
    def is_covered(self) -> np.ndarray:
        return self.columns["pivots"] > 0


_COLUMNS = (
    "baseline",
    "baseline_back",
    "syntactic",
    "syntactic_back",
    "extraction",
    "extraction_back",
    "labels",
    "pivots",
    "corpora",
    "support",
    "cosine",
    "n1",
    "n2",
    "pivots 1",
    "pivots 2",
    "corpora 1",
    "corpora 2",
    "under 1",
    "under 2",
)
FEATURES = (*(f"log {name}" for name in _COLUMNS), *WORD_FEATURES)


def pair_scores(table: Table, pairs: Sequence[tuple[str, str, str]]) -> PairScores:
    """Scores of each ``(phrase, paraphrase, label)``; label "" = none was given.

    They are sums over all foreign phrases, also of pairs that are not among the best.
    One pass over the table's pivots; memory by the pivots of the phrases asked about.
    """
    keyed = [(table.key(a), table.key(b), label) for a, b, label in pairs]
    columns = {name: np.zeros(len(pairs)) for name in _COLUMNS}
    both, single = _rows(table, keyed)
    for id_, label, *values in both:
        _take(columns, id_, label, keyed[id_][2], values)
    _add_phrases(columns, keyed, {(row[0], row[1]): row[2:] for row in single})
    logs = [np.log(columns[name] + _TINY) for name in _COLUMNS]
    return PairScores(columns, np.column_stack([*logs, word_features(keyed)]))


def smoothed(columns: Mapping[str, Floats], strength: float) -> Floats:
    """Equation 7 with equation 5 as its Dirichlet prior (MacKay & Peto 1995): where
    the phrase was seen n times with the label, n parts of 7 and ``strength`` parts of
    5. So a label that was never seen says nothing, instead of 0."""
    n = columns["under 1"]
    total: Floats = n * columns["syntactic"] + strength * columns["baseline"]
    return total / (n + strength)


def _rows(
    table: Table, keyed: Sequence[tuple[str, str, str]]
) -> tuple[list[tuple[int, str, float]], list[tuple[str, str, float]]]:
    engine = table.engine
    sides = [np.array(list(side), dtype=object) for side in zip(*keyed, strict=True)]
    engine.take(
        "asked",
        {
            "id": np.arange(len(keyed)),
            **dict(zip(("e1", "e2", "label"), sides, strict=True)),
        },
    )
    words = sorted({phrase for a, b, _ in keyed for phrase in (a, b)})
    engine.take("words", {"phrase": np.array(words, dtype=object)})
    engine.make(
        "mine",
        f"SELECT p.* FROM read_parquet('{table.files('pivots')}') p "
        "JOIN words w ON w.phrase = p.phrase",
    )
    rows = engine.rows(_PAIRS), engine.rows(_SCORED_PHRASES)
    engine.clear()
    return rows


def _take(
    columns: dict[str, Floats], at: int, label: str, given: str, values: Sequence[float]
) -> None:
    forward, backward, pivots, corpora, support, dot = values
    if not label:
        columns["baseline"][at], columns["baseline_back"][at] = forward, backward
        columns["pivots"][at], columns["corpora"][at] = pivots, corpora
        columns["support"][at], columns["cosine"][at] = support, dot
        return
    columns["labels"][at] += 1
    columns["extraction"][at] = max(columns["extraction"][at], forward)
    columns["extraction_back"][at] = max(columns["extraction_back"][at], backward)
    if label == given:
        columns["syntactic"][at], columns["syntactic_back"][at] = forward, backward


def _add_phrases(
    columns: dict[str, Floats],
    keyed: Sequence[tuple[str, str, str]],
    single: Mapping[tuple[str, str], Sequence[float]],
) -> None:
    """What the table knows of either phrase alone; the cosine gets its divisor."""
    none = (0.0, 0.0, 0.0, 0.0)
    for at, (*phrases, label) in enumerate(keyed):
        squares = 1.0
        for side, phrase in enumerate(phrases, 1):
            n, many, square, corpora = single.get((phrase, ""), none)
            columns[f"n{side}"][at] = n
            columns[f"pivots {side}"][at] = many
            columns[f"corpora {side}"][at] = corpora
            if label:
                columns[f"under {side}"][at] = single.get((phrase, label), none)[0]
            squares *= square
        if squares:
            columns["cosine"][at] /= squares**0.5
