"""People whom an OpenID provider vouches for, and their accounts here."""

import re
import unicodedata
from itertools import count
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.http import ldap
from annotator.models import Identity
from annotator.services import accounts

MAX_LENGTH = 255  # of an issuer's address and of a subject
_NAME = 120  # characters of a name that are kept; a number may follow
_NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")


@transaction.atomic
def person_of(issuer: str, subject: str, *, name: str) -> User:
    """The account of this identity; the first time a new one, without any rights.

    ``name``: what the account would be called. Where an account here has it in any
    spelling, a number is added: a name that someone has at a provider, or an e-mail
    address, opens no one's account. Raises NotAllowed if the account is closed,
    BadRequest if the provider names no one.
    """
    _check(issuer, subject)
    accounts.one_after_the_other()
    rows = Identity.objects.filter(issuer=issuer, subject=subject)
    known = rows.select_related("user").first()
    person = known.user if known is not None else _new_account(issuer, subject, name)
    if not person.is_active:
        raise NotAllowed(_("This account is closed."))
    return person


@transaction.atomic
def link(person: User, issuer: str, subject: str) -> None:
    """From now on this identity also opens the account.

    The caller has asked for the account's password. Raises Conflict if the identity
    opens another account: two are never made one.
    """
    _check(issuer, subject)
    accounts.one_after_the_other()
    of = {"issuer": issuer, "subject": subject}
    known, _is_new = Identity.objects.get_or_create(**of, defaults={"user": person})
    if known.user_id != person.pk:
        raise Conflict(
            _("That identity belongs to another account here. Sign in with it.")
        )


def unlink(person: User, subject: str) -> None:
    """The identity opens the account no more. The caller has asked for the password,
    so that there is another way in."""
    person.identities.filter(subject=subject).delete()


def _check(issuer: str, subject: str) -> None:
    if not (0 < len(issuer) <= MAX_LENGTH and 0 < len(subject) <= MAX_LENGTH):
        raise BadRequest(_("The provider does not say who you are."))


def _new_account(issuer: str, subject: str, name: str) -> User:
    person = User(username=_free_name(name))
    person.set_unusable_password()
    person.save()
    Identity.objects.create(user=person, issuer=issuer, subject=subject)
    return person


def _free_name(name: str) -> str:
    plain = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFKC", name)).strip("-")
    wanted = plain[:_NAME] or "person"
    names = (wanted if n == 1 else f"{wanted}-{n}" for n in count(1))
    return next(one for one in names if accounts.same_name(one) is None)


class Directory(BaseBackend):
    """Comes last: what is the password of an account here is not sent elsewhere."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **_: Any,
    ) -> User | None:
        """The account of the entry with this name and password, made at the first time.

        A person is recognised by the entry's key in the directory, not by an equal
        name. None if the directory refuses, or the account is closed. Raises NotReady
        if the directory cannot be reached.
        """
        if not settings.LDAP:
            return None
        entry = ldap.proven(username or "", password or "")
        if entry is None:
            return None
        try:
            return person_of(entry.directory, entry.key, name=username or "")
        except NotAllowed:
            return None
