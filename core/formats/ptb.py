"""Penn Treebank bracketings.

    trees    = { tree }
    tree     = "(" [label] { tree | word } ")"      label, word: no space, no bracket
    leaf     = "(" tag word ")"                     -NONE- tags an empty element

A bracket without a label is an empty root ("( (S ...))"); S1, ROOT and TOP are labels
like any other, function tags (NP-SBJ-1) are part of the label. Words that are brackets
are escaped as -LRB- and so on in the source: the tree keeps them so, the tokens of a
SentenceRecord do not. Comment lines are not part of the format.

A tree may span many lines, and many trees may share one. When a bracket is missing,
reading continues at the next line that begins with "(".
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from core.data.tokens import Token
from core.data.tree import MAX_DEPTH, Tree, TreeBuilder
from core.errors import FormatError, InvalidValue
from core.formats.records import (
    MAX_RECORD,
    BadLine,
    Format,
    PairRecord,
    ParseRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
    bad,
    clean,
    words,
)

MAX_BRACKETS = 100_000  # of one tree; 10 MB of them take more than a gigabyte
LOSSES = (
    "Pairs, labels, links and layers are left out: a bracketing holds one sentence.",
    "The raw text, sentence ids and all token columns but form and tag are left out.",
    "Edge labels and secondary edges are left out.",
    "Discontinuous phrases are refused: a bracketing cannot hold them.",
    "Dependency parses are left out.",
    "Spaces and brackets inside a word are escaped (_ , -LRB-, -RRB-), so a word "
    "spelt -LRB- comes back as a bracket.",
)
TRACE = "-NONE-"
# No-break spaces before an opening bracket indent (MASC); elsewhere they are of a word.
_TOKEN = re.compile(r"[()]|(?!\u00a0+\()[^ \t\n\r\f\v()]+")
_ESCAPES = {
    "(": "-LRB-",
    ")": "-RRB-",
    "[": "-LSB-",
    "]": "-RSB-",
    "{": "-LCB-",
    "}": "-RCB-",
}
LEAF = re.compile(
    r"\(\s*(?P<tag>[^ \t\n\r\f\v()]+)[ \t\n\r\f\v]+(?P<word>[^ \t\n\r\f\v()]+)"
)
_ESCAPED = re.compile(r"-[LR][RSC]B-")
_PROTECTED = re.compile(r"\\[/*]")  # would lose its backslash on the way back
_PLAIN = {escaped: plain for plain, escaped in _ESCAPES.items()}


def unescape(form: str) -> str:
    """The word as people write it: -LRB- is "(", ``\\/`` is "/"."""
    if "-" in form:
        form = _ESCAPED.sub(lambda match: _PLAIN[match.group()], form)
    return form.replace("\\/", "/").replace("\\*", "*")


def escape(form: str) -> str:
    """The word as a bracketing may hold it: no space, no round bracket."""
    if form in _ESCAPES:
        return _ESCAPES[form]
    safe = form.replace("(", "-LRB-").replace(")", "-RRB-")
    return "_".join(words(safe)) or "_"


def parse_one(text: str) -> Tree:
    """The only tree in ``text``; raises FormatError if there is none, or more."""
    trees = list(parse(text.split("\n")))
    if len(trees) != 1:
        raise FormatError(f"expected one tree, found {len(trees)}", line=1, column=1)
    return trees[0]


def parse(lines: Iterable[str]) -> Iterator[Tree]:
    """Every tree, in order. Raises FormatError with line and column."""
    reader = _BracketReader()
    for number, line in enumerate(lines, 1):
        for match in _TOKEN.finditer(line):
            tree = reader.feed(match.group(), number, match.start() + 1)
            if tree is not None:
                yield tree
    if reader.depth:
        raise reader.unclosed()


def bracket(tree: Tree, v: int = 0) -> str:
    """The subtree at ``v`` on one line; an empty root is "( (S ...))"."""
    parts: list[str] = []
    open_until: list[int] = []
    for u in range(v, tree.subtree_end(v)):
        while open_until and open_until[-1] <= u:
            parts.append(")")
            open_until.pop()
        if parts:
            parts.append(" ")
        if tree.is_leaf(u):
            parts.append(f"({tree.labels[u]} {tree.forms[u]})")
        else:
            parts.append(f"({tree.labels[u]}")
            open_until.append(tree.subtree_end(u))
    return "".join(parts) + ")" * len(open_until)


def record_of(tree: Tree, *, raw: str = "", line: int = 0) -> SentenceRecord:
    """The tree with its tokens: forms unescaped, tags as ``xpos``."""
    tokens = tuple(
        Token(unescape(word), xpos=tag)
        for word, tag in zip(tree.words, tree.tags, strict=True)
    )
    return SentenceRecord(
        tokens=tokens,
        text=" ".join(token.form for token in tokens),
        parse=ParseRecord(tree=tree),
        raw=raw,
        line=line,
    )


def read(lines: Iterable[str]) -> Iterator[Record | BadLine]:
    """A SentenceRecord for each tree; the text around trees is in its ``raw``."""
    scanner = _Scanner()
    for number, line in enumerate(lines, 1):
        yield from scanner.line(number, line)
    yield from scanner.end()


def write(records: Iterable[Record]) -> Iterator[str]:
    """One tree a line, or the text it was read from."""
    for record in records:
        if isinstance(record, RecordHeader | Tail):
            yield record.text
        elif isinstance(record, SentenceRecord):
            yield from _render(record)
        elif isinstance(record, PairRecord):
            yield from _render(record.source)
            yield from _render(record.target)


def _render(record: SentenceRecord) -> Iterator[str]:
    if record.raw:
        yield record.raw
    elif record.parse and record.parse.tree:
        tree = record.parse.tree
        if tuple(t for t in tree.tokens if t >= 0) != tuple(range(tree.n_tokens)):
            raise FormatError(
                f"sentence {record.id or record.text[:40]!r} has discontinuous phrases",
                remedy="export it as tigerxml or gemel",
            )
        yield bracket(_escaped(tree, record.forms)) + "\n"


def _escaped(tree: Tree, forms: tuple[str, ...]) -> Tree:
    """The tree with words that read back as ``forms``; those that do stay as they are.

    Trees that were read from brackets hold escaped words, those of parsers plain ones.
    """
    labels, written = list(tree.labels), list(tree.forms)
    for v in range(len(tree)):
        if not tree.is_leaf(v):
            labels[v] = labels[v] and escape(labels[v])
            continue
        labels[v] = escape(labels[v])
        token = tree.tokens[v]
        form = forms[token] if 0 <= token < len(forms) else unescape(written[v])
        if unescape(written[v]) != form or escape(written[v]) != written[v]:
            written[v] = escape(_PROTECTED.sub(r"\\\g<0>", form))
    return Tree(tuple(labels), tree.parents, tree.tokens, tuple(written))


class _BracketReader:
    """One pass over the tokens; ``_stack`` holds the parts of each open bracket."""

    def __init__(self) -> None:
        self.start = (0, 0)
        self.skipping = 0  # open brackets of a tree already reported
        self._stack: list[list[Any]] = []
        self._n_brackets = 0  # of the open tree

    @property
    def depth(self) -> int:
        return len(self._stack) + self.skipping

    def unclosed(self) -> FormatError:
        return FormatError(
            f"the tree that starts here lacks {self.depth} closing "
            + ("bracket" if self.depth == 1 else "brackets"),
            line=self.start[0],
            column=self.start[1],
            remedy="close it; the file may be cut off",
        )

    def drop(self) -> None:
        """Forget the open tree."""
        self._stack, self.skipping = [], 0

    def feed(self, token: str, line: int, column: int) -> Tree | None:
        if self.skipping:
            self.skipping += {"(": 1, ")": -1}.get(token, 0)
        elif token == "(":
            self._open(line, column)
        elif not self._stack:
            raise FormatError(
                f"{token[:40]!r} outside a tree",
                line=line,
                column=column,
                remedy="a tree begins with an opening bracket",
            )
        elif token == ")":
            return self._close(line, column)
        else:
            self._stack[-1].append(token)
        return None

    def _open(self, line: int, column: int) -> None:
        if not self._stack:
            self.start, self._n_brackets = (line, column), 0
        self._n_brackets += 1
        is_deep = len(self._stack) >= MAX_DEPTH
        if is_deep or self._n_brackets > MAX_BRACKETS:
            self.skipping, self._stack = len(self._stack) + 1, []
            raise FormatError(
                f"brackets nested deeper than {MAX_DEPTH}"
                if is_deep
                else f"a tree of more than {MAX_BRACKETS:,} brackets",
                line=line,
                column=column,
                remedy="look for a missing closing bracket",
            )
        self._stack.append([])

    def _close(self, line: int, column: int) -> Tree | None:
        node = self._stack.pop()
        if not node:
            self.skipping, self._stack = len(self._stack), []
            raise FormatError(
                "an empty bracket",
                line=line,
                column=column,
                remedy="give it a label and a word, or remove it",
            )
        if self._stack:
            self._stack[-1].append(node)
            return None
        builder = TreeBuilder()
        try:
            _grow(builder, node)
            return builder.freeze()
        except InvalidValue as error:
            raise FormatError(
                str(error), line=self.start[0], column=self.start[1]
            ) from error


def _grow(builder: TreeBuilder, node: list[Any]) -> None:
    label, parts = ("", node) if isinstance(node[0], list) else (node[0], node[1:])
    if len(parts) == 1 and isinstance(parts[0], str):
        add = builder.trace if label == TRACE else builder.leaf
        add(str(label), parts[0])
        return
    if not parts or any(isinstance(part, str) for part in parts):
        raise InvalidValue(f"bracket {label!r} mixes words and brackets, or is empty")
    builder.open(str(label))
    for part in parts:
        _grow(builder, part)
    builder.close()


class _Scanner:
    """Lines to records. Keeps the lines of the open tree, to look at them again.

    A tree that never closes swallows those after it: then it alone is reported, and
    from there on a "(" at the start of a line begins a tree (``strict``).
    """

    def __init__(self) -> None:
        self._reader = _BracketReader()
        self._raw = ""  # text since the last good tree
        self._held: list[tuple[int, str]] = []  # lines since the open tree began
        self._size = 0
        self._strict = False
        self._spoiled = False  # the open tree holds something already reported
        self._unclean = False  # so does this whole line

    def line(self, number: int, line: str) -> Iterator[Record | BadLine]:
        if self._strict and self._reader.depth and line.startswith("("):
            yield from self._give_up()
        self._size += len(line)
        self._held.append((number, line))
        self._unclean = False
        try:
            clean(line, line=number)
        except FormatError as error:
            self._spoiled = self._unclean = True
            yield bad(error, excerpt=line)
        yield from self._trees(number, line)
        if not self._reader.depth:
            self._held, self._size, self._spoiled = [], 0, False
        elif self._size > MAX_RECORD:
            yield from self._rescan()

    def end(self) -> Iterator[Record | BadLine]:
        while self._reader.depth:
            yield from self._rescan()
        if self._raw:
            yield Tail(self._raw)

    def _trees(self, number: int, line: str) -> Iterator[Record | BadLine]:
        """The trees that close on this line; white space after one is part of it."""
        used, ready = 0, None
        for match in _TOKEN.finditer(line):
            stray = not self._reader.depth and match.group() != "("
            if stray and self._spoiled:
                used = match.end()
                continue
            if not self._reader.depth:
                self._spoiled = self._unclean  # the tree before it has no such note
            try:
                tree = self._reader.feed(match.group(), number, match.start() + 1)
                if tree is None:
                    if self._spoiled and not self._reader.depth:
                        self._raw, used = "", match.end()
                    continue
                if ready:
                    yield ready
                raw = self._raw + line[used : match.end()]
                self._raw, used = "", match.end()
                ready = None if self._spoiled else self._record(tree, raw)
            except FormatError as error:
                yield bad(error, line=number, excerpt=line)
                self._raw, used = "", match.end()
                self._spoiled = True
        self._raw = "" if self._spoiled else self._raw + line[used:]
        if ready and not self._raw.strip():
            ready, self._raw = replace(ready, raw=ready.raw + self._raw), ""
        if ready:
            yield ready

    def _record(self, tree: Tree, raw: str) -> SentenceRecord:
        line, column = self._reader.start
        if not tree.n_tokens:
            raise FormatError(
                "a tree without words",
                line=line,
                column=column,
                remedy="a sentence needs at least one word that is not a trace",
            )
        return record_of(tree, raw=raw, line=line)

    def _give_up(self) -> Iterator[BadLine]:
        first = self._held[0][1] if self._held else ""
        if not self._reader.skipping and not self._spoiled:
            yield bad(self._reader.unclosed(), excerpt=first)
        self._reader.drop()
        self._raw, self._held, self._size, self._spoiled = "", [], 0, False

    def _rescan(self) -> Iterator[Record | BadLine]:
        """Report the open tree, then read its lines again from the next "("."""
        start = self._reader.start[0]
        again = [row for row in self._held if row[0] > start]
        yield from self._give_up()
        self._strict = True
        while again and not again[0][1].startswith("("):
            again.pop(0)
        for number, line in again:
            yield from self.line(number, line)


FORMAT = Format(
    "ptb",
    "Penn Treebank brackets",
    holds="sentences",
    suffixes=(".ptb", ".mrg", ".tree", ".trees", ".parse", ".psd"),
    strictness=2,
    read=read,
    write=write,
    losses=LOSSES,
    example={"trees.ptb": "(S (NP (PRP She)) (VP (VBZ sleeps)) (. .))\n"},
    needs_trees=True,
)
