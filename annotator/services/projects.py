"""Projects, their members, and the links that let people in."""

import secrets
from datetime import timedelta
from typing import cast

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import Invitation, Membership, Project, Role
from annotator.models.projects import Anybody
from annotator.services import accounts

__all__ = [
    "accept",
    "create",
    "ensure_owner",
    "find_invitation",
    "invite",
    "remove_member",
    "set_role",
    "sign_in_link",
]

LINK_DAYS = 14


@transaction.atomic
def create(name: str, *, by: Anybody | None, description: str = "") -> Project:
    """A new project with ``by`` as its manager. Raises BadRequest on an empty name."""
    name = " ".join(name.split())
    if not name:
        raise BadRequest("A project needs a name.", field="name")
    project = Project.objects.create(
        name=name[:120],
        slug=_free_slug(name),
        description=description,
        created_by_id=by.pk if by else None,
    )
    if by is not None:
        owner = cast(User, by)
        Membership.objects.create(project=project, user=owner, role=Role.MANAGER)
    return project


@transaction.atomic
def invite(
    project: Project, *, role: str, by: Anybody, note: str = ""
) -> tuple[Invitation, str]:
    """An invitation and its token, which is shown once and not kept.

    Raises NotAllowed, and BadRequest on a role that there is not.
    """
    access.require(by, "manage", project)
    if role not in Role.values:
        raise BadRequest(f"There is no role {role!r}.", field="role")
    return _link(project=project, role=role, note=note[:120], created_by_id=by.pk)


def sign_in_link(user: User) -> str:
    """The token of a one-time link that signs this person in."""
    return _link(user=user, role=Role.MANAGER)[1]


def find_invitation(token: str) -> Invitation | None:
    """The open invitation of this token, or None."""
    rows = Invitation.objects.filter(digest=accounts.digest_of(token)).select_related(
        "project"
    )
    found = rows.first()
    return found if found is not None and found.is_open else None


@transaction.atomic
def accept(
    token: str, *, user: Anybody | None, username: str = "", password: str = ""
) -> User:
    """Use the invitation: join its project as ``user``, or as a new account.

    Raises Conflict if the link is spent, BadRequest if the name or password is bad.
    """
    invitation = find_invitation(token)
    if invitation is None:
        raise Conflict("This link is spent or has expired. Ask for a new one.")
    if invitation.user is not None:
        person = invitation.user
    elif user is not None and user.is_authenticated:
        person = cast(User, user)
    else:
        person = accounts.new_account(username, password)
    fresh = Invitation.objects.filter(pk=invitation.pk, used_at=None)
    if not fresh.update(used_at=timezone.now(), used_by=person):
        raise Conflict("This link was used a moment ago.")
    if invitation.project is not None:
        Membership.objects.get_or_create(
            project=invitation.project, user=person, defaults={"role": invitation.role}
        )
    return person


@transaction.atomic
def set_role(member: Membership, role: str, *, by: Anybody) -> None:
    """Give a member another role. Raises NotAllowed, BadRequest, Conflict."""
    access.require(by, "manage", member.project)
    if role not in Role.values:
        raise BadRequest(f"There is no role {role!r}.", field="role")
    if role != Role.MANAGER:
        _keep_a_manager(member)
    Membership.objects.filter(pk=member.pk).update(role=role)


@transaction.atomic
def remove_member(member: Membership, *, by: Anybody) -> None:
    """Let a member go; all their annotations stay. Raises NotAllowed, Conflict."""
    access.require(by, "manage", member.project)
    _keep_a_manager(member)
    member.delete()


@transaction.atomic
def ensure_owner() -> tuple[User, bool]:
    """The first account of this installation, and whether it was made just now."""
    owner = User.objects.filter(is_superuser=True).order_by("pk").first()
    if owner is not None:
        return owner, False
    owner = User(username="owner", is_staff=True, is_superuser=True)
    owner.set_unusable_password()
    owner.save()
    return owner, True


def _keep_a_manager(member: Membership) -> None:
    managers = Membership.objects.filter(project=member.project, role=Role.MANAGER)
    if not managers.exclude(pk=member.pk).exists():
        raise Conflict("A project needs a manager: make somebody else one first.")


def _link(**fields: object) -> tuple[Invitation, str]:
    token = secrets.token_urlsafe(32)
    expires = timezone.now() + timedelta(days=LINK_DAYS)
    made = Invitation.objects.create(
        digest=accounts.digest_of(token), expires_at=expires, **fields
    )
    return made, token


def _free_slug(name: str) -> str:
    stem = slugify(name)[:50] or "project"
    taken = set(
        Project.objects.filter(slug__startswith=stem).values_list("slug", flat=True)
    )
    candidates = (stem if n == 1 else f"{stem}-{n}" for n in range(1, len(taken) + 2))
    return next(slug for slug in candidates if slug not in taken)
