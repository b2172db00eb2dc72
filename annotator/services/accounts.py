"""Accounts: names, and what people keep of their own."""

import hashlib
import secrets
import unicodedata
from datetime import timedelta

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import ApiToken, Invitation, MailNotices
from annotator.models.tokens import Scope

MAX_DAYS = 366


@transaction.atomic
def new_account(username: str, password: str) -> User:
    """A person with this name in normal form (NFKC, no invisible characters).

    Spaces in the name become dots: "Anna Berg" signs in as Anna.Berg.

    Raises BadRequest if the name or the password is bad, or if the name is taken in
    any spelling, large or small.
    """
    name = ".".join(unicodedata.normalize("NFKC", username).split())
    person = User(username=name)
    try:
        person.full_clean(exclude=["password"], validate_unique=False)
        validate_password(password, person)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages), field="account") from error
    one_after_the_other()
    if same_name(person.username) is not None:
        raise BadRequest(_("This name is taken: choose another."), field="account")
    person.set_password(password)
    person.save()
    return person


def one_after_the_other() -> None:
    """Within a transaction: anyone who makes an account, too, waits for its end."""
    # The first account is the lock (SQLite has one writer anyway).
    User.objects.select_for_update().order_by("pk").first()


def same_name(name: str) -> str | None:
    """The existing account whose name would be confused with this one, or None."""
    wanted = _folded(name)
    names = User.objects.values_list("username", flat=True)
    return next((one for one in names.iterator() if _folded(one) == wanted), None)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


@transaction.atomic
def set_password(user: User, password: str) -> None:
    """Set the password; sessions elsewhere end, and all tokens and sign-in links.

    The caller has asked for the old one, or let the person in by a link.
    """
    user.set_password(password)
    user.save(update_fields=["password"])
    _end_access(user)


@transaction.atomic
def switch_off(user: User) -> None:
    """Close the account: sessions, tokens, sign-in links and the password end for good,
    and so do the invitations that this person made.

    To open the account again, someone gives the person a new sign-in link.
    """
    user.is_active = False
    user.set_unusable_password()
    user.save(update_fields=["is_active", "password"])
    _end_access(user)
    made = Invitation.objects.open().filter(created_by=user)
    made.update(revoked_at=timezone.now())


def switch_on(user: User) -> None:
    """Open the account again. Nothing that opened it before does."""
    user.is_active = True
    user.save(update_fields=["is_active"])


def end_links(user: User) -> None:
    """Invalidate all earlier sign-in links of this person."""
    Invitation.objects.open().filter(user=user).update(revoked_at=timezone.now())


def _end_access(user: User) -> None:
    end_links(user)
    user.api_tokens.all().delete()


def make_token(
    user: User, *, name: str, scope: str, days: int = 90
) -> tuple[ApiToken, str]:
    """A token and its secret, which is shown once and not kept.

    Raises BadRequest on an empty name, a scope that there is not, or a time that is
    not 1 to 366 days.
    """
    name = " ".join(name.split())[:60]
    if not name:
        problem = _("Name the token after the program that uses it.")
        raise BadRequest(problem, field="name")
    if scope not in Scope.values:
        known = ", ".join(Scope.values)
        raise BadRequest(_("Scopes: %(known)s.") % {"known": known}, field="scope")
    if not 1 <= days <= MAX_DAYS:
        problem = _("A token can be valid for 1 to %(most)s days.") % {"most": MAX_DAYS}
        raise BadRequest(problem, field="days")
    secret = secrets.token_urlsafe(32)
    expires = timezone.now() + timedelta(days=days)
    fields = {"name": name, "scope": scope, "expires_at": expires}
    made = ApiToken.objects.create(user=user, digest=digest_of(secret), **fields)
    return made, secret


def revoke_token(token: ApiToken) -> None:
    """Make the token invalid."""
    token.delete()


def digest_of(secret: str) -> str:
    """The stored digest; a secret is random, so no slow hash is needed."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


@transaction.atomic
def set_notices(person: User, email: str, *, is_wanted: bool) -> None:
    """Set the address for mails, and whether any are sent. Raises BadRequest without an
    address."""
    if is_wanted and not email:
        raise BadRequest(
            "Enter an e-mail address to receive notifications.", field="email"
        )
    person.email = email
    person.save(update_fields=["email"])
    if is_wanted:
        MailNotices.objects.get_or_create(user=person)
    else:
        MailNotices.objects.filter(user=person).delete()
