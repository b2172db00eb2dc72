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
    return _TreeBuilder(words, tags).tree(list(phrases))


class _TreeBuilder:
    """Lists of a Tree under construction; ``_open``: (end, node), innermost last."""

    def __init__(self, words: Sequence[str], tags: Sequence[str]) -> None:
        self._words = words
        self._tags = tags
        self._labels: list[str] = []
        self._parents: list[int] = []
        self._tokens: list[int] = []
        self._forms: list[str] = []
        self._open: list[tuple[int, int]] = [(len(words) + 1, -1)]
        self._next = 0

    def tree(self, phrases: list[Phrase]) -> Tree:
        n = len(self._words)
        if n > 1 and (not phrases or phrases[0][:2] != (0, n)):
            self._phrase(0, n, TOP)
        for start, end, name in phrases:
            self._leaves(start)
            for label in chain_labels(name):
                self._phrase(start, end, label)
        self._leaves(n)
        return Tree(
            tuple(self._labels),
            tuple(self._parents),
            tuple(self._tokens),
            tuple(self._forms),
        )

    def _leaves(self, stop: int) -> None:
        """Add the words before ``stop``; close what ends there."""
        for i in range(self._next, stop):
            self._add(self._parent(i), self._tags[i], i, self._words[i])
        self._next = max(stop, self._next)

    def _phrase(self, start: int, end: int, label: str) -> None:
        v = self._add(self._parent(start), label, -1, "")
        self._open.append((end, v))

    def _parent(self, position: int) -> int:
        while self._open[-1][0] <= position:
            self._open.pop()
        return self._open[-1][1]

    def _add(self, parent: int, label: str, token: int, form: str) -> int:
        self._labels.append(label)
        self._parents.append(parent)
        self._tokens.append(token)
        self._forms.append(form)
        return len(self._labels) - 1
