"""The relations between two nodes A and B of one tree, as Tregex and TGrep2 name them.

Levy and Andrew 2006, "Tregex and Tsurgeon: tools for querying and manipulating tree
data structures", LREC; Rohde 2005, "TGrep2 user manual". Words are nodes below their
tags; the order of words counts empty elements.
"""

from dataclasses import dataclass


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


def spelt(op: str, n: int) -> str:
    """The relation as a person writes it."""
    return op.replace("N", str(n)) if n else op
