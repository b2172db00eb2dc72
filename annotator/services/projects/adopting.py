"""Which of its own models a project runs: adopted one after another, and undone.

Each thing that a project can have a model for has a name: "parsers", or "weights_" and
the code of a paraphrase table.
"""

from collections.abc import Callable

from django.db import transaction

from annotator import access
from annotator.models import Project
from annotator.models.projects import Anybody
from annotator.services.projects import log


def names(project: Project, what: str) -> list[str]:
    """The models that were adopted, the last one last."""
    return list(project.options.get(f"adopted_{what}", ()))


def adopt(project: Project, what: str, name: str, *, by: Anybody, kind: str) -> None:
    """Make this the model that runs. ``kind``: for the log. Raises NotAllowed."""
    _change(project, what, ("adopted", kind, name), by, lambda there: [*there, name])


def undo(project: Project, what: str, name: str, *, by: Anybody, kind: str) -> None:
    """Take back the last adoption of this model. Raises NotAllowed."""

    def without(there: list[str]) -> list[str]:
        last = len(there) - 1 - there[::-1].index(name)
        return [*there[:last], *there[last + 1 :]]

    _change(project, what, ("left", kind, name), by, without)


def _change(
    project: Project,
    what: str,
    line: tuple[str, str, str],
    by: Anybody,
    change: Callable[[list[str]], list[str]],
) -> None:
    access.require(by, "manage", project)
    with transaction.atomic():
        row = Project.objects.select_for_update().get(pk=project.pk)
        row.options[f"adopted_{what}"] = change(names(row, what))
        row.save(update_fields=["options"])
        log.note(row, by, *line)
    project.options = row.options
