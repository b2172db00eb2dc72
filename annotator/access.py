"""Who may do what. Nobody, by default."""

from django.http import Http404

from annotator.errors import NotAllowed
from annotator.models.projects import Anybody, Membership, Project, Role

__all__ = ["VERBS", "may", "project_or_404", "require", "role_in"]

_ALL = {Role.MANAGER, Role.CURATOR, Role.ANNOTATOR, Role.VIEWER}
VERBS: dict[str, set[Role]] = {
    "view": _ALL,
    "annotate": {Role.MANAGER, Role.CURATOR, Role.ANNOTATOR},
    "curate": {Role.MANAGER, Role.CURATOR},
    "see_others": {Role.MANAGER, Role.CURATOR, Role.VIEWER},  # others' annotations
    "report": {Role.MANAGER, Role.CURATOR, Role.VIEWER},
    "import": {Role.MANAGER},
    "export": {Role.MANAGER, Role.CURATOR},
    "run": {Role.MANAGER, Role.CURATOR},  # engine jobs
    "manage": {Role.MANAGER},
}


def role_in(user: Anybody, project: Project) -> Role | None:
    """The person's role in the project, or None."""
    if not user.is_authenticated:
        return None
    rows = Membership.objects.filter(project=project, user_id=user.pk)
    role = rows.values_list("role", flat=True).first()
    return Role(role) if role else None


def may(user: Anybody, verb: str, project: Project) -> bool:
    """Whether the person's role covers ``verb``; KeyError on a verb unknown here."""
    allowed = VERBS[verb]
    return role_in(user, project) in allowed


def require(user: Anybody, verb: str, project: Project) -> None:
    """Raise NotAllowed unless ``may``."""
    if not may(user, verb, project):
        raise NotAllowed(f"Your role in {project} does not include: {verb}.", verb=verb)


def project_or_404(user: Anybody, slug: str, verb: str = "view") -> Project:
    """The project, if the person is in it and may ``verb``; strangers see no 403."""
    project = Project.objects.visible_to(user).filter(slug=slug).first()
    if project is None:
        raise Http404("No such project, or you are not in it.")
    require(user, verb, project)
    return project
