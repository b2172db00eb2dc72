"""Participants of a crowd platform: in by a link with its parameters, without an
account of their own; out with a code to hand in.

Kept of them is what the platform calls them, their study and session, for the sheet by
which they are paid, until a manager deletes it.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import (
    Invitation,
    InvitationUse,
    Membership,
    Participant,
    Role,
)
from annotator.models.projects import Anybody
from annotator.services import accounts
from annotator.services.campaigns import participants

PARAMETERS: Mapping[
    str, tuple[str, str, str]
] = {  # provider: participant, study, session, as its address names them
    Invitation.Provider.PROLIFIC: ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    Invitation.Provider.MTURK: ("workerId", "hitId", "assignmentId"),
    Invitation.Provider.OTHER: ("participant", "study", "session"),
}
MTURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
LONGEST = 100
MAX_QUESTIONS, MAX_CHOICES, MAX_LINE = 5, 10, 200


@dataclass(frozen=True, slots=True)
class PlatformGuest:
    """What the address says of a participant."""

    external_id: str
    study: str
    session: str


def visitor(provider: str, sent: Mapping[str, str]) -> PlatformGuest | None:
    """Who comes; None where the address names no one, as in a preview."""
    of = [sent.get(name, "").strip()[:LONGEST] for name in PARAMETERS[provider]]
    is_preview = not of[0] or of[2] == MTURK_PREVIEW or of[0].startswith("{{")
    return None if is_preview else PlatformGuest(*of)


def template(provider: str) -> str:
    """The query that the platform fills in, for its form."""
    names = PARAMETERS[provider]
    if provider == Invitation.Provider.PROLIFIC:
        return "&".join(f"{name}={{{{%{name}%}}}}" for name in names)
    filled = (f"{name}=${{{name}}}" for name in names)
    return "&".join(filled)


def find(token: str) -> Invitation | None:
    """The crowd link of this token, full or not; None if it was revoked or ran out."""
    rows = Invitation.objects.filter(
        digest=accounts.digest_of(token),
        revoked_at=None,
        expires_at__gt=timezone.now(),
        project__removal=None,
        campaign__project=F("project"),
    ).exclude(provider="")
    return rows.select_related("project", "campaign__project").first()


def is_guest(link: Invitation, user: Anybody) -> bool:
    """Whether the person came by this link before."""
    return link.uses.filter(user_id=user.pk or 0).exclude(external_id="").exists()


@transaction.atomic
def come_in(link: Invitation, who: PlatformGuest) -> User:
    """The participant's account, the same at every visit; they judge in the campaign.

    Raises Conflict if the link has admitted as many as it may, or if the account has
    become more than a participant: an address is too weak a proof for that.
    """
    link = Invitation.objects.select_for_update().get(pk=link.pk)
    known = link.uses.filter(external_id=who.external_id).select_related("user").first()
    if known is not None:
        if not _is_only_guest(known.user, link):
            raise Conflict(_("Sign in with the password of your account."))
        return known.user
    if link.n_uses >= link.max_uses:
        raise Conflict(_("This study has all the participants that it needs."))
    assert link.project is not None
    assert link.campaign is not None
    user = User.objects.create_user(f"crowd-{secrets.token_hex(4)}")
    Invitation.objects.filter(pk=link.pk).update(n_uses=F("n_uses") + 1)
    InvitationUse.objects.create(
        invitation=link,
        user=user,
        external_id=who.external_id,
        study=who.study,
        session=who.session,
    )
    Membership.objects.create(project=link.project, user=user, role=link.role)
    participants.admit(link.campaign, user)
    return user


@transaction.atomic
def qualifies(link: Invitation, who: PlatformGuest, chosen: Mapping[str, str]) -> bool:
    """Whether the answers to the screening questions are right. ``chosen``: number of a
    question -> place of a choice, both as text.

    Nothing is kept but that someone failed, so that they cannot try again. Those who
    came in before are not asked. Raises BadRequest if an answer is missing.
    """
    if not link.screening or link.uses.filter(external_id=who.external_id).exists():
        return True
    link = Invitation.objects.select_for_update().get(pk=link.pk)
    digest = hashlib.sha256(f"{link.digest} {who.external_id}".encode()).hexdigest()
    if digest in link.screened_out:
        return False
    places = [chosen.get(str(n), "") for n in range(len(link.screening))]
    asked = list(zip(link.screening, places, strict=True))
    if any(place not in map(str, range(len(one["choices"]))) for one, place in asked):
        raise BadRequest(_("Answer every question."), field="screening")
    is_right = all(int(place) in one["right"] for one, place in asked)
    if not is_right:
        link.screened_out = [*link.screened_out, digest]
        link.save(update_fields=["screened_out"])
    return is_right


def _is_only_guest(user: User, link: Invitation) -> bool:
    others = Membership.objects.filter(user=user).exclude(
        project=link.project, role=Role.ANNOTATOR
    )
    is_more = user.is_staff or user.is_superuser or user.has_usable_password()
    return not is_more and not others.exists()


def end_of(person: Participant, state: str, *, done: int) -> dict[str, str]:
    """The code that this participant hands in, and where; {} for anyone else, and as
    long as there is something to judge. ``state``, ``done``: as the desk tells them."""
    is_over = state == "blocked" or (state in ("finished", "closed") and done)
    if not is_over:
        return {}
    uses = InvitationUse.objects.filter(
        user=person.user, invitation__campaign=person.campaign_id
    )
    use = uses.exclude(invitation__provider="").select_related("invitation").first()
    return {} if use is None else ending(use.invitation, is_rejected=state == "blocked")


def ending(
    link: Invitation, *, is_rejected: bool, is_screened: bool = False
) -> dict[str, str]:
    """A code of the link, and the address that hands it in where there is one."""
    code = link.rejection_code if is_rejected else link.completion_code
    code = link.screening_code if is_screened else code
    is_prolific = link.provider == Invitation.Provider.PROLIFIC and code
    return {"code": code, "back": PROLIFIC + code if is_prolific else ""}


@transaction.atomic
def forget(link: Invitation, *, by: Anybody) -> int:
    """Delete what the platform calls the participants of this link; how many. They
    cannot come back by it then. Raises NotAllowed."""
    assert link.project is not None
    access.require(by, "manage", link.project)
    Invitation.objects.filter(pk=link.pk, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    Invitation.objects.filter(pk=link.pk).update(screened_out=[])
    rows = link.uses.exclude(external_id="")
    return int(rows.update(external_id="", study="", session=""))


def checked(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a link that is about a platform. Raises BadRequest."""
    provider = str(wanted.get("provider", ""))
    if not provider:
        return {}
    if provider not in Invitation.Provider.values:
        problem = _("There is no platform %(name)s.") % {"name": repr(provider)}
        raise BadRequest(problem, field="provider")
    codes = {
        name: str(wanted.get(name, "")).strip()[:60]
        for name in ("completion_code", "rejection_code")
    }
    codes = {name: code or secrets.token_hex(4).upper() for name, code in codes.items()}
    screened = str(wanted.get("screening_code", "")).strip()[:60]
    consent = str(wanted.get("consent", "")).replace("\r\n", "\n").strip()
    return {
        "provider": provider,
        "consent": consent,
        "screening": questions(str(wanted.get("screening", ""))),
        "screening_code": screened or codes["rejection_code"],
        **codes,
    }


