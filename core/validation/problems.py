"""What a rule finds wrong, where, and what helps."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """``rule``: a short name that stays. ``node``: the number of a node of a
    constituent tree, or -1; ``words``: positions that it is about, ascending."""

    rule: str
    text: str
    remedy: str
    words: tuple[int, ...] = ()
    node: int = -1

    @property
    def about(self) -> str:
        """tree, arcs or both."""
        if self.rule == "contradiction":
            return "both"
        return "tree" if self.node >= 0 else "arcs"
