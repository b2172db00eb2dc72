"""The abstract syntax of a query: nodes, their conditions, and their relations.

The relations between two nodes A and B of one tree, as Tregex and TGrep2 name them.

Levy and Andrew 2006, "Tregex and Tsurgeon: tools for querying and manipulating tree
data structures", LREC; Rohde 2005, "TGrep2 user manual". Words are nodes below their
tags; the order of words counts empty elements.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

KindName = Literal["constituency", "dependency", ""]
StateName = Literal["null", "parked", "undecided"]


@dataclass(frozen=True, slots=True)
class Labels:
    """One of these labels or words; ``basic``: its category before any function."""

    texts: tuple[str, ...]
    basic: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class RegexTest:
    """A label or word in which this regular expression is found."""

    regex: str
    basic: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Any:
    """Any node."""


@dataclass(frozen=True, slots=True)
class TagClass:
    """A tag of this class (verb, noun, …), or a word with such a UPOS."""

    name: str


@dataclass(frozen=True, slots=True)
class Feature:
    """``key`` is deprel, form, lemma, upos, xpos or a key of FEATS. With neither
    texts nor a regex: it has some value. ``regex``: found in the value. ``same``: the
    name of a node with the same value; negated, with another one. Both have some."""

    key: str
    texts: tuple[str, ...] = ()
    regex: str = ""
    negated: bool = False
    same: str = ""


@dataclass(frozen=True, slots=True)
class Features:
    """A word of a dependency tree of which all these hold."""

    all: tuple[Feature, ...]


@dataclass(frozen=True, slots=True)
class NodeState:
    """A state in place of a partner: the decision instead of a link."""

    name: StateName


@dataclass(frozen=True, slots=True)
class Back:
    """A reference to the node with this name."""

    name: str


Test = Labels | RegexTest | Any | TagClass | Features | NodeState | Back


@dataclass(frozen=True, slots=True)
class Node:
    """A node and what holds of it; ``column`` counts from 1."""

    test: Test
    name: str = ""
    formula: "Formula | None" = None
    column: int = 1


@dataclass(frozen=True, slots=True)
class NodeRelation:
    """``op`` as in ``relations.RELATIONS``, "N" for the number in ``n``.

    ``through``: what all nodes between satisfy, of ``<+(C)``. ``labels``: of an arc,
    empty for any. ``kinds``: sure, possible; of a link, empty for both; of "^" which
    other tree of the sentence.
    """

    op: str
    node: Node
    n: int = 0
    through: Test | None = None
    labels: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    column: int = 1


@dataclass(frozen=True, slots=True)
class Not:
    part: "Formula"


@dataclass(frozen=True, slots=True)
class Maybe:
    """Optional: never decides, but shows its node where there is one."""

    part: "Formula"


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple["Formula", ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple["Formula", ...]


Formula = NodeRelation | Not | Maybe | And | Or


@dataclass(frozen=True, slots=True)
class WhereCondition:
    """One of ``where``: corpus, id, length, layer or trees; ``op``: = != < > <= >=."""

    key: str
    op: str
    value: str
    is_regex: bool = False
    column: int = 1


@dataclass(frozen=True, slots=True)
class Query:
    """``kind``: what the nodes are, or "" where the query does not tell."""

    root: Node
    where: tuple[WhereCondition, ...] = ()
    kind: KindName = ""
    has_links: bool = False
    text: str = ""


def relations_of(node: Node) -> Iterator[NodeRelation]:
    """All relations of a query, however deep."""
    waiting: list[Formula] = [] if node.formula is None else [node.formula]
    while waiting:
        part = waiting.pop()
        if isinstance(part, NodeRelation):
            yield part
            waiting += [] if part.node.formula is None else [part.node.formula]
        elif isinstance(part, And | Or):
            waiting += part.parts
        else:
            waiting.append(part.part)


def beyond(node: Node) -> Iterator[NodeRelation]:
    """The relations that lead into another tree of the sentence."""
    return (relation for relation in relations_of(node) if relation.op == "^")


def nodes_of(node: Node) -> Iterator[Node]:
    """All nodes of a query, the root first."""
    yield node
    for relation in relations_of(node):
        yield relation.node


@dataclass(frozen=True, slots=True)
class RelationInfo:
    """``op`` as it is written, N for a number from 1; ``means``: of A and B."""

    op: str
    means: str
    example: str


_ROWS = (
    ("<<", "A dominates B", "VP << VBN"),
    (">>", "A is dominated by B", "NN >> VP"),
    ("<", "A is the parent of B", "NP < PP"),
    (">", "A is a child of B", "NP > PP"),
    ("<N", "B is the Nth child of A", "VP <2 NP"),
    (">N", "A is the Nth child of B", "NP >1 S"),
    ("<-N", "B is the Nth child of A, counted from the last", "S <-2 VP"),
    (">-N", "A is the Nth child of B, counted from the last", "VP >-2 S"),
    ("<,", "B is the first child of A", "NP <, DT"),
    (">,", "A is the first child of B", "NP >, S"),
    ("<-", "B is the last child of A", "VP <- NP"),
    (">-", "A is the last child of B", "NP >- VP"),
    ("<:", "B is the only child of A", "NP <: PRP"),
    (">:", "A is the only child of B", "PRP >: NP"),
    ("<=", "A is B, or the parent of B", "VP <= VP"),
    ("<<,", "B is a leftmost descendant of A", "S <<, DT"),
    (">>,", "A is a leftmost descendant of B", "DT >>, S"),
    ("<<-", "B is a rightmost descendant of A", "VP <<- NN"),
    (">>-", "A is a rightmost descendant of B", "NN >>- VP"),
    ("<<:", "A dominates B by only children", "NP <<: PRP"),
    (">>:", "A is dominated by B by only children", "PRP >>: NP"),
    ("<#", "B is the head child of A", "NP <# NN"),
    (">#", "A is the head child of B", "NN ># NP"),
    ("<<#", "B is the head child of A, or its head child, and so on", "S <<# VBD"),
    (">>#", "A is the head child of B, or its head child, and so on", "VBD >># S"),
    ("<<<", "B is a leaf that A dominates", "NP <<< nurse"),
    ("<+(C)", "A dominates B, and all nodes between are C", "VP <+(VP) VBN"),
    (">+(C)", "A is dominated by B, and all nodes between are C", "VBN >+(VP) S"),
    (".", "A ends where B begins", "VBD . NP"),
    (",", "A begins where B ends", "NP , VBD"),
    ("..", "A precedes B", "NP .. VP"),
    (",,", "A follows B", "PP ,, VBN"),
    ("$", "A and B are siblings", "NP $ VP"),
    ("$.", "A is the sibling right before B", "NP $. VP"),
    ("$,", "A is the sibling right after B", "VP $, NP"),
    ("$..", "A is a sibling before B", "NP $.. VP"),
    ("$,,", "A is a sibling after B", "VP $,, NP"),
    ("==", "A and B are the same node", "VP == VP=v"),
    (":", "A and B are nodes of the same tree", "VP : PP"),
)
RELATIONS = {op: RelationInfo(op, means, example) for op, means, example in _ROWS}
ALIASES = {
    "$+": "$.",
    "$-": "$,",
    "$++": "$..",
    "$--": "$,,",
    "<`": "<-",
    ">`": ">-",
    "<<`": "<<-",
    ">>`": ">>-",
}
"""What Tregex and TGrep2 write besides."""
