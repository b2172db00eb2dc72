"""Items of a campaign: taking them in, changing them, withdrawing them."""

from collections import Counter, deque
from collections.abc import Generator, Iterable, Mapping
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.exchange import items as codec
from annotator.models import (
    Batch,
    Campaign,
    Condition,
    Credit,
    Instance,
    Item,
    Job,
    Project,
    Upload,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.campaigns import setup
from annotator.services.campaigns.item_files import (
    MAIN_BATCH,
    TableReading,
    held_against_scales,
    records,
)
from annotator.services.campaigns.participants import give_queues
from annotator.services.campaigns.scales import scales_for, templates
from annotator.services.campaigns.setup import next_position
from annotator.services.campaigns.sharing import share_out
from annotator.throughput import inserting
from core.formats.records import BadLine
from core.protocols import Step

CHUNK = 2000  # a fifth of a second in which others do not write to SQLite
INLINE = 3000  # rows taken in at once; more become a job
AS_NAMED = TableReading()


@transaction.atomic
def begin(project: Project, name: str, template: str, *, by: Anybody) -> Campaign:
    """A draft made from a template, with the guidelines and training items of a task.

    Raises what ``setup.create`` does.
    """
    campaign = setup.create(project, name, by=by, template=template)
    task = templates()[template]
    if not task.guideline:
        return campaign
    setup.change(campaign, task.settings, by=by)
    setup.write_guideline(campaign, task.guideline, by=by)
    _store(
        campaign,
        [
            codec.ItemRecord(
                *(one["first"], 0, len(one["first"]), one["first"], one["second"]),
                kind=Item.Kind.TRAINING,
                gold={scale: str(value) for scale, value in one["gold"].items()},
                why=one["why"],
            )
            for one in task.training
        ],
    )
    finish(campaign)
    return campaign


def take_in(
    campaign: Campaign,
    upload: Upload,
    reading: TableReading,
    n_rows: int,
    *,
    by: Anybody,
) -> Job | None:
    """Load a file at once, or answer the job that will, if it holds many rows."""
    if n_rows <= INLINE:
        deque(load(campaign, upload, reading, by=by), maxlen=0)
        return None
    return jobs.create(
        campaign.project,
        "campaign_items",
        title=f"Items of {campaign.name}",
        by=by,
        params={
            "campaign": campaign.code,
            "upload": upload.code,
            "reading": reading.as_params(),
        },
    )


def load(
    campaign: Campaign, upload: Upload, reading: TableReading = AS_NAMED, *, by: Anybody
) -> Generator[Step, None, dict[str, Any]]:
    """Take the good rows in, in chunks; loading again adds only what is new.

    Raises NotAllowed, and Conflict if the campaign is closed.
    """
    _require_open(campaign, by)
    if upload.project_id != campaign.project_id:
        raise BadRequest(_("That file belongs to another project."))
    taken, bad = 0, 0
    rows = records(campaign, upload, reading)
    while chunk := list(islice(rows, CHUNK)):
        good = [row for row in chunk if not isinstance(row, BadLine)]
        with transaction.atomic():
            _store(campaign, good)
        taken, bad = taken + len(good), bad + len(chunk) - len(good)
        yield Step(done=len(good), failed=len(chunk) - len(good))
    finish(campaign)
    return {"rows": taken, "bad": bad}


def run(job: Job) -> Generator[Step, None, dict[str, Any] | None]:
    """The job ``campaign_items``: ``params`` name campaign and upload by code."""
    campaign = job.project.campaigns.get(code=job.params["campaign"])
    upload = job.project.uploads.get(code=job.params["upload"])
    assert job.by is not None
    reading = TableReading(**job.params.get("reading", {}))
    return (yield from load(campaign, upload, reading, by=job.by))


def _store(campaign: Campaign, rows: list[codec.ItemRecord]) -> None:
    """Instances, items, conditions and credits of one chunk."""
    batches = _batches(campaign, {row.batch or MAIN_BATCH for row in rows})
    conditions = _conditions(campaign, rows)
    keys = [Instance.key_of(row.sentence, row.start, row.end) for row in rows]
    instances = _instances(campaign, dict(zip(keys, rows, strict=True)))
    places = [
        (instances[key], row.paraphrase) for key, row in zip(keys, rows, strict=True)
    ]
    items = _items(campaign, rows, places, batches)
    credits: dict[tuple[int, int], tuple[int, float | None]] = {}
    for row, place in zip(rows, places, strict=True):
        for name in row.conditions:
            credit = (items[place], conditions[name])
            if credit not in credits or row.rank < credits[credit][0]:
                credits[credit] = (row.rank, row.score)
    columns = ("item_id", "condition_id", "rank", "score")
    made = ((*credit, *rank) for credit, rank in credits.items())
    inserting.insert(Credit, columns, made, skip_present=True)


def _batches(campaign: Campaign, names: set[str]) -> dict[str, Batch]:
    present = {batch.name: batch for batch in campaign.batches.all()}
    for name in sorted(names - set(present)):
        present[name] = Batch.objects.create(
            campaign=campaign, name=name, position=next_position(campaign.batches)
        )
    return present


def _conditions(campaign: Campaign, rows: Iterable[codec.ItemRecord]) -> dict[str, int]:
    present = dict(campaign.conditions.values_list("name", "pk"))
    for name in dict.fromkeys(name for row in rows for name in row.conditions):
        if name not in present:
            is_first = not present
            made = Condition.objects.create(
                campaign=campaign,
                name=name,
                position=len(present),
                is_baseline=is_first,
            )
            present[name] = made.pk
    return present


def _instances(
    campaign: Campaign, wanted: Mapping[str, codec.ItemRecord]
) -> dict[str, int]:
    """The ids by key, created where missing."""
    there = Instance.objects.filter(campaign=campaign).values_list("key", "pk")
    known = dict(there.filter(key__in=wanted))
    lacking = [key for key in wanted if key not in known]
    columns = ("campaign_id", "sentence", "start", "end", "phrase", "key")
    made = (
        (campaign.pk, row.sentence, row.start, row.end, row.phrase, key)
        for key in lacking
        for row in [wanted[key]]
    )
    inserting.insert(Instance, columns, made, skip_present=True)
    return known | dict(there.filter(key__in=lacking))


ITEM_COLUMNS = (
    *("campaign_id", "batch_id", "number", "instance_id"),
    *("ref", "paraphrase", "kind", "gold", "why"),
)
Place = tuple[int, str]  # an instance and what is put there


def _items(
    campaign: Campaign,
    rows: list[codec.ItemRecord],
    places: list[Place],
    batches: dict[str, Batch],
) -> dict[Place, int]:
    """The ids of all items of these rows, created where missing."""
    known = _known({instance for instance, _ in places})
    fresh: dict[Place, tuple[Any, ...]] = {}
    for row, place in zip(rows, places, strict=True):
        if place not in known and place not in fresh:
            fresh[place] = _item(campaign, row, place, batches[row.batch or MAIN_BATCH])
    if not fresh:
        return known
    inserting.insert(Item, ITEM_COLUMNS, fresh.values())
    Batch.objects.bulk_update(batches.values(), ["n_items"])
    return known | _known({instance for instance, _ in fresh})


def _known(instances: set[int]) -> dict[Place, int]:
    rows = Item.objects.filter(instance__in=instances).order_by()
    places = rows.values_list("instance_id", "paraphrase", "pk")
    return {(instance, text): pk for instance, text, pk in places}


def _item(
    campaign: Campaign, row: codec.ItemRecord, place: Place, batch: Batch
) -> tuple[Any, ...]:
    """The values of ``ITEM_COLUMNS``; one to judge takes its batch's next number."""
    batch_id, number = None, 0
    if row.kind == Item.Kind.MAIN:
        batch_id, number = batch.pk, batch.n_items
        batch.n_items += 1
    gold = _stored_gold(campaign, row) if row.gold else {}
    instance, paraphrase = place
    text = (row.id, paraphrase, row.kind, gold, row.why)
    return (campaign.pk, batch_id, number, instance, *text)


def _stored_gold(campaign: Campaign, row: codec.ItemRecord) -> dict[str, Any]:
    """Gold values in the form of answers: numbers as numbers."""
    ordered = {scale.name: scale.is_ordered for scale in scales_for(campaign)}
    return {
        name: int(value) if ordered[name] else value for name, value in row.gold.items()
    }


@transaction.atomic
def finish(campaign: Campaign) -> None:
    """Count what is there; in an open campaign, give out what came new."""
    kinds = Counter(campaign.items.values_list("kind", flat=True))
    campaign.n_items = kinds[Item.Kind.MAIN]
    campaign.n_checks = kinds[Item.Kind.GOLD] + kinds[Item.Kind.ATTENTION]
    campaign.n_training = kinds[Item.Kind.TRAINING]
    campaign.revision += 1
    campaign.save(update_fields=["n_items", "n_checks", "n_training", "revision"])
    if campaign.state != Campaign.State.DRAFT:
        for batch in campaign.batches.all():
            share_out(campaign, batch)
        give_queues(campaign, campaign.participants.all())


def add(campaign: Campaign, cells: Mapping[str, str], *, by: Anybody) -> None:
    """Take in one item, its fields named as in a file.

    Raises NotAllowed, Conflict if the campaign is closed, BadRequest with the remedy.
    """
    _require_open(campaign, by)
    fields = {name: name for name in cells}
    (record,) = held_against_scales(
        campaign, codec.read([(1, dict(cells), "")], fields)
    )
    if isinstance(record, BadLine):
        remedy = f": {record.remedy}" if record.remedy else ""
        raise BadRequest(f"{record.reason}{remedy}.")
    with transaction.atomic():
        before = campaign.items.count()
        _store(campaign, [record])
        if campaign.items.count() == before:
            raise Conflict(_("That item is in the campaign already."))
        finish(campaign)


@transaction.atomic
def withdraw(item: Item, *, by: Anybody) -> None:
    """Assign this item to no one any more. Its answers are kept and marked."""
    access.require(by, "manage", item.campaign.project)
    Item.objects.filter(pk=item.pk).update(is_withdrawn=True, need=F("n_taken"))
    setup.moved(item.campaign)


@transaction.atomic
def restore(item: Item, *, by: Anybody) -> None:
    """Give a withdrawn item out again, to as many as the campaign's rules say."""
    campaign = item.campaign
    access.require(by, "manage", campaign.project)
    need: Any = F("n_taken")
    if item.kind == Item.Kind.MAIN and campaign.state != Campaign.State.DRAFT:
        need = Greatest(F("n_taken"), Value(_judges_of(item)))
    Item.objects.filter(pk=item.pk, is_withdrawn=True).update(
        is_withdrawn=False, need=need
    )
    setup.moved(campaign)
    give_queues(campaign, campaign.participants.all())


def _judges_of(item: Item) -> int:
    """Judges of an item that is given out again: several while too few items have so
    many, and a third one if its two judges differed."""
    campaign = item.campaign
    if item.n_extra:
        return 2 + item.n_extra
    rows = Item.objects.main().filter(batch=item.batch_id, is_withdrawn=False)
    n_shared = rows.filter(need__gt=campaign.k + F("n_extra")).count()
    is_short = n_shared < round(campaign.overlap_share * (rows.count() + 1))
    return max(campaign.k, campaign.overlap_k if is_short else 0)


@transaction.atomic
def correct(item: Item, paraphrase: str, *, by: Anybody) -> None:
    """Put another paraphrase in its place, as long as no one holds or has judged it.

    Raises NotAllowed, BadRequest on an empty one, Conflict.
    """
    access.require(by, "manage", item.campaign.project)
    text = " ".join(paraphrase.split())
    if not text or len(text) > codec.MAX_PHRASE:
        most = {"most": codec.MAX_PHRASE}
        raise BadRequest(_("A paraphrase has 1 to %(most)s characters.") % most)
    held = Item.objects.select_for_update().get(pk=item.pk)
    if held.n_taken or held.judgments.exists():
        raise Conflict(
            _(
                "Someone is judging or has judged this item. Withdraw it, and "
                "add the corrected one."
            )
        )
    if held.instance.items.filter(paraphrase=text).exclude(pk=held.pk).exists():
        raise Conflict(_("That item is in the campaign already."))
    held.paraphrase = text
    held.save(update_fields=["paraphrase"])


def _require_open(campaign: Campaign, by: Anybody) -> None:
    access.require(by, "import", campaign.project)
    if campaign.state == Campaign.State.CLOSED:
        raise Conflict(_("This campaign is closed: open it again first."))
