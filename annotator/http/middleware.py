"""Refusals of services as pages (the API has its own handler), and refusal of
characters that no text may hold."""

import logging
import re
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext_lazy

from annotator.errors import BadRequest, NotReady, Refusal
from annotator.faults import refusal_of
from annotator.http import answers
from annotator.serving.engine import AWAY, BUSY, GONE, PREPARING, SLOW

log = logging.getLogger(__name__)
ENGINE_AWAY = {
    BUSY: gettext_lazy("The parser is busy with other people's work. Try again soon."),
    GONE: gettext_lazy(
        "The parser stopped while it worked on this. It is starting again; try again."
    ),
    SLOW: gettext_lazy(
        "The parser took longer than 30 seconds. Try again, or use a shorter sentence."
    ),
    PREPARING: gettext_lazy(
        "Gemel is preparing its parsers, once after an installation. This takes up to "
        "a minute; then this page reloads."
    ),
}
AGAIN_S = 3  # until a page that waits for kernels loads itself again
TOKEN = re.compile("[0-9a-f-]{36}")


class RefusalMiddleware(MiddlewareMixin):
    """Show a Refusal raised in a view as a page with its status."""

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Say why the engine process has not answered, where it was asked."""
        reason = request.META.get(AWAY)
        if reason is None:
            return None
        return self._shown(request, NotReady(str(ENGINE_AWAY[reason])))

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        refusal = error if isinstance(error, Refusal) else refusal_of(error)
        if refusal is None:
            return None
        if refusal is not error:
            log.error("%s: %s", type(error).__name__, error)
        return self._shown(request, refusal)

    def _shown(self, request: HttpRequest, refusal: Refusal) -> HttpResponse:
        if request.path.startswith("/api/"):
            return in_api_shape(refusal)
        is_waiting = request.META.get(AWAY) == PREPARING
        page = {"error": refusal, "is_waiting": is_waiting}
        status = 202 if is_waiting else refusal.status
        response = render(request, "refusal.html", page, status=status)
        if is_waiting:
            response["Refresh"] = str(AGAIN_S)
        return response


def in_api_shape(refusal: Refusal) -> JsonResponse:
    body = {"code": refusal.code, "message": str(refusal), "facts": refusal.facts}
    return JsonResponse({"error": body}, status=refusal.status)


class PagesCompressed(GZipMiddleware):
    """Pages, and the scripts and styles that they load, are sent as gzip, with random
    bytes against guessing by length (BREACH). Files and API responses are sent
    unpacked: their lengths are known, and judging at speed does not need it."""

    LOADED = ("text/css", "text/javascript", "application/javascript")

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        kind = response.get("Content-Type", "").split(";")[0]
        is_loaded = kind in self.LOADED and response.status_code == 200
        if is_loaded or (kind == "text/html" and not response.streaming):
            return super().process_response(request, response)
        return response


class PrivateMiddleware(MiddlewareMixin):
    """Pages are for who asked: no browser and no proxy keeps them on its disk."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class FormMiddleware(MiddlewareMixin):
    """Name the form that was taken, so that its page forgets the draft of it.

    A form carries the token of its draft (``static/js/drafts.js``). The draft is kept
    if the person must sign in first or the form is refused. A view that answers with
    its own page calls ``answers.taken``.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if request.method != "POST" or request.path.startswith("/api/"):
            return response
        token = request.POST.get("draft", "")
        is_answered = 300 <= response.status_code < 400 or answers.is_taken(request)
        if is_answered and request.user.is_authenticated and TOKEN.fullmatch(token):
            secure = settings.SESSION_COOKIE_SECURE
            response.set_cookie(
                "gemel_form", token, max_age=60, secure=secure, samesite="Lax"
            )
        return response


class NulMiddleware(MiddlewareMixin):
    """Refuse U+0000 in a query or a form: PostgreSQL cannot hold it in a text."""

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        is_api = request.path.startswith("/api/")
        if not (_in_query(request) or (not is_api and _in_form(request))):
            return None
        error = BadRequest("A text holds a NUL character (U+0000). Remove it.")
        if is_api:  # its bodies are checked field by field
            return in_api_shape(error)
        return render(request, "refusal.html", {"error": error}, status=error.status)


def _in_query(request: HttpRequest) -> bool:
    return "%00" in request.META.get("QUERY_STRING", "")


def _in_form(request: HttpRequest) -> bool:
    return request.method == "POST" and any(
        "\0" in text for texts in request.POST.lists() for text in (texts[0], *texts[1])
    )
