"""Alignment layers: which one may see, start, read, close and open again."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator import access
from annotator.errors import Conflict, NotAllowed
from annotator.models import AlignmentLayer, LinkEvent, Origin, Pair, Parse, Project
from annotator.models.projects import Anybody
from annotator.services.changes import Steps, hold, walk
from core.data.tree import Tree
from core.phrase_alignment.editing import Draft
from core.phrase_alignment.legitimacy import Violation, problems

HISTORY = 200  # events shown
ORDER = {Origin.GOLD: 0, Origin.ANNOTATOR: 1, Origin.ENGINE: 2, Origin.FORMER: 3}


def may_edit(layer: AlignmentLayer, user: Anybody, project: Project) -> bool:
    """One's own layer, or the gold standard for curators; engines' layers never."""
    if layer.origin == Origin.GOLD:
        return access.may(user, "curate", project)
    own = layer.origin == Origin.ANNOTATOR and layer.author_id == user.pk
    return own and access.may(user, "annotate", project)


@transaction.atomic
def start(pair: Pair, *, by: Anybody) -> AlignmentLayer:
    """The person's own layer of this pair, created if there is none.

    It uses the trees of the gold layer, otherwise of an engine's, otherwise the best
    parses. Raises NotAllowed; Conflict if the pair was undone.
    """
    access.require(by, "annotate", pair.corpus.project)
    slot = AlignmentLayer.slot_of(Origin.ANNOTATOR, author_id=by.pk)
    there = AlignmentLayer.objects.filter(pair=pair, slot=slot).first()
    if there is not None:
        return there
    source, target = best_parses(pair, by)
    for stands_on in (pair, source, target):
        hold(stands_on)
    layer, _made = AlignmentLayer.objects.get_or_create(
        pair=pair,
        slot=slot,
        defaults={
            "origin": Origin.ANNOTATOR,
            "author_id": by.pk,
            "source_parse": source,
            "target_parse": target,
        },
    )
    return layer


def best_parses(pair: Pair, by: Anybody) -> tuple[Parse | None, Parse | None]:
    """The trees of a new layer of this pair."""
    given = pair.layers.select_related("source_parse", "target_parse")
    parses = Parse.objects.readable_by(by, pair.corpus.project)
    sentences = {pair.source_id, pair.target_id}
    return choose_parses(pair, given, parses.filter(sentence_id__in=sentences))


def choose_parses(
    pair: Pair, given: Iterable[AlignmentLayer], parses: Iterable[Parse]
) -> tuple[Parse | None, Parse | None]:
    """The trees of the gold layer or an engine's, else the best parse of each side."""
    stand = [r for r in given if r.origin != Origin.ANNOTATOR and r.source_parse_id]
    stand.sort(key=lambda row: (row.origin != Origin.GOLD, -row.pk))
    if stand:
        return stand[0].source_parse, stand[0].target_parse
    best = first_of(Parse.Kind.CONSTITUENCY, parses)
    return best.get(pair.source_id), best.get(pair.target_id)


def first_of(kind: str, parses: Iterable[Parse]) -> dict[int, Parse]:
    """By sentence: gold before annotators' before engines', then the lowest rank."""
    best: dict[int, Parse] = {}
    for parse in sorted(parses, key=lambda p: (ORDER[Origin(p.origin)], p.rank, p.pk)):
        if parse.kind == kind:
            best.setdefault(parse.sentence_id, parse)
    return best


@transaction.atomic
def set_state(layer: AlignmentLayer, state: str, *, by: Anybody) -> AlignmentLayer:
    """Close a layer (``done``) or open it again. Raises NotAllowed, Conflict.

    The pair is done when no layer that a person has begun is open.
    """
    project = layer.pair.corpus.project
    if not may_edit(layer, by, project):
        raise NotAllowed(_("You cannot close or reopen this layer."))
    if state not in AlignmentLayer.State.values:
        reason = _("The state of a layer must be open or done, not %(state)s.")
        raise Conflict(reason % {"state": repr(state)})
    now = timezone.now()
    AlignmentLayer.objects.filter(pk=layer.pk).update(state=state, updated_at=now)
    begun = AlignmentLayer.objects.filter(pair_id=layer.pair_id, revision__gt=0)
    begun = begun.exclude(origin=Origin.ENGINE).exclude(pk=layer.pk)
    going_on = state == AlignmentLayer.State.OPEN or (
        begun.filter(state=AlignmentLayer.State.OPEN).exists()
    )
    of_pair = Pair.State.STARTED if going_on else Pair.State.DONE
    Pair.objects.filter(pk=layer.pair_id).update(state=of_pair)
    layer.refresh_from_db()
    return layer


