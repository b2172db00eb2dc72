"""Matching of labels: basic categories, classes of words, safe expressions."""

import re
from functools import lru_cache
from typing import Any as Anything

from core.errors import InvalidValue
from core.queries.syntax import Any, Labels, RegexTest, TagClass

INTRODUCING = frozenset("-=|#^~_[")
MAX_LABEL = 250  # characters of a label or word that are looked at
MAX_REGEX = 200  # characters
MAX_REGEX_MEMORY = 2**20  # bytes of a compiled one
WORD = r"\p{L}\p{M}\p{N}_"
NO_WORD = (  # of punctuation, all but the low line
    r"\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}\p{C}"
    r"\x{203f}\x{2040}\x{2054}\x{fe33}\x{fe34}\x{fe4d}-\x{fe4f}\x{ff3f}"
)
SPACE = (
    r"\x{9}-\x{d}\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}"
    r"\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
)
NO_SPACE = (
    r"\x{0}-\x{8}\x{e}-\x{1b}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}"
    r"\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}"
)
CHARACTERS = {
    r"\w": WORD, r"\W": NO_WORD, r"\d": r"\p{Nd}", r"\D": r"\P{Nd}",
    r"\s": SPACE, r"\S": NO_SPACE,
}  # fmt: skip
"""Python's classes as RE2 writes them inside brackets (its own know ASCII alone)."""
ESCAPE = re.compile(
    r"(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<escape>\\.)|(?P<atmost>\{,(?=\d+\}))",
    re.DOTALL,
)
UNKNOWN = {
    "(?=": "look-aheads", "(?!": "look-aheads", "(?<=": "look-behinds",
    "(?<!": "look-behinds", "(?>": "atomic groups", "(?P=": "back references",
    "(?(": "conditions", "\\1": "back references", "\\2": "back references",
    "++": "possessive repetitions", "*+": "possessive repetitions",
}  # fmt: skip
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

    As ``basicCategory`` of the Stanford parser: a character that introduces an
    annotation does not do so at the front, nor where it closes what it opened there.
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
    """Return all tags of this class, of either tagset; KeyError if there is no such
    class."""
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
    return matches(test.regex, text) != test.negated


def checked(regex: str) -> str:
    """Return the regular expression; raises InvalidValue as ``matches`` does."""
    _compiled(regex)
    return regex


def matches(regex: str, text: str) -> bool:
    """Whether the regular expression matches somewhere in the text.

    The engine is RE2 (Cox 2010): linear in the text whatever the expression, without
    look-around, back references and word boundaries. Classes such as ``\\w`` mean what
    they mean to Python; marks that combine with letters are of ``\\w``, too.

    Raises InvalidValue at a syntax error, or at what would take too much memory.
    """
    return _compiled(regex).search(text) is not None


@lru_cache(maxsize=256)
def _compiled(regex: str) -> Anything:
    import re2  # 8 MB, when a search has an expression

    if len(regex) > MAX_REGEX:
        raise InvalidValue(f"a regular expression has at most {MAX_REGEX} characters")
    options = re2.Options()
    options.max_mem, options.log_errors = MAX_REGEX_MEMORY, False
    try:
        return re2.compile(ESCAPE.sub(_unicode, regex), options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        text = reason.decode() if isinstance(reason, bytes) else str(reason)
        raise InvalidValue(
            f"not a regular expression: {_explained(regex, text)}"
        ) from error


def _unicode(match: "re.Match[str]") -> str:
    """What Python and RE2 read differently, as RE2 writes it."""
    if match["atmost"]:
        return "{0,"
    if match["class"]:
        return re.sub(
            r"\\.",
            lambda inner: CHARACTERS.get(inner[0], inner[0]),
            match["class"],
            flags=re.DOTALL,
        )
    escape = match["escape"]
    if escape in {r"\b", r"\B"}:
        raise InvalidValue(
            rf"{escape} is not supported: "
            r"write (?:^|\W) before a word and (?:\W|$) after it"
        )
    if escape == r"\Z":
        return r"\z"
    return f"[{CHARACTERS[escape]}]" if escape in CHARACTERS else escape


def _explained(regex: str, reason: str) -> str:
    for start, what in UNKNOWN.items():
        if start in regex:
            return f"{what} are not supported; write it without {start}"
    return reason
