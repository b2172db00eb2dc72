"""Setting up campaigns: settings, guidelines, and their states."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import (
    Batch,
    Campaign,
    Condition,
    Guideline,
    Project,
    RatingScale,
)
from annotator.models.projects import Anybody
from annotator.services.campaigns.participants import give_queues
from annotator.services.campaigns.scales import make_scales
from annotator.services.campaigns.settings import SETTINGS, number_of
from annotator.services.campaigns.sharing import share_again, share_out
from annotator.services.projects import log

FIXED_ONCE_OPEN = {"mode", "is_adaptive"}
JUDGES = {"k", "overlap_k", "overlap_share"}  # fitted to what is given out already


@transaction.atomic
def create(
    project: Project, name: str, *, by: Anybody, template: str = "substitution"
) -> Campaign:
    """A draft with the scales of a template. Raises NotAllowed, BadRequest, Conflict.

    ``template``: see ``scales.templates``; "substitution" is the pair of
    five-point scales of Callison-Burch 2008, Table 5.
    """
    access.require(by, "manage", project)
    name = " ".join(name.split())[:120]
    if not name:
        raise BadRequest(_("Enter a name for the campaign."), field="name")
    if project.campaigns.filter(name=name).exists():
        problem = _("There is already a campaign %(name)s. Choose another name.")
        raise Conflict(problem % {"name": repr(name)})
    campaign = Campaign.objects.create(
        project=project,
        name=name,
        created_by_id=by.pk,
        seed=1 + project.campaigns.count(),
    )
    make_scales(campaign, template)
    log.note(project, by, "made", "campaign", name)
    return campaign


@transaction.atomic
def change(campaign: Campaign, values: Mapping[str, Any], *, by: Anybody) -> Campaign:
    """The campaign with other settings; ``revision`` moves.

    A new number of judges holds for the items that are given out already, too. Raises
    NotAllowed, BadRequest naming the field, and Conflict on a setting that is fixed
    once people judge.
    """
    access.require(by, "manage", campaign.project)
    before, is_shared_again = campaign.k, False
    for name, value in values.items():
        new = _checked(name, value)
        if getattr(campaign, name) == new:
            continue
        is_shared_again |= name in JUDGES and campaign.state != Campaign.State.DRAFT
        if campaign.state != Campaign.State.DRAFT and name in FIXED_ONCE_OPEN:
            problem = _("%(name)s cannot change once a campaign has opened.")
            raise Conflict(problem % {"name": name}, field=name)
        setattr(campaign, name, new)
    campaign.revision += 1
    campaign.save()
    if is_shared_again:
        for batch in campaign.batches.all():
            share_again(campaign, batch, before=before)
    changed = ", ".join(sorted(values))
    log.note(campaign.project, by, "set rules of", "campaign", campaign.name, changed)
    return campaign


def _checked(name: str, value: Any) -> Any:
    """The value as the column wants it; raises BadRequest."""
    if name in SETTINGS:
        return number_of(name, value)
    if name in ("is_adaptive", "is_curation_blind"):
        return bool(value)
    if name == "mode" and value in Campaign.Mode.values:
        return value
    if name in ("contact", "currency"):
        return str(value).strip()[: 200 if name == "contact" else 8]
    values = {"name": name, "value": repr(value)}
    raise BadRequest(
        _("%(name)s: %(value)s is not a valid setting.") % values, field=name
    )


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
    wrote = f"version {number}"
    log.note(campaign.project, by, "wrote", "guideline", campaign.name, wrote)
    return made


@transaction.atomic
def open_campaign(campaign: Campaign, *, by: Anybody) -> Campaign:
    """Let judging begin, or go on.

    The first time, decides which items several people judge. Raises NotAllowed, and
    Conflict while there is nothing to judge, or no one to do it and no link for any.
    """
    access.require(by, "manage", campaign.project)
    if not campaign.n_items:
        raise Conflict(_("There are no items yet. Upload some first."))
    if not campaign.participants.exists() and not campaign.invitations.open().exists():
        raise Conflict(
            _("No annotators yet. Add people first, or create an invitation link.")
        )
    if campaign.state == Campaign.State.DRAFT:
        _require_whole_choices(campaign)
        for batch in campaign.batches.all():
            share_out(campaign, batch)
        if campaign.n_training:
            campaign.participants.update(is_trained=False)
        give_queues(campaign, campaign.participants.all())
        campaign.opened_at = timezone.now()
    campaign.state = Campaign.State.OPEN
    campaign.revision += 1
    campaign.save(update_fields=["state", "revision", "opened_at"])
    log.note(campaign.project, by, "opened", "campaign", campaign.name)
    return campaign


def _require_whole_choices(campaign: Campaign) -> None:
    """Who picks the best and the worst needs all paraphrases of a phrase together, and
    so does everyone else who judges them."""
    if not campaign.scales.filter(kind=RatingScale.Kind.BEST).exists():
        return
    is_even = not campaign.overlap_share or campaign.overlap_k <= campaign.k
    if campaign.mode != Campaign.Mode.GRID or not is_even:
        problem = _(
            "To choose the best and the worst, all paraphrases of a phrase must be "
            "shown together, and the same number of people must judge every item. "
            "Change both under Rules."
        )
        raise Conflict(problem)


def pause(campaign: Campaign, *, by: Anybody) -> None:
    """Give out nothing more. Answers to what people hold are still stored."""
    _to_state(campaign, Campaign.State.PAUSED, by=by)


def close(campaign: Campaign, *, by: Anybody) -> None:
    """End the judging; it can be opened again."""
    _to_state(campaign, Campaign.State.CLOSED, by=by)


def _to_state(campaign: Campaign, state: str, *, by: Anybody) -> None:
    access.require(by, "manage", campaign.project)
    if campaign.state == Campaign.State.DRAFT:
        raise Conflict(_("This campaign has not opened yet."))
    campaign.state = state
    campaign.revision += 1
    campaign.save(update_fields=["state", "revision"])
    log.note(campaign.project, by, state, "campaign", campaign.name)


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
    moved(condition.campaign)


def moved(campaign: Campaign) -> None:
    """Move ``revision``: what was computed for the one before is out of date."""
    Campaign.objects.filter(pk=campaign.pk).update(revision=F("revision") + 1)


def next_position(rows: Any) -> int:
    """One after the last position in these rows."""
    last = rows.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1
