"""Permissions: who may do what. By default, no one may do anything."""

from collections.abc import Set

from django.conf import settings
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from annotator.errors import NotAllowed
from annotator.models.campaigns import Campaign
from annotator.models.corpora import Corpus
from annotator.models.projects import (
    SEE_OTHERS,
    Anybody,
    InvitationUse,
    Membership,
    Project,
    Role,
    id_of,
)
from annotator.throughput.prepared import Select, Slot

_ALL = {Role.MANAGER, Role.CURATOR, Role.ANNOTATOR, Role.VIEWER}
VERBS: dict[str, Set[Role]] = {
    "view": _ALL,
    "annotate": {Role.MANAGER, Role.CURATOR, Role.ANNOTATOR},
    "curate": {Role.MANAGER, Role.CURATOR},
    "see_others": SEE_OTHERS,  # others' annotations
    "see_names": {Role.MANAGER, Role.CURATOR},  # the people behind a report's labels
    "report": {Role.MANAGER, Role.CURATOR, Role.VIEWER},
    "import": {Role.MANAGER},
    "export": {Role.MANAGER, Role.CURATOR},
    "run": {Role.MANAGER, Role.CURATOR},  # engine jobs
    "manage": {Role.MANAGER},
}


_ROLE = Select(
    lambda: Membership.objects.filter(
        project_id=Slot("project"), user_id=Slot("user")
    ).values_list("role")[:1]
)


_PROJECT = Select(
    lambda: Project.objects.filter(memberships__user_id=Slot("user"), slug=Slot("slug"))
)


def role_in(user: Anybody, project: Project) -> Role | None:
    """The person's role in the project, or None."""
    if not user.is_authenticated:
        return None
    rows = _ROLE.rows(project=project.pk, user=user.pk)
    return Role(rows[0][0]) if rows else None


def may(user: Anybody, verb: str, project: Project) -> bool:
    """Whether the person's role covers ``verb``; KeyError on a verb unknown here."""
    allowed = VERBS[verb]
    return role_in(user, project) in allowed


def require(user: Anybody, verb: str, project: Project) -> None:
    """Raise NotAllowed unless ``may``."""
    if not may(user, verb, project):
        raise NotAllowed(
            _("Your role in %(project)s does not allow this. Ask one of its managers.")
            % {"project": project},
            verb=verb,
        )


_MANAGES = Select(
    lambda: Membership.objects.filter(
        user_id=Slot("user"), role=Role.MANAGER
    ).values_list("pk")[:1]
)
_INVITED = Select(
    lambda: (
        InvitationUse.objects.filter(user_id=Slot("user"))
        .exclude(invitation__project=None)
        .values_list("pk")[:1]
    )
)


def may_create(user: Anybody) -> bool:
    """Whether the person may create projects: not who only came by an invitation, as
    annotators do, unless the installation lets them."""
    if settings.INVITED_CREATE or getattr(user, "is_superuser", False):
        return True
    key = id_of(user)
    return bool(_MANAGES.rows(user=key)) or not _INVITED.rows(user=key)


def owner_or_404(user: Anybody) -> None:
    """Only operators of the installation; for others, 404."""
    if not getattr(user, "is_superuser", False):
        raise Http404


def project_or_404(user: Anybody, slug: str, verb: str = "view") -> Project:
    """The project, if the person is in it and may ``verb``; strangers see no 403."""
    found = _PROJECT.models(user=id_of(user), slug=slug)
    if not found:
        raise Http404("No such project, or you are not in it.")
    project: Project = found[0]
    require(user, verb, project)
    return project


def corpus_or_404(user: Anybody, slug: str, code: str, verb: str = "view") -> Corpus:
    """A corpus of a project in which the person may ``verb``, the project with it."""
    project = project_or_404(user, slug, verb)
    corpus: Corpus = get_object_or_404(project.corpora, code=code)
    corpus.project = project
    return corpus


def campaign_or_404(user: Anybody, slug: str, code: str, verb: str) -> Campaign:
    """A campaign of a project in which the person may ``verb``, the project with it."""
    project = project_or_404(user, slug, verb)
    campaign: Campaign = get_object_or_404(project.campaigns, code=code)
    campaign.project = project
    return campaign
