"""A person's operations on a dependency tree: one frozen value each.

The tree is kept as its CoNLL-U token lines, so that what is not touched stays as it
came: lemmas, features, enhanced dependencies, ranges and empty nodes. ``Restore``, the
lines of before, undoes any operation.
Words count from 0, and the head of the root is -1, as in ``core.data.deps``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from core.data.deps import ROOT, DepTree
from core.data.tokens import Token
from core.errors import FormatError, InvalidValue
from core.formats import conllu
from core.trees.arc_lines import ID, Arcs, ArcsEdit, ArcsEdited, checked_relation
from core.trees.arc_splitting import JoinWords, SplitWord
from core.trees.recorded import Recorded
from core.trees.words import checked_form


@dataclass(frozen=True, slots=True)
class Attach(Recorded):
    """Another ``head`` for a word, -1 for none; ``relation`` "": the one it has, or
    root where it has no head. A sentence has one root: the former one then depends on
    the word."""

    op: ClassVar[str] = "attach"
    token: int
    head: int
    relation: str = ""

    def on(self, tree: Arcs) -> ArcsEdited:
        tree.check_word(self.token)
        had = tree.deps.labels[self.token]
        named = self.relation or ("root" if self.head == ROOT else _not_root(had))
        edited = tree.with_arc(self.token, self.head, checked_relation(named))
        for root in self._former_roots(tree):
            edited = edited.with_arc(root, self.token, "dep")
        return ArcsEdited(edited, self.token)

    def _former_roots(self, tree: Arcs) -> list[int]:
        heads = tree.deps.heads if self.head == ROOT else ()
        return [m for m, h in enumerate(heads) if h == ROOT and m != self.token]


@dataclass(frozen=True, slots=True)
class Relation(Recorded):
    """Another relation of a word to its head."""

    op: ClassVar[str] = "relation"
    token: int
    relation: str

    def on(self, tree: Arcs) -> ArcsEdited:
        tree.check_word(self.token)
        head = tree.deps.heads[self.token]
        edited = tree.with_arc(self.token, head, checked_relation(self.relation))
        return ArcsEdited(edited, self.token)


@dataclass(frozen=True, slots=True)
class Replace(Recorded):
    """Other lines over the same words, as typed."""

    op: ClassVar[str] = "replace"
    lines: str

    def on(self, tree: Arcs) -> ArcsEdited:
        new = Arcs(self.lines)
        if new.words != tree.words:
            raise InvalidValue("These lines belong to other words.")
        return ArcsEdited(new, 0)


@dataclass(frozen=True, slots=True)
class Restore(Replace):
    """The lines of before, on the words of before."""

    op: ClassVar[str] = "restore"

    def on(self, tree: Arcs) -> ArcsEdited:
        new = Arcs(self.lines)
        pairs = enumerate(zip(tree.words, new.words, strict=False))
        return ArcsEdited(new, next((i for i, (a, b) in pairs if a != b), 0))


@dataclass(frozen=True, slots=True)
class Retype(Recorded):
    """Another form of a word; its lemma and features stay as they came."""

    op: ClassVar[str] = "retype"
    token: int
    form: str

    def on(self, tree: Arcs) -> ArcsEdited:
        tree.check_word(self.token)
        edited = tree.with_forms({self.token: checked_form(self.form)})
        return ArcsEdited(edited, self.token)


@dataclass(frozen=True, slots=True)
class Field(Recorded):
    """Another value in a column of a word; "" for none."""

    op: ClassVar[str] = "field"
    token: int
    column: str
    value: str

    def on(self, tree: Arcs) -> ArcsEdited:
        tree.check_word(self.token)
        edited = tree.with_field(self.token, self.column, self.value.strip())
        return ArcsEdited(edited, self.token)


_KINDS: tuple[Any, ...] = (
    *(Attach, Relation, Field, Replace, Retype, SplitWord, JoinWords, Restore),
)
Read = Callable[[Mapping[str, Any]], ArcsEdit]
OPS: dict[str, Read] = {kind.op: kind.read for kind in _KINDS}


def read(sent: Mapping[str, Any]) -> ArcsEdit:
    """The operation that ``to_json`` gave; raises InvalidValue on anything else."""
    try:
        return OPS[sent["op"]](sent)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidValue(f"Not an operation on arcs: {error}") from error


def typed(text: str, tree: Arcs) -> Replace:
    """The lines that were typed over the words of ``tree``.

    Comments and blank lines are left out, and runs of spaces count as tabs where a line
    has no tab. Raises FormatError with line and column.
    """
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            shown = line.rstrip("\r")
            rows.append((number, shown if "\t" in shown else "\t".join(shown.split())))
    try:
        new = Arcs("\n".join(line for _, line in rows))
    except FormatError as error:
        at = rows[min(error.line or 1, len(rows)) - 1][0] if rows else 1
        raise FormatError(
            error.reason, line=at, column=error.column, remedy=error.remedy
        ) from error
    words = [(n, line) for n, line in rows if line.split("\t")[ID].isdigit()]
    pairs = zip(words, new.words, strict=True)
    for i, ((number, line), word) in enumerate(pairs):
        if i >= len(tree.words) or word != tree.words[i]:
            _refuse_word(tree, i, number, word, column=len(line.split("\t")[ID]) + 2)
    if len(words) < len(tree.words):
        _refuse_word(tree, len(words), words[-1][0] + 1, "", column=1)
    return Replace(new.lines)


def _refuse_word(tree: Arcs, i: int, line: int, word: str, *, column: int) -> None:
    wanted = tree.words[i] if i < len(tree.words) else ""
    message = f"word {i + 1} is {word or 'missing'!r}"
    more = f" and should be {wanted!r}" if wanted else ": the sentence is shorter"
    remedy = "keep the words of the sentence, in their order"
    raise FormatError(message + more, line=line, column=column, remedy=remedy)


def started(tokens: tuple[Token, ...]) -> Arcs:
    """Initial arcs where there are none: all words depend on the first."""
    heads = (ROOT, *(0 for _ in tokens[1:]))
    labels = ("root", *("dep" for _ in tokens[1:]))
    return Arcs(conllu.lines_of(tokens, DepTree(heads, labels)))


def _not_root(relation: str) -> str:
    return "dep" if relation == "root" else relation
