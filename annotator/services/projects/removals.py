"""Deleting projects, corpora, campaigns and ratings, with undo.

A deleted object moves to a project without members, where no one sees it; after
``KEEP_DAYS`` it is deleted for good (``purging``).
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import Conflict, NotAllowed
from annotator.models import (
    Campaign,
    Corpus,
    Job,
    Membership,
    Project,
    RatingSet,
    Removal,
    Report,
    Role,
)
from annotator.models.projects import Anybody, id_of
from annotator.services.projects import log

KEEP_DAYS = 30
Part = Corpus | Campaign | RatingSet
KINDS: dict[str, type[Part]] = {
    Removal.Kind.CORPUS: Corpus,
    Removal.Kind.CAMPAIGN: Campaign,
    Removal.Kind.RATINGS: RatingSet,
}
_REPORTS = {Corpus: "corpus", Campaign: "campaign", RatingSet: "rating_set"}


def kind_of(thing: Project | Part) -> str:
    """Its kind, as used by Removal and the log."""
    kinds = {model: kind for kind, model in KINDS.items()}
    return str(kinds.get(type(thing), Removal.Kind.PROJECT))  # type: ignore[arg-type]


@transaction.atomic
def remove(thing: Project | Part, *, by: Anybody) -> Removal:
    """Take it out of everyone's sight; anyone who manages the project can restore it.

    Raises NotAllowed, and Conflict while a job is at work on it.
    """
    project = thing if isinstance(thing, Project) else thing.project
    access.require(by, "manage", project)
    Project.objects.select_for_update().get(pk=project.pk)
    _require_idle(thing, project)
    kind = kind_of(thing)
    log.note(project, by, "deleted", kind, thing.name)
    if isinstance(thing, Project):
        return _remove_project(thing, by)
    removal = Removal(project=project, kind=kind, name=thing.name, by_id=by.pk)
    removal.holder = Project.objects.create(
        name=thing.name, slug=f"deleted-{removal.code}", created_by_id=by.pk
    )
    removal.save()
    _move(thing, removal.holder)
    return removal


@transaction.atomic
def restore(removal: Removal, *, by: Anybody) -> Project | Part:
    """Restore the object, under another name if its own has been taken.

    Raises NotAllowed, and Conflict if it is to go for good by now.
    """
    removal = Removal.objects.select_for_update().get(pk=removal.pk)
    _require_may_restore(removal, by)
    if gone_after(removal) <= timezone.now():
        message = _("%(name)s was deleted more than %(days)s days ago.")
        raise Conflict(message % {"name": removal.name, "days": KEEP_DAYS})
    if removal.project is None:
        return _restore_project(removal, by)
    thing: Part = KINDS[removal.kind]._base_manager.get(project=removal.holder)
    thing.name = _free_name(thing, removal.project)
    thing.save(update_fields=["name"])
    _move(thing, removal.project)
    log.note(removal.project, by, "restored", removal.kind, thing.name)
    holder = removal.holder
    removal.delete()
    holder.delete()
    return thing


def gone_after(removal: Removal) -> datetime:
    """The time of its final deletion."""
    return removal.at + timedelta(days=KEEP_DAYS)


def deleted_projects(user: Anybody) -> list[Removal]:
    """The deleted projects that this person managed, the last first."""
    rows = Removal.objects.filter(kind=Removal.Kind.PROJECT).select_related("by")
    return [row for row in rows if _managed(row, user)]


def restorable_by(user: Anybody) -> QuerySet[Removal]:
    """What this person may restore: parts of projects that they manage, and projects
    that they managed."""
    role = {
        "project__memberships__user_id": id_of(user),
        "project__memberships__role": Role.MANAGER,
    }
    own = Removal.objects.filter(**role).values("pk")
    projects = [row.pk for row in deleted_projects(user)]
    rows = Removal.objects.filter(Q(pk__in=own) | Q(pk__in=projects))
    return rows.select_related("project", "holder", "by")


def _managed(removal: Removal, user: Anybody) -> bool:
    return any(
        who == id_of(user) and role == Role.MANAGER
        for who, role, _since in removal.members
    )


def _require_may_restore(removal: Removal, by: Anybody) -> None:
    if removal.project is not None:
        access.require(by, "manage", removal.project)
    elif not _managed(removal, by):
        message = _("Only managers of %(name)s can restore it.")
        raise NotAllowed(message % {"name": removal.name})


def _remove_project(project: Project, by: Anybody) -> Removal:
    """It holds itself; without members no one sees it."""
    rows = project.memberships.values_list("user", "role", "created_at")
    members = [[who, role, since.isoformat()] for who, role, since in rows]
    made = Removal.objects.create(
        holder=project,
        kind=Removal.Kind.PROJECT,
        name=project.name,
        members=members,
        by_id=by.pk,
    )
    project.memberships.all().delete()
    return made


def _restore_project(removal: Removal, by: Anybody) -> Project:
    project = removal.holder
    there = set(User.objects.values_list("pk", flat=True))
    Membership.objects.bulk_create(
        Membership(
            project=project,
            user_id=who,
            role=role,
            created_at=parse_datetime(since) or timezone.now(),
        )
        for who, role, since in removal.members
        if who in there
    )
    log.note(project, by, "restored", "project", project.name)
    removal.delete()
    return project


def _move(thing: Part, project: Project) -> None:
    """It and its frozen reports belong to this project now."""
    type(thing)._base_manager.filter(pk=thing.pk).update(project=project)
    name = _REPORTS[type(thing)]
    Report.objects.filter(**{name: thing}).update(project=project)
    thing.project = project


def _free_name(thing: Part, project: Project) -> str:
    taken = set(type(thing)._base_manager.filter(project=project).values_list("name"))
    names = (thing.name, *(f"{thing.name[:100]} (restored {n})" for n in range(1, 99)))
    return next(name for name in names if (name,) not in taken)


def _require_idle(thing: Project | Part, project: Project) -> None:
    active = Job.objects.active().filter(project=project)
    for job in active:
        if isinstance(thing, Project) or _names(thing) & set(_words(job.params)):
            message = _(
                "A job is running on it: %(job)s. Cancel it, or wait until it finishes."
            )
            raise Conflict(message % {"job": job.title})


def _names(thing: Part) -> set[str]:
    """What a job's parameters may call it, or a part of it, by."""
    batches = thing.batches.all() if isinstance(thing, Corpus) else []
    return {thing.code, thing.name, *(batch.code for batch in batches)}


def _words(value: object) -> Iterator[str]:
    """Every text in the parameters of a job."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (word for one in value.values() for word in _words(one))
    elif isinstance(value, list):
        yield from (word for one in value for word in _words(one))
