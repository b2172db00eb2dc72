"""Renaming and archiving of projects, corpora, campaigns and ratings."""

import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import (
    Adjudication,
    AlignmentLayer,
    BatchTree,
    Campaign,
    CampaignMessage,
    Corpus,
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
from annotator.models.projects import Anybody
from annotator.services.projects import log
from annotator.services.projects.removals import KEEP_DAYS, Part, kind_of
from annotator.services.releases import kept

ABOUT: dict[type[Any], dict[str, int]] = {
    Project: {"description": 2000},
    Corpus: {"licence": 200, "provenance": 4000},
}
"""What a person may write about each next to its name, and how long."""


@transaction.atomic
def describe(thing: Project | Part, values: Mapping[str, str], *, by: Anybody) -> None:
    """Set the ``name``, and what ``ABOUT`` lists. Addresses stay as they are.

    Raises NotAllowed, BadRequest on an empty name, Conflict on a taken one.
    """
    project = thing if isinstance(thing, Project) else thing.project
    access.require(by, "manage", project)
    name = " ".join(values.get("name", thing.name).split())[:120]
    if not name:
        raise BadRequest(_("Enter a name."), field="name")
    if not isinstance(thing, Project):
        _require_free(thing, name)
    before, thing.name = thing.name, name
    for field, longest in ABOUT.get(type(thing), {}).items():
        if field in values:
            setattr(thing, field, values[field].strip()[:longest])
    thing.save(update_fields=["name", *ABOUT.get(type(thing), {})])
    detail = f"was {before}" if before != name else ""
    act = "renamed" if before != name else "described"
    log.note(project, by, act, kind_of(thing), name, detail)


@transaction.atomic
def change(
    thing: Project | Part,
    values: Mapping[str, str],
    *,
    archived: bool | None = None,
    by: Anybody,
) -> None:
    """``describe`` and ``archive`` or ``unarchive`` at once, all of it or nothing;
    what is so already is not logged again. Raises as they do."""
    project = thing if isinstance(thing, Project) else thing.project
    access.require(by, "manage", project)
    if values:
        describe(thing, values, by=by)
    if archived is not None and archived != (thing.archived_at is not None):
        (archive if archived else unarchive)(thing, by=by)


@transaction.atomic
def archive(thing: Project | Part, *, by: Anybody) -> None:
    """Out of the lists, but there. Raises NotAllowed; Conflict while people judge."""
    if isinstance(thing, Campaign) and thing.is_open:
        raise Conflict(_("People are judging in it. Close it first."))
    if isinstance(thing, Project) and thing.campaigns.filter(state="open").exists():
        raise Conflict(_("It contains an open campaign. Close it first."))
    _set_archived(thing, by, "archived", timezone.now())


@transaction.atomic
def unarchive(thing: Project | Part, *, by: Anybody) -> None:
    """Back in the lists. Raises NotAllowed."""
    _set_archived(thing, by, "took back", None)


def _set_archived(thing: Project | Part, by: Anybody, act: str, at: Any) -> None:
    project = thing if isinstance(thing, Project) else thing.project
    access.require(by, "manage", project)
    thing.archived_at = at
    thing.save(update_fields=["archived_at"])
    log.note(project, by, act, kind_of(thing), thing.name)


def _require_free(thing: Part, name: str) -> None:
    siblings = type(thing)._base_manager.filter(project_id=thing.project_id, name=name)
    if siblings.exclude(pk=thing.pk).exists():
        problem = _("There is already one called %(name)s.") % {"name": repr(name)}
        raise Conflict(problem, field="name")


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
    """All rows of the project, in an order that foreign keys allow, and its files."""
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
    """Rows that the database protects from cascading deletion, in order."""
    return [
        JudgmentEvent._base_manager.filter(judgment__item__campaign__project=project),
        CampaignMessage._base_manager.filter(campaign__project=project),
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
