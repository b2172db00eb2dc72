"""Gemel's own bundle: JSON Lines that hold a whole corpus without loss.

Every line is one object with a ``type``. The first is the head, the last the end:

    {"type": "bundle", "gemel": 1}
    {"type": "corpus", "name": "News", "licence": "CC0", "provenance": "...",
     "source_language": "en", "target_language": "en", "meta": {}}
    {"type": "sentence", "id": "s1", "tokens": ["Hello", "."], "text": "Hello.",
     "ref": "", "language": "en", "columns": {"lemma": [...], ...}, "key": "32 hex"}
    {"type": "parse", "id": "t1", "sentence": "s1", "kind": "constituency",
     "text": "(S (UH Hello) (. .))", "origin": "gold", "author": "", "engine": "",
     "version": "", "rank": 1, "score": null, "meta": {}, "created_at": "ISO 8601"}
    {"type": "forest", "sentence": "s1", "engine": "...", "version": "...",
     "data": "base64"}
    {"type": "pair", "id": "p1", "source": "s1", "target": "s2", "ref": "",
     "label": "", "meta": {}, "state": "none", "key": "32 hex"}
    {"type": "layer", "id": "a1", "pair": "p1", "origin": "annotator",
     "author": "ada", "engine": "", "version": "", "name": "", "options": {},
     "source_parse": "t1", "target_parse": "t2", "links": {"links":
     [["w0", "w0", "sure"], ["n1", "n2", "possible", true, {"type": "fuzzy"}]],
     "null_source": ["w1"], "null_target": []}, "parked": [], "revision": 0,
     "state": "open", "meta": {}, "created_at": "...", "updated_at": "..."}
    {"type": "event", "layer": "a1", "uuid": "...", "revision": 1, "op": "link",
     "by": "ada", "at": "...", "before": {}, "after": {}, "undoes": null}
    {"type": "end", "records": 8}

A member with its default value (shown above, or empty) is left out. Ids are valid
within the bundle; a thing precedes whatever names it. ``text`` of a parse is one line
of brackets (see treetext, the notes are in ``meta``) or CoNLL-U token lines. A link is
source, target, kind, crossing, attributes; ``w3`` is token 3, ``n5`` the phrase with
preorder number 5 of the layer's parse. ``undoes``: the revision of the event undone.
``end`` counts the lines before it: a file without it is incomplete.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.data.alignment import Alignment
from core.errors import FormatError, InvalidValue
from core.formats import conllu, treetext
from core.formats.jsonl import load_object
from core.formats.records import BadLine, Format, bad, numbered

VERSION = 1
LOSSES = (
    "Accounts, roles, jobs, uploads, scores, joint runs and their ledgers, and trees"
    " that are being edited, are left out: see backup.",
)
_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class GemelItem:
    """One line: its type, and all its members with their defaults filled in."""

    type: str
    row: Mapping[str, Any]
    line: int = field(default=0, compare=False)


_MADE = {"created_at": ""}
_BY = {"origin": "gold", "author": "", "engine": "", "version": ""}
REQUIRED = object()
FIELDS: dict[str, dict[str, Any]] = {
    "bundle": {"gemel": REQUIRED},
    "corpus": {
        "name": "",
        "licence": "",
        "provenance": "",
        "source_language": "en",
        "target_language": "en",
        "meta": {},
    },
    "sentence": {
        "id": REQUIRED,
        "tokens": REQUIRED,
        "text": "",
        "ref": "",
        "language": "en",
        "columns": {},
        "key": "",
    },
    "parse": {
        "id": REQUIRED,
        "sentence": REQUIRED,
        "kind": REQUIRED,
        "text": REQUIRED,
        **_BY,
        "rank": 1,
        "score": None,
        "meta": {},
        **_MADE,
    },
    "forest": {
        "sentence": REQUIRED,
        "engine": REQUIRED,
        "version": REQUIRED,
        "data": REQUIRED,
    },
    "pair": {
        "id": REQUIRED,
        "source": REQUIRED,
        "target": REQUIRED,
        "ref": "",
        "label": "",
        "meta": {},
        "state": "none",
        "key": "",
    },
    "layer": {
        "id": REQUIRED,
        "pair": REQUIRED,
        **_BY,
        "name": "",
        "options": {},
        "source_parse": "",
        "target_parse": "",
        "links": {},
        "parked": [],
        "revision": 0,
        "state": "open",
        "meta": {},
        **_MADE,
        "updated_at": "",
    },
    "event": {
        "layer": REQUIRED,
        "uuid": REQUIRED,
        "revision": REQUIRED,
        "op": REQUIRED,
        "by": "",
        "at": "",
        "before": {},
        "after": {},
        "undoes": None,
    },
    "end": {"records": REQUIRED},
}
KINDS: dict[str, type | tuple[type, ...]] = {
    "gemel": int,
    "records": int,
    "rank": int,
    "revision": int,
    "undoes": (int, type(None)),
    "score": (int, float, type(None)),
    "tokens": list,
    "parked": list,
    "meta": dict,
    "columns": dict,
    "options": dict,
    "links": dict,
    "before": dict,
    "after": dict,
}
LIMITS = {"rank": 32_767}
CHOICES = {
    "kind": {"constituency", "dependency"},
    "origin": {"gold", "annotator", "engine", "former"},
}


def read(lines: Iterable[str]) -> Iterator[GemelItem | BadLine]:
    """The items, head and end left out, each checked against those before it."""
    reading = _Reading()
    for number, line, _raw in numbered(lines):
        if not line.strip():
            continue
        try:
            item = reading.take(line, number)
            if item is not None:
                yield item
        except FormatError as error:
            yield bad(error, line=number, excerpt=line)
            if reading.version != VERSION:
                return
    if not reading.ended:
        yield BadLine(
            reading.n_lines,
            1,
            "the bundle ends without its end line: it is cut off",
            "download the whole file again",
        )


def write(items: Iterable[GemelItem]) -> Iterator[str]:
    """The lines, head and end included; members with their default are left out."""
    count = 1
    yield _line("bundle", {"gemel": VERSION})
    for item in items:
        count += 1
        yield _line(item.type, item.row)
    yield _line("end", {"records": count})


def _line(kind: str, row: Mapping[str, Any]) -> str:
    kept: dict[str, Any] = {"type": kind}
    for name, default in FIELDS[kind].items():
        if name in row and row[name] != default:
            kept[name] = row[name]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")) + "\n"


class _Reading:
    """What the bundle has said so far: ids, and sizes to check links by."""

    def __init__(self) -> None:
        self.version = 0
        self.ended = False
        self.n_lines = 0
        self._tokens: dict[str, int] = {}  # sentence -> tokens
        self._parses: dict[str, tuple[str, int]] = {}  # parse -> sentence, nodes
        self._pairs: dict[str, tuple[str, str]] = {}
        self._layers: set[str] = set()

    def take(self, line: str, number: int) -> GemelItem | None:
        """The item of this line; None for head and end. Raises FormatError."""
        self.n_lines += 1
        given = load_object(line, number)
        kind = given.pop("type", None)
        if not isinstance(kind, str) or kind not in FIELDS:
            raise _error(number, f"there is no record type {kind!r}", "see the grammar")
        row = _checked(kind, given, number)
        if kind == "bundle":
            self.version = row["gemel"]
        if self.version != VERSION:
            raise _error(
                number,
                f"bundle version {self.version or 'unknown'}; this reads {VERSION}",
                'the first line must be {"type": "bundle", "gemel": 1}',
            )
        check = getattr(self, f"_{kind}", None)
        if check is not None:
            check(row, number)
        return None if kind in ("bundle", "end") else GemelItem(kind, row, number)

    def _end(self, row: Mapping[str, Any], number: int) -> None:
        self.ended = True
        if row["records"] != self.n_lines - 1:
            raise _error(
                number,
                f"{row['records']} records are announced, but there are "
                f"{self.n_lines - 1}",
                "download the whole file again",
            )

    def _sentence(self, row: Mapping[str, Any], number: int) -> None:
        tokens = row["tokens"]
        bad_token = not tokens or any(
            not isinstance(form, str) or not form or set(form) & set("\n\r\t\0")
            for form in tokens
        )
        if bad_token:
            raise _error(number, "tokens must be words without tabs or line breaks")
        for name, column in row["columns"].items():
            if isinstance(column, list) and len(column) != len(tokens):
                raise _error(
                    number, f"column {name!r} does not have one value per token"
                )
        _new(row["id"], self._tokens, number)
        self._tokens[row["id"]] = len(tokens)

    def _parse(self, row: Mapping[str, Any], number: int) -> None:
        n_tokens = _known(row["sentence"], self._tokens, "sentence", number)
        try:
            if row["kind"] == "constituency":
                tree = treetext.load(row["text"], row["meta"])
                size, n_nodes = tree.n_tokens, len(tree)
            else:
                size, n_nodes = len(conllu.tokens_of(row["text"])), 0
                conllu.deps_of(row["text"])
        except FormatError as error:
            raise _error(number, f"the parse: {error.reason}") from error
        if size != n_tokens:
            raise _error(number, f"a parse of {size} words over {n_tokens} tokens")
        _new(row["id"], self._parses, number)
        self._parses[row["id"]] = row["sentence"], n_nodes

    def _forest(self, row: Mapping[str, Any], number: int) -> None:
        _known(row["sentence"], self._tokens, "sentence", number)

    def _pair(self, row: Mapping[str, Any], number: int) -> None:
        for side in ("source", "target"):
            _known(row[side], self._tokens, "sentence", number)
        _new(row["id"], self._pairs, number)
        self._pairs[row["id"]] = row["source"], row["target"]

    def _layer(self, row: Mapping[str, Any], number: int) -> None:
        sides = _known(row["pair"], self._pairs, "pair", number)
        sizes = []
        for sentence, name in zip(sides, ("source_parse", "target_parse"), strict=True):
            n_nodes = 0
            if row[name]:
                of, n_nodes = _known(row[name], self._parses, "parse", number)
                if of != sentence:
                    raise _error(number, f"{name} {row[name]!r} is of another sentence")
            sizes.append((self._tokens[sentence], n_nodes))
        _check_links(row["links"], sizes, number)
        _new(row["id"], self._layers, number)
        self._layers.add(row["id"])

    def _event(self, row: Mapping[str, Any], number: int) -> None:
        if row["layer"] not in self._layers:
            raise _error(number, f"no layer {row['layer']!r} before this line")


def _error(line: int, reason: str, remedy: str = "") -> FormatError:
    return FormatError(reason, line=line, column=1, remedy=remedy)


def _new(name: str, known: Iterable[str], number: int) -> None:
    if name in known:
        raise _error(number, f"id {name!r} is used twice", "give each its own id")


def _known(name: str, known: Mapping[str, Any], what: str, number: int) -> Any:
    if name not in known:
        remedy = f"a {what} stands before what names it; was its line refused?"
        raise _error(number, f"no {what} {name!r} before this line", remedy)
    return known[name]


def _checked(kind: str, given: dict[str, Any], number: int) -> dict[str, Any]:
    """The members with defaults; raises FormatError on unknown or ill-typed ones."""
    fields = FIELDS[kind]
    unknown = sorted(set(given) - set(fields))
    if unknown:
        raise _error(number, f"a {kind} has no key {unknown[0]!r}", "see the grammar")
    row = {}
    for name, default in fields.items():
        if name not in given and default is REQUIRED:
            raise _error(number, f"a {kind} needs {name!r}", "see the grammar")
        value = given.get(name, default)
        wanted = KINDS.get(name, str)
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise _error(number, f"{name!r} of a {kind} has the wrong type")
        if name in CHOICES and value not in CHOICES[name]:
            choices = ", ".join(sorted(CHOICES[name]))
            raise _error(number, f"{name} {value!r}", f"one of {choices}")
        if isinstance(value, int) and not 0 <= value <= LIMITS.get(name, 2**31 - 1):
            raise _error(number, f"{name} {value} of a {kind} is out of range")
        if name == "key" and value and not _KEY.fullmatch(str(value)):
            raise _error(number, "a key is 32 hexadecimal digits", "leave it out")
        row[name] = value
    return row


def _check_links(
    links: Mapping[str, Any], sizes: list[tuple[int, int]], number: int
) -> None:
    try:
        alignment = Alignment.from_json(links)
    except (InvalidValue, TypeError, IndexError, AttributeError) as error:
        raise _error(number, f"the links: {error}") from error
    ends = [("source", link.source) for link in alignment.links]
    ends += [("target", link.target) for link in alignment.links]
    ends += [("source", ref) for ref in alignment.null_source]
    ends += [("target", ref) for ref in alignment.null_target]
    for side, ref in ends:
        n_tokens, n_nodes = sizes[side == "target"]
        if int(ref[1:]) >= (n_tokens if ref[0] == "w" else n_nodes):
            raise _error(
                number,
                f"a link to a missing node {ref} of the {side}",
                f"it has {n_tokens} tokens and {n_nodes} nodes",
            )


_EXAMPLE = """{"type": "bundle", "gemel": 1}
{"type": "corpus", "name": "Boats", "licence": "CC0", "source_language": "en", \
"target_language": "en"}
{"type": "sentence", "id": "s1", "tokens": ["The", "boat", "left", "."], \
"language": "en"}
{"type": "end", "records": 3}
"""
FORMAT = Format(
    "gemel",
    "Gemel bundle: everything",
    holds="corpus",
    suffixes=(".gemel",),
    strictness=5,
    read=read,
    write=write,
    losses=LOSSES,
    example={"boats.gemel": _EXAMPLE},
    holds_gaps=True,
    suffix_decides=True,
)
