"""The log of a project: people's actions, one line each."""

from annotator.models import LogEntry, Project
from annotator.models.projects import Anybody


def note(
    project: Project,
    by: Anybody | None,
    act: str,
    kind: str,
    name: str = "",
    detail: str = "",
) -> None:
    """Add a line, in the transaction of what it tells: "ada / opened / campaign / X".

    ``by``: None where no person did it.
    """
    LogEntry.objects.create(
        project=project,
        by_id=by.pk if by is not None else None,
        act=act,
        kind=kind,
        name=name[:200],
        detail=detail[:300],
    )
