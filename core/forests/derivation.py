"""From derivations and brackets to trees."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.data.check import Ints
from core.data.forest import Forest
from core.data.tree import Tree

TOP = "ROOT"  # of a sentence whose brackets do not meet in one
Phrase = tuple[int, int, str]


def chain_name(labels: Iterable[str]) -> str:
    """One name for a unary chain, top first: "S+VP". A plus in a label is escaped."""
    return "+".join(label.replace("%", "%25").replace("+", "%2B") for label in labels)


@lru_cache(maxsize=4096)
def chain_labels(name: str) -> tuple[str, ...]:
    """The labels of a chain's name, top first; none for ""."""
    if not name:
        return ()
    return tuple(
        label.replace("%2B", "+").replace("%25", "%") for label in name.split("+")
    )


def phrases_of(forest: Forest, edges: Ints) -> list[Phrase]:
    """The named nodes of a derivation, ``(start, end, name)`` in preorder."""
    nodes = forest.heads[edges]
    labels = forest.labels[nodes]
    rows = zip(
        forest.starts[nodes].tolist(),
        forest.ends[nodes].tolist(),
        [forest.names[x] for x in labels.tolist()],
        strict=True,
    )
    return [row for row in rows if row[2]]


def tree_of_phrases(
    phrases: Iterable[Phrase], *, words: Sequence[str], tags: Sequence[str]
) -> Tree:
    """The tree of nested phrases in preorder; "S+VP" becomes S over VP.

    If no phrase covers a sentence of several words, a node ROOT does. Raises
    InvalidValue if the phrases do not nest.
    """
    rows, n = list(phrases), len(words)
    if n > 1 and (not rows or rows[0][:2] != (0, n)):
        rows.insert(0, (0, n, TOP))
    nodes: list[tuple[str, int, int, str]] = []  # label, parent, token, form
    ends = [(n + 1, -1)]  # of the open phrases, innermost last, with their nodes
    first = 0
    for start, end, name in [*rows, (n, n, "")]:
        for i in range(first, start):
            while ends[-1][0] <= i:
                ends.pop()
            nodes.append((tags[i], ends[-1][1], i, words[i]))
        first = max(first, start)
        for label in chain_labels(name):
            while ends[-1][0] <= start:
                ends.pop()
            nodes.append((label, ends[-1][1], -1, ""))
            ends.append((end, len(nodes) - 1))
    return Tree(*zip(*nodes, strict=True))
