"""How many calls a person may make in a minute."""

import time

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotator.http import addresses

WINDOW_S = 60


class Rate(BaseThrottle):
    """``API_RATE`` calls a minute of one person, or of one address that is no one's.

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
