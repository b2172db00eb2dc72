"""What a judge's browser receives: the current items, and the state.

Blind means blind: no condition, rank, gold value, kind of check, batch, number, other
judge or count of them is in anything built here. Tests scan for it.
"""

from datetime import datetime
from functools import partial
from statistics import median
from typing import Any

from django.db import OperationalError
from django.db.models import F, QuerySet, Sum
from django.http import Http404
from django.utils.translation import gettext as _

from annotator import access
from annotator.models import (
    Campaign,
    CampaignMessage,
    Item,
    JudgePreference,
    Judgment,
    Participant,
)
from annotator.models.projects import Anybody, id_of
from annotator.services.campaigns import crowd, leases, messages, shares
from annotator.services.campaigns.shares import JudgeShare
from annotator.services.kept_counts import kept

RECENT = 30
MOVING = ("state", "is_trained", "n_served", "n_taken", "n_training", "quota")
ATTEMPTS = 4
MOST_AHEAD = 50
SLOW_S = 24  # seconds that a slow judge spends on an item
PACE_OF, PACE_FROM = 30, 10  # answers: the last ones, and the fewest that tell a pace


def participant_of(campaign_code: str, user: Anybody) -> Participant:
    """The person in this campaign; raises Http404 to everyone else."""
    rows = Participant.objects.select_related("campaign__project").filter(
        campaign__code=campaign_code,
        user_id=id_of(user),
        campaign__project__memberships__user_id=id_of(user),
        campaign__project__memberships__role__in=access.VERBS["annotate"],
    )
    person = rows.first()
    if person is None or person.campaign.state == Campaign.State.DRAFT:
        raise Http404(_("There is no such campaign, or it is not assigned to you."))
    return person


def open_to(user: Anybody) -> QuerySet[Campaign]:
    """The open campaigns in which this person judges, the newest first."""
    here = {"participants__user_id": id_of(user), "participants__state": "active"}
    rows = Campaign.objects.filter(
        **here,
        state=Campaign.State.OPEN,
        project__memberships__user_id=id_of(user),
        project__memberships__role__in=access.VERBS["annotate"],
    )
    return rows.select_related("project").order_by("-pk")


def card(judgment: Judgment) -> dict[str, Any]:
    """One item as its judge sees it."""
    instance = judgment.item.instance
    return {
        "code": judgment.code,
        "revision": judgment.revision,
        "before": instance.before,
        "phrase": instance.phrase,
        "after": instance.after,
        "paraphrase": judgment.item.paraphrase,
        "values": judgment.values,
        "comment": judgment.comment,
        "flag": judgment.flag,
        "training": judgment.item.kind == Item.Kind.TRAINING,
    }


def cards(judgments: list[Judgment]) -> list[dict[str, Any]]:
    return [card(judgment) for judgment in judgments]


def give(person_id: int, *, want: int, held: list[str]) -> list[dict[str, Any]]:
    """The next cards; tries again when the database gave way to another writer."""
    for attempt in range(ATTEMPTS):
        try:
            return cards(leases.draw(person_id, want=want, held=held))
        except OperationalError:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def of(person: Participant) -> dict[str, Any]:
    """The initial data of the screen."""
    campaign = person.campaign
    held = give(person.pk, want=campaign.prefetch, held=[])
    return {
        "campaign": {"code": campaign.code, "name": campaign.name},
        "mode": campaign.mode,
        "guideline": {
            "number": campaign.guideline_number,
            "text": campaign.guideline,
            "seen": person.guideline_seen,
        },
        "next": held,
        "recent": recent(person),
        "messages": unread(person),
        "status": status(person, is_empty=not held),
    }


