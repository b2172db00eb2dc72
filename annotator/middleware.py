"""Refusals of services become pages; the API has its own handler."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotator.errors import Refusal

__all__ = ["RefusalMiddleware"]


class RefusalMiddleware:
    """Show a Refusal raised in a view as a page with its status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        if not isinstance(error, Refusal):
            return None
        return render(request, "refusal.html", {"error": error}, status=error.status)
