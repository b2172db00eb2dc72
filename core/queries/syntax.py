"""What a query says, as values: nodes, what holds of them, and how they are related."""

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
    texts nor a regex: it has some value. ``regex``: found in the value."""

    key: str
    texts: tuple[str, ...] = ()
    regex: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Features:
    """A word of a dependency tree of which all these hold."""

    all: tuple[Feature, ...]


@dataclass(frozen=True, slots=True)
class NodeState:
    """In the place of a partner: what is decided instead of a link."""

    name: StateName


@dataclass(frozen=True, slots=True)
class Back:
    """The node that bears this name."""

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


def bound(node: Node) -> list[Node]:
    """The nodes that every match has, in the order of the query: no alternative, no
    option, nothing negated; back references and states of links are none."""
    nodes = [] if isinstance(node.test, Back | NodeState) else [node]
    for part in _conjuncts(node.formula):
        if isinstance(part, NodeRelation):
            nodes += bound(part.node)
    return nodes


def _conjuncts(formula: Formula | None) -> tuple[Formula, ...]:
    if isinstance(formula, And):
        return tuple(one for part in formula.parts for one in _conjuncts(part))
    return () if formula is None else (formula,)


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
