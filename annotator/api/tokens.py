"""Who a request with a token is from, at the price of one small query."""

from typing import Any

from django.contrib.auth.models import User
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.models import Token
from rest_framework.exceptions import AuthenticationFailed

from annotator.models.prepared import Select, Slot

__all__ = ["Tokens"]

_OWNER = Select(
    lambda: Token.objects.select_related("user").filter(
        key=Slot("key"), user__is_active=True
    )
)


class Tokens(TokenAuthentication):
    """As the framework's own, with its query compiled once."""

    def authenticate_credentials(self, key: str) -> tuple[User, Any]:
        found = _OWNER.models(key=key)
        if not found:
            raise AuthenticationFailed("There is no such token, or it is switched off.")
        return found[0].user, found[0]
