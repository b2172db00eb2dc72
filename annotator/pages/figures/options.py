"""What a figure is asked to show, and how."""

from dataclasses import dataclass
from typing import Literal

from annotator.pages.canvas import VIEWS

CHOICES: dict[str, tuple[str, ...]] = {
    "view": VIEWS,
    "side": ("both", "source", "target"),
    "links": ("all", "phrases", "words", "none"),
    "marks": ("yes", "no"),
    "colour": ("colour", "grey"),
    "font": ("sans", "serif"),
}
"""By option: what it may be, the default first."""
OF_PAIRS = frozenset({"side", "links", "marks", "nodes", "across"})
"""Options that say nothing of a sentence without a pair."""


@dataclass(frozen=True, slots=True)
class NodeChoice:
    """The nodes of a side over tokens ``start`` to ``end - 1``, and no others."""

    side: Literal["s", "t"]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """``view`` "": constituents where there are any, else arcs. ``marks``: outlines,
    signs and strips that say what is decided, "no" for bare trees. ``nodes``: if there
    are any, only their links. ``folded``: refs like s5. What is about links is of no
    effect where one tree is drawn alone, and so is ``across``."""

    view: str = ""
    side: str = "both"
    links: str = "all"
    marks: str = "yes"
    colour: str = "colour"
    font: str = "sans"
    across: bool = False
    folded: frozenset[str] = frozenset()
    nodes: tuple[NodeChoice, ...] = ()
