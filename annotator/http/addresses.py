"""The origin of a request: the person's address behind proxies, and known browsers.

A browser that has signed someone in before keeps a sealed note of it. Wrong tries with
that note are counted on their own, so that no one who guesses at a name can keep its
owner out of the browser the owner uses.
"""

import hashlib
import secrets
from datetime import timedelta
from ipaddress import IPv6Address, ip_address
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.core import signing
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

COOKIE = "gemel_browser"
SALT = "gemel.browser"
AGE_S = 60 * 60 * 24 * 365
_UNIQUE_LOCAL = 0xFD << 120  # fd00::/8, addresses that no client can have here


def of(request: HttpRequest) -> str:
    """The client's address: the one that the outermost of our proxies saw.

    ``PROXIES`` is the number of our proxies. Addresses further to the left in
    X-Forwarded-For come from the client and are not read.
    """
    direct = str(request.META.get("REMOTE_ADDR") or "")
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
    hops = settings.PROXIES
    candidate = forwarded[-hops].strip() if 0 < hops <= len(forwarded) else direct
    for text in (candidate, direct):
        try:
            return str(ip_address(text))
        except ValueError:
            continue
    return "0.0.0.0"  # noqa: S104 - nowhere: a socket of the file system


def of_attempt(request: HttpRequest) -> str:
    """Where a sign-in attempt counts: a known browser of this name is counted
    separately."""
    sealed = request.COOKIES.get(COOKIE, "")
    try:
        known = signing.loads(sealed, salt=SALT, max_age=AGE_S)
        name, browser = str(known["name"]), str(known["id"])
    except (signing.BadSignature, KeyError, TypeError):
        return of(request)
    user = getattr(request, "user", None)
    tried = request.POST.get("username") or (user.get_username() if user else "")
    if name != tried:
        return of(request)
    digest = hashlib.sha256(f"{browser} {name}".encode()).digest()
    return str(IPv6Address(_UNIQUE_LOCAL | int.from_bytes(digest[:15], "big")))


def remember(response: HttpResponse, name: str) -> None:
    """Mark this browser: someone of this name signed in here."""
    sealed = signing.dumps({"name": name, "id": secrets.token_hex(8)}, salt=SALT)
    response.set_cookie(
        COOKIE,
        sealed,
        max_age=AGE_S,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


SKEW = timedelta(minutes=1)  # between servers


class Tries(AxesDatabaseHandler):
    """Counted as django-axes does, with a separate limit for an address alone."""

    def get_failures(self, request: Any, credentials: Any = None) -> int:
        """In units of the limit for a name at an address.

        Tries from the future, of before the clock was set back, do not count: they
        would keep people out until the clock has caught up.
        """
        pair, address = (
            rows.filter(attempt_time__lte=timezone.now() + SKEW).aggregate(
                n=Sum("failures_since_start")
            )["n"]
            or 0
            for rows in self.get_user_attempts(request, credentials)
        )
        scaled = address * settings.AXES_FAILURE_LIMIT // settings.TRIES_AN_ADDRESS
        return int(max(pair, scaled))

    def reset_user_attempts(self, request: Any, credentials: Any = None) -> int:
        """Reset only those of the name at the address: signing in as oneself now and
        then must not allow new guesses at others."""
        name = (credentials or {}).get("username", "")
        mine = AccessAttempt.objects.filter(
            username=name, ip_address=request.axes_ip_address
        )
        return int(mine.delete()[0])


def too_many(
    request: HttpRequest, response: Any = None, credentials: Any = None
) -> HttpResponse:
    """The page that says to wait."""
    wait_s = int(settings.AXES_COOLOFF_TIME * 3600)
    context = {"wait_min": wait_s // 60}
    answer = render(request, "accounts/too_many.html", context, status=429)
    answer["Retry-After"] = str(wait_s)
    return answer
