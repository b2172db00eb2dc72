"""Signing in by name and password of a directory (LDAP), next to those of accounts."""

from typing import Any

from django.conf import settings
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import User
from django.http import HttpRequest

from annotator.errors import NotAllowed
from annotator.http import ldap
from annotator.services import identities


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

        It is known by the entry's key in the directory: that an account here has the
        same name says nothing. None if the directory, or who closed the account, says
        no. Raises NotReady if the directory cannot be asked.
        """
        if not settings.LDAP:
            return None
        entry = ldap.proven(username or "", password or "")
        if entry is None:
            return None
        try:
            return identities.person_of(entry.directory, entry.key, name=username or "")
        except NotAllowed:
            return None
