"""Copies of campaigns: set-up and items, without people and their answers."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from django.db import transaction
from django.forms.models import model_to_dict
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import (
    Batch,
    Campaign,
    Condition,
    Credit,
    Guideline,
    Instance,
    Item,
    RatingScale,
)
from annotator.models.projects import Anybody
from annotator.services.campaigns.items import finish
from annotator.services.projects import log

CHUNK = 1000


@transaction.atomic
def copy_campaign(
    campaign: Campaign, name: str, *, by: Anybody, with_items: bool = True
) -> Campaign:
    """A draft with the same scales, rules, guidelines and, on request, items.

    Raises NotAllowed, BadRequest on an empty name, Conflict on a taken one.
    """
    access.require(by, "manage", campaign.project)
    name = " ".join(name.split())[:120]
    if not name:
        raise BadRequest(_("The copy needs a name."), field="name")
    if Campaign.objects.filter(project_id=campaign.project_id, name=name).exists():
        problem = _("There is already a campaign %(name)s.") % {"name": repr(name)}
        raise Conflict(problem, field="name")
    copy = _set_up(campaign, name, by)
    last = campaign.guidelines.first()
    if last is not None:
        Guideline.objects.create(campaign=copy, number=1, text=last.text, by_id=by.pk)
        Campaign.objects.filter(pk=copy.pk).update(guideline_number=1)
        copy.guideline_number = 1
    if with_items:
        _copy_items(campaign, copy)
    finish(copy)
    log.note(campaign.project, by, "copied", "campaign", name, f"from {campaign.name}")
    return copy


@transaction.atomic
def rehearsal_of(campaign: Campaign, *, by: Anybody) -> Campaign:
    """The same set-up and items under a new name, marked as simulated."""
    Campaign.objects.select_for_update().get(pk=campaign.pk)  # one name each
    copy = _set_up(campaign, _rehearsal_name(campaign), by, is_simulated=True)
    _copy_items(campaign, copy)
    finish(copy)
    return copy


def _set_up(
    campaign: Campaign, name: str, by: Anybody, *, is_simulated: bool = False
) -> Campaign:
    copy = Campaign.objects.get(pk=campaign.pk)
    copy.pk, copy.code = None, Campaign().code
    copy._state.adding = True
    copy.name, copy.state = name, Campaign.State.DRAFT
    copy.is_simulated = is_simulated
    copy.created_by_id, copy.created_at = by.pk, timezone.now()
    copy.opened_at, copy.archived_at, copy.guideline_number = None, None, 0
    copy.n_items = copy.n_checks = copy.n_training = 0
    copy.save()
    for scale in campaign.scales.all():
        values = model_to_dict(scale, exclude=["id", "campaign"])
        RatingScale.objects.create(campaign=copy, **values)
    return copy


def _rehearsal_name(campaign: Campaign) -> str:
    """The campaign's name with the number of the rehearsal."""
    stem = f"{campaign.name[:80]} · simulation "
    siblings = Campaign.objects.filter(project_id=campaign.project_id)
    taken = set(siblings.filter(name__startswith=stem).values_list("name", flat=True))
    return next(name for n in count(1) if (name := f"{stem}{n}") not in taken)


def _copy_items(campaign: Campaign, copy: Campaign) -> None:
    own = {"campaign": copy}
    fresh = own | {"is_paused": False, "n_returned": 0}
    batches = _bulk(
        Batch, campaign.batches.all(), lambda row: {**fresh, "code": Batch().code}
    )
    conditions = _bulk(Condition, campaign.conditions.all(), lambda row: own)
    instances = _bulk(Instance, campaign.instances.all(), lambda row: own)
    items = _bulk(
        Item,
        campaign.items.all(),
        lambda row: {
            "campaign": copy,
            "instance_id": instances[row.instance_id],
            "batch_id": batches.get(row.batch_id),
            "code": Item().code,
            **dict.fromkeys(("need", "n_extra", "n_taken", "n_done"), 0),
        },
    )
    _bulk(
        Credit,
        Credit.objects.filter(item__campaign=campaign),
        lambda row: {
            "item_id": items[row.item_id],
            "condition_id": conditions[row.condition_id],
        },
    )


def _bulk(model: Any, rows: Iterable[Any], changes: Any) -> dict[int, int]:
    """Copies of the rows with changes; old id -> new id."""
    old, new = [], []
    for row in rows:
        old.append(row.pk)
        for name, value in changes(row).items():
            setattr(row, name, value)
        row.pk = None
        row._state.adding = True
        new.append(row)
    made = model.objects.bulk_create(new, batch_size=CHUNK)
    return dict(zip(old, (row.pk for row in made), strict=True))
