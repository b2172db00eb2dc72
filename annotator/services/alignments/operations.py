"""What a person can do to a layer: one small value an operation, in families.

``read`` makes the value out of what a browser or a program sent, and checks what can be
checked without the layer. Every value then knows three things: its name in the ledger
(``op``), the nodes it speaks of (``nodes``), and the draft it leaves (``on``).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol
from uuid import UUID

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import AlignmentLayer, Parse
from annotator.services.alignments import layers
from annotator.services.alignments.layers import tree_of
from core.data.alignment import Kind, Link, Ref, token_ref
from core.data.tree import Tree
from core.errors import InvalidValue
from core.phrase_alignment import editing
from core.phrase_alignment.editing import Draft
from core.phrase_alignment.legitimacy import node_of, ref_of

PROPOSAL = "proposal"  # whose link is rejected: the aligner's
Refs = tuple[Ref, ...]
SideName = Literal["s", "t"]
Rule = Literal["must-bracket", "cannot-bracket", "unbracket"]
Sent = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LayerSnapshot:
    """The layer as it is now, and its trees."""

    layer: AlignmentLayer
    draft: Draft
    source: Tree | None
    target: Tree | None

    def n_tokens(self, side: SideName) -> int:
        pair = self.layer.pair
        return pair.n_source if side == "s" else pair.n_target


class Operation(Protocol):
    """``on`` is what the draft becomes; raises BadRequest or core's InvalidValue."""

    @property
    def op(self) -> str: ...
    @property
    def nodes(self) -> tuple[Refs, Refs]: ...
    def on(self, snapshot: LayerSnapshot) -> Draft: ...


@dataclass(frozen=True, slots=True)
class LayerStep:
    """An operation that someone asks for; ``base_rev``: the revision they saw."""

    uuid: UUID
    base_rev: int
    operation: Operation

    @classmethod
    def read(cls, sent: Sent) -> "LayerStep":
        """The step that was sent; raises BadRequest."""
        return cls(sent["uuid"], sent["base_rev"], read(sent))


# --- links


@dataclass(frozen=True, slots=True)
class _Cell:
    """What all operations on one link share: its two nodes."""

    source: Ref
    target: Ref

    @property
    def nodes(self) -> tuple[Refs, Refs]:
        return (self.source,), (self.target,)


@dataclass(frozen=True, slots=True)
class PutLink(_Cell):
    """Link two nodes, instead of their other links or ``keep_others`` them."""

    kind: Kind
    is_crossing: bool
    keep_others: bool

    @property
    def op(self) -> str:
        return "add" if self.keep_others else "link"

    def on(self, snapshot: LayerSnapshot) -> Draft:
        link = Link(self.source, self.target, self.kind, self.is_crossing)
        return editing.put_link(snapshot.draft, link, keep_others=self.keep_others)


@dataclass(frozen=True, slots=True)
class Unlink(_Cell):
    op: ClassVar[str] = "unlink"

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return editing.unlink(snapshot.draft, self.source, self.target)


@dataclass(frozen=True, slots=True)
class MarkKind(_Cell):
    """The link is sure, or possible."""

    op: ClassVar[str] = "kind"
    kind: Kind

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return editing.mark_kind(
            snapshot.draft, self.source, self.target, kind=self.kind
        )


@dataclass(frozen=True, slots=True)
class MarkCrossing(_Cell):
    """The link is crossing (non-compositional), or is not."""

    op: ClassVar[str] = "crossing"
    is_crossing: bool

    def on(self, snapshot: LayerSnapshot) -> Draft:
        cell = self.source, self.target
        return editing.mark_kind(snapshot.draft, *cell, crossing=self.is_crossing)


@dataclass(frozen=True, slots=True)
class Accept:
    """Take suggestions, those whose nodes are both undecided."""

    op: ClassVar[str] = "accept"
    links: tuple[Link, ...]

    @property
    def nodes(self) -> tuple[Refs, Refs]:
        return tuple(k.source for k in self.links), tuple(k.target for k in self.links)

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return editing.accept(snapshot.draft, self.links)


@dataclass(frozen=True, slots=True)
class Reject(_Cell):
    """Do not take a layer's link, and say why.

    The aligner's (``PROPOSAL``) needs no reason, and is kept by its words, so that it
    stays rejected whatever tree is shown.
    """

    op: ClassVar[str] = "reject"
    layer: str
    note: str

    def on(self, snapshot: LayerSnapshot) -> Draft:
        places = self.source, self.target
        if self.layer == PROPOSAL:
            places = (
                _words(snapshot.source, places[0]),
                _words(snapshot.target, places[1]),
            )
        return editing.reject(snapshot.draft, self.layer, *places, self.note)


