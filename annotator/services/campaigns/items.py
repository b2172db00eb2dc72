"""Items of a campaign: a dry run that says what a file holds, and taking it in."""

import hashlib
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import F

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
    Upload,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.campaigns.scales import scales_for
from annotator.services.campaigns.setup import give_queues, next_position, share_out
from core.formats.records import BadLine
from core.protocols import Step

__all__ = ["INLINE", "DryRun", "dry_run", "keep", "load", "run", "take_in", "withdraw"]

CHUNK = 500
SHOWN = 200
INLINE = 3000  # rows taken in at once; more become a job
MAIN_BATCH = "Main"


@dataclass
class DryRun:
    """What a file holds, before anything is stored."""

    n_rows: int = 0
    n_items: int = 0  # different paraphrases in place
    n_instances: int = 0
    n_merged: int = 0  # rows whose rendering another row has too
    kinds: dict[str, int] = field(default_factory=dict)
    conditions: dict[str, int] = field(default_factory=dict)
    batches: dict[str, int] = field(default_factory=dict)
    n_bad: int = 0
    bad: list[BadLine] = field(default_factory=list)
    examples: list[codec.ItemRecord] = field(default_factory=list)

    def refuse(self, line: BadLine) -> None:
        self.n_bad += 1
        if len(self.bad) < SHOWN:
            self.bad.append(line)


def keep(campaign: Campaign, name: str, content: bytes, *, by: Anybody) -> Upload:
    """The file, stored until its dry run has been read. Raises NotAllowed."""
    access.require(by, "import", campaign.project)
    upload = Upload(
        project=campaign.project,
        name=name[-255:] or "items.tsv",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        by_id=by.pk,
    )
    upload.file.save(f"{upload.code}.txt", ContentFile(content), save=True)
    return upload


def dry_run(campaign: Campaign, upload: Upload) -> DryRun:
    """Read the whole file and store nothing; bad rows are told with their remedy."""
    found = DryRun()
    seen: set[tuple[str, str]] = set()
    instances: set[str] = set()
    kinds, batches, conditions = Counter[str](), Counter[str](), Counter[str]()
    for record in records(campaign, upload):
        if isinstance(record, BadLine):
            found.refuse(record)
            continue
        found.n_rows += 1
        key = _instance_key(record)
        if (key, record.paraphrase) in seen:
            found.n_merged += 1
        else:
            seen.add((key, record.paraphrase))
            kinds[record.kind] += 1
            batches[record.batch or MAIN_BATCH] += record.kind == "main"
        instances.add(key)
        conditions.update(record.conditions)
        if len(found.examples) < 3:
            found.examples.append(record)
    found.n_items, found.n_instances = len(seen), len(instances)
    found.kinds, found.batches = dict(kinds), dict(batches)
    found.conditions = dict(conditions)
    return found


def records(campaign: Campaign, upload: Upload) -> Iterator[codec.ItemRecord | BadLine]:
    """The rows of the file, each gold value held against the campaign's scales."""
    scales = {scale.name: scale.to_core() for scale in scales_for(campaign)}
    with upload.file.open("rb") as file:
        lines = (line.decode("utf-8", "surrogateescape") for line in file)
        head = next(lines, "")
        form = codec.sniff(upload.name, head)
        for record in codec.read(_again(head, lines), form):
            yield record if isinstance(record, BadLine) else _on_scale(record, scales)


def _again(first: str, rest: Iterator[str]) -> Iterator[str]:
    if first:
        yield first
    yield from rest


def _on_scale(
    record: codec.ItemRecord, scales: dict[str, Any]
) -> codec.ItemRecord | BadLine:
    for name, value in record.gold.items():
        scale = scales.get(name)
        if scale is None:
            known = ", ".join(f"gold_{known}" for known in scales)
            return BadLine(
                record.line,
                1,
                f"there is no scale {name!r}",
                f"the columns are {known}",
            )
        if value not in scale.labels:
            shown = ", ".join(scale.labels[:11])
            return BadLine(
                record.line, 1, f"gold_{name}: {value!r} is not one of {shown}"
            )
    return record


def take_in(
    campaign: Campaign, upload: Upload, n_rows: int, *, by: Anybody
) -> Job | None:
    """Load a file at once, or answer the job that will, if it holds many rows."""
    if n_rows <= INLINE:
        deque(load(campaign, upload, by=by), maxlen=0)
        return None
    return jobs.create(
        campaign.project,
        "campaign_items",
        title=f"Items of {campaign.name}",
        by=by,
        params={"campaign": campaign.code, "upload": upload.code},
    )


