"""Session and account of a request, by statements that are compiled once.

Every request asks for both, and writing the two statements anew takes longer than most
pages take for anything else. Django's own classes do the rest.
"""

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotator.throughput.prepared import Select, Slot

_SESSION = Select(
    lambda: Session.objects.filter(
        session_key=Slot("key"),
        expire_date__gt=Slot("now", Session._meta.get_field("expire_date")),
    )
)
_ACCOUNT = Select(lambda: User.objects.filter(pk=Slot("user"), is_active=True))


class SessionStore(db.SessionStore):
    """What ``SESSION_ENGINE`` names."""

    def _get_session_from_db(self) -> Any:
        found = _SESSION.models(key=self.session_key, now=timezone.now())
        return found[0] if found else super()._get_session_from_db()  # type: ignore[misc]  # the stubs lack it


class Accounts(BaseBackend):
    """Knows who has signed in; passwords are for the other backends."""

    def get_user(self, user_id: Any) -> User | None:
        found = _ACCOUNT.models(user=user_id)
        return found[0] if found else None
