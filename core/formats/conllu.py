r"""CoNLL-U, https://universaldependencies.org/format.html.

    file     = { block }
    block    = { comment } { word | range | empty } blank-line
    comment  = "#" text
    word     = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC, each \t the next
    range    = ID "-" ID \t FORM \t "_" …            multiword token: no head of its own
    empty    = ID "." ID \t …                        empty node: only in DEPS

Words are the tokens; ranges, empty nodes and the columns DEPS and MISC are kept in the
lines. "_" is an empty column, but a FORM or LEMMA of "_" is the word "_". ``# sent_id``
is the id and ``# text`` the raw text. A block without any head has no dependencies.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.data.deps import DepTree
from core.data.tokens import Token
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
    flat,
)

LOSSES = (
    "Pairs, labels, links and layers are left out: a block holds one sentence.",
    "Constituency parses are left out.",
    "Line breaks within the raw text are written as spaces.",
)
COLUMNS = 10
_ID = re.compile(r"[0-9]{1,7}(-[0-9]{1,7}|\.[0-9]+)?")  # int() takes other digits, too
_HEAD = re.compile(r"[0-9]{1,7}")
Row = tuple[int, list[str]]  # line number, the ten columns


def read(lines: Iterable[str]) -> Iterator[Record | BadLine]:
    """A SentenceRecord for each block; ``parse.lines`` holds its token lines."""
    held: list[tuple[int, str]] = []
    size = 0
    for number, line in enumerate(lines, 1):
        held.append((number, line))
        size += len(line)
        over = not line.strip() or size > MAX_RECORD
        if over and any(raw.strip() for _, raw in held):
            yield _block(held)
            held, size = [], 0
    if any(raw.strip() for _, raw in held):
        yield _block(held)
    elif held:
        yield Tail("".join(raw for _, raw in held))


def write(records: Iterable[Record]) -> Iterator[str]:
    """The blocks, each as it was read or made from tokens and dependencies."""
    for record in records:
        if isinstance(record, RecordHeader | Tail):
            yield record.text
        elif isinstance(record, SentenceRecord):
            yield _render(record)
        elif isinstance(record, PairRecord):
            yield _render(record.source)
            yield _render(record.target)


def deps_of(lines: str) -> DepTree:
    """The tree in token lines; raises FormatError if there is none."""
    rows = _rows(list(enumerate(lines.split("\n"), 1)))
    tree = _tree([row for row in rows if row[1][0].isdigit()])
    if tree is None:
        raise FormatError("no heads", line=1, column=1)
    return tree


def tokens_of(lines: str) -> tuple[Token, ...]:
    """The words in token lines, ranges and empty nodes left out."""
    rows = _rows(list(enumerate(lines.split("\n"), 1)))
    return tuple(_token(*row) for row in rows if row[1][0].isdigit())


def lines_of(tokens: tuple[Token, ...], deps: DepTree | None) -> str:
    """Token lines for these tokens: DEPS empty, MISC as the tokens have it."""
    rows = []
    for i, token in enumerate(tokens):
        head = ("_", "_") if deps is None else (str(deps.heads[i] + 1), deps.labels[i])
        named = (token.lemma, token.upos, token.xpos, token.feats)
        columns = [str(i + 1), token.form, *(cell or "_" for cell in named), *head, "_"]
        rows.append("\t".join([*columns, token.misc or "_"]))
    return "\n".join(rows)


def _render(record: SentenceRecord) -> str:
    if record.raw:
        return record.raw
    comments = list(record.parse.meta.get("comments", ())) if record.parse else []
    if not comments:
        text = flat(record.text or " ".join(record.forms))
        comments = [f"# sent_id = {record.id}"] if record.id else []
        comments.append(f"# text = {text}")
    deps = record.parse.deps if record.parse else None
    lines = record.parse.lines if record.parse else ""
    return "\n".join([*comments, lines or lines_of(record.tokens, deps)]) + "\n\n"


def _block(held: list[tuple[int, str]]) -> SentenceRecord | BadLine:
    raw = "".join(line for _, line in held)
    start = next(number for number, line in held if line.strip())
    try:
        return replace(_sentence(held), raw=raw, line=start)
    except FormatError as error:
        at = error.line or start
        shown = next((line for number, line in held if number == at), "")
        return bad(error, line=start, excerpt=shown)


def _sentence(held: list[tuple[int, str]]) -> SentenceRecord:
    if sum(len(line) for _, line in held) > MAX_RECORD:
        raise FormatError(
            "a block longer than 10 MB", remedy="end it with a blank line"
        )
    body = [
        (number, clean(line.rstrip("\r\n"), line=number))
        for number, line in held
        if line.strip()
    ]
    comments = [line for _, line in body if line.startswith("#")]
    rows = _rows([(n, line) for n, line in body if not line.startswith("#")])
    if not rows:
        raise FormatError("comments without a word", remedy="add the token lines")
    words = [row for row in rows if row[1][0].isdigit()]
    _check_ids(rows)
    if not words:
        reason = "ranges and empty nodes without a word"
        raise FormatError(reason, line=rows[0][0], column=1, remedy="add the words")
    tokens = tuple(_token(*row) for row in words)
    comment_of = dict(_comment(line) for line in comments)
    lines = "\n".join("\t".join(columns) for _, columns in rows)
    parse = ParseRecord(deps=_tree(words), lines=lines, meta={"comments": comments})
    text = comment_of.get("text") or " ".join(token.form for token in tokens)
    return SentenceRecord(tokens, text, comment_of.get("sent_id", ""), parse)


def _comment(line: str) -> tuple[str, str]:
    name, _, value = line[1:].partition("=")
    return name.strip(), value.strip(" ")


def _rows(body: list[tuple[int, str]]) -> list[Row]:
    rows = []
    for number, line in body:
        columns = line.split("\t")
        if len(columns) != COLUMNS:
            raise FormatError(
                f"{len(columns)} columns where CoNLL-U has {COLUMNS}",
                line=number,
                column=1,
                remedy="one tab between columns, a blank line after a sentence",
            )
        if not _ID.fullmatch(columns[0]):
            raise FormatError(
                f"{columns[0][:20]!r} is not a token id",
                line=number,
                column=1,
                remedy="ids are 1, 2, 3-4 (multiword token) or 5.1 (empty node)",
            )
        rows.append((number, columns))
    return rows


def _check_ids(rows: list[Row]) -> None:
    """Check that words count from 1 and that ranges and empty nodes are in their
    places."""
    last = 0
    for number, (name, *_) in rows:
        if name.isdigit():
            fine = int(name) == last + 1
            last += 1
        elif "-" in name:
            first, _, end = name.partition("-")
            fine = first == str(last + 1) and int(end) > last
        else:
            fine = name.partition(".")[0] == str(last)
        if not fine:
            raise FormatError(
                f"token id {name[:20]!r} does not follow the one before",
                line=number,
                column=1,
                remedy="ids count 1, 2, 3, … without gap or repetition",
            )


def _token(number: int, columns: list[str]) -> Token:
    form, lemma = columns[1], columns[2]
    empty = [("" if cell == "_" else cell) for cell in columns]
    lemma = lemma if lemma != "_" or form == "_" else ""
    try:
        return Token(form, lemma, empty[3], empty[4], empty[5], empty[9])
    except InvalidValue as error:
        raise FormatError(
            str(error), line=number, column=len(columns[0]) + 2
        ) from error


def _tree(words: list[Row]) -> DepTree | None:
    """The basic dependencies, or None if no word has a head."""
    if all(columns[6] == "_" for _, columns in words):
        return None
    heads = []
    for number, columns in words:
        if not _HEAD.fullmatch(columns[6]) or int(columns[6]) > len(words):
            raise FormatError(
                f"head {columns[6][:20]!r} is not a word of this sentence",
                line=number,
                column=sum(len(cell) + 1 for cell in columns[:6]) + 1,
                remedy=f"0 for the root, or 1 to {len(words)}",
            )
        heads.append(int(columns[6]) - 1)
    try:
        return DepTree(tuple(heads), tuple(columns[7] for _, columns in words))
    except InvalidValue as error:
        raise FormatError(
            str(error), line=words[0][0], column=1, remedy="check the HEAD column"
        ) from error


_EXAMPLE = """# sent_id = 1
# text = She sleeps.
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
FORMAT = Format(
    "conllu",
    "CoNLL-U",
    holds="sentences",
    suffixes=(".conllu", ".conll"),
    strictness=5,
    read=read,
    write=write,
    losses=LOSSES,
    example={"trees.conllu": _EXAMPLE},
    suffix_decides=True,
)
