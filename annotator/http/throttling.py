"""Wrong tries to sign in, counted twice: by name and address, and by address."""

from datetime import timedelta
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

SKEW = timedelta(minutes=1)  # between servers


class Tries(AxesDatabaseHandler):
    """As django-axes counts them, with a limit of its own for an address alone."""

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
        """Those of the name at the address only: to sign in as oneself now and then
        must not buy new guesses at others."""
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
