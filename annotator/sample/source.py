"""The sample pairs, read from ``pairs.txt`` and checked while they are read.

file    = { comment | blank | pair }
pair    = "[" id "]" { key ":" value }         keys as in the head of the file
deps    = head "/" relation "/" UPOS, one per token; heads from 1, 0 = root
link    = node ("=" | "~") node ["!"]          ~ possible, ! non-compositional
node    = token | label ":" start "-" end      tokens from 0, spans half-open
edit    = ("-" | "+") link | "?rest"
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.data.alignment import Alignment, Link, Ref, phrase_ref, token_ref
from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import FormatError, GemelError
from core.formats import ptb

PAIRS = Path(__file__).with_name("pairs.txt")
ANNOTATORS = ("ana", "ben", "chi")
REST = "?rest"
_LINK = re.compile(r"([^=~]+)([=~])([^=~!]+)(!?)")
_NO_SPACE_BEFORE = re.compile(r" ([.,;:?]|'s|n't)(?= |$)")

Cells = dict[tuple[str, str], str]
"""The two nodes of a link, as written -> ``=`` or ``~``, with ``!`` if crossing."""


@dataclass(frozen=True, slots=True)
class SampleSide:
    """One sentence with its tree and its dependencies."""

    tree: Tree
    deps: DepTree
    upos: tuple[str, ...]

    @property
    def tokens(self) -> tuple[Token, ...]:
        rows = zip(self.tree.words, self.upos, self.tree.tags, strict=True)
        return tuple(Token(form, upos=upos, xpos=xpos) for form, upos, xpos in rows)

    @property
    def text(self) -> str:
        """The text in normal spelling: no space before a full stop or a clitic."""
        return _NO_SPACE_BEFORE.sub(r"\1", " ".join(self.tree.words))

    @property
    def refs(self) -> frozenset[Ref]:
        """Every node: the tokens, and the phrases of the tree."""
        phrases = {phrase_ref(v) for v in range(len(self.tree)) if self._is_phrase(v)}
        return frozenset(phrases | {token_ref(i) for i in range(self.tree.n_tokens)})

    def named(self) -> dict[str, Ref]:
        """The nodes by their names in the source. Raises FormatError on a clash."""
        names = {str(i): token_ref(i) for i in range(self.tree.n_tokens)}
        for v in filter(self._is_phrase, range(len(self.tree))):
            start, end = self.tree.spans[v]
            name = f"{self.tree.labels[v]}:{start}-{end}"
            if name in names:
                raise FormatError(f"two phrases are called {name}")
            names[name] = phrase_ref(v)
        return names

    def _is_phrase(self, v: int) -> bool:
        return not self.tree.is_leaf(v)


@dataclass(frozen=True, slots=True)
class SamplePair:
    """``layers`` by annotator; those in ``unfinished`` left nodes undecided."""

    id: str
    domain: str
    operations: tuple[str, ...]
    source: SampleSide
    target: SampleSide
    layers: Mapping[str, Alignment] = field(default_factory=dict)
    unfinished: frozenset[str] = frozenset()


def read_pairs(path: Path = PAIRS) -> list[SamplePair]:
    """All pairs, in order. Raises FormatError with the line of the pair at fault."""
    pairs = []
    for line, fields in _blocks(path.read_text(encoding="utf-8")):
        try:
            pairs.append(_pair(fields))
        except (GemelError, ValueError, KeyError) as error:
            raise FormatError(f"pair {fields['id']}: {error}", line=line) from error
    return pairs


def _blocks(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The line where each pair starts, and its fields; repeated keys are joined."""
    fields: dict[str, str] = {}
    start = 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            if fields:
                yield start, fields
            start, fields = number, {"id": line.strip("[]")}
            continue
        key, colon, value = line.partition(":")
        if not colon or not fields:
            raise FormatError(f"{line[:40]!r} is no field of a pair", line=number)
        fields[key] = f"{fields.get(key, '')} {value.strip()}".strip()
    if fields:
        yield start, fields


def _pair(fields: Mapping[str, str]) -> SamplePair:
    source, target = _side(fields, "source"), _side(fields, "target")
    cells: Cells = dict(map(_link, fields[ANNOTATORS[0]].split()))
    layers, unfinished = {}, set()
    for name in ANNOTATORS:
        edits = fields[name].split() if name != ANNOTATORS[0] else []
        if REST in edits:
            unfinished.add(name)
        edited = _edited(cells, [edit for edit in edits if edit != REST])
        layers[name] = _layer(edited, source, target, is_done=REST not in edits)
    return SamplePair(
        fields["id"],
        fields["domain"],
        tuple(fields["operations"].split()),
        source,
        target,
        layers,
        frozenset(unfinished),
    )


def _side(fields: Mapping[str, str], key: str) -> SampleSide:
    tree = ptb.parse_one(fields[key])
    rows = [row.split("/") for row in fields[f"{key}-deps"].split()]
    if len(rows) != tree.n_tokens:
        raise FormatError(f"{key}: {len(rows)} heads for {tree.n_tokens} tokens")
    heads, relations, upos = zip(*rows, strict=True)
    deps = DepTree(tuple(int(head) - 1 for head in heads), relations)
    return SampleSide(tree, deps, upos)


def _link(text: str) -> tuple[tuple[str, str], str]:
    match = _LINK.fullmatch(text)
    if match is None:
        raise FormatError(f"{text!r} is no link")
    source, kind, target, crossing = match.groups()
    return (source, target), kind + crossing


def _edited(cells: Cells, edits: list[str]) -> Cells:
    """The links of another annotator. What is taken away must be there."""
    edited = dict(cells)
    for edit in edits:
        cell, kind = _link(edit[1:])
        if edit[0] == "-":
            if edited.pop(cell, None) != kind:
                raise FormatError(f"{edit!r}: there is no such link")
        elif edit[0] == "+" and cell not in edited:
            edited[cell] = kind
        else:
            raise FormatError(f"{edit!r} is no edit, or adds what is there")
    return edited


def _layer(
    cells: Cells, source: SampleSide, target: SampleSide, *, is_done: bool
) -> Alignment:
    """With ``is_done``, all nodes in no link are null; else they stay undecided."""
    of_source, of_target = source.named(), target.named()
    links = tuple(
        Link(
            of_source[s],
            of_target[t],
            "possible" if kind[0] == "~" else "sure",
            crossing=kind.endswith("!"),
        )
        for (s, t), kind in cells.items()
    )
    if not is_done:
        return Alignment(links)
    return Alignment(
        links,
        source.refs - {link.source for link in links},
        target.refs - {link.target for link in links},
    )
