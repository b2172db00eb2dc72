"""Annotation conventions of English treebanks, as bonuses on spans.

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

Conventions of biomedical treebanks are in ``core.parsing.technical``:

- *names*: "B6 / J mice", "Pax6 + / - eyes": a tied name before a noun is NML.
- *appositions*: "a brown bread bag ( BBB )", "the arrow in ( C )": the short form is
  an NP within the NP of the long one, no PRN; the closing bracket stands outside.
- *compounds*: "[NML bread bag] clips", by the dependency tree, in technical text.
- *relatives*: relative pronouns are WHNP, in technical text.

Conventions of biomedical treebanks: names, compounds, acronyms, relative pronouns.

Bonuses on span scores, like those in ``core.parsing.conventions``, where they are
explained. Labels that a model does not have are left out.
"""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from core.data.check import Floats
from core.errors import InvalidValue
from core.parsing.reading import Reading, acronyms, bracketed, names

Cell = tuple[int, int | slice, list[int], float]  # start, end or ends, labels, nats
NAME, COMPOUND, RELATIVE, OUTSIDE = 16.0, 8.0, 12.0, 8.0
BEFORE = ("compound", "amod", "nmod:desc", "nummod")
BESIDE = ("conj", "appos", "flat", "dep", "list")
EDGES = frozenset(
    ("HYPH", "SYM", "CC", ",", ".", ":", "``", "''", "-LRB-", "-RRB-", "POS")
)
CALLED = ("NP", "NML", "NX")  # the words that an acronym may abbreviate


def tied_names(reading: Reading, labels: tuple[str, ...]) -> Iterator[Cell]:
    """Names tied by hyphens and slashes that modify a noun behind them are NML, and no
    phrase begins or ends within a name. The loci of a genotype, "A / a ; B / b mice",
    are a name each, and one together."""
    nml, phrases = _ids(labels, "NML"), list(range(1, len(labels)))
    for start, end in names(reading):
        for i in range(start):
            yield i, slice(start + 1, end), phrases, -OUTSIDE
        for i in range(start + 1, end):
            yield i, slice(end + 1, None), phrases, -OUTSIDE
        if _is_called(reading, start, end) and _modifies(reading, start, end):
            yield start, end, nml, NAME
            if reading.is_noun(end):  # which heads the phrase that the name is in
                yield end, slice(end + 1, None), _called(labels), -OUTSIDE

    for loci in _genotypes(reading):
        start, end = loci[0][0], loci[-1][1]
        before = end < len(reading) and reading.tags[end][:2] in ("NN", "JJ")
        for i, j in [*loci, (start, end)] if before else loci:
            yield i, j, nml if before else _ids(labels, "NP"), NAME


def _genotypes(reading: Reading) -> Iterator[list[tuple[int, int]]]:
    """Runs of at least two names with nothing but semicolons between them."""
    run: list[tuple[int, int]] = []
    for start, end in [*names(reading), (-1, -1)]:
        if not (run and run[-1][1] + 1 == start and reading.words[start - 1] == ";"):
            if len(run) > 1:
                yield run
            run = []
        run.append((start, end))


def _is_called(reading: Reading, start: int, end: int) -> bool:
    """Whether it is a name rather than an adjective, a participle or an amount."""
    last = reading.tags[end - 1]
    if last == "CD":
        letters = any(c.isalpha() for word in reading.words[start:end] for c in word)
        return letters and reading.tags[start] != "CD"
    return _is_genotype(reading, end) or last[:2] in ("NN", "PO", "DT", "FW")


def _is_genotype(reading: Reading, end: int) -> bool:
    return not any(map(str.isalnum, reading.words[end - 1]))


def _modifies(reading: Reading, start: int, end: int) -> bool:
    if end == len(reading):
        return False
    following = reading.tags[end][:2]
    if following == "NN" or (following == "JJ" and _is_genotype(reading, end)):
        return True
    tops = [
        i
        for i in range(start, end)
        if reading.heads
        and not start <= reading.heads[i] < end
        and reading.tags[i][:2] in ("NN", "CD", "JJ", "FW")
    ]
    return bool(tops) and _modified(reading, tops[-1]) >= end


def _modified(reading: Reading, i: int) -> int:
    """The noun behind ``i`` that it, or what it is joined to, modifies; else -1."""
    for v, head in zip([i, *reading.line(i)], reading.line(i), strict=False):
        if head > v:
            is_before = reading.labels[v] in BEFORE and reading.is_noun(head)
            return head if is_before else -1
        if reading.labels[v] not in BESIDE:
            return -1
    return -1


