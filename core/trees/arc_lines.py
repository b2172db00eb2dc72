"""A dependency tree as token lines, and the interface of operations on it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.data.deps import ROOT, DepTree
from core.data.tokens import Token
from core.errors import InvalidValue
from core.formats import conllu

ID, FORM, HEAD, DEPREL, DEPS, COLUMNS = 0, 1, 6, 7, 8, 10
MAX_RELATION, MAX_FIELD = 60, 500
FIELDS = {"lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "deps": 8, "misc": 9}
_FEATURE = re.compile(r"[^|=\s]+=[^|=\s]+")
_ENHANCED = re.compile(r"([0-9]+(?:\.[0-9]+)?):[^|\s]+")


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
    def rows(self) -> list[list[str]]:
        """The columns of each line, to be changed."""
        return [line.split("\t") for line in self.lines.split("\n")]

    @classmethod
    def of_rows(cls, rows: Iterable[list[str]]) -> "Arcs":
        return cls("\n".join("\t".join(row) for row in rows))

    def check_word(self, token: int) -> None:
        """Raises InvalidValue if there is no such word."""
        if not 0 <= token < len(self.words):
            raise InvalidValue(f"There is no word {token + 1} in this sentence.")

    @property
    def tokens(self) -> tuple[Token, ...]:
        return conllu.tokens_of(self.lines)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token.form for token in self.tokens)

    def with_arc(self, token: int, head: int, relation: str) -> "Arcs":
        """The lines with another head and relation of one word.

        Raises InvalidValue if there is no such word, or on a cycle.
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
        rows = self.rows
        for row in rows:
            if row[ID] == str(token + 1):
                _redirect(row, str(head + 1), relation)
        return Arcs.of_rows(rows)

    def with_arcs_of(self, other: "Arcs") -> "Arcs":
        """These lines with the heads and relations of another tree over the same words;
        all other columns stay, ranges and empty nodes too.

        Raises InvalidValue on other words.
        """
        if self.words != other.words:
            raise InvalidValue("These arcs belong to other words.")
        theirs = {row[ID]: row for row in other.rows}
        rows = self.rows
        for row in rows:
            if (new := theirs.get(row[ID])) and row[ID].isdecimal():
                _redirect(row, new[HEAD], new[DEPREL])
        return Arcs.of_rows(rows)

    def field(self, token: int, column: str) -> str:
        """A column of a word, "" if it is empty. Raises InvalidValue."""
        if column not in FIELDS:
            names = ", ".join(FIELDS)
            raise InvalidValue(f"There is no column {column!r}: choose one of {names}.")
        row = next(row for row in self.rows if row[ID] == str(token + 1))
        value = row[FIELDS[column]]
        return "" if value == "_" else value

    def with_field(self, token: int, column: str, value: str) -> "Arcs":
        """The lines with another value in a column of a word: features in order, and
        enhanced arcs, whose heads must exist. Raises InvalidValue."""
        self.field(token, column)
        rows = self.rows
        checked = _checked_field(column, value, {row[ID] for row in rows} | {"0"})
        for row in rows:
            if row[ID] == str(token + 1):
                row[FIELDS[column]] = checked or "_"
        return Arcs.of_rows(rows)

    def with_forms(self, forms: Mapping[int, str]) -> "Arcs":
        """The lines with other forms of these words; ranges over them stay."""
        rows = self.rows
        named = {str(token + 1): form for token, form in forms.items()}
        for row in rows:
            row[FORM] = named.get(row[ID], row[FORM])
        return Arcs.of_rows(rows)


def _checked_field(column: str, value: str, ids: set[str]) -> str:
    if len(value) > MAX_FIELD or set(value) & set("\t\n\r\0"):
        raise InvalidValue(f"Write at most {MAX_FIELD} characters on one line.")
    if " " in value and column not in ("lemma", "misc"):
        raise InvalidValue("Only lemmas and MISC may hold spaces.")
    parts = value.split("|") if value else []
    if column == "feats":
        if not all(_FEATURE.fullmatch(part) for part in parts):
            raise InvalidValue("Write features as Case=Nom|Number=Sing.")
        return "|".join(sorted(parts, key=str.casefold))
    if column == "deps":
        heads = [_ENHANCED.fullmatch(part) for part in parts]
        if not all(head and head[1] in ids for head in heads):
            raise InvalidValue(
                "Write enhanced arcs as 2:nsubj|4:conj, with the numbers of words."
            )
        return "|".join(sorted(parts, key=lambda arc: float(arc.partition(":")[0])))
    return value


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
    """``on`` raises InvalidValue where the tree does not allow it."""

    @property
    def op(self) -> str: ...
    def on(self, tree: Arcs) -> ArcsEdited: ...
    def to_json(self) -> dict[str, Any]: ...


def checked_relation(relation: str) -> str:
    if not relation or len(relation) > MAX_RELATION or set(relation) & set(" \t\n\r\0"):
        raise InvalidValue(
            f"{relation!r} is not a relation: write one word of at most {MAX_RELATION} "
            "characters."
        )
    return relation
