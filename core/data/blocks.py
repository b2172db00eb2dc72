"""Blocks of two sentences: the tree of a biparse."""

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
