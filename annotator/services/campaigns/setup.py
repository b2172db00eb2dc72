"""Setting up campaigns: scales, guidelines, people, and their states."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import (
    Batch,
    Campaign,
    Condition,
    Guideline,
    Item,
    Participant,
    Project,
    Queue,
)
from annotator.models.projects import Anybody
from annotator.services.campaigns.scales import make_scales
from core.data.orders import mix, nth

__all__ = [
    "SETTINGS",
    "add_members",
    "add_people",
    "change",
    "close",
    "create",
    "open_campaign",
    "pause",
    "set_baseline",
    "set_batch_paused",
    "set_batches",
    "set_participant",
    "share_batches",
    "write_guideline",
]

SETTINGS: dict[str, tuple[float, float]] = {
    "k": (1, 50),
    "overlap_k": (1, 50),
    "overlap_share": (0, 1),
    "quota": (1, 1_000_000),
    "lease_s": (30, 7 * 86_400),
    "prefetch": (1, 20),
    "check_every": (0, 500),
    "check_tolerance": (0, 100),
    "check_min": (1, 100),
    "check_fail_share": (0, 1),
    "training_pass_share": (0, 1),
    "repeat_every": (0, 500),
    "repeat_gap_h": (0, 24 * 60),
    "adaptive_gap": (0, 100),
    "seconds_per_item": (1, 3600),
    "cost_per_hour": (0, 10_000),
}
"""What a manager may set, and between which values."""

FIXED_ONCE_OPEN = {"k", "overlap_k", "overlap_share", "mode", "is_adaptive"}


@transaction.atomic
def create(
    project: Project, name: str, *, by: Anybody, template: str = "substitution"
) -> Campaign:
    """A draft with the scales of a template. Raises NotAllowed, BadRequest, Conflict.

    ``template``: see ``services.scales.TEMPLATES``; "substitution" is the pair of
    five-point scales of Callison-Burch 2008, Table 5.
    """
    access.require(by, "manage", project)
    name = " ".join(name.split())[:120]
    if not name:
        raise BadRequest("A campaign needs a name.", field="name")
    if project.campaigns.filter(name=name).exists():
        raise Conflict(f"There is a campaign {name!r} already: take another name.")
    campaign = Campaign.objects.create(
        project=project,
        name=name,
        created_by_id=by.pk,
        seed=1 + project.campaigns.count(),
    )
    make_scales(campaign, template)
    return campaign


@transaction.atomic
def change(campaign: Campaign, values: Mapping[str, Any], *, by: Anybody) -> Campaign:
    """The campaign with other settings; ``revision`` moves.

    Raises NotAllowed, BadRequest naming the field, and Conflict on a setting that is
    fixed once people judge.
    """
    access.require(by, "manage", campaign.project)
    for name, value in values.items():
        new = _checked(name, value)
        if getattr(campaign, name) == new:
            continue
        if campaign.state != Campaign.State.DRAFT and name in FIXED_ONCE_OPEN:
            raise Conflict(f"{name} is fixed once a campaign has opened.", field=name)
        setattr(campaign, name, new)
    campaign.revision += 1
    campaign.save()
    return campaign


def _checked(name: str, value: Any) -> Any:
    """The value as the column wants it; raises BadRequest."""
    if name in SETTINGS:
        return _number(name, value)
    if name == "is_adaptive":
        return bool(value)
    if name == "mode" and value in Campaign.Mode.values:
        return value
    if name in ("contact", "currency"):
        return str(value).strip()[: 200 if name == "contact" else 8]
    raise BadRequest(f"{name}: {value!r} is not a setting.", field=name)


def _number(name: str, value: Any) -> float | int | None:
    if name == "quota" and value in ("", None):
        return None
    low, high = SETTINGS[name]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not low <= number <= high:
        raise BadRequest(f"{name}: from {low:g} to {high:g}, please.", field=name)
    field = Campaign._meta.get_field(name)
    return number if field.get_internal_type() == "FloatField" else int(number)


@transaction.atomic
def write_guideline(campaign: Campaign, text: str, *, by: Anybody) -> Guideline:
    """A new version of the guideline; the last one again if the text is the same."""
    access.require(by, "manage", campaign.project)
    text = text.replace("\r\n", "\n").strip()
    last = campaign.guidelines.first()
    if last is not None and last.text == text:
        return last
    number = campaign.guideline_number + 1
    made = Guideline.objects.create(
        campaign=campaign, number=number, text=text, by_id=by.pk
    )
    campaign.guideline_number = number
    campaign.revision += 1
    campaign.save(update_fields=["guideline_number", "revision"])
    return made


def add_members(
    campaign: Campaign, names: Sequence[str], batches: Sequence[str], *, by: Anybody
) -> list[Participant]:
    """``add_people`` by user names and codes of batches; no code: every batch."""
    members = User.objects.filter(memberships__project=campaign.project)
    people = list(members.filter(username__in=names).distinct())
    rows = list(campaign.batches.filter(code__in=batches)) if batches else None
    return add_people(campaign, people, by=by, batches=rows)


@transaction.atomic
def add_people(
    campaign: Campaign,
    people: Sequence[User],
    *,
    by: Anybody,
    batches: Iterable[Batch] | None = None,
) -> list[Participant]:
    """Participants for these people, who stay as they are if they are in already.

    ``batches``: the parts they get; if None all of them, and those that come later.
    Raises NotAllowed, and BadRequest on somebody who may not annotate in this project.
    """
    access.require(by, "manage", campaign.project)
    for person in people:
        if not access.may(person, "annotate", campaign.project):
            raise BadRequest(f"{person} may not annotate in this project.")
    present = set(campaign.participants.values_list("user_id", flat=True))
    made = [
        add_participant(campaign, user=person)
        for person in people
        if person.pk not in present
    ]
    if batches is None:
        give_queues(campaign, made)
    else:
        chosen = list(batches)
        for one in made:
            set_batches(one, chosen, by=by)
    return made


def add_participant(
    campaign: Campaign, *, user: User | None = None, label: str = ""
) -> Participant:
    """One more participant; without ``user`` a simulated one. No access check."""
    n = campaign.participants.count() + 1
    return Participant.objects.create(
        campaign=campaign,
        user=user,
        label=label or f"A{n}",
        is_simulated=user is None,
        is_trained=campaign.n_training == 0,
        seed=mix(campaign.seed, n) & 0x7FFFFFFF,
    )


def give_queues(campaign: Campaign, people: Iterable[Participant]) -> None:
    """All batches for these people, but for those who have batches of their own."""
    parts = list(campaign.batches.all())
    rows = [
        Queue(participant=one, batch=part)
        for one in people
        if not one.has_own_batches
        for part in parts
    ]
    Queue.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)


@transaction.atomic
def set_batches(
    person: Participant, batches: Sequence[Batch] | None, *, by: Anybody
) -> None:
    """Let the person judge these batches only; None: all, and those that come later.

    What they hold or have answered stays theirs. Raises NotAllowed, and BadRequest if
    no batch is named or one is of another campaign.
    """
    campaign = person.campaign
    access.require(by, "manage", campaign.project)
    if batches is not None and not batches:
        raise BadRequest(f"{person} needs a batch, or a pause.", field="batches")
    if any(batch.campaign_id != campaign.pk for batch in batches or ()):
        raise BadRequest("That batch is of another campaign.", field="batches")
    person.has_own_batches = batches is not None
    person.save(update_fields=["has_own_batches"])
    if batches is None:
        give_queues(campaign, [person])
        return
    person.queues.exclude(batch__in=batches).delete()
    rows = [Queue(participant=person, batch=batch) for batch in batches]
    Queue.objects.bulk_create(rows, ignore_conflicts=True)


@transaction.atomic
def share_batches(
    campaign: Campaign, wanted: Mapping[str, Sequence[str]], *, by: Anybody
) -> None:
    """Set the batches of several people at once: code of a participant -> of batches.

    Somebody with all of them gets later ones too. Raises what ``set_batches`` does,
    and BadRequest on a code unknown here; then nothing has changed.
    """
    access.require(by, "manage", campaign.project)
    people = {one.code: one for one in campaign.participants.select_related("user")}
    batches = {one.code: one for one in campaign.batches.all()}
    unknown = [c for c in wanted if c not in people]
    unknown += [c for codes in wanted.values() for c in codes if c not in batches]
    if unknown:
        raise BadRequest(f"There is no {unknown[0]!r} in this campaign.")
    for code, codes in wanted.items():
        has_all = len(set(codes)) == len(batches)
        chosen = None if has_all else [batches[c] for c in dict.fromkeys(codes)]
        set_batches(people[code], chosen, by=by)


@transaction.atomic
def open_campaign(campaign: Campaign, *, by: Anybody) -> Campaign:
    """Let judging begin, or go on.

    The first time, decides which items several people judge. Raises NotAllowed, and
    Conflict while there is nothing to judge or nobody to do it.
    """
    access.require(by, "manage", campaign.project)
    if not campaign.n_items:
        raise Conflict("There are no items yet: upload some first.")
    if not campaign.participants.exists():
        raise Conflict("Nobody is to judge yet: add people first.")
    if campaign.state == Campaign.State.DRAFT:
        for batch in campaign.batches.all():
            share_out(campaign, batch)
        if campaign.n_training:
            campaign.participants.update(is_trained=False)
        give_queues(campaign, campaign.participants.all())
        campaign.opened_at = timezone.now()
    campaign.state = Campaign.State.OPEN
    campaign.revision += 1
    campaign.save(update_fields=["state", "revision", "opened_at"])
    return campaign


def share_out(campaign: Campaign, batch: Batch) -> None:
    """Set ``need``: ``overlap_k`` for a seeded share of the items, ``k`` for the rest.

    Items added to an open batch are shared out by the same rule.
    """
    fresh = Item.objects.main().filter(batch=batch, need=0, is_withdrawn=False)
    numbers = list(fresh.order_by("number").values_list("number", flat=True))
    n_shared = round(campaign.overlap_share * len(numbers))
    seed = mix(campaign.seed, batch.position)
    shared = [numbers[nth(i, len(numbers), seed)] for i in range(n_shared)]
    overlap = max(campaign.overlap_k, campaign.k)
    for at in range(0, len(shared), 5000):
        part = shared[at : at + 5000]
        Item.objects.filter(batch=batch, number__in=part).update(need=overlap)
    fresh.update(need=campaign.k)
    Batch.objects.filter(pk=batch.pk).update(n_returned=F("n_returned") + 1)


def pause(campaign: Campaign, *, by: Anybody) -> None:
    """Give out nothing more. Answers to what people hold are still stored."""
    _to_state(campaign, Campaign.State.PAUSED, by=by)


def close(campaign: Campaign, *, by: Anybody) -> None:
    """End the judging; it can be opened again."""
    _to_state(campaign, Campaign.State.CLOSED, by=by)


def _to_state(campaign: Campaign, state: str, *, by: Anybody) -> None:
    access.require(by, "manage", campaign.project)
    if campaign.state == Campaign.State.DRAFT:
        raise Conflict("This campaign has not opened yet.")
    campaign.state = state
    campaign.revision += 1
    campaign.save(update_fields=["state", "revision"])


@transaction.atomic
def set_participant(
    person: Participant, *, by: Anybody, state: str = "", quota: Any = ...
) -> None:
    """Pause or (re)instate a participant, or set the quota. What failed is forgiven."""
    access.require(by, "manage", person.campaign.project)
    if state and state not in Participant.State.values:
        raise BadRequest(f"There is no state {state!r}.", field="state")
    if state == Participant.State.ACTIVE and person.state == Participant.State.BLOCKED:
        person.forgiven = person.n_checks
        person.forgiven_failed = person.n_checks_failed
        person.is_trained = True
    person.state = state or person.state
    if quota is not ...:
        person.quota = _number("quota", quota)
    person.save(
        update_fields=["state", "forgiven", "forgiven_failed", "is_trained", "quota"]
    )


def set_batch_paused(batch: Batch, *, paused: bool, by: Anybody) -> None:
    access.require(by, "manage", batch.campaign.project)
    batch.is_paused = paused
    batch.save(update_fields=["is_paused"])


@transaction.atomic
def set_baseline(condition: Condition, *, by: Anybody) -> None:
    """The condition that the others are tested against."""
    access.require(by, "manage", condition.campaign.project)
    condition.campaign.conditions.update(is_baseline=False)
    condition.is_baseline = True
    condition.save(update_fields=["is_baseline"])


def next_position(rows: Any) -> int:
    """One after the last position in these rows."""
    last = rows.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1
