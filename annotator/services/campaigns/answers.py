"""Storing answers: once each, never lost, and counted where a place is free.

An answer to an item that was handed out is always stored, even when its lease ran out,
the campaign paused or the item was withdrawn; whether it fills one of the item's places
is another matter. Everything is logged in ``JudgmentEvent``. Locks are taken as
judgment, participant, item, batch.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import OperationalError, transaction
from django.db.models import DateField, F
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import BadRequest, Conflict, NotAllowed, StaleEdit
from annotator.models import (
    Item,
    Judgment,
    JudgmentEvent,
    Participant,
    Tally,
)
from annotator.models.projects import Anybody, id_of
from annotator.services import changes
from annotator.services.campaigns import checks, leases
from annotator.services.campaigns.scales import check_values
from annotator.throughput.prepared import Select, Slot, Update, add, slots

SKIP_REASONS = {
    "unclear": gettext_lazy("I do not understand the sentence"),
    "language": gettext_lazy("It is not in the language I judge"),
    "broken": gettext_lazy("The text is damaged"),
    "offensive": gettext_lazy("I would rather not judge this"),
    "other": gettext_lazy("Another reason"),
}
ANNOTATORS = sorted(access.VERBS["annotate"])
NEEDED = (  # the columns that a plain save reads; others are fetched when asked for
    *("code", "round", "state", "fills", "lease_until", "values", "comment"),
    *("skip_reason", "flag", "active_ms", "revision", "is_late", "saved_at"),
    *("item__kind", "item__batch_id", "item__is_withdrawn", "participant__user_id"),
    *("participant__campaign__code", "participant__campaign__revision"),
    *("participant__campaign__mode", "participant__campaign__guideline_number"),
    "participant__campaign__is_adaptive",
)
_FIND = Select(
    lambda: (
        Judgment.objects.select_related("item", "participant__campaign")
        .only(*NEEDED)
        .filter(
            code=Slot("code"),
            participant__campaign__code=Slot("campaign"),
            participant__user_id=Slot("user"),
            participant__campaign__project__memberships__user_id=Slot("user"),
            participant__campaign__project__memberships__role__in=ANNOTATORS,
        )
    )
)
MOVED = (  # the columns that a save, a skip or a flag may change
    *("revision", "state", "fills", "values", "comment", "skip_reason", "flag"),
    *("active_ms", "is_late", "mode", "guideline", "saved_at"),
)
_ADVANCE = Update(
    lambda: Judgment.objects.filter(
        pk=Slot("pk"), revision=Slot("seen"), state=Slot("before")
    ),
    **slots(Judgment, *MOVED),
)
_DONE = Update(lambda: Item.objects.filter(pk=Slot("pk")), n_done=F("n_done") + 1)
_TAKE_AND_DO = Update(
    lambda: Item.objects.filter(pk=Slot("pk"), n_taken__lt=F("need")),
    n_taken=F("n_taken") + 1,
    n_done=F("n_done") + 1,
)
_TALLY = Update(
    lambda: Tally.objects.filter(
        participant_id=Slot("participant_id"),
        batch_id=Slot("batch_id"),
        day=Slot("day", DateField()),
    ),
    n_done=F("n_done") + Slot("n_done"),
    n_skipped=F("n_skipped") + Slot("n_skipped"),
    active_ms=F("active_ms") + Slot("active_ms"),
)
AFTER = {"save": Judgment.State.DONE, "skip": Judgment.State.SKIPPED}
ATTEMPTS = 4
MAX_MS = 30 * 60_000  # longer than this, no one was looking
MAX_NOTE = 2000


@dataclass(frozen=True, slots=True)
class Answer:
    """One message from a judge.

    ``seen``: the revision the judge saw; ``note``: a comment, a reason to skip or a
    flag; ``comment``: on that reason; ``active_ms``: time with the item in view.
    """

    uuid: UUID
    seen: int
    values: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    comment: str = ""
    active_ms: int = 0


def find(code: str, *, campaign: str, by: Anybody) -> Judgment:
    """The judgment, if it is this person's in this campaign; else raises Http404.

    Raises NotAllowed if it was, before the person was taken off the project.
    """
    rows = _FIND.models(code=code, campaign=campaign, user=id_of(by))
    if not rows:
        _tell_the_removed(code, campaign=campaign, by=by)
        raise Http404(_("That item was not given to you."))
    judgment: Judgment = rows[0]
    return judgment


def _tell_the_removed(code: str, *, campaign: str, by: Anybody) -> None:
    mine = Judgment.objects.filter(
        code=code, item__campaign__code=campaign, participant__user_id=id_of(by)
    )
    if mine.exists():
        message = _(
            "You no longer work in this campaign, so this answer was not "
            "stored. If that is a mistake, keep this page open and ask the "
            "manager to add you again."
        )
        raise NotAllowed(message)


def take(
    code: str, verb: str, answer: Answer, *, campaign: str, by: Anybody
) -> Judgment:
    """Do with the judgment what the message says; the same message twice is once.

    Raises Http404, BadRequest, Conflict or StaleEdit as the verbs do. Tries again when
    a lease ran out, or the database gave way to another writer, in between.
    """
    for attempt in range(ATTEMPTS):
        try:
            return VERBS[verb](find(code, campaign=campaign, by=by), answer)
        except StaleEdit as error:
            if error.facts["revision"] != answer.seen or attempt == ATTEMPTS - 1:
                raise
        except OperationalError:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def save(judgment: Judgment, answer: Answer) -> Judgment:
    """Store the answer; the same uuid again changes nothing. ``judgment`` is fresh.

    Raises BadRequest if a value is missing or off its scale, and StaleEdit, with the
    present values, if the judgment moved on since ``answer.seen``.
    """
    campaign = judgment.participant.campaign
    values = check_values(campaign, answer.values, judgment.item)
    if _is_known(judgment, answer):
        return judgment
    _require_standing(judgment)
    now, before, old = timezone.now(), judgment.state, judgment.values
    judgment.is_late = judgment.is_late or _ran_out(judgment, now)
    judgment.saved_at = judgment.saved_at or now
    judgment.values = values
    judgment.comment = answer.note[:MAX_NOTE]
    judgment.active_ms = min(judgment.active_ms + _spent(answer), 2**31 - 1)
    judgment.mode, judgment.guideline = campaign.mode, campaign.guideline_number

    def count() -> None:
        if judgment.round == 2:
            _count_repeat(judgment, old)
        elif judgment.item.kind == Item.Kind.MAIN:
            _fill(judgment, before, answer, now)
        else:
            checks.note(judgment, old or None)  # one reopened has old values, too

    _store(judgment, answer, "save", before, count)
    return judgment


def skip(judgment: Judgment, answer: Answer) -> Judgment:
    """Give the item back unanswered; the note of ``answer`` is the reason, which its
    comment may explain.

    Raises BadRequest on an unknown reason, Conflict if it is answered already.
    """
    if answer.note not in SKIP_REASONS:
        raise BadRequest(_("Choose a reason for skipping."), field="note")
    if _is_known(judgment, answer):
        return judgment
    _require_standing(judgment)
    if judgment.state == Judgment.State.DONE:
        raise Conflict(_("You have answered this already: change the answer instead."))
    before, held = judgment.state, judgment.fills
    judgment.skip_reason, judgment.fills = answer.note, False
    judgment.comment = answer.comment.strip()[:MAX_NOTE] or judgment.comment

    def count() -> None:
        if held:
            leases.give_back(judgment)
        if judgment.item.batch_id and judgment.round == 1:
            _tally(judgment, timezone.now(), n_skipped=1)

    _store(judgment, answer, "skip", before, count)
    return judgment


def flag(judgment: Judgment, answer: Answer) -> Judgment:
    """Mark that something is wrong with the item itself; an empty note unmarks it."""
    if _is_known(judgment, answer):
        return judgment
    judgment.flag = answer.note.strip()[:200]
    _store(judgment, answer, "flag", judgment.state, lambda: None)
    return judgment


VERBS: dict[str, Callable[[Judgment, Answer], Judgment]] = {
    "save": save,
    "skip": skip,
    "flag": flag,
}


@transaction.atomic
def reopen(judgment: Judgment, *, by: Anybody, uuid: UUID) -> Judgment:
    """Give an answered item back to its judge; the answer stays until they change it.

    Raises NotAllowed, and Conflict if it is not answered.
    """
    campaign = judgment.participant.campaign
    access.require(by, "curate", campaign.project)
    rows = Judgment.objects.filter(pk=judgment.pk, state=Judgment.State.DONE)
    if not rows.update(
        state=Judgment.State.LEASED,
        lease_until=leases.until(campaign),
        revision=F("revision") + 1,
    ):
        raise Conflict(_("Only an answered item can be reopened."))
    judgment.refresh_from_db()
    if judgment.fills:
        Item.objects.filter(pk=judgment.item_id).update(n_done=F("n_done") - 1)
        _tally(judgment, judgment.saved_at or timezone.now(), n_done=-1)
    JudgmentEvent.objects.create(
        judgment=judgment,
        uuid=uuid,
        verb=JudgmentEvent.Verb.REOPEN,
        by_id=by.pk,
        revision=judgment.revision,
        values=judgment.values,
    )
    return judgment


def _store(
    judgment: Judgment,
    answer: Answer,
    verb: str,
    before: str,
    count: Callable[[], None],
) -> None:
    """Judgment, event and counters in one transaction; a repeated message is
    accepted."""
    with changes.once(judgment, JudgmentEvent, answer.uuid):
        _advance(judgment, answer, before, AFTER.get(verb, before))
        _log(judgment, answer, verb)
        count()


def _is_known(judgment: Judgment, answer: Answer) -> bool:
    """Whether this very message has been stored. One that saw the present has not."""
    if judgment.revision == answer.seen:
        return False
    rows = JudgmentEvent.objects.filter(uuid=answer.uuid, judgment=judgment)
    return rows.exists()


def _require_standing(judgment: Judgment) -> None:
    if judgment.state == Judgment.State.ASIDE:
        raise Conflict(_("A manager set this answer aside. It can no longer change."))


def _ran_out(judgment: Judgment, now: datetime) -> bool:
    waiting = (Judgment.State.LEASED, Judgment.State.EXPIRED)
    return judgment.state in waiting and judgment.lease_until < now


def _spent(answer: Answer) -> int:
    return max(0, min(answer.active_ms, MAX_MS))


def _advance(judgment: Judgment, answer: Answer, before: str, after: str) -> None:
    """Compare-and-set on revision and state; raises StaleEdit if either moved."""
    judgment.revision, judgment.state = answer.seen + 1, after
    new = {name: getattr(judgment, name) for name in MOVED}
    if not _ADVANCE.run(pk=judgment.pk, seen=answer.seen, before=before, **new):
        raise _stale(judgment, answer)


def _stale(judgment: Judgment, answer: Answer) -> StaleEdit:
    judgment.refresh_from_db()
    return StaleEdit(
        _("This item was changed elsewhere, perhaps in another tab."),
        judgment=judgment.code,
        revision=judgment.revision,
        state="done" if judgment.state == Judgment.State.DONE else "open",
        values=judgment.values,
        comment=judgment.comment,
    )


def _log(judgment: Judgment, answer: Answer, verb: str) -> None:
    event = JudgmentEvent(
        judgment=judgment,
        uuid=answer.uuid,
        verb=verb,
        by_id=judgment.participant.user_id,
        revision=judgment.revision,
        values=judgment.values if verb == JudgmentEvent.Verb.SAVE else {},
        note=": ".join(filter(None, (answer.note, answer.comment.strip())))[:MAX_NOTE],
        active_ms=_spent(answer),
        guideline=judgment.guideline,
        mode=judgment.mode,
    )
    add([event])


def _fill(judgment: Judgment, before: str, answer: Answer, now: datetime) -> None:
    """Count the answer on its item, where it holds a place or finds one free."""
    if before == Judgment.State.DONE:
        if judgment.fills:
            _route_third(judgment)
        return
    if judgment.fills:
        _DONE.run(pk=judgment.item_id)
    elif _TAKE_AND_DO.run(pk=judgment.item_id):
        judgment.fills = True
        Judgment.objects.filter(pk=judgment.pk).update(fills=True)
        mine = Participant.objects.filter(pk=judgment.participant_id)
        mine.update(n_taken=F("n_taken") + 1)
    if judgment.fills:
        at = judgment.saved_at or now  # as when it is given back or set aside
        _tally(judgment, at, n_done=1, active_ms=_spent(answer))
        _route_third(judgment)


def _count_repeat(judgment: Judgment, old: Mapping[str, Any]) -> None:
    if not old:
        mine = Participant.objects.filter(pk=judgment.participant_id)
        mine.update(n_repeats=F("n_repeats") + 1)


def _tally(judgment: Judgment, at: datetime, **more: int) -> None:
    """Add to the day's counters of this person and batch."""
    key: dict[str, Any] = {
        "participant_id": judgment.participant_id,
        "batch_id": judgment.item.batch_id,
        "day": at.date(),
    }
    changes: dict[str, Any] = {"n_done": 0, "n_skipped": 0, "active_ms": 0, **more}
    if not _TALLY.run(**key, **changes):
        Tally.objects.bulk_create([Tally(**key)], ignore_conflicts=True)
        _TALLY.run(**key, **changes)


def _route_third(judgment: Judgment) -> None:
    """One more place for an item whose two judges are far apart, once."""
    campaign = judgment.participant.campaign
    if not campaign.is_adaptive:
        return
    item = Item.objects.get(pk=judgment.item_id)
    if item.n_extra or item.need != 2 or item.n_done < 2:
        return
    answers = Judgment.objects.counted().filter(item=item)
    both = list(answers.values_list("values", flat=True)[:2])
    if len(both) == 2 and checks.is_apart(campaign, *both):
        rows = Item.objects.filter(pk=item.pk, n_extra=0, is_withdrawn=False)
        if rows.update(n_extra=1, need=F("need") + 1):
            leases.returned(item.pk)
