"""What was deleted long enough ago goes for good: rows in portions, then files.

Each portion is a transaction of its own; wherever this is killed, the next goes on.
"""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotator.models import (
    Adjudication,
    AlignmentLayer,
    BatchTree,
    Judgment,
    JudgmentEvent,
    LinkEvent,
    Pair,
    Project,
    RatingSet,
    Removal,
    Sentence,
    TreeEvent,
    Upload,
)
from annotator.services.projects.removals import KEEP_DAYS
from annotator.services.releases import kept

PORTION = 500


def purge(now: datetime | None = None) -> int:
    """Delete what was removed over ``KEEP_DAYS`` ago; how many things went."""
    before = (now or timezone.now()) - timedelta(days=KEEP_DAYS)
    due = Removal.objects.filter(at__lte=before).select_related("holder")
    # What was deleted out of a project goes before the project.
    rows = sorted(due, key=lambda row: row.kind == Removal.Kind.PROJECT)
    for removal in rows:
        inner = removal.holder.removals.select_related("holder")
        for one in [*(row.holder for row in inner), removal.holder]:
            _delete(one)
    return len(rows)


def _delete(project: Project) -> None:
    """All rows of the project, from what nothing stands on upward, and its files."""
    files = _files(project)
    for rows in _protected(project):
        for keys in _portions(rows):
            with transaction.atomic():
                portion = rows.model._base_manager.filter(pk__in=keys)
                portion._raw_delete(portion.db)
    for model, where in ((AlignmentLayer, "pair__corpus"), (Pair, "corpus")):
        _delete_all(model._base_manager.filter(**{f"{where}__project": project}))
    _delete_all(Sentence._base_manager.filter(corpus__project=project))
    RatingSet.objects.filter(
        project=project
    ).delete()  # before what they were read from
    project.delete()
    for path in files:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _protected(project: Project) -> list["QuerySet[Any]"]:
    """Rows that the database lets no one take with what they stand on, in order."""
    return [
        JudgmentEvent._base_manager.filter(judgment__item__campaign__project=project),
        Judgment._base_manager.filter(item__campaign__project=project),
        Adjudication._base_manager.filter(item__campaign__project=project),
        BatchTree._base_manager.filter(batch__corpus__project=project),
        # A step that undoes another has a later key: the last portions go first.
        TreeEvent._base_manager.filter(draft__sentence__corpus__project=project),
        LinkEvent._base_manager.filter(layer__pair__corpus__project=project),
    ]


def _portions(rows: "QuerySet[Any]") -> Iterator[list[int]]:
    while keys := list(rows.order_by("-pk").values_list("pk", flat=True)[:PORTION]):
        yield keys


def _delete_all(rows: "QuerySet[Any]") -> None:
    for keys in _portions(rows):
        rows.model._base_manager.filter(pk__in=keys).delete()


def _files(project: Project) -> list[Path]:
    """Uploads, parallel text, tables and releases of the project, on the disk."""
    uploads = Upload.objects.filter(project=project)
    return [
        *(Path(upload.file.path) for upload in uploads if upload.file),
        *(bitext.folder for bitext in project.bitexts.all()),
        *(table.folder for table in project.tables.all()),
        *(kept.path_of(job) for job in project.jobs.filter(kind="release")),
    ]
