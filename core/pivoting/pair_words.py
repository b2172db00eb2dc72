"""What the words of two phrases themselves say of how alike they are."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache

import numpy as np

from core.data.check import Floats
from core.errors import Unavailable
from core.text.stems import STOP_WORDS, stem
from core.text.wordnet import Related, Thesaurus, thesaurus

__all__ = ["WORD_FEATURES", "word_features"]

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
