"""A dependency tree in its token lines, and what every operation on it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.data.deps import ROOT, DepTree
from core.data.tokens import Token
from core.errors import InvalidValue
from core.formats import conllu

__all__ = ["Arcs", "ArcsEdit", "ArcsEdited", "checked_relation"]

ID, FORM, HEAD, DEPREL, COLUMNS = 0, 1, 6, 7, 10
MAX_RELATION = 60


@dataclass(frozen=True, slots=True)
class Arcs:
    """A dependency tree in its token lines; raises FormatError if they hold none."""

    lines: str

    def __post_init__(self) -> None:
        conllu.deps_of(self.lines)

    @property
    def deps(self) -> DepTree:
        return conllu.deps_of(self.lines)

    @property
    def tokens(self) -> tuple[Token, ...]:
        return conllu.tokens_of(self.lines)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token.form for token in self.tokens)

    def with_arc(self, token: int, head: int, relation: str) -> "Arcs":
        """The lines with another head and relation of one word.

        Raises InvalidValue if there is no such word, or on a circle.
        """
        deps, words = self.deps, self.words
        if not (0 <= token < len(deps) and ROOT <= head < len(deps)):
            raise InvalidValue("There is no such word in this sentence.")
        above = head
        while above not in (ROOT, token):
            above = deps.heads[above]
        if above == token:
            raise InvalidValue(
                f"“{words[head]}” depends on “{words[token]}”, which would close a "
                f"circle: give “{words[head]}” another head first."
            )
        rows = [line.split("\t") for line in self.lines.split("\n")]
        for row in rows:
            if row[ID] == str(token + 1):
                row[HEAD], row[DEPREL] = str(head + 1), relation
        return Arcs("\n".join("\t".join(row) for row in rows))

    def with_forms(self, forms: Mapping[int, str]) -> "Arcs":
        """The lines with other forms of these words; ranges over them stay."""
        rows = [line.split("\t") for line in self.lines.split("\n")]
        named = {str(token + 1): form for token, form in forms.items()}
        for row in rows:
            row[FORM] = named.get(row[ID], row[FORM])
        return Arcs("\n".join("\t".join(row) for row in rows))


@dataclass(frozen=True, slots=True)
class ArcsEdited:
    """The tree after an operation; ``at``: the word that it was about."""

    tree: Arcs
    at: int


class ArcsEdit(Protocol):
    """``on`` and ``inverse`` raise InvalidValue where the tree does not allow it."""

    @property
    def op(self) -> str: ...
    def on(self, tree: Arcs) -> ArcsEdited: ...
    def inverse(self, tree: Arcs) -> "ArcsEdit": ...
    def to_json(self) -> dict[str, Any]: ...


def checked_relation(relation: str) -> str:
    if not relation or len(relation) > MAX_RELATION or set(relation) & set(" \t\n\r\0"):
        raise InvalidValue(
            f"{relation!r} is no relation: one word of at most {MAX_RELATION} signs."
        )
    return relation
