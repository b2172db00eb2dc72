"""Projects and their members."""

from typing import cast

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Membership, Project, Role
from annotator.models.projects import Anybody
from annotator.services.projects import invitations, log

SLUG_ATTEMPTS = 50  # more than this many requests are never served at once


@transaction.atomic
def create(name: str, *, by: Anybody | None, description: str = "") -> Project:
    """A new project with ``by`` as its manager. Raises BadRequest on an empty name,
    NotAllowed if this person may create none."""
    if by is not None and not access.may_create(by):
        raise NotAllowed(_("Ask a manager to create a project for you."))
    name = " ".join(name.split())
    if not name:
        raise BadRequest(_("Enter a name for the project."), field="name")
    created_by_id = by.pk if by else None
    project = _with_free_slug(
        Project(name=name[:120], description=description, created_by_id=created_by_id)
    )
    if by is not None:
        owner = cast(User, by)
        Membership.objects.create(project=project, user=owner, role=Role.MANAGER)
    log.note(project, by, "started", "project", project.name)
    return project


@transaction.atomic
def set_role(member: Membership, role: str, *, by: Anybody) -> None:
    """Give a member another role. Raises NotAllowed, BadRequest, Conflict."""
    access.require(by, "manage", member.project)
    if role not in Role.values:
        raise BadRequest(
            _("There is no role %(role)s.") % {"role": repr(role)}, field="role"
        )
    if role != Role.MANAGER:
        _keep_a_manager(member)
        invitations.end_of(member.project, member.user)
    Membership.objects.filter(pk=member.pk).update(role=role)
    log.note(member.project, by, "made", role, str(member.user))


@transaction.atomic
def remove_member(member: Membership, *, by: Anybody) -> None:
    """Let a member go; all their annotations stay. Raises NotAllowed, Conflict."""
    access.require(by, "manage", member.project)
    _keep_a_manager(member)
    invitations.end_of(member.project, member.user)
    member.delete()
    log.note(member.project, by, "removed", "member", str(member.user))


@transaction.atomic
def ensure_owner() -> tuple[User, bool]:
    """The first account of this installation, and whether it was created just now."""
    owner = User.objects.filter(is_superuser=True).order_by("pk").first()
    if owner is not None:
        return owner, False
    owner = User(username="owner", is_staff=True, is_superuser=True)
    owner.set_unusable_password()
    owner.save()
    return owner, True


def _keep_a_manager(member: Membership) -> None:
    """Raises Conflict if no one else manages. Who goes meanwhile is waited for."""
    Project.objects.select_for_update().get(pk=member.project_id)
    managers = Membership.objects.filter(project=member.project, role=Role.MANAGER)
    if not managers.exclude(pk=member.pk).exists():
        raise Conflict(
            _("A project needs a manager. Make someone else a manager first.")
        )


def _with_free_slug(project: Project) -> Project:
    """The project, stored under a slug that no other has, even if made at once."""
    for attempt in range(SLUG_ATTEMPTS):
        project.slug = _free_slug(project.name)
        try:
            with transaction.atomic():
                project.save(force_insert=True)
        except IntegrityError:  # another has just taken it: the next is free
            if attempt == SLUG_ATTEMPTS - 1:
                raise
        else:
            break
    return project


def _free_slug(name: str) -> str:
    stem = slugify(name)[:50] or "project"
    taken = set(
        Project.objects.filter(slug__startswith=stem).values_list("slug", flat=True)
    )
    candidates = (stem if n == 1 else f"{stem}-{n}" for n in range(1, len(taken) + 2))
    return next(slug for slug in candidates if slug not in taken)
