"""When a label fits: basic categories, classes of words, safe expressions."""

import re
from re import _parser as regex_parser  # type: ignore[attr-defined]
from typing import Any as Anything

from core.errors import InvalidValue
from core.queries.syntax import Any, Labels, RegexTest, TagClass

__all__ = ["CLASSES", "MAX_LABEL", "basic", "checked", "fits", "tags_of", "upos_of"]

INTRODUCING = frozenset("-=|#^~_[")
MAX_LABEL = 250  # characters of a label or word that are looked at
MAX_REGEX, MAX_OPEN = 200, 4
CLASSES: dict[str, tuple[str, str]] = {
    "noun": ("NN NNS NNP NNPS", "NOUN PROPN"),
    "verb": ("VB VBD VBG VBN VBP VBZ MD", "VERB AUX"),
    "adjective": ("JJ JJR JJS", "ADJ"),
    "adverb": ("RB RBR RBS WRB", "ADV"),
    "pronoun": ("PRP PRP$ WP WP$ EX", "PRON"),
    "determiner": ("DT PDT WDT", "DET"),
    "preposition": ("IN TO", "ADP"),
    "numeral": ("CD", "NUM"),
    "conjunction": ("CC", "CCONJ SCONJ"),
}
"""By name: the tags of the Penn Treebank, and the UPOS of Universal Dependencies."""


def basic(label: str) -> str:
    """The category without function and index: NP of NP-SBJ-1, and -LRB- of itself.

    As ``basicCategory`` of the Stanford parser: a sign that introduces an annotation
    does not at the front, nor where it closes what it opened there.
    """
    opened = label[:1] if label[:1] in INTRODUCING else ""
    for at, sign in enumerate(label):
        if at == 0 or sign not in INTRODUCING:
            continue
        if sign != opened:
            return label[:at]
        opened = ""
    return label


def tags_of(name: str) -> tuple[str, ...]:
    """All tags of this class, of either tagset; KeyError if there is no such class."""
    return tuple(" ".join(CLASSES[name]).split())


def upos_of(name: str) -> tuple[str, ...]:
    return tuple(CLASSES[name][1].split())


def fits(test: Labels | RegexTest | Any | TagClass, label: str) -> bool:
    """Whether a label passes; of a class, whether a tag is of it."""
    if isinstance(test, Any):
        return True
    if isinstance(test, TagClass):
        return label in tags_of(test.name)
    text = basic(label) if test.basic else label
    if isinstance(test, Labels):
        return (text in test.texts) != test.negated
    return (re.search(test.regex, text) is not None) != test.negated


def checked(regex: str) -> str:
    """The regular expression, if it is one whose search ends soon.

    Raises InvalidValue at a syntax error, a back reference, a repetition within a
    repetition, or more than four open ones: their cost grows with a power of the text.
    """
    if len(regex) > MAX_REGEX:
        raise InvalidValue(f"a regular expression of more than {MAX_REGEX} signs")
    try:
        parsed = regex_parser.parse(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidValue(f"no regular expression: {error}") from error
    if _open_repeats(parsed, inside=False) > MAX_OPEN:
        raise InvalidValue(f"more than {MAX_OPEN} open repetitions (*, +) in one")
    return regex


def _open_repeats(parsed: Anything, *, inside: bool) -> int:
    total = 0
    for op, value in parsed:
        name = str(op)
        if name in ("GROUPREF", "GROUPREF_EXISTS"):
            raise InvalidValue("a back reference in a regular expression")
        repeats = name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
        if repeats and value[1] > 1:
            if inside:
                raise InvalidValue("a repetition within a repetition")
            total += value[1] > 20
        for part in _parts(value):
            total += _open_repeats(part, inside=inside or (repeats and value[1] > 1))
    return total


def _parts(value: Anything) -> list[Anything]:
    if isinstance(value, regex_parser.SubPattern):
        return [value]
    if isinstance(value, tuple | list):
        return [part for one in value for part in _parts(one)]
    return []
