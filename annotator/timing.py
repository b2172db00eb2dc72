"""Where the time of a request goes: its phases, in the header Server-Timing.

A browser's network panel shows them, and ``lab/bench/editor.py`` reads them.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

_spent: ContextVar[dict[str, float] | None] = ContextVar("spent", default=None)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """The time within counts as this phase; several of one name are added up."""
    spent = _spent.get()
    began = time.perf_counter()
    try:
        yield
    finally:
        if spent is not None:
            took = 1000 * (time.perf_counter() - began)
            spent[name] = spent.get(name, 0.0) + took


class ServerTiming:
    """Milliseconds of all and of each phase, on answers that name phases."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        spent: dict[str, float] = {}
        _spent.set(spent)
        began = time.perf_counter()
        response = self.get_response(request)
        if spent:
            spent["all"] = 1000 * (time.perf_counter() - began)
            entries = [f"{name};dur={ms:.1f}" for name, ms in spent.items()]
            response["Server-Timing"] = ", ".join(entries)
        return response
