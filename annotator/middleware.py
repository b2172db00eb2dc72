"""Refusals of services become pages, the API has its own handler; and what no text
may hold is refused at the door."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotator.errors import BadRequest, Refusal

__all__ = ["NulMiddleware", "RefusalMiddleware"]


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


class NulMiddleware:
    """Refuse U+0000 in a query or a form: PostgreSQL cannot hold it in a text."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        is_api = request.path.startswith("/api/")
        if not (_in_query(request) or (not is_api and _in_form(request))):
            return None
        error = BadRequest("A text holds a NUL character (U+0000): take it out.")
        if is_api:  # its bodies are checked field by field
            told = {"code": error.code, "message": str(error), "facts": error.facts}
            return JsonResponse({"error": told}, status=error.status)
        return render(request, "refusal.html", {"error": error}, status=error.status)


def _in_query(request: HttpRequest) -> bool:
    return "%00" in request.META.get("QUERY_STRING", "")


def _in_form(request: HttpRequest) -> bool:
    return request.method == "POST" and any(
        "\0" in text for texts in request.POST.lists() for text in (texts[0], *texts[1])
    )