# --- nulls, and back to undecided


@dataclass(frozen=True, slots=True)
class _Nodes:
    """What operations on any number of nodes share."""

    source: Refs
    target: Refs

    @property
    def nodes(self) -> tuple[Refs, Refs]:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class PutNull(_Nodes):
    """These nodes have no counterpart."""

    op: ClassVar[str] = "null"

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return editing.put_null(snapshot.draft, self.source, self.target)


@dataclass(frozen=True, slots=True)
class Clear(_Nodes):
    """These nodes are undecided again."""

    op: ClassVar[str] = "clear"

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return editing.clear(snapshot.draft, self.source, self.target)


# --- brackets, and problems set aside


@dataclass(frozen=True, slots=True)
class _Nodeless:
    """What operations that speak of no node share."""

    @property
    def nodes(self) -> tuple[Refs, Refs]:
        return (), ()


@dataclass(frozen=True, slots=True)
class Bracket(_Nodeless):
    """A bracket that the aligner's tree must have over the words ``start`` to ``end`` -
    1."""

    op: Rule
    side: SideName
    start: int
    end: int

    def on(self, snapshot: LayerSnapshot) -> Draft:
        if not self.start < self.end <= snapshot.n_tokens(self.side):
            raise BadRequest(_("Enter words of this side, such as 3-5."), field="key")
        rule = "" if self.op == "unbracket" else self.op
        place = f"{self.side} {self.start}-{self.end}"
        return editing.bracket(snapshot.draft, place, rule)


@dataclass(frozen=True, slots=True)
class Ignore(_Nodeless):
    """Set a problem aside with a note."""

    op: ClassVar[str] = "ignore"
    key: str
    note: str

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return editing.ignore(snapshot.draft, self.key, self.note)


@dataclass(frozen=True, slots=True)
class Unignore(_Nodeless):
    """Count a problem again."""

    op: ClassVar[str] = "unignore"
    key: str

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return editing.ignore(snapshot.draft, self.key, None)


# --- trees


@dataclass(frozen=True, slots=True)
class UseTree(_Nodeless):
    """Stand on another tree of one side."""

    op: ClassVar[str] = "parse"
    side: SideName
    parse: str

    def on(self, snapshot: LayerSnapshot) -> Draft:
        pair = snapshot.layer.pair
        sentence, old = pair.source_id, snapshot.source
        if self.side == "t":
            sentence, old = pair.target_id, snapshot.target
        rows = Parse.objects.filter(code=self.parse, sentence_id=sentence)
        if snapshot.layer.author is not None:
            rows = rows & Parse.objects.readable_by(
                snapshot.layer.author, pair.corpus.project
            )
        parse = rows.first()
        new = layers.tree_of(parse, snapshot.n_tokens(self.side))
        if parse is None or new is None:
            raise BadRequest(
                _("There is no such tree of this sentence."), field="parse"
            )
        return editing.switch_tree(snapshot.draft, self.side, parse.code, old, new)


# --- back and forth; which step that is, the ledger knows


@dataclass(frozen=True, slots=True)
class Undo(_Nodeless):
    op: ClassVar[str] = "undo"

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return snapshot.draft


@dataclass(frozen=True, slots=True)
class Redo(_Nodeless):
    op: ClassVar[str] = "redo"

    def on(self, snapshot: LayerSnapshot) -> Draft:
        return snapshot.draft


def read(sent: Sent) -> Operation:
    """The operation that was sent, by its name in ``op``.

    ``s``, ``t``: refs with spaces between. Raises BadRequest naming the field.
    """
    if sent["op"] not in OPS:
        reason = _("There is no operation %(name)s.") % {"name": repr(sent["op"])}
        raise BadRequest(reason, field="op")
    return OPS[sent["op"]](sent)


def _nodes(sent: Sent) -> tuple[Refs, Refs]:
    return tuple(sent.get("s", "").split()), tuple(sent.get("t", "").split())


def _cell(sent: Sent) -> tuple[Ref, Ref]:
    source, target = _nodes(sent)
    if len(source) != 1 or len(target) != 1:
        raise BadRequest(_("This operation takes one node of each side."), field="s, t")
    return source[0], target[0]


def _kind(sent: Sent) -> Kind:
    return "possible" if sent.get("kind") == "possible" else "sure"


def _put_link(sent: Sent) -> PutLink:
    crossing, keep_others = bool(sent.get("crossing")), sent["op"] == "add"
    return PutLink(*_cell(sent), _kind(sent), crossing, keep_others)