def draft_of(layer: AlignmentLayer) -> Draft:
    """The layer's content, as the value that steps change."""
    kept = layer.meta.get("editor", {})
    return Draft(
        layer.to_core(),
        tuple(layer.parked),
        kept.get("ignored", {}),
        kept.get("rejected", {}),
        (
            layer.source_parse.code if layer.source_parse else "",
            layer.target_parse.code if layer.target_parse else "",
        ),
        kept.get("brackets", {}),
    )


def tree_of(parse: Parse | None, n_tokens: int) -> Tree | None:
    """The tree, or None if there is none, or one over other tokens: never guessed."""
    if parse is None or parse.kind != Parse.Kind.CONSTITUENCY:
        return None
    tree = parse.readable_tree()
    return tree if tree is not None and tree.n_tokens == n_tokens else None


def problems_of(
    draft: Draft, source: Tree | None, target: Tree | None
) -> list[Violation]:
    """Violations of legitimacy; none without two trees."""
    if source is None or target is None:
        return []
    listed = problems(draft.alignment, source, target)
    if draft.parked:
        n = len(draft.parked)
        reason = ngettext(
            "%(n)s decision is about phrases that these trees do not have. "
            "One pair of trees must contain them all.",
            "%(n)s decisions are about phrases that these trees do not "
            "have. One pair of trees must contain them all.",
            n,
        )
        listed.insert(0, Violation("same_tree", reason % {"n": n}))
    return listed


def steps_of(layer: AlignmentLayer, user: Anybody) -> Steps[LinkEvent]:
    """Which of this person's steps undo and redo would affect."""
    return walk(LinkEvent.objects.filter(layer=layer, by_id=user.pk))


def snapshot(layer: AlignmentLayer, user: Anybody) -> dict[str, Any]:
    """The layer for an editor, as plain values."""
    draft = draft_of(layer)
    trees = (
        tree_of(layer.source_parse, layer.pair.n_source),
        tree_of(layer.target_parse, layer.pair.n_target),
    )
    steps = steps_of(layer, user)
    return {
        "code": layer.code,
        "revision": layer.revision,
        "state": layer.state,
        **draft.alignment.to_json(),
        "parked": list(draft.parked),
        "ignored": dict(draft.ignored),
        "rejected": dict(draft.rejected),
        "brackets": dict(draft.brackets),
        "source_parse": draft.trees[0],
        "target_parse": draft.trees[1],
        "undo": _undone_op(steps.undo),
        "redo": _undone_op(steps.redo),
        "problems": [_problem_json(p) for p in problems_of(draft, *trees)],
    }


def history(layer: AlignmentLayer) -> list[dict[str, Any]]:
    """The last operations, newest first."""
    rows = layer.events.select_related("by", "undoes").order_by("-revision")
    return [event_json(event) for event in rows[:HISTORY]]


def event_json(event: LinkEvent) -> dict[str, Any]:
    return {
        "uuid": str(event.uuid),
        "revision": event.revision,
        "op": event.op,
        "by": event.made_by,
        "at": event.at.isoformat(),
        "before": event.before,
        "after": event.after,
        "undoes": event.undoes.revision if event.undoes else None,
    }


def _undone_op(event: LinkEvent | None) -> str:
    """What redo would do again: "link", not "undo"."""
    while event is not None and event.op in ("undo", "redo"):
        event = event.undoes
    return event.op if event else ""


def _problem_json(problem: Violation) -> dict[str, Any]:
    return {
        "key": problem.key,
        "rule": problem.rule,
        "reason": problem.reason,
        "source": list(problem.source),
        "target": list(problem.target),
    }
