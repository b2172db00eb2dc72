"""Setting a participant's answers aside: others get the items, and it can be undone.

An answer set aside is kept, and counts nowhere: it fills no place of its item, and no
report, export or curator reads it. Everything is in ``JudgmentEvent``, whose ``note``
holds the code of what was set aside together.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Count, F, Max, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import Conflict
from annotator.models import Batch, Item, Judgment, JudgmentEvent, Participant, Tally
from annotator.models.codes import new_code
from annotator.models.projects import Anybody
from annotator.services.projects import log
from annotator.services.projects.removals import KEEP_DAYS

Verb = JudgmentEvent.Verb


@dataclass(frozen=True, slots=True)
class SetAside:
    """What was set aside together: ``n`` answers, which can come back ``until``."""

    code: str
    n: int
    by: str
    at: datetime

    @property
    def until(self) -> datetime:
        return self.at + timedelta(days=KEEP_DAYS)


@transaction.atomic
def set_aside(
    person: Participant, codes: Collection[str] | None = None, *, by: Anybody
) -> int:
    """Set answers aside and hand their items out again; how many. ``codes``: of
    judgments, all if None. Training stays. Raises NotAllowed, and Conflict if none of
    them is an answer."""
    access.require(by, "manage", person.campaign.project)
    rows = person.judgments.answered().exclude(item__kind=Item.Kind.TRAINING)
    if codes is not None:
        rows = rows.filter(code__in=codes)
    answers = _locked(rows)
    if not answers:
        raise Conflict(_("There is no answer to set aside."))
    filling = [one for one in answers if one.fills]
    items = Item.objects.filter(pk__in=[one.item_id for one in filling])
    items.update(n_taken=F("n_taken") - 1, n_done=F("n_done") - 1)
    batches = Batch.objects.filter(pk__in=items.values("batch"))
    batches.update(n_returned=F("n_returned") + 1)
    _tally(person, filling, -1)
    _move(answers, Judgment.State.ASIDE, Verb.ASIDE, note=new_code(), by=by)
    _note(person, by, "set aside", len(answers))
    return len(answers)


@transaction.atomic
def bring_back(person: Participant, batch: str, *, by: Anybody) -> int:
    """Let what was set aside together count again; how many answers. Those whose place
    someone else has by now stay next to the other answers.

    Raises NotAllowed, and Conflict if nothing of it is left or it was too long ago.
    """
    access.require(by, "manage", person.campaign.project)
    events = _standing(person).filter(note=batch)
    answers = _locked(Judgment.objects.filter(pk__in=events.values("judgment")))
    if not answers:
        raise Conflict(_("These answers have been restored already."))
    if not events.filter(at__gte=_since()).exists():
        problem = _("These answers were set aside more than %(days)s days ago.")
        raise Conflict(problem % {"days": KEEP_DAYS})
    first = [one for one in answers if one.round == 1]
    free = Item.objects.main().filter(
        pk__in=[one.item_id for one in first], n_taken__lt=F("need")
    )
    taken = set(free.select_for_update().values_list("pk", flat=True))
    Item.objects.filter(pk__in=taken).update(
        n_taken=F("n_taken") + 1, n_done=F("n_done") + 1
    )
    filling = [one for one in first if one.item_id in taken]
    Judgment.objects.filter(pk__in=[one.pk for one in filling]).update(fills=True)
    _tally(person, filling, 1)
    _move(answers, Judgment.State.DONE, Verb.BACK, note=batch, by=by)
    _note(person, by, "restored", len(answers))
    return len(answers)


def listed(person: Participant) -> list[SetAside]:
    """What can still come back, the newest first."""
    groups = (
        _standing(person)
        .filter(at__gte=_since())
        .values("note", "by__username")
        .annotate(n=Count("pk"), last=Max("at"))
    )
    return [
        SetAside(row["note"], row["n"], row["by__username"] or "", row["last"])
        for row in groups.order_by("-last")
    ]


def _standing(person: Participant) -> QuerySet[JudgmentEvent]:
    """How the answers that are aside now came to be."""
    return JudgmentEvent.objects.filter(
        judgment__participant=person,
        judgment__state=Judgment.State.ASIDE,
        verb=Verb.ASIDE,
        revision=F("judgment__revision"),
    )


def _since() -> datetime:
    return timezone.now() - timedelta(days=KEEP_DAYS)


def _locked(rows: QuerySet[Judgment]) -> list[Judgment]:
    return list(rows.select_for_update(of=("self",)).select_related("item"))


def _move(
    answers: list[Judgment], state: str, verb: str, *, note: str, by: Anybody
) -> None:
    rows = Judgment.objects.filter(pk__in=[one.pk for one in answers])
    kept = {} if state == Judgment.State.DONE else {"fills": False}
    rows.update(state=state, revision=F("revision") + 1, **kept)
    now = timezone.now()
    events = [
        JudgmentEvent(
            judgment=one,
            uuid=uuid4(),
            verb=verb,
            by_id=by.pk,
            at=now,
            revision=one.revision + 1,
            values=one.values,
            note=note,
        )
        for one in answers
    ]
    JudgmentEvent.objects.bulk_create(events, batch_size=500)


def _tally(person: Participant, filling: list[Judgment], sign: int) -> None:
    counts = Counter(
        (one.item.batch_id, one.saved_at.date()) for one in filling if one.saved_at
    )
    for (batch, day), n in counts.items():
        rows = Tally.objects.filter(participant=person, batch=batch, day=day)
        rows.update(n_done=Greatest(F("n_done") + sign * n, 0))


def _note(person: Participant, by: Anybody, act: str, n: int) -> None:
    campaign = person.campaign
    log.note(campaign.project, by, act, "answers", f"{n} of {person}", campaign.name)
