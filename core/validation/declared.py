"""The rules that a treebank declares, one per line:

    labels: S NP VP PP           other labels of phrases are wrong
    tags: DT NN VBD .            other tags are wrong
    need PP: IN TO               a PP has a child of one of these
    forbid NP: VBD               an NP has no child of these
    never: NP <: NP # no NP over an NP alone
    relations: nsubj obj root    other relations of arcs are wrong
    ud: 3                        Universal Dependencies, up to this level; 0: not at all
    note PP: the object may be a clause         what the guidelines say of a label

Text after `` # `` in a rule about children or a pattern is its reason; a line that
begins with # is a comment. A label fits if it is in the list, or its category without
functions is: NP for NP-SBJ.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.errors import FormatError
from core.queries import parser
from core.queries.syntax import Query, beyond

_SAYS_WHY = ("need", "forbid", "never")  # elsewhere # may be a tag
_OF_LABEL = ("need", "forbid", "note")
MAX_LEVEL, MAX_PATTERNS, MAX_LINES = 3, 40, 500
EXAMPLE = """labels: S SBAR NP VP PP ADJP ADVP
need PP: IN TO # a preposition
forbid NP: VBD VBZ
never: NP <: NP # an NP over an NP alone
ud: 2
"""


@dataclass(frozen=True, slots=True)
class Children:
    """The children that a phrase needs, or may not have."""

    parent: str
    labels: tuple[str, ...]
    needed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A query that must not match."""

    text: str
    query: Query
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """Empty sets allow everything; ``level`` 0: nothing of Universal Dependencies.
    ``notes``: a label, or a relation, and what the guidelines say of it."""

    labels: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    children: tuple[Children, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    level: int = 0
    notes: tuple[tuple[str, str], ...] = ()


def read(text: str) -> Rules:
    """The rules of such lines. Raises FormatError with line, column and remedy."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise _wrong("too many lines", MAX_LINES + 1, 1, f"at most {MAX_LINES}")
    rules = Rules()
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            rules = _with_line(rules, line, number)
    return rules


def _with_line(rules: Rules, line: str, number: int) -> Rules:
    is_note = line.lstrip().startswith("note ")  # of a relation that may have a colon
    head, colon, rest = f"{line} ".partition(": " if is_note else ":")
    word, _, parent = head.strip().partition(" ")
    body, _, reason = rest.partition(" # ") if word in _SAYS_WHY else (rest, "", "")
    add = _LINES.get(word)
    if not colon or add is None or bool(parent) != (word in _OF_LABEL):
        names = "labels:, tags:, need X:, forbid X:, never:, relations:, ud: or note X:"
        raise _wrong(f"there is no rule {head.strip()!r}", number, 1, f"use {names}")
    column = len(head) + 2
    if not body.strip():
        raise _wrong(
            "nothing after the colon", number, column, "write the value after the colon"
        )
    if word == "never":
        return _never(rules, body, reason.strip(), number, column)
    return add(rules, parent.strip(), body, reason.strip(), (number, column))


Place = tuple[int, int]


def _set(name: str) -> Callable[[Rules, str, str, str, Place], Rules]:
    def add(rules: Rules, _m: str, body: str, _r: str, _p: Place) -> Rules:
        both = getattr(rules, name) | set(body.split())
        return replace(rules, **{name: both})

    return add


def _children(*, needed: bool) -> Callable[[Rules, str, str, str, Place], Rules]:
    def add(rules: Rules, parent: str, body: str, reason: str, _p: Place) -> Rules:
        one = Children(parent, tuple(body.split()), needed, reason)
        return replace(rules, children=(*rules.children, one))

    return add


def _never(rules: Rules, body: str, reason: str, line: int, column: int) -> Rules:
    text = body.strip()
    start = column + len(body) - len(body.lstrip())
    if len(rules.patterns) >= MAX_PATTERNS:
        remedy = f"at most {MAX_PATTERNS} patterns"
        raise _wrong("too many patterns", line, 1, remedy)
    try:
        query = parser.parse(text)
    except FormatError as error:
        at = start + (error.column or 1) - 1
        raise _wrong(error.reason, line, at, error.remedy) from error
    if query.has_links or query.where or any(beyond(query.root)):
        remedy = "a pattern is about one tree: leave ~ and where out"
        raise _wrong("a pattern has links or conditions", line, start, remedy)
    return replace(rules, patterns=(*rules.patterns, Pattern(text, query, reason)))


def _note(rules: Rules, parent: str, body: str, _r: str, _p: Place) -> Rules:
    return replace(rules, notes=(*rules.notes, (parent, body.strip())))


def _level(rules: Rules, _m: str, body: str, _r: str, place: Place) -> Rules:
    if body.strip() not in ("0", "1", "2", "3"):
        raise _wrong(f"there is no level {body.strip()!r}", *place, f"0 to {MAX_LEVEL}")
    return replace(rules, level=int(body))


def _wrong(reason: str, line: int, column: int, remedy: str) -> FormatError:
    return FormatError(reason, line=line, column=column, remedy=remedy)


_LINES: dict[str, Callable[[Rules, str, str, str, Place], Rules]] = {
    "labels": _set("labels"),
    "tags": _set("tags"),
    "relations": _set("relations"),
    "need": _children(needed=True),
    "forbid": _children(needed=False),
    "never": _set("labels"),  # parsed separately, to know its column
    "ud": _level,
    "note": _note,
}