def _accept(sent: Sent) -> Accept:
    try:
        return Accept(tuple(Link(*row) for row in sent.get("links", ())))
    except InvalidValue as error:
        raise BadRequest(str(error), field="links") from error


def _reject(sent: Sent) -> Reject:
    layer, note = sent.get("layer", ""), sent.get("note", "")
    if layer != PROPOSAL and not note.strip():
        raise BadRequest(_("Say why this link is rejected."), field="note")
    return Reject(*_cell(sent), layer, note)


def _bracket(sent: Sent) -> Bracket:
    first, _dash, last = sent.get("key", "").partition("-")
    if not all(x.isascii() and x.isdigit() and len(x) < 5 for x in (first, last)):
        raise BadRequest(_("Enter words of this side, such as 3-5."), field="key")
    return Bracket(sent["op"], sent.get("side", "s"), int(first), int(last))


def _ignore(sent: Sent) -> Ignore:
    key, note = sent.get("key", ""), sent.get("note", "")
    if not key or not note.strip():
        raise BadRequest(_("Say why this problem may be ignored."), field="note")
    return Ignore(key, note)


OPS: dict[str, Callable[[Sent], Operation]] = {
    "link": _put_link,
    "add": _put_link,
    "unlink": lambda sent: Unlink(*_cell(sent)),
    "kind": lambda sent: MarkKind(*_cell(sent), _kind(sent)),
    "crossing": lambda sent: MarkCrossing(*_cell(sent), bool(sent.get("crossing"))),
    "accept": _accept,
    "reject": _reject,
    "null": lambda sent: PutNull(*_nodes(sent)),
    "clear": lambda sent: Clear(*_nodes(sent)),
    "must-bracket": _bracket,
    "cannot-bracket": _bracket,
    "unbracket": _bracket,
    "ignore": _ignore,
    "unignore": lambda sent: Unignore(sent.get("key", "")),
    "parse": lambda sent: UseTree(sent.get("side", "s"), sent.get("parse", "")),
    "undo": lambda sent: Undo(),
    "redo": lambda sent: Redo(),
}


def _words(tree: Tree | None, ref: Ref) -> str:
    """The words under a node: "3-5", the second not among them."""
    v = None if tree is None else node_of(tree, ref)
    if tree is None or v is None:
        return f"{ref[1:]}-{int(ref[1:]) + 1}"
    start, end = tree.spans[v]
    return f"{start}-{end}"


_SPAN = re.compile(r"([0-9]{1,5}):([0-9]{1,5})", re.ASCII)


def by_refs(layer: AlignmentLayer, sent: Mapping[str, Any]) -> dict[str, Any]:
    """The request with refs of the layer's trees in place of spans. Raises BadRequest
    at one that no node covers."""
    pair, told = layer.pair, dict(sent)
    texts = [str(sent.get(name) or "") for name in ("s", "t")]
    texts += [str(end) for row in sent.get("links", ()) for end in row[:2]]
    if not any(":" in text for text in texts):
        return told
    source = tree_of(layer.source_parse, pair.n_source)
    target = tree_of(layer.target_parse, pair.n_target)
    sides = (("s", source, pair.n_source), ("t", target, pair.n_target))
    for name, tree, n_tokens in sides:
        if told.get(name):
            told[name] = _refs(told[name], tree, n_tokens, name)
    if "links" in told:
        told["links"] = [
            tuple(
                _refs(end, tree, n_tokens, "links")
                for end, (_name, tree, n_tokens) in zip(row[:2], sides, strict=True)
            )
            + tuple(row[2:])
            for row in told["links"]
        ]
    return told


def _refs(text: str, tree: Tree | None, n_tokens: int, field: str) -> str:
    return " ".join(_ref(word, tree, n_tokens, field) for word in text.split())


def _ref(name: str, tree: Tree | None, n_tokens: int, field: str) -> Ref:
    span = _SPAN.fullmatch(name)
    if span is None:
        return name
    start, end = int(span[1]), int(span[2])
    words = tuple(range(start, min(end, n_tokens + 1)))
    nodes = range(len(tree)) if tree is not None else ()
    over = (v for v in nodes if tree is not None and tree.yield_of(v) == words)
    first = next(over, None)
    if words and tree is not None and first is not None:
        return ref_of(tree, first)
    if tree is None and len(words) == 1 and start < n_tokens:
        return token_ref(start)
    raise BadRequest(
        _("No node covers just the tokens %(name)s.") % {"name": name}, field=field
    )
