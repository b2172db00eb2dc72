"""What a person can do to a layer.

``read`` makes an operation of what a browser or a program sent, and checks what can be
checked without the layer.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
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


@dataclass(frozen=True, slots=True)
class Operation:
    """``op``: its name in the ledger; ``on``: what the draft becomes, which raises
    BadRequest or core's InvalidValue; ``nodes``: those that it speaks of, by side."""

    op: str
    on: Callable[[LayerSnapshot], Draft]
    nodes: tuple[Refs, Refs] = ((), ())


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


def _put_link(sent: Sent) -> Operation:
    """Link two nodes, instead of their other links or, as "add", next to them."""
    cell, kind, crossing = _cell(sent), _kind(sent), bool(sent.get("crossing"))

    def on(here: LayerSnapshot) -> Draft:
        link = Link(*cell, kind, crossing)
        return editing.put_link(here.draft, link, keep_others=sent["op"] == "add")

    return Operation(sent["op"], on, _nodes(sent))


def _unlink(sent: Sent) -> Operation:
    s, t = _cell(sent)
    return Operation(
        "unlink", lambda here: editing.unlink(here.draft, s, t), _nodes(sent)
    )


def _mark(sent: Sent) -> Operation:
    """The link is sure or possible; or crossing (non-compositional), or is not."""
    s, t = _cell(sent)
    is_kind = sent["op"] == "kind"
    kind = _kind(sent) if is_kind else None
    crossing = None if is_kind else bool(sent.get("crossing"))

    def on(here: LayerSnapshot) -> Draft:
        return editing.mark_kind(here.draft, s, t, kind=kind, crossing=crossing)

    return Operation(sent["op"], on, _nodes(sent))


def _accept(sent: Sent) -> Operation:
    """Take suggestions, those whose nodes are both undecided."""
    try:
        links = tuple(Link(*row) for row in sent.get("links", ()))
    except InvalidValue as error:
        raise BadRequest(str(error), field="links") from error
    nodes = tuple(k.source for k in links), tuple(k.target for k in links)
    return Operation("accept", lambda here: editing.accept(here.draft, links), nodes)


def _reject(sent: Sent) -> Operation:
    """Do not take a layer's link, and say why.

    The aligner's (``PROPOSAL``) needs no reason, and is kept by its words, so that it
    stays rejected whatever tree is shown.
    """
    layer, note, (s, t) = sent.get("layer", ""), sent.get("note", ""), _cell(sent)
    if layer != PROPOSAL and not note.strip():
        raise BadRequest(_("Say why this link is rejected."), field="note")

    def on(here: LayerSnapshot) -> Draft:
        places = s, t
        if layer == PROPOSAL:
            places = _words(here.source, s), _words(here.target, t)
        return editing.reject(here.draft, layer, *places, note)

    return Operation("reject", on, _nodes(sent))


def _null(sent: Sent) -> Operation:
    """These nodes have no counterpart, or are undecided again."""
    put = editing.put_null if sent["op"] == "null" else editing.clear
    nodes = _nodes(sent)
    return Operation(sent["op"], lambda here: put(here.draft, *nodes), nodes)


def _bracket(sent: Sent) -> Operation:
    """A bracket that the aligner's tree must have, or not, over the words of ``key``:
    "3-5", the second not among them."""
    first, _dash, last = sent.get("key", "").partition("-")
    if not all(x.isascii() and x.isdigit() and len(x) < 5 for x in (first, last)):
        raise BadRequest(_("Enter words of this side, such as 3-5."), field="key")
    side, start, end = sent.get("side", "s"), int(first), int(last)

    def on(here: LayerSnapshot) -> Draft:
        if not start < end <= here.n_tokens(side):
            raise BadRequest(_("Enter words of this side, such as 3-5."), field="key")
        rule = "" if sent["op"] == "unbracket" else sent["op"]
        return editing.bracket(here.draft, f"{side} {start}-{end}", rule)

    return Operation(sent["op"], on)


def _ignore(sent: Sent) -> Operation:
    """Set a problem aside with a note, or count it again."""
    key, note = sent.get("key", ""), sent.get("note", "")
    if sent["op"] == "unignore":
        note = None
    elif not key or not note.strip():
        raise BadRequest(_("Say why this problem may be ignored."), field="note")
    return Operation(sent["op"], lambda here: editing.ignore(here.draft, key, note))


def _use_tree(sent: Sent) -> Operation:
    """Stand on another tree of one side."""
    side, code = sent.get("side", "s"), sent.get("parse", "")

    def on(here: LayerSnapshot) -> Draft:
        pair, author = here.layer.pair, here.layer.author
        sentence, old = pair.source_id, here.source
        if side == "t":
            sentence, old = pair.target_id, here.target
        rows = Parse.objects.filter(code=code, sentence_id=sentence)
        if author is not None:
            rows = rows & Parse.objects.readable_by(author, pair.corpus.project)
        parse = rows.first()
        new = layers.tree_of(parse, here.n_tokens(side))
        if parse is None or new is None:
            raise BadRequest(
                _("There is no such tree of this sentence."), field="parse"
            )
        return editing.switch_tree(here.draft, side, parse.code, old, new)

    return Operation("parse", on)


def _walk(sent: Sent) -> Operation:
    """Back or forth; which step that is, the ledger knows."""
    return Operation(sent["op"], lambda here: here.draft)


WALKS = ("undo", "redo")
OPS: dict[str, Callable[[Sent], Operation]] = {
    **dict.fromkeys(("link", "add"), _put_link),
    "unlink": _unlink,
    **dict.fromkeys(("kind", "crossing"), _mark),
    "accept": _accept,
    "reject": _reject,
    **dict.fromkeys(("null", "clear"), _null),
    **dict.fromkeys(("must-bracket", "cannot-bracket", "unbracket"), _bracket),
    **dict.fromkeys(("ignore", "unignore"), _ignore),
    "parse": _use_tree,
    **dict.fromkeys(WALKS, _walk),
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
