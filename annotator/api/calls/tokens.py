"""Authentication by token with one small query, and the scope of a token."""

import time
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotator.errors import NotAllowed
from annotator.http import addresses
from annotator.models import ApiToken
from annotator.models.tokens import Scope
from annotator.services.accounts import digest_of
from annotator.throughput.prepared import Select, Slot

_OWNER = Select(
    lambda: ApiToken.objects.select_related("user").filter(
        digest=Slot("digest"), user__is_active=True
    )
)
ANNOTATING = frozenset(
    {
        "api/judge/<code:code>/answers/",
        "api/judge/<code:code>/",
        "api/judge-preference/",
        "api/pairs/<code:code>/layers/",
        "api/pairs/<code:code>/trees/",
        "api/pairs/<code:code>/proposals/",
        "api/pairs/<code:code>/better-trees/",
        "api/layers/<code:code>/ops/",
        "api/layers/<code:code>/state/",
        "api/layers/<code:code>/proposals/",
        "api/joint-runs/<code:code>/verdicts/",
        "api/sentences/<code:code>/draft/",
        "api/worklists/<code:code>/next/",
        "api/work/<code:code>/",
        "api/sentences/<code:code>/arc-draft/",
        "api/arc-drafts/<code:code>/ops/",
        "api/tree-drafts/<code:code>/ops/",
        "api/tree-drafts/<code:code>/save/",
    }
)
"""Writing is managing, but for these: the work of annotators."""
_ORDER = list(Scope)


class Tokens(TokenAuthentication):
    """As the framework's own, but by digest, with an expiry, and its query compiled
    once."""

    def authenticate_credentials(self, key: str) -> tuple[User, Any]:
        tokens = _OWNER.models(digest=digest_of(key))
        if not tokens:
            raise AuthenticationFailed(
                "There is no such token, or its account is closed."
            )
        if tokens[0].is_over:
            raise AuthenticationFailed("This token has expired. Create a new one.")
        return tokens[0].user, tokens[0]


class WithinScope(BasePermission):
    """Raises NotAllowed if the request's token does not reach so far."""

    def has_permission(self, request: Request, view: Any) -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        wanted = _wanted(request)
        if _ORDER.index(wanted) > _ORDER.index(Scope(token.scope)):
            raise NotAllowed(
                f"This token has the scope {token.scope}; this call needs {wanted}.",
                scope=token.scope,
                wanted=wanted.value,
            )
        return True


def _wanted(request: Request) -> Scope:
    if request.method in SAFE_METHODS:
        return Scope.READ
    match = request.resolver_match
    is_work = match is not None and match.route in ANNOTATING
    return Scope.ANNOTATE if is_work else Scope.MANAGE


WINDOW_S = 60


class Rate(BaseThrottle):
    """``API_RATE`` calls a minute per person, or per address without a person.

    Counted in each web process; a program keeps its connection, and so its process.
    """

    def allow_request(self, request: Request, view: object) -> bool:
        user = request.user
        who = f"u{user.pk}" if user.is_authenticated else addresses.of(request)
        key = f"api-{who}-{int(time.time() // WINDOW_S)}"
        cache.add(key, 0, 2 * WINDOW_S)
        return int(cache.incr(key)) <= settings.API_RATE

    def wait(self) -> float:
        """Seconds to the next minute."""
        return WINDOW_S - time.time() % WINDOW_S
