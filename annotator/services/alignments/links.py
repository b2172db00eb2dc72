"""Operations on links: checked, compared with what the person saw, and put on record.

The ledger is append-only. An operation is idempotent by its uuid; one that was made
from an older revision is refused with what has happened since (StaleEdit), and nothing
is ever overwritten. Undo appends the inverse of one's own last step.

Where words of a sentence are split or joined, all its layers follow, anyone's and also
those that are done: they count words. No undo undoes that step: who undoes it in the
tree, and saves that as gold, brings the links back.
"""

from dataclasses import dataclass
from typing import Any, Literal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator.errors import BadRequest, Conflict, Frozen, NotAllowed, StaleEdit
from annotator.models import AlignmentLayer, LinkEvent, Pair, Parse, Sentence
from annotator.models.projects import Anybody
from annotator.services.alignments import layers
from annotator.services.alignments.operations import (
    WALKS,
    LayerSnapshot,
    LayerStep,
    Operation,
)
from core.data.alignment import Alignment, Ref, ref_key
from core.data.tree import Tree
from core.errors import Contradiction, InvalidValue
from core.phrase_alignment import editing
from core.phrase_alignment.editing import Delta, Draft
from core.phrase_alignment.legitimacy import node_of
from core.phrase_alignment.rewording import reworded
from core.trees.segments import Recut

WORDS = "words"  # what a layer became when words of its sentence were split or joined


@transaction.atomic
def play(layer: AlignmentLayer, step: LayerStep, *, by: Anybody) -> LinkEvent:
    """Do one step; the event that records it, also if it was done before.

    Raises NotAllowed, Frozen (the layer is done), BadRequest (no such node), Conflict
    (nothing to undo, or changed since) and StaleEdit.
    """
    same = LinkEvent.objects.filter(layer=layer, uuid=step.uuid)
    seen = same.first()
    if seen is not None:
        return seen
    try:
        return _play(layer, step, by)
    except StaleEdit:
        seen = same.first()  # sent twice at once, and the other was faster
        if seen is not None:
            return seen
        raise


def _play(layer: AlignmentLayer, step: LayerStep, by: Anybody) -> LinkEvent:
    state = _state(layer)
    _check(state.layer, step, by)
    undoes = _undoes(state.layer, step.operation, by)
    new = _apply(state, step.operation) if undoes is None else _revert(state, undoes)
    return _save(state, new, step, by, undoes)


def _state(layer: AlignmentLayer) -> LayerSnapshot:
    rows = AlignmentLayer.objects.select_related(
        "pair__corpus__project", "source_parse", "target_parse", "author"
    )
    fresh = rows.get(pk=layer.pk)
    return LayerSnapshot(
        fresh,
        layers.draft_of(fresh),
        layers.tree_of(fresh.source_parse, fresh.pair.n_source),
        layers.tree_of(fresh.target_parse, fresh.pair.n_target),
    )


def _check(layer: AlignmentLayer, step: LayerStep, by: Anybody) -> None:
    if not layers.may_edit(layer, by, layer.pair.corpus.project):
        raise NotAllowed(_("You cannot change this layer."))
    if layer.state == AlignmentLayer.State.DONE:
        raise Frozen(_("This layer is done. Reopen it to change it."))
    if step.base_rev != layer.revision:
        raise _stale(layer, step.base_rev, by)


def _stale(layer: AlignmentLayer, base: int, by: Anybody) -> StaleEdit:
    since = layer.events.filter(revision__gt=base).select_related("by", "undoes")
    return StaleEdit(
        _("Someone else got there first."),
        revision=layer.revision,
        theirs=[layers.event_json(event) for event in since],
        layer=layers.snapshot(layer, by),
    )


def _apply(state: LayerSnapshot, operation: Operation) -> Draft:
    source, target = operation.nodes
    for ref in source:
        _check_ref(ref, state.source, state.n_tokens("s"))
    for ref in target:
        _check_ref(ref, state.target, state.n_tokens("t"))
    try:
        return operation.on(state)
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
        reason = _("There is no node %(ref)s in this tree.") % {"ref": repr(ref)}
        raise BadRequest(reason, field="s, t")


def _undoes(
    layer: AlignmentLayer, operation: Operation, by: Anybody
) -> LinkEvent | None:
    """The event that undo or redo undoes; None for what adds something new."""
    if operation.op not in WALKS:
        return None
    return layers.steps_of(layer, by).of(operation.op)


def _revert(state: LayerSnapshot, event: LinkEvent) -> Draft:
    recut = state.layer.events.filter(revision__gte=event.revision, op=WORDS)
    if recut.exists():
        raise Conflict(
            _(
                "The words of the sentence have been split or joined since. "
                "Undo that first."
            )
        )
    moved = state.layer.events.filter(revision__gt=event.revision, op="parse")
    if moved.exclude(by_id=event.by_id).exists():
        raise Conflict(_("Someone else has changed the trees since then."))
    try:
        return editing.revert(state.draft, event.before, event.after)
    except Contradiction as error:
        reason = _("This cannot be undone: %(reason)s.") % {"reason": error}
        raise Conflict(reason) from error


