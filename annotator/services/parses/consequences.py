"""Consequences of an author's decisions in a draft, by a stored forest.

A step with consequences is two rows of the ledger: the person's, and one named
"follow". Undo withdraws the second alone and so rejects it: the same change does not
return automatically.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar
from uuid import uuid5

from django.db import transaction
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Origin, PackedForest, Parse, Sentence, TreeDraft, TreeEvent
from annotator.models.projects import Anybody
from annotator.services.parses import drafts, retyping
from annotator.services.parses.drafts import FOLLOW, NEUTRAL, WALKS, DraftStep
from core.data.tree import Tree
from core.errors import Contradiction, InvalidValue
from core.forests.constraints import (
    Decisions,
    bracket_at,
    can_follow,
    decided_by,
    decoded,
    followed,
    plain_brackets,
    weights_under,
)
from core.forests.inside import Bracket, bracket_chances
from core.formats.forest_npz import StoredForest
from core.trees import editing
from core.trees.stepping import Replace

Step = tuple[Tree, Tree, int]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Consequences:
    """The consequences of the last step: present nodes, and removed brackets."""

    came: tuple[int, ...] = ()
    gone: tuple[Bracket, ...] = ()


@transaction.atomic
def play(draft: TreeDraft, step: DraftStep, *, by: Anybody) -> TreeEvent:
    """``drafts.play``, and then what follows from it, if anything does.

    The event is the person's own. Raises as ``drafts.play``.
    """
    seen = TreeEvent.objects.filter(draft=draft, uuid=step.uuid).first()
    if seen is not None:
        return seen
    event = drafts.play(draft, step, by=by)
    is_neutral = step.op in (*WALKS, *NEUTRAL)
    new = None if is_neutral else _new_tree(draft)
    if new is not None:
        tree = draft.to_tree()
        follow = DraftStep(
            uuid=uuid5(step.uuid, FOLLOW),
            base_rev=draft.revision,
            op=FOLLOW,
            operation=Replace(new),
            focus=_same_node(tree, event.done["focus"], new),
        )
        drafts.play(draft, follow, by=by)
    return event


@transaction.atomic
def parse_again(draft: TreeDraft, sent: Mapping[str, Any], *, by: Anybody) -> bool:
    """Make the draft the parser's best tree under what its author has decided; whether
    that changed anything. Raises BadRequest where there is no forest, as ``play``."""
    tree, stored = draft.to_tree(), forest_over(draft)
    if stored is None or not can_follow(tree):
        raise BadRequest(_("No parser has stored its readings of these words."))
    try:
        new = decoded(tree, decisions(draft), stored.forest, stored.weights)
    except (Contradiction, InvalidValue):
        return False
    step = DraftStep(sent["uuid"], sent["base_rev"], FOLLOW, Replace(new))
    if new != tree:
        drafts.play(draft, step, by=by)
    return new != tree


def _new_tree(draft: TreeDraft) -> Tree | None:
    """What the tree becomes after the last step; None: nothing follows from it."""
    tree = draft.to_tree()
    stored = forest_over(draft)
    if stored is None or not can_follow(tree):
        return None
    steps = list(_steps(draft))
    try:
        decisions = decided_by(steps[:-1]), decided_by(steps)
        new = followed(steps[-1][0], tree, decisions, stored.forest, stored.weights)
    except (Contradiction, InvalidValue):  # decisions that cross, or no derivation
        return None
    return None if new == tree else new


def forest_of(sentence: Sentence, base: Parse | None) -> StoredForest | None:
    """The forest of the parser that a draft began with, else the latest there is; None
    if none is over all words."""
    rows = PackedForest.objects.filter(sentence=sentence)
    if base is not None and base.origin == Origin.ENGINE:
        own = rows.filter(engine=base.engine, version=base.version)
        rows = own if own.exists() else rows
    row = rows.order_by("-pk").first()
    stored = row.to_core() if row else None
    fits = stored is not None and stored.forest.n_tokens == sentence.n_tokens
    return stored if fits else None


def forest_over(draft: TreeDraft) -> StoredForest | None:
    """The forest of a draft; None, too, once words were split or joined in it: what the
    parser thinks of is other words, at other places."""
    if retyping.has_cuts(draft):
        return None
    stored = forest_of(draft.sentence, draft.base)
    n = stored.forest.n_tokens if stored else 0
    return stored if n == len(retyping.words_of(draft)) else None


def _steps(draft: TreeDraft) -> Iterator[Step]:
    """The person's actions, in order: steps in force, and rejected consequences.

    Trees are had backwards from the present one: each event knows its way back.
    """
    events = draft.events.order_by("revision")
    around = pairwise(retyping.trees_of(draft))
    for event, (before, after) in standing(zip(events, around, strict=True)):
        if event.op not in (FOLLOW, *NEUTRAL):
            is_whole = event.op in ("replace", "undo")
            yield before, after, -1 if is_whole else event.done.get("focus", 0)


def standing(
    played: Iterable[tuple[TreeEvent, tuple[T, T]]],
) -> list[tuple[TreeEvent, tuple[T, T]]]:
    """The steps that are not undone; an "undo" among them refused what followed."""
    standing: list[tuple[TreeEvent, tuple[T, T]]] = []
    undone: list[tuple[TreeEvent, tuple[T, T]]] = []
    for event, trees in played:
        if event.op not in WALKS:
            standing.append((event, trees))
            undone.clear()
            continue
        while standing and standing[-1][0].op == "undo":
            standing.pop()
        if event.op == "redo":
            standing.append(undone.pop())
            continue
        undone.append(standing.pop())
        if undone[-1][0].op == FOLLOW:
            standing.append((event, trees))
    return standing


def _same_node(tree: Tree, at: int, new: Tree) -> int:
    """The node of ``new`` over the same words with the same label, or its word."""
    if tree.is_leaf(at):
        return new.leaf_of[tree.tokens[at]]
    here = tree.spans[at]
    same = [v for v in range(len(new)) if new.spans[v] == here and new.children[v]]
    named = [v for v in same if new.labels[v] == tree.labels[at]]
    return (named or same or [0])[0]


def last_consequences(draft: TreeDraft) -> Consequences:
    """The consequences of the last step, if nothing was done since."""
    last = draft.events.last()
    if last is None or last.op != FOLLOW:
        return Consequences()
    tree = draft.to_tree()
    former = editing.read(last.back).on(tree).tree
    was, now = plain_brackets(former), plain_brackets(tree)
    gone = tuple(sorted((was - now).elements()))
    new = now - was
    came = [v for v in range(len(tree)) if any(b in new for b in bracket_at(tree, v))]
    return Consequences(tuple(came), gone)


def decisions(draft: TreeDraft) -> Decisions:
    """The decisions of the person's steps; none once words were split or joined."""
    if retyping.has_cuts(draft):
        return Decisions()
    try:
        return decided_by(_steps(draft))
    except InvalidValue:  # two that cross: brackets were typed meanwhile
        return Decisions()


def chances(
    tree: Tree, stored: StoredForest | None, decided: Decisions
) -> dict[int, float]:
    """The parser's probability of each phrase, given the person's decisions."""
    if stored is None or not can_follow(tree):
        return {}
    weights = weights_under(stored.forest, stored.weights, decided)
    by_bracket = bracket_chances(stored.forest, weights)
    return {
        v: 1.0 if bracket in decided.fixed else min(1.0, by_bracket.get(bracket, 0.0))
        for v in range(len(tree))
        for bracket in bracket_at(tree, v)
    }


def snapshot(draft: TreeDraft) -> dict[str, Any]:
    """``drafts.snapshot``, and what followed from the last step."""
    return drafts.snapshot(draft) | {"followed": list(last_consequences(draft).came)}
