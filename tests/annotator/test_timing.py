"""The header that says where the time of a request went."""

import re
import time

from django.http import HttpRequest, HttpResponse

from annotator.timing import ServerTiming, phase


def told(view) -> str:
    return ServerTiming(view)(HttpRequest()).get("Server-Timing", "")


def test_phases_are_told_in_milliseconds_and_added_up() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        for _ in range(2):
            with phase("sleep"):
                time.sleep(0.003)
        return HttpResponse()

    phases = dict(re.findall(r"(\w+);dur=([0-9.]+)", told(view)))
    assert set(phases) == {"sleep", "all"}
    assert 6 <= float(phases["sleep"]) <= float(phases["all"])


def test_a_phase_that_fails_is_told_too() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        try:
            with phase("broken"):
                raise ValueError
        except ValueError:
            return HttpResponse()

    assert told(view).startswith("broken;dur=")


def test_without_phases_nothing_is_told() -> None:
    assert told(lambda request: HttpResponse()) == ""
    with phase("outside of a request"):
        assert told(lambda request: HttpResponse()) == ""
