"""The same phrase in another tree over the same words."""

from collections import defaultdict

from core.data.tree import Tree

__all__ = ["Place", "places"]

Place = tuple[tuple[int, ...], str, int]
"""Where a phrase is, whatever tree it is in: its words, its label, and how many phrases
of these words and this label stand above it (unary chains repeat both). A trace has no
words, and its text in the label."""


def places(tree: Tree) -> dict[Place, int]:
    """Every phrase and trace by its place, mothers before daughters.

    One place, one phrase: the way to another tree and back ends where it began.
    O(nodes * words).
    """
    seen: defaultdict[tuple[tuple[int, ...], str], int] = defaultdict(int)
    found: dict[Place, int] = {}
    for v in range(len(tree)):
        if tree.tokens[v] < 0:
            words, label = tree.yield_of(v), f"{tree.labels[v]} {tree.forms[v]}".strip()
            found[words, label, seen[words, label]] = v
            seen[words, label] += 1
    return found
