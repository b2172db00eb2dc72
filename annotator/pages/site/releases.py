"""The page of a project's releases."""

from typing import Any

from annotator import access
from annotator.models import Project
from annotator.models.projects import Anybody
from annotator.services.releases import kept, making


def releases(project: Project, *, by: Anybody) -> dict[str, Any]:
    """Releases, and warnings of licences against another."""
    return {
        "project": project,
        "warnings": making.warnings_of(project),
        "kept": kept.kept(project, by=by),
        "may_make": access.may(by, "manage", project),
    }
