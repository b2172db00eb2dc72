"""Splitting and joining words of a dependency tree, with its token lines renumbered.

Operations as in ``core.trees.arcs``. Heads, enhanced dependencies, ranges and empty
nodes keep the words that they are about.
"""

from dataclasses import dataclass
from typing import ClassVar

from core.errors import InvalidValue
from core.trees.arc_lines import (
    DEPREL,
    FORM,
    HEAD,
    ID,
    Arcs,
    ArcsEdited,
    checked_relation,
)
from core.trees.recorded import Recorded
from core.trees.words import checked_form

LEMMA, FEATS, DEPS, MISC = 2, 5, 8, 9
Row = list[str]


@dataclass(frozen=True, slots=True)
class SplitWord(Recorded):
    """Two words replace one: the second depends on the first by ``relation``, and has
    its parts of speech. Dependents of the word become dependents of the first."""

    op: ClassVar[str] = "split"
    token: int
    forms: tuple[str, str]
    relation: str = "dep"

    def on(self, tree: Arcs) -> ArcsEdited:
        words = tree.words
        tree.check_word(self.token)
        first, second = (checked_form(form) for form in self.forms)
        relation, n = checked_relation(self.relation), self.token + 1
        rows = _renumbered(tree.rows, _Shift(n, 1))
        at = next(i for i, row in enumerate(rows) if row[ID] == str(n))
        row = rows[at]
        new = [*row]
        new[ID], new[FORM], new[LEMMA], new[FEATS] = str(n + 1), second, "_", "_"
        new[HEAD], new[DEPREL] = str(n), relation
        new[DEPS] = "_" if row[DEPS] == "_" else f"{n}:{relation}"
        row[FORM] = first
        is_one = first + second == words[self.token]
        row[MISC] = "SpaceAfter=No" if is_one else "_"
        return ArcsEdited(
            Arcs.of_rows([*rows[: at + 1], new, *rows[at + 1 :]]), self.token
        )


@dataclass(frozen=True, slots=True)
class JoinWords(Recorded):
    """One word replaces ``token`` and the next: it takes the head of the upper of the
    two and the dependents of both. ``form``: "" for both forms without a space."""

    op: ClassVar[str] = "join"
    token: int
    form: str = ""

    def on(self, tree: Arcs) -> ArcsEdited:
        first, second = self._words(tree)
        heads, n = tree.deps.heads, self.token + 1
        upper = n + 1 if heads[self.token] == self.token + 1 else n
        kept = next(row for row in tree.rows if row[ID] == str(upper))
        last = next(row for row in tree.rows if row[ID] == str(n + 1))
        rows = []
        for row in tree.rows:
            if row[ID] == str(n):
                form = checked_form(self.form or first + second)
                joined = [*kept]
                joined[ID], joined[FORM], joined[MISC] = str(n), form, last[MISC]
                joined[DEPS] = _without(kept[DEPS], {str(n), str(n + 1)})
                rows.append(joined)
            elif row[ID] not in (str(n + 1), f"{n}-{n + 1}"):
                rows.append(row)
        return ArcsEdited(Arcs.of_rows(_renumbered(rows, _Shift(n, -1))), self.token)

    def _words(self, tree: Arcs) -> tuple[str, str]:
        """The two words; raises InvalidValue where they cannot be one."""
        words, a, b = tree.words, self.token, self.token + 1
        tree.check_word(a)
        tree.check_word(b)
        heads = tree.deps.heads
        if heads[b] != a and heads[a] != b and heads[a] != heads[b]:
            raise InvalidValue(
                f"Neither of “{words[a]}” and “{words[b]}” depends on the other, and "
                "they do not share a head: attach one to the other first."
            )
        for row in tree.rows:
            if "." in row[ID] and int(row[ID].split(".")[0]) == a + 1:
                raise InvalidValue(
                    f"An empty node is between “{words[a]}” and “{words[b]}”."
                )
            if "-" in row[ID]:
                start, end = (int(i) - 1 for i in row[ID].split("-"))
                if (start <= a <= end) != (start <= b <= end):
                    raise InvalidValue(
                        f"Only one of “{words[a]}” and “{words[b]}” belongs to the "
                        f"multiword token “{row[FORM]}”."
                    )
        return words[a], words[b]


@dataclass(frozen=True, slots=True)
class _Shift:
    """How the numbers of words behind word ``n`` change: ``by`` 1 or -1."""

    n: int
    by: int

    def word(self, i: int) -> int:
        return i + self.by * (i > self.n)

    def end(self, i: int) -> int:
        """Of the last word of a range, or of the word before an empty node: what came
        behind word n is part of it."""
        return i + self.by * (i > self.n or (self.by > 0 and i == self.n))

    def node(self, name: str) -> str:
        number, dot, rest = name.partition(".")
        if not number.isdigit():
            return name
        return f"{self.end(int(number))}.{rest}" if dot else str(self.word(int(number)))


def _renumbered(rows: list[Row], shift: _Shift) -> list[Row]:
    for row in rows:
        if "-" in row[ID]:
            start, end = (int(i) for i in row[ID].split("-"))
            row[ID] = f"{shift.word(start)}-{shift.end(end)}"
            continue
        row[ID], row[HEAD] = shift.node(row[ID]), shift.node(row[HEAD])
        if row[DEPS] != "_":
            named = (one.partition(":") for one in row[DEPS].split("|"))
            moved = [shift.node(a) + colon + b for a, colon, b in named]
            row[DEPS] = "|".join(dict.fromkeys(moved))
    return rows


def _without(enhanced: str, heads: set[str]) -> str:
    kept = [one for one in enhanced.split("|") if one.partition(":")[0] not in heads]
    return "|".join(kept) or "_"
