"""Who judges in a campaign, which batches they get, and the quota of each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Batch, Campaign, Participant, Queue
from annotator.models.projects import Anybody
from annotator.services.campaigns.settings import number_of
from core.data.orders import mix


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
    Raises NotAllowed, and BadRequest on someone who may not annotate in this project.
    """
    access.require(by, "manage", campaign.project)
    for person in people:
        _require_annotator(campaign, person)
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


@transaction.atomic
def admit(campaign: Campaign, person: User) -> Participant:
    """The person judges all batches; who judges already stays as they are.

    For someone whom a link of the campaign lets in. Raises BadRequest on someone who
    may not annotate in this project.
    """
    _require_annotator(campaign, person)
    Campaign.objects.select_for_update(no_key=True).get(
        pk=campaign.pk
    )  # one label each
    present = campaign.participants.filter(user=person).first()
    if present is not None:
        return present
    made = add_participant(campaign, user=person)
    give_queues(campaign, [made])
    return made


def _require_annotator(campaign: Campaign, person: User) -> None:
    if not access.may(person, "annotate", campaign.project):
        who = {"name": person}
        raise BadRequest(_("%(name)s may not annotate in this project.") % who)


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

    Items that they hold or have answered stay theirs. Raises NotAllowed, and BadRequest
    if no batch is named or one is of another campaign.
    """
    campaign = person.campaign
    access.require(by, "manage", campaign.project)
    if batches is not None and not batches:
        problem = _("Give %(name)s a batch, or pause them.") % {"name": person}
        raise BadRequest(problem, field="batches")
    if any(batch.campaign_id != campaign.pk for batch in batches or ()):
        raise BadRequest(_("That batch is of another campaign."), field="batches")
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

    Someone with all of them gets later ones too. Raises what ``set_batches`` does,
    and BadRequest on a code unknown here; then nothing has changed.
    """
    access.require(by, "manage", campaign.project)
    people = {one.code: one for one in campaign.participants.select_related("user")}
    batches = {one.code: one for one in campaign.batches.all()}
    unknown = [c for c in wanted if c not in people]
    unknown += [c for codes in wanted.values() for c in codes if c not in batches]
    if unknown:
        name = {"name": repr(unknown[0])}
        raise BadRequest(_("There is no %(name)s in this campaign.") % name)
    for code, codes in wanted.items():
        has_all = len(set(codes)) == len(batches)
        chosen = None if has_all else [batches[c] for c in dict.fromkeys(codes)]
        set_batches(people[code], chosen, by=by)


@transaction.atomic
def set_participant(
    person: Participant, *, by: Anybody, state: str = "", quota: Any = ...
) -> None:
    """Pause or (re)instate a participant, or set the quota. What failed is forgiven."""
    access.require(by, "manage", person.campaign.project)
    if state and state not in Participant.State.values:
        problem = _("There is no state %(name)s.") % {"name": repr(state)}
        raise BadRequest(problem, field="state")
    if state == Participant.State.ACTIVE and person.state == Participant.State.BLOCKED:
        person.forgiven = person.n_checks
        person.forgiven_failed = person.n_checks_failed
        person.is_trained = True
    person.state = state or person.state
    if quota is not ...:
        person.quota = number_of("quota", quota)
    person.save(
        update_fields=["state", "forgiven", "forgiven_failed", "is_trained", "quota"]
    )
