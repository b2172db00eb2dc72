"""Annotation conventions of English treebanks that the text shows, as span bonuses.

The treebanks that a parser learns from differ here, or hardly show the case. The nats
are set by hand, far above what a model doubts; none is fitted.

- *references*: pointers to a figure, a table or a section, citations by number, and
  remarks on the source ("data not shown", "reviewed in ..."), in brackets, belong to
  the clause whose claim they support, not to its last noun: phrases around a noun, an
  adjective or a preposition are not to end with one. Numbers cited are no QP.
- *hyphens*: words tied by hyphens or slashes before a noun are one modifier: NML if
  they end in a noun ("a [NML blood - pressure] drug"), ADJP if in an adjective or a
  participle ("a [ADJP well - known] drug"). Bies et al. 1995 and the Penn addenda.
- *enumerators*: a bracketed letter or number before a sentence is a list marker, LST.

Those of biomedical treebanks are in ``core.parsing.technical``:

- *names*: "B6 / J mice", "Pax6 + / - eyes": a tied name before a noun is NML.
- *appositions*: "a brown bread bag ( BBB )", "the arrow in ( C )": the short form is
  an NP within the NP of the long one, no PRN; the closing bracket stands outside.
- *compounds*: "[NML bread bag] clips", by the dependency tree, in technical text.
- *relatives*: relative pronouns are WHNP, in technical text.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from core.data.check import Floats
from core.errors import InvalidValue
from core.parsing import technical
from core.parsing.reading import Reading, bracketed
from core.parsing.technical import Cell

__all__ = ["CONVENTIONS", "follow"]

Span = tuple[int, int]
Cells = Callable[[Reading, tuple[str, ...]], Iterator[Cell]]
Convention = Callable[[Floats, Reading, tuple[str, ...]], None]

SQUARE = ("[", "-LSB-")
NOMINAL = frozenset({"NP", "NML", "NX", "NAC", "QP", "WHNP", "PRN"})
NOT_CLAUSAL = NOMINAL | {"PP", "ADJP", "ADVP", "UCP", "CONJP", "RRC"}
NUMBERS = re.compile(r"[\d\s,;–—-]*\d[\d\s,;–—-]*")
POINTER = re.compile(
    r"((see|cf\.?|e\.g\.?|compare|also|and|data in) ,? ?)*"
    r"((supplement\w*|supporting|additional) )?"
    r"(figs?|figures?|tables?|sections?|appendix|chapters?|equations?|eqs?|schemes?"
    r"|plates?|videos?|movies?|texts?|files?|datasets?|data sets?|box|panels?)\b.*",
    re.IGNORECASE,
)
REMARK = re.compile(
    r"((data|results?|observations?|see|and|,|[A-Z]\.) ?)*(not shown|unpublished)\b.*"
    r"|.*\bunpublished .*|(reviewed in|see|e\.g\.|c\.?f\.|as in) .*|below|above",
    re.IGNORECASE,
)
MARK = r"([A-Za-z]{1,2}\d?|\d{1,2}|[ivx]+)"
ENUMERATOR = re.compile(rf"{MARK}( ?(, and|,|and|–|-|—|;) ?{MARK})*")
BETWEEN = frozenset({",", ";", "–", "-", "—", "and", "&", "through", "to"})
LOW, TIED, TIED_ADJECTIVE, MARKER = 4.0, 8.0, 4.0, 12.0


def follow(
    scores: Floats, reading: Reading, names: tuple[str, ...], *, which: Sequence[str]
) -> None:
    """Add the bonuses of the conventions ``which`` to ``scores``, in place.

    ``scores``: ``(n + 1, n + 1, labels)``, nats, at one probability's scale;
    ``names``: the labels. Labels that are not in ``names`` are left out. Raises
    InvalidValue for a convention that there is not. O(n depth) but for long brackets.
    """
    for name in which:
        if name not in CONVENTIONS:
            known = ", ".join(CONVENTIONS)
            raise InvalidValue(f"convention {name}: there are {known}")
        CONVENTIONS[name](scores, reading, names)


def _adding(cells: Cells) -> Convention:
    def add(scores: Floats, reading: Reading, names: tuple[str, ...]) -> None:
        for i, j, labels, nats in cells(reading, names):
            scores[i, j, labels] += nats

    return add


def _references(reading: Reading, names: tuple[str, ...]) -> Iterator[Cell]:
    nominal = [x for x, name in enumerate(names) if name and _is_nominal(name)]
    amounts = [x for x, name in enumerate(names) if "QP" in name.split("+")]
    for start, end in _runs(reading.words):
        for i in range(start):
            yield i, end, nominal, -LOW
        for i in range(start, end):
            if reading.words[start] in SQUARE:
                yield i, slice(i + 1, end + 1), amounts, -TIED


def _is_nominal(name: str) -> bool:
    return NOT_CLAUSAL.issuperset(name.split("+"))


def _runs(words: Sequence[str]) -> list[Span]:
    """Bracketed references; "[1], [3]" in a row are one."""
    runs: list[Span] = []
    for start, end in bracketed(words):
        if start and _is_reference(words[start], " ".join(words[start + 1 : end - 1])):
            gap = words[runs[-1][1] : start] if runs else words
            if not gap or (len(gap) == 1 and gap[0] in BETWEEN):
                runs[-1] = runs[-1][0], end
            else:
                runs.append((start, end))
    return runs


def _is_reference(bracket: str, text: str) -> bool:
    by_number = bracket in SQUARE and NUMBERS.fullmatch(text)
    return bool(by_number or POINTER.fullmatch(text) or REMARK.fullmatch(text))


def _hyphens(reading: Reading, names: tuple[str, ...]) -> Iterator[Cell]:
    tags = reading.tags
    for start, end in _tied(reading.words, tags):
        kind, last = tags[end][:2], tags[end - 1][:2]
        if kind in ("NN", "JJ") and last == "NN" and "NML" in names:
            yield start, end, [names.index("NML")], TIED
        elif kind in ("NN", "JJ") and last in ("JJ", "VB") and "ADJP" in names:
            yield start, end, [names.index("ADJP")], TIED_ADJECTIVE


def _tied(words: Sequence[str], tags: Sequence[str]) -> Iterator[Span]:
    """Stretches word - word - word, with a word behind them."""
    n, k = len(words), 1
    while k < n - 2:
        start = k - 1
        while k < n - 2 and _ties(words[k], tags[k]):
            k += 2
        if k > start + 1:
            yield start, k
        k += 1


def _ties(word: str, tag: str) -> bool:
    return tag == "HYPH" or (tag == "SYM" and word in ("/", "-", "–"))


def _enumerators(reading: Reading, names: tuple[str, ...]) -> Iterator[Cell]:
    words = reading.words
    if "LST" not in names or len(words) < 4:
        return
    for start, end in bracketed(words):
        if start == 0 and ENUMERATOR.fullmatch(" ".join(words[1 : end - 1])):
            yield 0, end, [names.index("LST")], MARKER
            phrases = list(range(1, len(names)))
            for i in range(1, end - 1):
                yield i, slice(i + 1, end), phrases, -MARKER


CONVENTIONS: dict[str, Convention] = {
    "references": _adding(_references),
    "hyphens": _adding(_hyphens),
    "enumerators": _adding(_enumerators),
    "names": _adding(technical.tied_names),
    "appositions": technical.appositions,
    "compounds": _adding(technical.compounds),
    "relatives": _adding(technical.relatives),
}
