"""The interface to ldap3: a name and a password, tried at a directory.

RFC 4511 and 4513: the entry is searched by the name, and its own name is then bound
with the password. Nothing is sent before TLS is established, referrals are not followed
(the password would go to any server named there), and an empty password is never tried:
many directories accept it (RFC 4513, 5.1.2).
"""

import contextlib
import logging
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _

from annotator.errors import NotReady

log = logging.getLogger(__name__)
CONNECT_S, ANSWER_S = 5, 10
LONGEST = 200  # of a name and of a password; no one types more


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """A person's entry: ``directory`` names the subtree, ``key`` never changes."""

    directory: str
    key: str


def proven(name: str, password: str) -> DirectoryEntry | None:
    """The entry with this name, if the password is correct; None if not, or if none or
    several have the name. Raises NotReady if the directory cannot be reached."""
    if not (0 < len(name) <= LONGEST and 0 < len(password) <= LONGEST):
        return None
    from ldap3.core.exceptions import LDAPException

    try:
        entry = _entry(name)
        if entry is None or not _is_password_of(entry["dn"], password):
            return None
    except (LDAPException, OSError) as error:
        log.warning("LDAP: %.500r", error)
        raise NotReady(_("The directory service cannot be reached now.")) from error
    key = _key(entry["raw_attributes"])
    return DirectoryEntry(f"ldap:{settings.LDAP['base'].casefold()}"[:255], key)


def _entry(name: str) -> Any:
    from ldap3 import SUBTREE
    from ldap3.utils.conv import escape_filter_chars

    chosen = settings.LDAP
    wanted = chosen["filter"].replace("%(name)s", escape_filter_chars(name))
    with _connection(chosen["bind_dn"], chosen["bind_password"]) as asking:
        asking.search(
            chosen["base"],
            wanted,
            SUBTREE,
            attributes=[chosen["id"]],
            size_limit=2,
            time_limit=ANSWER_S,
        )
        answer = asking.response or []
    entries = [one for one in answer if one["type"] == "searchResEntry"]
    if len(entries) != 1 or not entries[0]["dn"]:
        return None
    if not _key(entries[0]["raw_attributes"]):
        log.warning("LDAP: %.200r has no %s", entries[0]["dn"], chosen["id"])
        return None
    return entries[0]


def _key(attributes: Any) -> str:
    """entryUUID is text (RFC 4530), objectGUID sixteen bytes; "" if it is neither."""
    values = attributes.get(settings.LDAP["id"]) or []
    try:
        (value,) = values
        is_binary = len(value) == 16
        return str(UUID(bytes_le=value) if is_binary else UUID(value.decode()))
    except ValueError:
        return ""


def _is_password_of(dn: str, password: str) -> bool:
    from ldap3.core import exceptions as said

    try:
        with _connection(dn, password) as bound:
            return bool(bound.bound)
    except (
        said.LDAPBindError,  # the directory said no
        said.LDAPSASLPrepError,  # characters not allowed in passwords (RFC 4013)
        said.LDAPPasswordIsMandatoryError,  # only characters that are ignored
    ):
        return False


@contextlib.contextmanager
def _connection(dn: str, password: str) -> Iterator[Any]:
    """Bound as ``dn``; without one, as no one. Raises LDAPException."""
    import ldap3

    chosen = settings.LDAP
    tls = ldap3.Tls(validate=ssl.CERT_REQUIRED, ca_certs_file=chosen["ca"] or None)
    is_ldaps = chosen["url"].startswith("ldaps:")
    server = ldap3.Server(
        chosen["url"],
        use_ssl=is_ldaps,
        tls=tls,
        get_info=ldap3.NONE,
        connect_timeout=CONNECT_S,
    )
    first = ldap3.AUTO_BIND_TLS_BEFORE_BIND
    bound = ldap3.Connection(
        server,
        user=dn or None,
        password=password if dn else None,
        authentication=ldap3.SIMPLE if dn else ldap3.ANONYMOUS,
        auto_bind=ldap3.AUTO_BIND_NO_TLS if is_ldaps or chosen["is_plain"] else first,
        auto_referrals=False,
        check_names=False,
        read_only=True,
        receive_timeout=ANSWER_S,
    )
    try:
        yield bound
    finally:
        bound.unbind()
