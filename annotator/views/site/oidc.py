"""Signing in by an OpenID provider."""

from django.contrib.auth.forms import AuthenticationForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotator.errors import Refusal
from annotator.http import oidc
from annotator.http.returning import safe_next
from annotator.services import identities
from annotator.views.accounts import let_in

__all__ = ["back", "start"]

NEXT = "oidc_next"  # in the session: where the person wanted to go


@never_cache
@require_GET
def start(request: HttpRequest) -> HttpResponse:
    """To the provider, which sends people back to ``back``."""
    if not oidc.name():
        raise Http404
    request.session[NEXT] = request.GET.get("next", "")[:2000]
    try:
        return oidc.leave(request)
    except Refusal as error:
        return _not_in(request, error)


@never_cache
@require_GET
def back(request: HttpRequest) -> HttpResponse:
    if not oidc.name():
        raise Http404
    try:
        told = oidc.returned(request)
        person = identities.person_of(told.issuer, told.subject, name=told.name)
    except Refusal as error:
        return _not_in(request, error)
    wanted = request.session.pop(NEXT, "")
    return let_in(request, person, safe_next(request, wanted))


def _not_in(request: HttpRequest, error: Refusal) -> HttpResponse:
    shown = {
        "form": AuthenticationForm(request),
        "next": request.session.get(NEXT, ""),
        "problem": str(error),
    }
    return render(request, "accounts/sign_in.html", shown, status=error.status)