def compounds(reading: Reading, labels: tuple[str, ...]) -> Iterator[Cell]:
    """In technical text, a compound inside a compound is NML: "[bread bag] clips";
    so is each of several that are joined by a conjunction."""
    if not reading.is_technical:
        return
    nml = _ids(labels, "NML")
    for v, head in enumerate(reading.heads):
        if head > v and _is_inner(reading, v, head):
            joined = _joined(reading, v)
            own = [_premodified(reading, w) for w in (v, *joined)] if joined else []
            for start, end in (reading.subtrees[v], *own):
                if end - start > 1:
                    yield start, end, nml, COMPOUND


def _is_inner(reading: Reading, v: int, head: int) -> bool:
    start, end = reading.subtrees[v]
    return (
        reading.labels[v] == "compound"
        and reading.is_noun(v)
        and reading.is_noun(head)
        and end - start > 1
        and end <= head
        and EDGES.isdisjoint((reading.tags[start], reading.tags[end - 1]))
        and reading.is_whole(v)
    )


def _joined(reading: Reading, v: int) -> list[int]:
    pairs = enumerate(zip(reading.heads, reading.labels, strict=True))
    return [i for i, (head, label) in pairs if head == v and label == "conj"]


def _premodified(reading: Reading, v: int) -> tuple[int, int]:
    """The span of ``v`` and what modifies it from the left."""
    starts = [
        reading.subtrees[i][0]
        for i in range(v)
        if reading.heads[i] == v
        and reading.labels[i] not in ("cc", "cc:preconj", "punct")
    ]
    return min([v, *starts]), v + 1


def relatives(reading: Reading, labels: tuple[str, ...]) -> Iterator[Cell]:
    """In technical text, which, who and relative that are WHNP, as in the Penn
    Treebank; GUM calls them NP."""
    if reading.is_technical:
        for i, tag in enumerate(reading.tags):
            if tag in ("WDT", "WP"):
                yield i, i + 1, _ids(labels, "WHNP"), RELATIVE


def appositions(scores: Floats, reading: Reading, labels: tuple[str, ...]) -> None:
    """Make a bracketed acronym, or a bracketed word behind a preposition or a
    conjunction, part of the phrase before it: no PRN, and the closing bracket left
    out of all phrases that end there. What scored a phrase that ends behind the
    bracket scores the one that ends before it, in place.
    """
    called = _called(labels)
    others = [x for x in range(1, len(labels)) if x not in called]
    short = set(acronyms(reading.words))
    for start, end in [*short, *_objects(reading, short)]:
        _close(scores, start, end)
        label = "NP"
        if (start, end) in short:
            scores[:start, start, others] -= OUTSIDE
            if _is_premodifier(reading, start, end):
                label = "NML"
                long = _long_form(reading, start, but=("DT", "PRP$", "IN"))
                for post in (start, end - 1):
                    scores[long, post, _ids(labels, label)] += 2 * OUTSIDE
            else:
                long = _long_form(reading, start, but=("IN", "TO"))
                scores[long, end - 1, _ids(labels, label)] += OUTSIDE / 2
        scores[start + 1, end - 1, _ids(labels, label)] += OUTSIDE


def _objects(reading: Reading, but: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in bracketed(reading.words):
        is_object = start and reading.tags[start - 1] in ("IN", "TO", "CC")
        if is_object and end - start == 3 and (start, end) not in but:
            yield start, end


def _close(scores: Floats, start: int, end: int) -> None:
    """Move the phrases that end at ``end`` to before the closing bracket; none begins
    with the opening one."""
    scores[start, end - 1 : end + 1, 1:] -= OUTSIDE
    first = int(end == len(scores) - 1)  # the whole sentence keeps its bracket
    moved = scores[first:start, end, 1:]
    kept = scores[first:start, end - 1, 1:]
    scores[first:start, end - 1, 1:] = np.logaddexp(kept, moved)
    scores[first:start, end, 1:] -= OUTSIDE


def _is_premodifier(reading: Reading, start: int, end: int) -> bool:
    """Whether the word before the bracket depends on a noun behind it."""
    if not reading.heads or end == len(reading):
        return False
    return reading.heads[start - 1] >= end and reading.tags[end][:2] in ("NN", "JJ")


def _long_form(reading: Reading, end: int, *, but: tuple[str, ...]) -> int:
    """Return where the phrase begins that an acronym at ``end`` abbreviates, ignoring
    such words."""
    start = min(reading.subtrees[end - 1][0], end - 1)
    while start < end - 1 and reading.tags[start] in but:
        start += 1
    return start


def _called(labels: tuple[str, ...]) -> list[int]:
    return [x for x, label in enumerate(labels) if label.split("+")[0] in CALLED]


def _ids(labels: tuple[str, ...], name: str) -> list[int]:
    return [labels.index(name)] if name in labels else []


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
            raise InvalidValue(f"there is no convention {name}; known: {known}")
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
    "names": _adding(tied_names),
    "appositions": appositions,
    "compounds": _adding(compounds),
    "relatives": _adding(relatives),
}
