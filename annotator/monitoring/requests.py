"""Every request has an id and, where enabled, a log line and a count.

The id goes into each line that is logged while the request is answered, into the answer
and into the jobs that it starts: what a person reports can be found again.
"""

import logging
import re
import time
from collections.abc import Callable
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from annotator.monitoring import metrics
from annotator.monitoring.lines import current, within

HEADER = "X-Request-ID"
_READABLE = re.compile("[A-Za-z0-9._-]{8,64}")
log = logging.getLogger("gemel.requests")


class RequestMiddleware:
    """The first of all: what it measures is what people wait for in this process."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with within(_id_of(request)):
            began = time.perf_counter()
            response = self.get_response(request)
            self._note(request, response, time.perf_counter() - began)
            response[HEADER] = current.get()
            return response

    def _note(self, request: HttpRequest, response: HttpResponse, took: float) -> None:
        match, status = request.resolver_match, response.status_code
        route = (match.view_name or match.route) if match else "none"
        metrics.count_request(route, request.method or "", status, took)
        if not settings.LOG_REQUESTS:
            return
        user = getattr(request, "_cached_user", None)  # no one is looked up for a log
        log.info(
            "%s %s %d",
            request.method,
            route,
            status,
            extra={
                "route": route,
                "method": request.method,
                "status": status,
                "ms": round(1000 * took, 1),
                "user": getattr(user, "pk", None),
            },
        )


def _id_of(request: HttpRequest) -> str:
    """The id that a proxy gave it, if it is one; else a new one."""
    given = str(request.headers.get(HEADER, ""))
    return given if _READABLE.fullmatch(given) else uuid4().hex