def _save(
    state: LayerSnapshot,
    new: Draft,
    step: LayerStep,
    by: Anybody,
    undoes: LinkEvent | None,
) -> LinkEvent:
    """Compare and set on the revision, then the record."""
    layer = state.layer
    before, after = editing.delta(state.draft, new)
    rows = AlignmentLayer.objects.filter(pk=layer.pk, revision=step.base_rev)
    if not rows.update(**_columns(layer, new), **_new_trees(after)):
        layer.refresh_from_db()
        raise _stale(layer, step.base_rev, by)
    if step.base_rev == 0:
        fresh = Pair.objects.filter(pk=layer.pair_id, state__in=_NOT_STARTED)
        fresh.update(state=Pair.State.STARTED)
    return LinkEvent.objects.create(
        layer=layer,
        uuid=step.uuid,
        revision=step.base_rev + 1,
        op=step.operation.op,
        by_id=by.pk,
        before=before,
        after=after,
        undoes=undoes,
    )


def _columns(layer: AlignmentLayer, new: Draft) -> dict[str, Any]:
    """What a step changes in the row of a layer, its trees apart."""
    return {
        "links": new.alignment.to_json(),
        "parked": list(new.parked),
        "n_links": len(new.alignment.links),
        "revision": layer.revision + 1,
        "updated_at": timezone.now(),
        "meta": layer.meta | {"editor": kept(new)},
    }


_NOT_STARTED = (Pair.State.NONE, Pair.State.PROPOSED)


def kept(draft: Draft) -> dict[str, Any]:
    """The part of a draft that ``AlignmentLayer.meta`` stores."""
    return {
        "ignored": dict(draft.ignored),
        "rejected": dict(draft.rejected),
        "brackets": dict(draft.brackets),
    }


def _new_trees(after: Delta) -> dict[str, Any]:
    """The columns of parses that this operation sets."""
    changed = after.get("trees", {})
    codes = (
        {
            parse.code: parse
            for parse in Parse.objects.select_for_update(no_key=True).filter(
                code__in=[c for c in changed.values() if c]
            )
        }
        if changed
        else {}
    )
    names = {"s": "source_parse", "t": "target_parse"}
    return {names[side]: codes.get(code) for side, code in changed.items()}


_SIDES: tuple[tuple[Literal["s", "t"], str], ...] = (("s", "source"), ("t", "target"))


@dataclass(frozen=True, slots=True)
class Followed:
    """A layer of links that moved to another tree; ``parked``: decisions on phrases
    that it does not have."""

    pair: str
    kept: int
    parked: int

    @classmethod
    def of(cls, layer: AlignmentLayer, now: Alignment, parked: int) -> "Followed":
        """``now``: the decisions that the layer holds."""
        kept = len(now.links) + len(now.null_source) + len(now.null_target)
        return cls(str(layer.pair), kept, parked)

    @property
    def summary(self) -> str:
        """For people."""
        text = ngettext(
            "%(pair)s: %(n)s decision carried over, %(parked)s on hold",
            "%(pair)s: %(n)s decisions carried over, %(parked)s on hold",
            self.kept,
        )
        return text % {"pair": self.pair, "n": self.kept, "parked": self.parked}


def follow(
    sentence: Sentence, cut: Recut, parse: Parse | None, *, by: Anybody
) -> tuple[Followed, ...]:
    """Every layer of the sentence's pairs, on its new words and on ``parse``, its gold
    tree. The caller holds the sentence and the transaction, and has stored the words.
    """
    tree = layers.tree_of(parse, len(cut.now))
    rows = []
    for side, name in _SIDES:
        affected = AlignmentLayer.objects.filter(**{f"pair__{name}": sentence})
        affected = affected.select_related("pair", "source_parse", "target_parse")
        for layer in affected.select_for_update(of=("self",)).order_by("pk"):
            rows.append(_reword(layer, side, name, cut, (parse, tree), by))
    return tuple(rows)


def _reword(
    layer: AlignmentLayer,
    side: Literal["s", "t"],
    name: str,
    cut: Recut,
    onto: tuple[Parse | None, Tree | None],
    by: Anybody,
) -> Followed:
    parse, tree = onto
    old = layers.tree_of(getattr(layer, f"{name}_parse"), len(cut.was))
    draft, code = layers.draft_of(layer), parse.code if parse and tree else ""
    new = reworded(draft, side, cut, (old, tree), code)
    before, after = editing.delta(draft, new)
    here = {f"{name}_parse": parse if code else None}
    AlignmentLayer.objects.filter(pk=layer.pk).update(**_columns(layer, new), **here)
    LinkEvent.objects.create(
        layer=layer,
        revision=layer.revision + 1,
        op=WORDS,
        by_id=by.pk,
        before=before,
        after=after,
    )
    return Followed.of(layer, new.alignment, len(new.parked))
