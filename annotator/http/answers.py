"""Responses to a form: a redirect, or its page with the refusal."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from annotator.errors import Refusal

Page = Callable[[], dict[str, Any]]


def said(error: Refusal, request: HttpRequest) -> dict[str, Any]:
    """The reason as ``problem``, next to what was ``sent``."""
    return {"problem": str(error), "sent": request.POST}


def form_page(
    request: HttpRequest,
    template: str,
    page: Page,
    act: Callable[[], HttpResponse | None],
    *,
    refused: Callable[[Refusal, HttpRequest], dict[str, Any]] = said,
    catch: type[Refusal] = Refusal,
    unanswered: int = 400,
    status_refused: int | None = None,
) -> HttpResponse:
    """Return the response of ``act`` to POST; otherwise the page of the form.

    The page has status ``unanswered`` if ``act`` returns None (the form itself shows
    the error), and otherwise what ``refused`` makes of a refusal, with its status or
    ``status_refused``.
    """
    more: dict[str, Any] = {}
    status = 200
    if request.method == "POST":
        try:
            answer = act()
        except catch as error:
            more, status = refused(error, request), status_refused or error.status
        else:
            if answer is not None:
                return answer
            status = unanswered
    return render(request, template, page() | more, status=status)


def taken(request: HttpRequest) -> None:
    """The form is stored though its own page is the answer: its draft ends."""
    request.META["gemel.form_is_taken"] = True


def is_taken(request: HttpRequest) -> bool:
    return "gemel.form_is_taken" in request.META


def safe_next(request: HttpRequest, wanted: str) -> str:
    """``wanted`` if it is an address of this site, otherwise the home page's name."""
    is_ours = url_has_allowed_host_and_scheme(
        wanted, {request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else "projects"