def questions(text: str) -> list[dict[str, Any]]:
    """Screening questions as the form has them: a line with the question, then a line
    for each choice, ``*`` before right ones and ``-`` before the others; an empty line
    between questions. Raises BadRequest naming the question."""
    blocks = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    made = [_question(block.splitlines()) for block in blocks if block.strip()]
    if len(made) > MAX_QUESTIONS:
        problem = _("Ask %(n)s screening questions at most.") % {"n": MAX_QUESTIONS}
        raise BadRequest(problem, field="screening")
    return made


def _question(lines: list[str]) -> dict[str, Any]:
    question, *choices = (line.strip()[:MAX_LINE] for line in lines)
    is_marked = all(line[:1] in ("*", "-") and line[1:].strip() for line in choices)
    right = [place for place, line in enumerate(choices) if line[:1] == "*"]
    is_closed = 2 <= len(choices) <= MAX_CHOICES and 0 < len(right) < len(choices)
    if not is_marked or not is_closed or question[:1] in ("*", "-"):
        problem = _(
            "Screening question “%(name)s”: write 2 to %(n)s choices below it, with * "
            "before right ones and - before the others."
        )
        values = {"name": question, "n": MAX_CHOICES}
        raise BadRequest(problem % values, field="screening")
    texts = [line[1:].strip() for line in choices]
    return {"question": question, "choices": texts, "right": right}
