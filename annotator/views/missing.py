"""Errors: not found, too old, or broken: a page for people, the API's shape for
programs."""

import sys
from urllib.parse import urlencode, urlsplit

from django.core.exceptions import TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template import loader
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views import defaults

from annotator.errors import BadRequest, Refusal
from annotator.faults import refusal_of
from annotator.http.middleware import in_api_shape

FORM_TOO_OLD = gettext_noop(
    "This form is from before you signed in. Go back and reload "
    "it: what you typed is kept."
)
ERROR = {"code": "not_found", "message": "There is no such endpoint.", "facts": {}}


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to an address that no pattern fits, or to an Http404 of a page."""
    if request.path.startswith("/api/"):
        return JsonResponse({"error": ERROR}, status=404)
    return defaults.page_not_found(request, exception)


def not_readable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to a request that Django itself refuses: too many files or fields."""
    is_too_many = isinstance(exception, TooManyFilesSent | TooManyFieldsSent)
    why = f" {exception}" if is_too_many else ""
    refusal = BadRequest(_("The request cannot be read.") + why)
    if request.path.startswith("/api/"):
        return in_api_shape(refusal)
    return render(request, "fault.html", {"error": refusal}, status=refusal.status)


class _FormTooOld(Refusal):
    status = 403
    code = "not_allowed"


def form_too_old(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The answer to a form without a fresh token: its session ended, or another began.

    People who are signed out sign in and return to the form, which kept its text.
    """
    if request.user.is_authenticated:
        refusal = _FormTooOld(_(FORM_TOO_OLD))
        page = {"error": refusal}
        return render(request, "refusal.html", page, status=refusal.status)
    form = request.META.get("HTTP_REFERER", "")
    is_ours = url_has_allowed_host_and_scheme(form, {request.get_host()})
    query = urlencode({"next": urlsplit(form).path}) if is_ours else ""
    return redirect(f"{reverse('sign_in')}?{query}")


class _Bug(Refusal):
    status = 500
    code = "bug"


def broken(request: HttpRequest) -> HttpResponse:
    """The answer where nothing else could be answered; it needs no database."""
    error = sys.exc_info()[1]
    refusal = refusal_of(error) if error is not None else None
    if request.path.startswith("/api/"):
        return in_api_shape(
            refusal or _Bug("A fault of ours; it is in the server's log.")
        )
    if refusal is None:
        return defaults.server_error(request)
    page = loader.render_to_string("fault.html", {"error": refusal})
    return HttpResponse(page, status=refusal.status)
