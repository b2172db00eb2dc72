"""A dependency tree in its token lines, and what every operation on it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.data.deps import ROOT, DepTree
from core.data.tokens import Token
from core.errors import InvalidValue
from core.formats import conllu

ID, FORM, HEAD, DEPREL, DEPS, COLUMNS = 0, 1, 6, 7, 8, 10
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
                f"“{words[head]}” depends on “{words[token]}”, which would make a "
                f"cycle: give “{words[head]}” another head first."
            )
        rows = [line.split("\t") for line in self.lines.split("\n")]
        for row in rows:
            if row[ID] == str(token + 1):
                _redirect(row, str(head + 1), relation)
        return Arcs("\n".join("\t".join(row) for row in rows))

    def with_arcs_of(self, other: "Arcs") -> "Arcs":
        """These lines with the heads and relations of another tree over the same words;
        all other columns stay, ranges and empty nodes too.

        Raises InvalidValue on other words.
        """
        if self.words != other.words:
            raise InvalidValue("These arcs belong to other words.")
        theirs = {row[ID]: row for row in _rows(other.lines)}
        rows = _rows(self.lines)
        for row in rows:
            if (new := theirs.get(row[ID])) and row[ID].isdecimal():
                _redirect(row, new[HEAD], new[DEPREL])
        return Arcs("\n".join("\t".join(row) for row in rows))

    def with_forms(self, forms: Mapping[int, str]) -> "Arcs":
        """The lines with other forms of these words; ranges over them stay."""
        rows = [line.split("\t") for line in self.lines.split("\n")]
        named = {str(token + 1): form for token, form in forms.items()}
        for row in rows:
            row[FORM] = named.get(row[ID], row[FORM])
        return Arcs("\n".join("\t".join(row) for row in rows))


def _rows(lines: str) -> list[list[str]]:
    return [line.split("\t") for line in lines.split("\n")]


def _redirect(row: list[str], head: str, relation: str) -> None:
    """Give a token line another head. An enhanced arc that repeats the basic one goes
    with it; one that says something else stays."""
    old, new = f"{row[HEAD]}:{row[DEPREL]}", f"{head}:{relation}"
    row[HEAD], row[DEPREL] = head, relation
    arcs = row[DEPS].split("|")
    if old in arcs and new not in arcs:
        arcs = [new if arc == old else arc for arc in arcs]
        row[DEPS] = "|".join(sorted(arcs, key=lambda arc: float(arc.partition(":")[0])))


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
            f"{relation!r} is not a relation: write one word of at most {MAX_RELATION} "
            "characters."
        )
    return relation
