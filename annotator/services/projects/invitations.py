"""Links that let people into a project or a campaign, and back into an account."""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import (
    Campaign,
    Invitation,
    InvitationUse,
    Membership,
    Project,
    Role,
)
from annotator.models.projects import Anybody
from annotator.services import accounts
from annotator.services.campaigns import crowd, participants
from annotator.services.projects import log

LINK_DAYS = 14
SIGN_IN_DAYS = 1
MAX_DAYS = 90
MAX_USES = 500


@transaction.atomic
def invite(
    project: Project,
    *,
    role: str,
    by: Anybody,
    note: str = "",
    campaign: Campaign | None = None,
    max_uses: int = 1,
    days: int = LINK_DAYS,
    platform: Mapping[str, str] | None = None,
) -> tuple[Invitation, str]:
    """An invitation and its token, which is shown once and not kept.

    ``campaign``: who comes in by it judges there. ``platform``: for participants of a
    crowd platform, see ``crowd.checked``. Raises NotAllowed, and BadRequest on
    a role that there is not or that may not judge, and on numbers out of range.
    """
    access.require(by, "manage", project)
    if role not in Role.values:
        raise BadRequest(
            _("There is no role %(role)s.") % {"role": repr(role)}, field="role"
        )
    if campaign is not None and role not in access.VERBS["annotate"]:
        problem = _("The role %(role)s cannot judge.") % {"role": _(role)}
        raise BadRequest(problem, field="role")
    more = crowd.checked(platform or {})
    if more and (campaign is None or role != Role.ANNOTATOR):
        problem = _("A platform's participants can only judge in a campaign.")
        raise BadRequest(problem, field="provider")
    if not 1 <= max_uses <= MAX_USES:
        problem = _("A link can admit 1 to %(n)s people.") % {"n": MAX_USES}
        raise BadRequest(problem, field="max_uses")
    if not 1 <= days <= MAX_DAYS:
        problem = _("A link can be valid for 1 to %(n)s days.") % {"n": MAX_DAYS}
        raise BadRequest(problem, field="days")
    made, token = _link(
        days,
        project=project,
        campaign=campaign,
        role=role,
        note=note[:120],
        max_uses=max_uses,
        created_by_id=by.pk,
        **more,
    )
    log.note(project, by, "invited", role, made.note, f"{max_uses} uses, {days} days")
    return made, token


@transaction.atomic
def revoke(invitation: Invitation, *, by: Anybody) -> None:
    """No one more comes in by it. Raises NotAllowed."""
    assert invitation.project is not None
    access.require(by, "manage", invitation.project)
    rows = Invitation.objects.filter(pk=invitation.pk, revoked_at=None)
    if rows.update(revoked_at=timezone.now()):
        log.note(invitation.project, by, "revoked", "invitation", invitation.note)


def sign_in_link(user: User, *, by: Anybody | None = None) -> str:
    """Return the token of a link that signs this person in once; invalidates the
    others."""
    with transaction.atomic():
        accounts.end_links(user)
        made_by = by.pk if by is not None else None
        return _link(SIGN_IN_DAYS, user=user, role=Role.MANAGER, created_by_id=made_by)[
            1
        ]


@transaction.atomic
def reset(member: Membership, *, by: Anybody) -> str:
    """The token of a sign-in link for a member who forgot the password.

    The holder becomes that person, so a manager gets no link for someone with more
    rights: the owner, staff, a manager, a member of a project that ``by`` does not
    manage. Raises NotAllowed, and Conflict for an account without its own password,
    which a provider or a directory opens.
    """
    access.require(by, "manage", member.project)
    person = member.user
    theirs = Membership.objects.filter(user=person)
    ours = Membership.objects.filter(user=cast(User, by), role=Role.MANAGER)
    is_above = theirs.filter(role=Role.MANAGER).exists()
    is_elsewhere = theirs.exclude(project__in=ours.values("project")).exists()
    is_owner = getattr(by, "is_superuser", False)
    if person.is_staff or (not is_owner and (is_above or is_elsewhere)):
        problem = _("Only the operator of this server can reset this password.")
        raise NotAllowed(problem)
    if not person.is_active:
        raise Conflict(_("This account is closed."))
    if not person.has_usable_password():
        problem = _("This account has no password here. It signs in elsewhere.")
        raise Conflict(problem)
    log.note(member.project, by, "made", "sign-in link", str(person))
    return sign_in_link(person, by=by)


def end_of(project: Project, person: User) -> None:
    """No one comes in any more by what this person had made: they manage no more."""
    made = Q(project=project) | Q(project=None, user__memberships__project=project)
    rows = Invitation.objects.open().filter(made, created_by=person)
    rows = Invitation.objects.filter(pk__in=list(rows.values_list("pk", flat=True)))
    rows.update(revoked_at=timezone.now())


def find_invitation(token: str) -> Invitation | None:
    """The open invitation with this token, or None; none into deleted campaigns or
    projects."""
    there = Q(project=None) | Q(project__removal=None)
    same_project = Q(campaign=None) | Q(campaign__project=F("project"))
    is_open = Q(user=None) | Q(user__is_active=True)
    rows = Invitation.objects.open().filter(
        there,
        same_project,
        is_open,
        digest=accounts.digest_of(token),
        provider="",
    )
    return rows.select_related("project", "campaign__project").first()


@transaction.atomic
def accept(
    token: str, *, user: Anybody | None, username: str = "", password: str = ""
) -> User:
    """Use the invitation: join as ``user``, or as a new account.

    Someone who has come in by it before does not use it up. Raises Conflict if the
    link is spent, BadRequest if the name or password is bad, or if the person's role
    in the project does not let them judge in the link's campaign.
    """
    invitation = find_invitation(token)
    if invitation is None:
        raise Conflict(_("This link no longer works. Ask for a new one."))
    if invitation.user is not None:
        person = invitation.user
    elif user is not None and user.is_authenticated:
        person = cast(User, user)
    else:
        person = accounts.new_account(username, password)
    if not invitation.uses.filter(user=person).exists():
        _use(invitation, person)
    return person


def _use(invitation: Invitation, person: User) -> None:
    """Count it, and let the person in."""
    rows = Invitation.objects.open().filter(pk=invitation.pk)
    if not rows.update(n_uses=F("n_uses") + 1):
        raise Conflict(_("This link was used a moment ago."))
    InvitationUse.objects.create(invitation=invitation, user=person)
    if invitation.project is None:
        return
    _member, is_new = Membership.objects.get_or_create(
        project=invitation.project, user=person, defaults={"role": invitation.role}
    )
    if is_new:
        log.note(invitation.project, person, "joined as", invitation.role, str(person))
    if invitation.campaign is not None:
        participants.admit(invitation.campaign, person)


def _link(days: int, **fields: object) -> tuple[Invitation, str]:
    token = secrets.token_urlsafe(32)
    expires = timezone.now() + timedelta(days=days)
    made = Invitation.objects.create(
        digest=accounts.digest_of(token), expires_at=expires, **fields
    )
    return made, token
