"""The same phrase in another tree over the same words."""

from collections import defaultdict

from core.data.tree import Tree

Place = tuple[tuple[int, ...], str, int]
"""Where a phrase is, whatever tree it is in: its words, its label, and how many phrases
of these words and this label stand above it (unary chains repeat both). A trace has no
words, and its text in the label."""


def places(tree: Tree) -> dict[Place, int]:
    """Every phrase and trace by its place, parents before children.

    One place, one phrase: the way to another tree and back ends where it began.
    O(nodes * words).
    """
    seen: defaultdict[tuple[tuple[int, ...], str], int] = defaultdict(int)
    nodes: dict[Place, int] = {}
    for v in range(len(tree)):
        if tree.tokens[v] < 0:
            words, label = tree.yield_of(v), f"{tree.labels[v]} {tree.forms[v]}".strip()
            nodes[words, label, seen[words, label]] = v
            seen[words, label] += 1
    return nodes


def across(old: Tree, new: Tree) -> dict[Place, int]:
    """Map the places of either tree to ``new``.

    A phrase of ``old`` that has another label in ``new``, where nothing but labels
    differs, is where it was, unless another phrase of ``old`` is now there.
    """
    before, after = places(old), places(new)
    if (old.parents, old.tokens, old.forms) != (new.parents, new.tokens, new.forms):
        return after
    taken = {v for place, v in after.items() if place in before}
    same = {place: v for place, v in before.items() if v not in taken}
    return same | after
