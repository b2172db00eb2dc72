"""What every operation on a constituent tree is, and what it gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.data.tree import Tree
from core.errors import InvalidValue

__all__ = ["Edited", "TreeEdit", "checked_label"]

MAX_LABEL = 60
_SIGNS = frozenset("() \t\n\r\f\v\0")


@dataclass(frozen=True, slots=True)
class Edited:
    """The tree after an operation, and where its nodes are by then.

    ``moved``: old number to new; ``at``: the node that the operation was about.
    """

    tree: Tree
    moved: Mapping[int, int]
    at: int


class TreeEdit(Protocol):
    """``on`` and ``inverse`` raise InvalidValue where the tree does not allow it."""

    @property
    def op(self) -> str: ...
    def on(self, tree: Tree) -> Edited: ...
    def inverse(self, tree: Tree) -> "TreeEdit": ...
    def to_json(self) -> dict[str, Any]: ...


def checked_label(label: str, *, empty: bool = False) -> str:
    """The label; "" for an ``empty`` root alone. Raises InvalidValue."""
    if (not label and not empty) or len(label) > MAX_LABEL or _SIGNS & set(label):
        raise InvalidValue(
            f"{label!r} is no label: one word without brackets, at most {MAX_LABEL} "
            "signs."
        )
    return label
