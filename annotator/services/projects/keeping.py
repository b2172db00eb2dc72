"""Names, and what is out of the lists: of projects, corpora, campaigns and ratings."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import Campaign, Corpus, Project
from annotator.models.projects import Anybody
from annotator.services.projects import log
from annotator.services.projects.removals import Part, kind_of

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
    beside = type(thing)._base_manager.filter(project_id=thing.project_id, name=name)
    if beside.exclude(pk=thing.pk).exists():
        problem = _("There is already one called %(name)s.") % {"name": repr(name)}
        raise Conflict(problem, field="name")
