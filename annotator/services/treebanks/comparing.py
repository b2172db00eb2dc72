"""Comparison of the trees of one sentence: people's, gold, parsers'."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator.errors import Conflict
from annotator.models import Origin, Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.services.parses import consequences, drafts, gold, retyping, steps
from annotator.services.parses.drafts import DraftStep
from core.agreement.trees import attachment, parseval
from core.errors import GemelError, InvalidValue
from core.trees import arcs
from core.trees.stepping import Replace


@dataclass(frozen=True, slots=True)
class Likeness:
    """The similarity of two trees, in percent; None for values of another kind.

    F1 and UAS are the same both ways. None all: the two cannot be compared.
    """

    a: Parse
    b: Parse
    f1: float | None = None
    uas: float | None = None
    las: float | None = None

    @property
    def main(self) -> float:
        """The value that orders pairs; -1 if there is none."""
        values = [one for one in (self.f1, self.las) if one is not None]
        return values[0] if values else -1.0


def made_of(sentence: Sentence, kind: str, by: Anybody) -> list[Parse]:
    """Gold, the last tree of each person that ``by`` may see, each parser's first."""
    rows = Parse.objects.readable_by(by, sentence.corpus.project)
    rows = rows.filter(sentence=sentence, kind=kind, rank=1)
    rows = rows.exclude(origin=Origin.FORMER).select_related("author")
    last: dict[tuple[str, int | None, str, str], Parse] = {}
    for parse in rows.order_by("pk"):
        whose = parse.author_id if parse.origin == Origin.ANNOTATOR else None
        last[parse.origin, whose, parse.engine, parse.version] = parse
    order = [str(one) for one in (Origin.GOLD, Origin.ANNOTATOR, Origin.ENGINE)]
    return sorted(last.values(), key=lambda one: (order.index(one.origin), one.pk))


def likenesses(made: Sequence[Parse]) -> list[Likeness]:
    """All pairs of them, the least similar first."""
    compared = [_likeness(a, b) for a, b in combinations(made, 2)]
    return sorted(compared, key=lambda one: one.main)


def _likeness(a: Parse, b: Parse) -> Likeness:
    try:
        if a.kind == Parse.Kind.DEPENDENCY:
            arcs = attachment.compare(a.to_deps(), b.to_deps())
            return Likeness(a, b, uas=100 * arcs.uas, las=100 * arcs.las)
        return Likeness(a, b, f1=100 * parseval.compare(a.to_tree(), b.to_tree()).f1)
    except GemelError:
        return Likeness(a, b)


@dataclass(frozen=True, slots=True)
class Own:
    """A person's work on a tree: the ``first`` one, a parse's, and the steps since;
    ``is_typed``: whether one of these is a whole tree that they typed."""

    first: Any
    steps: tuple[Any, ...]
    is_typed: bool


def own_steps(draft: TreeDraft) -> Own:
    """The steps in force since the last tree that replaced the whole. Automatic
    consequences are among them, as a whole tree."""
    events = list(draft.events.order_by("revision"))
    trees = [retyping.tree_of(draft)]
    for event in reversed(events):
        back: Any = steps.read_edit(draft, event.back)
        trees.append(back.on(trees[-1]).tree)
    trees.reverse()
    made = list(_of_parses(draft))
    own = Own(trees[0], (), is_typed=False)
    played = consequences.standing(zip(events, pairwise(trees), strict=True))
    for event, (_before, after) in played:
        if event.op == "replace" and after in made:
            own = Own(after, (), is_typed=False)
            continue
        is_typed = own.is_typed or event.op == "replace"
        done = steps.read_edit(draft, event.done)
        own = Own(own.first, (*own.steps, done), is_typed=is_typed)
    return own


def _of_parses(draft: TreeDraft) -> Iterator[Any]:
    """The trees of the sentence that can be read."""
    for parse in draft.sentence.parses.filter(kind=draft.kind):
        with suppress(GemelError):
            yield retyping.tree_of(parse)


@dataclass(frozen=True, slots=True)
class OnGold:
    """A draft applied to the gold tree: how many steps are ``done`` there, why others
    are ``left``, and whether a whole typed tree is among these."""

    done: int
    left: tuple[str, ...]
    is_typed: bool

    @property
    def summary(self) -> str:
        """For people."""
        text = ngettext(
            "You have %(n)s unsaved step on top of the gold tree. Review "
            "it, then save.",
            "You have %(n)s unsaved steps on top of the gold tree. Review "
            "them, then save.",
            self.done,
        )
        parts = [text % {"n": self.done}]
        if self.left:
            why = _("Not applied there: %(reasons)s Undo returns to your tree.")
            parts.append(why % {"reasons": " ".join(self.left)})
        if self.is_typed:
            parts.append(_("A tree that you typed as a whole is not carried over."))
        return " ".join(parts)


@transaction.atomic
def put_on_gold(
    draft: TreeDraft, *, by: Anybody, seen: str, base_rev: int, uuid: UUID
) -> OnGold:
    """The gold tree in the draft, and the person's own steps on top of it, each a step
    in the ledger; undo goes back to the tree before.

    ``seen``: the code of that gold tree. Raises NotAllowed, StaleEdit if it or the
    draft has changed; Conflict if it has other words.
    """
    former = gold.gold_of(draft.sentence, draft.kind)
    if former is None or former.code != seen:
        raise gold.stale(draft, former)
    mine = own_steps(draft)
    try:
        there = retyping.up_to_date(draft.sentence, former, retyping.tree_of(former))
        done, left = steps.replayed(draft, mine.steps, mine.first, there)
    except InvalidValue as error:
        raise Conflict(str(error)) from error
    whole: Any = arcs.Replace(there.lines) if _is_arcs(draft) else Replace(there)
    for n, operation in enumerate((whole, *done)):
        step = DraftStep(uuid5(uuid, str(n)), base_rev + n, operation.op, operation)
        drafts.play(draft, step, by=by)
    return OnGold(len(done), tuple(left), mine.is_typed)


def _is_arcs(made: TreeDraft | Parse) -> bool:
    return made.kind == Parse.Kind.DEPENDENCY
