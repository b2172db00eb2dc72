"""Operations on links: checked, compared with what the person saw, and put on record.

The ledger is append-only. An operation is idempotent by its uuid; one that was made
from an older revision is refused with what has happened since (StaleEdit), and nothing
is ever overwritten. Undo appends the inverse of one's own last step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from annotator.errors import BadRequest, Conflict, Frozen, NotAllowed, StaleEdit
from annotator.models import AlignmentLayer, LinkEvent, Pair, Parse
from annotator.models.projects import Anybody
from annotator.services import layers
from core.data.alignment import Kind, Link, Ref, ref_key
from core.data.tree import Tree
from core.errors import Contradiction, InvalidValue
from core.joint import editing
from core.joint.editing import Delta, Draft
from core.joint.legitimacy import node_of

__all__ = ["OPS", "PROPOSAL", "Op", "play"]

PROPOSAL = "proposal"  # whose link is rejected: the aligner's


@dataclass(frozen=True)
class Op:
    """What a browser or a program asks for; fields that an op lacks are empty.

    ``s``, ``t``: refs. ``base_rev``: the revision the person saw. ``key``: a problem,
    or words ("3-5") of ``side`` to be bracketed; ``note``: why a problem is ignored, or
    a link rejected; ``layer``: whose link that is ("proposal": the aligner's, which
    needs no reason). ``side`` and ``parse``: another tree. ``links``: suggestions
    taken, with whether they are crossing.
    """

    uuid: UUID
    base_rev: int
    op: str
    s: tuple[Ref, ...] = ()
    t: tuple[Ref, ...] = ()
    kind: Kind = "sure"
    crossing: bool = False
    links: tuple[tuple[Ref, Ref, Kind, bool], ...] = ()
    key: str = ""
    note: str = ""
    layer: str = ""
    side: Literal["s", "t"] = "s"
    parse: str = ""


@dataclass(frozen=True)
class _Desk:
    """The layer as it is now, and its trees."""

    layer: AlignmentLayer
    draft: Draft
    source: Tree | None
    target: Tree | None


@transaction.atomic
def play(layer: AlignmentLayer, op: Op, *, by: Anybody) -> LinkEvent:
    """Do one operation; the event that records it, also if it was done before.

    Raises NotAllowed, Frozen (the layer is done), BadRequest (no such op or node),
    Conflict (nothing to undo, or changed since) and StaleEdit.
    """
    same = LinkEvent.objects.filter(layer=layer, uuid=op.uuid)
    seen = same.first()
    if seen is not None:
        return seen
    try:
        return _play(layer, op, by)
    except StaleEdit:
        seen = same.first()  # sent twice at once, and the other was faster
        if seen is not None:
            return seen
        raise


def _play(layer: AlignmentLayer, op: Op, by: Anybody) -> LinkEvent:
    desk = _desk(layer)
    _check(desk.layer, op, by)
    undoes: LinkEvent | None = None
    if op.op in ("undo", "redo"):
        undoes = _step(desk.layer, op, by)
        new = _revert(desk, undoes)
    else:
        new = _apply(desk, op)
    return _save(desk, new, op, by, undoes)


def _desk(layer: AlignmentLayer) -> _Desk:
    rows = AlignmentLayer.objects.select_related(
        "pair__corpus__project", "source_parse", "target_parse", "author"
    )
    fresh = rows.get(pk=layer.pk)
    return _Desk(
        fresh,
        layers.draft_of(fresh),
        layers.tree_of(fresh.source_parse, fresh.pair.n_source),
        layers.tree_of(fresh.target_parse, fresh.pair.n_target),
    )


def _check(layer: AlignmentLayer, op: Op, by: Anybody) -> None:
    if op.op not in OPS:
        raise BadRequest(f"There is no operation {op.op!r}.", field="op")
    if not layers.may_edit(layer, by, layer.pair.corpus.project):
        raise NotAllowed("This layer is not yours to change.")
    if layer.state == AlignmentLayer.State.DONE:
        raise Frozen("This layer is done. Open it again to change it.")
    if op.base_rev != layer.revision:
        raise _stale(layer, op.base_rev, by)


def _stale(layer: AlignmentLayer, base: int, by: Anybody) -> StaleEdit:
    since = layer.events.filter(revision__gt=base).select_related("by", "undoes")
    return StaleEdit(
        "Somebody else was faster.",
        revision=layer.revision,
        theirs=[layers.event_json(event) for event in since],
        layer=layers.snapshot(layer, by),
    )


def _apply(desk: _Desk, op: Op) -> Draft:
    for refs, tree, n in (
        (op.s, desk.source, desk.layer.pair.n_source),
        (op.t, desk.target, desk.layer.pair.n_target),
    ):
        for ref in refs:
            _check_ref(ref, tree, n)
    for s, t, *_ in op.links:
        _check_ref(s, desk.source, desk.layer.pair.n_source)
        _check_ref(t, desk.target, desk.layer.pair.n_target)
    try:
        return OPS[op.op](desk, op)
    except InvalidValue as error:
        raise Conflict(str(error)) from error


def _check_ref(ref: Ref, tree: Tree | None, n_tokens: int) -> None:
    try:
        kind, number = ref_key(ref)
    except InvalidValue as error:
        raise BadRequest(str(error), field="s, t") from error
    if tree is None:
        here = kind == "w" and number < n_tokens
    else:
        here = node_of(tree, ref) is not None
    if not here:
        raise BadRequest(f"There is no node {ref!r} in this tree.", field="s, t")


def _one(refs: tuple[Ref, ...]) -> Ref:
    if len(refs) != 1:
        raise BadRequest("This operation takes one node of each side.", field="s, t")
    return refs[0]


def _link(desk: _Desk, op: Op) -> Draft:
    link = Link(_one(op.s), _one(op.t), op.kind, op.crossing)
    return editing.put_link(desk.draft, link, beside=op.op == "add")


def _unlink(desk: _Desk, op: Op) -> Draft:
    return editing.unlink(desk.draft, _one(op.s), _one(op.t))


def _kind(desk: _Desk, op: Op) -> Draft:
    return editing.mark_kind(desk.draft, _one(op.s), _one(op.t), kind=op.kind)


def _crossing(desk: _Desk, op: Op) -> Draft:
    s, t = _one(op.s), _one(op.t)
    return editing.mark_kind(desk.draft, s, t, crossing=op.crossing)


def _accept(desk: _Desk, op: Op) -> Draft:
    return editing.accept(desk.draft, [Link(*row) for row in op.links])


def _reject(desk: _Desk, op: Op) -> Draft:
    s, t = _one(op.s), _one(op.t)
    if op.layer == PROPOSAL:
        places = _words(desk.source, s), _words(desk.target, t)
        return editing.reject(desk.draft, PROPOSAL, *places, op.note)
    if not op.note.strip():
        raise BadRequest("Say why this link is not taken.", field="note")
    return editing.reject(desk.draft, op.layer, s, t, op.note)


def _words(tree: Tree | None, ref: Ref) -> str:
    """The words under a node: "3-5", the second not among them."""
    v = None if tree is None else node_of(tree, ref)
    if tree is None or v is None:
        return f"{ref[1:]}-{int(ref[1:]) + 1}"
    start, end = tree.spans[v]
    return f"{start}-{end}"


def _bracket(desk: _Desk, op: Op) -> Draft:
    pair = desk.layer.pair
    n_tokens = pair.n_source if op.side == "s" else pair.n_target
    first, _, last = op.key.partition("-")
    digits = all(x.isascii() and x.isdigit() and len(x) < 5 for x in (first, last))
    if not digits or not int(first) < int(last) <= n_tokens:
        raise BadRequest("Words of this side are wanted, such as 3-5.", field="key")
    rule = "" if op.op == "unbracket" else op.op
    return editing.bracket(desk.draft, f"{op.side} {op.key}", rule)


def _ignore(desk: _Desk, op: Op) -> Draft:
    if op.op == "unignore":
        return editing.ignore(desk.draft, op.key, None)
    if not op.key or not op.note.strip():
        raise BadRequest("Say why this problem may be ignored.", field="note")
    return editing.ignore(desk.draft, op.key, op.note)


def _parse(desk: _Desk, op: Op) -> Draft:
    pair = desk.layer.pair
    side = (pair.source_id, pair.n_source, desk.source)
    if op.side == "t":
        side = (pair.target_id, pair.n_target, desk.target)
    sentence, n_tokens, old = side
    parse = Parse.objects.filter(code=op.parse, sentence_id=sentence).first()
    new = layers.tree_of(parse, n_tokens)
    if parse is None or new is None:
        raise BadRequest("There is no such tree of this sentence.", field="parse")
    return editing.switch_tree(desk.draft, op.side, parse.code, old, new)


OPS: dict[str, Callable[[_Desk, Op], Draft]] = {
    "link": _link,
    "add": _link,
    "unlink": _unlink,
    "null": lambda desk, op: editing.put_null(desk.draft, op.s, op.t),
    "clear": lambda desk, op: editing.clear(desk.draft, op.s, op.t),
    "kind": _kind,
    "crossing": _crossing,
    "accept": _accept,
    "reject": _reject,
    "ignore": _ignore,
    "unignore": _ignore,
    "must-bracket": _bracket,
    "cannot-bracket": _bracket,
    "unbracket": _bracket,
    "parse": _parse,
    "undo": lambda desk, op: desk.draft,
    "redo": lambda desk, op: desk.draft,
}


def _step(layer: AlignmentLayer, op: Op, by: Anybody) -> LinkEvent:
    steps = layers.steps_of(layer, by)
    event = steps.undo if op.op == "undo" else steps.redo
    if event is None:
        raise Conflict(f"There is nothing to {op.op}.")
    return event


def _revert(desk: _Desk, event: LinkEvent) -> Draft:
    moved = desk.layer.events.filter(revision__gt=event.revision, op="parse")
    if moved.exclude(by_id=event.by_id).exists():
        raise Conflict("The trees have been changed by somebody else since then.")
    try:
        return editing.revert(desk.draft, event.before, event.after)
    except Contradiction as error:
        raise Conflict(f"This cannot be taken back: {error}.") from error


def _save(
    desk: _Desk, new: Draft, op: Op, by: Anybody, undoes: LinkEvent | None
) -> LinkEvent:
    """Compare and set on the revision, then the record."""
    layer = desk.layer
    before, after = editing.delta(desk.draft, new)
    rows = AlignmentLayer.objects.filter(pk=layer.pk, revision=op.base_rev)
    if not rows.update(
        links=new.alignment.to_json(),
        parked=list(new.parked),
        n_links=len(new.alignment.links),
        revision=op.base_rev + 1,
        updated_at=timezone.now(),
        meta=layer.meta | {"editor": _kept(new)},
        **_new_trees(after),
    ):
        layer.refresh_from_db()
        raise _stale(layer, op.base_rev, by)
    if op.base_rev == 0:
        fresh = Pair.objects.filter(pk=layer.pair_id, state__in=_NOT_STARTED)
        fresh.update(state=Pair.State.STARTED)
    return LinkEvent.objects.create(
        layer=layer,
        uuid=op.uuid,
        revision=op.base_rev + 1,
        op=op.op,
        by_id=by.pk,
        before=before,
        after=after,
        undoes=undoes,
    )


_NOT_STARTED = (Pair.State.NONE, Pair.State.PROPOSED)


def _kept(draft: Draft) -> dict[str, Any]:
    return {
        "ignored": dict(draft.ignored),
        "rejected": dict(draft.rejected),
        "brackets": dict(draft.brackets),
    }


def _new_trees(after: Delta) -> dict[str, Any]:
    """The columns of parses that this operation sets."""
    changed = after.get("trees", {})
    found = (
        {
            parse.code: parse
            for parse in Parse.objects.filter(
                code__in=[c for c in changed.values() if c]
            )
        }
        if changed
        else {}
    )
    names = {"s": "source_parse", "t": "target_parse"}
    return {names[side]: found.get(code) for side, code in changed.items()}