def _ahead(person: Participant) -> int:
    """How many items a browser keeps for a time without network.

    No more than can be judged before their leases run out, and than an even part of
    the free places, so that no one sits on the last ones.
    """
    campaign = person.campaign
    free = kept(f"free-{campaign.pk}", campaign.n_items, partial(_free, campaign))
    held = person.judgments.filter(state=Judgment.State.LEASED).count()
    active = campaign.participants.filter(state=Participant.State.ACTIVE).count()
    part = (free + held) // max(active, 1)
    return max(campaign.prefetch, min(MOST_AHEAD, part, campaign.lease_s // SLOW_S))


def _free(campaign: Campaign) -> int:
    rows = campaign.items.main().filter(n_taken__lt=F("need"), is_withdrawn=False)
    return rows.aggregate(n=Sum(F("need") - F("n_taken"), default=0))["n"]


def recent(person: Participant) -> list[dict[str, Any]]:
    """The last answers, newest first, to go back to."""
    rows = person.judgments.answered().exclude(item__kind=Item.Kind.TRAINING)
    shown = rows.select_related("item__instance").order_by("-pk")[:RECENT]
    return cards(list(shown))


def skipped(person: Participant) -> list[dict[str, Any]]:
    """Items that this person skipped and may still answer."""
    rows = Judgment.objects.filter(shares.skipped(person))
    rows = rows.select_related("item__instance").order_by("pk")
    return cards(list(rows[:RECENT]))


def status(person: Participant, *, is_empty: bool) -> dict[str, Any]:
    """The state as one word, and the person's own numbers."""
    person.refresh_from_db(fields=MOVING)  # a draw or an answer may have moved them
    campaign, share = person.campaign, shares.of(person)
    spent = person.judgments.aggregate(ms=Sum("active_ms"))["ms"] or 0
    state = _word(person, share, is_empty=is_empty)
    return {
        "state": state,
        "done": share.done,
        "left": share.left,
        "skipped": share.skipped,
        "expected": share.all,
        "ahead": _ahead(person),
        "active_ms": spent,
        "pace_s": _pace(person),
        "training": training(person),
        "guideline": campaign.guideline_number,
        "contact": campaign.contact,
        **crowd.end_of(person, state, done=share.done),
    }


def unread(person: Participant) -> list[dict[str, Any]]:
    """Messages of the managers that this person has not read, newest first."""
    assert person.user is not None
    rows = messages.of(person.user, person.campaign)
    return [message(row) for row in rows if row.is_unread]


def message(row: CampaignMessage) -> dict[str, Any]:
    """One message as its reader sees it; ``about``: the flagged item, if it answers a
    flag."""
    item = row.judgment.item if row.judgment else None
    return {
        "code": row.code,
        "at": row.at,
        "by": str(row.by or ""),
        "text": row.text,
        "about": f"{item.instance.phrase} → {item.paraphrase}" if item else "",
        "flag": row.flag,
        "resolved": row.is_resolved,
    }


def _pace(person: Participant) -> float | None:
    """Median seconds of the person's last answers; None while there are few."""
    rows = person.judgments.answered().exclude(item__kind=Item.Kind.TRAINING)
    last = rows.order_by("-pk").values_list("active_ms", flat=True)[:PACE_OF]
    spent = [ms / 1000 for ms in last if ms]
    return round(median(spent), 1) if len(spent) >= PACE_FROM else None


def answered_since(start: datetime, user: Anybody) -> int:
    """Items this person has answered since then, in all campaigns; checks count, too,
    since a judge cannot tell them from other items."""
    rows = Judgment.objects.filter(
        participant__user_id=id_of(user),
        state__in=(Judgment.State.DONE, Judgment.State.ASIDE),
        saved_at__gte=start,
    )
    return rows.exclude(item__kind=Item.Kind.TRAINING).count()


def saw_guideline(person: Participant, number: int) -> None:
    """This version, or an older one, was in front of the person."""
    number = min(number, person.campaign.guideline_number)
    rows = Participant.objects.filter(pk=person.pk, guideline_seen__lt=number)
    rows.update(guideline_seen=number)


def state_of(person: Participant) -> str:
    """The word of ``status`` for someone whose screen is not open."""
    share = shares.of(person)
    return _word(person, share, is_empty=not share.left)


def training(person: Participant) -> list[int]:
    """Training items answered, and how many there are."""
    return [person.n_training, person.campaign.n_training]


def _word(person: Participant, share: JudgeShare, *, is_empty: bool) -> str:
    campaign = person.campaign
    if person.state != Participant.State.ACTIVE:
        return person.state
    if not campaign.is_open:
        return campaign.state
    if not is_empty:
        return "ready" if person.is_trained else "training"
    quota = person.quota or campaign.quota
    if quota is not None and person.n_taken >= quota:
        return "finished"
    if share.skipped:
        return "skipped"
    return "finished" if person.n_taken else "nothing"


def preference(user: Anybody) -> dict[str, Any]:
    """This person's settings of the screen."""
    row = (
        JudgePreference.objects.filter(user_id=id_of(user)).first() or JudgePreference()
    )
    return {
        "keys": row.keys,
        "has_single_keys": row.has_single_keys,
        "auto_advance": row.auto_advance,
        "daily_goal": row.daily_goal,
    }