def load(
    campaign: Campaign, upload: Upload, *, by: Anybody
) -> Generator[Step, None, dict[str, Any]]:
    """Take the good rows in, in chunks; loading again adds only what is new.

    Raises NotAllowed, and Conflict if the campaign is closed.
    """
    access.require(by, "import", campaign.project)
    if campaign.state == Campaign.State.CLOSED:
        raise Conflict("This campaign is closed: open it again first.")
    if upload.project_id != campaign.project_id:
        raise BadRequest("That file belongs to another project.")
    taken, bad = 0, 0
    rows = records(campaign, upload)
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
    return (yield from load(campaign, upload, by=job.by))


def _store(campaign: Campaign, rows: list[codec.ItemRecord]) -> None:
    """Instances, items, conditions and credits of one chunk."""
    batches = _batches(campaign, {row.batch or MAIN_BATCH for row in rows})
    conditions = _conditions(campaign, rows)
    instances = _instances(campaign, rows)
    items = _items(campaign, rows, instances, batches)
    credits: dict[tuple[int, int], Credit] = {}
    for row in rows:
        item = items[instances[_instance_key(row)], row.paraphrase]
        for name in row.conditions:
            place = (item, conditions[name])
            if place not in credits or row.rank < credits[place].rank:
                credits[place] = Credit(
                    item_id=item,
                    condition_id=conditions[name],
                    rank=row.rank,
                    score=row.score,
                )
    Credit.objects.bulk_create(credits.values(), ignore_conflicts=True)


def _instance_key(row: codec.ItemRecord) -> str:
    return Instance.key_of(row.sentence, row.start, row.end)


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


def _instances(campaign: Campaign, rows: Iterable[codec.ItemRecord]) -> dict[str, int]:
    wanted = {
        key: Instance(
            campaign=campaign,
            sentence=row.sentence,
            start=row.start,
            end=row.end,
            phrase=row.phrase,
            key=key,
        )
        for row in rows
        for key in [_instance_key(row)]
    }
    Instance.objects.bulk_create(wanted.values(), ignore_conflicts=True)
    there = Instance.objects.filter(campaign=campaign, key__in=wanted)
    return dict(there.values_list("key", "pk"))


def _items(
    campaign: Campaign,
    rows: Iterable[codec.ItemRecord],
    instances: dict[str, int],
    batches: dict[str, Batch],
) -> dict[tuple[int, str], int]:
    """The ids of all items of these rows, made where they lack."""
    there = Item.objects.filter(instance__in=instances.values())
    known = {(i, text): pk for i, text, pk in _places(there)}
    fresh: dict[tuple[int, str], Item] = {}
    for row in rows:
        place = (instances[_instance_key(row)], row.paraphrase)
        if place not in known and place not in fresh:
            fresh[place] = _item(campaign, row, place, batches[row.batch or MAIN_BATCH])
    Item.objects.bulk_create(fresh.values())
    Batch.objects.bulk_update(batches.values(), ["n_items"])
    return known | {place: item.pk for place, item in fresh.items()}


def _places(rows: Any) -> Iterable[tuple[int, str, int]]:
    return rows.values_list("instance_id", "paraphrase", "pk")


def _item(
    campaign: Campaign, row: codec.ItemRecord, place: tuple[int, str], batch: Batch
) -> Item:
    item = Item(
        campaign=campaign,
        instance_id=place[0],
        paraphrase=place[1],
        ref=row.id,
        kind=row.kind,
        gold=_stored_gold(campaign, row),
        why=row.why,
    )
    if row.kind == Item.Kind.MAIN:
        item.batch, item.number = batch, batch.n_items
        batch.n_items += 1
    return item


def _stored_gold(campaign: Campaign, row: codec.ItemRecord) -> dict[str, Any]:
    """Gold values as answers are stored: numbers as numbers."""
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


@transaction.atomic
def withdraw(item: Item, *, by: Anybody) -> None:
    """Give this item to nobody any more. Its answers stay, and say so."""
    access.require(by, "manage", item.campaign.project)
    Item.objects.filter(pk=item.pk).update(is_withdrawn=True, need=F("n_taken"))
