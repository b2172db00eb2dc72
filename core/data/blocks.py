"""Blocks of two sentences: the tree of a biparse."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.data.tokens import Span

Orientation = Literal["link", "straight", "inverted"]


@dataclass(frozen=True, slots=True)
class Block:
    """A node of the biparse: a link, or a straight or inverted row of smaller blocks.

    ``source`` and ``target`` reach from its first to its last linked word. This is the
    normal form, one tree per alignment: no child has its parent's orientation, and k
    children represent k - 1 binary rules. Children are in source order.
    """

    orientation: Orientation
    source: Span
    target: Span
    children: tuple["Block", ...] = ()

    def walk(self) -> Iterator["Block"]:
        """This block and all below it, in preorder."""
        yield self
        for child in self.children:
            yield from child.walk()

    def n_rules(self, orientation: Orientation) -> int:
        """Return how many binary rules of this orientation the tree has."""
        own = [b for b in self.walk() if b.orientation == orientation]
        return sum(max(len(b.children) - 1, 0) for b in own)
