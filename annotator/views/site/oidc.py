"""Signing in by an OpenID provider, and linking an account to what one is there."""

import time

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from annotator.errors import Refusal
from annotator.forms.accounts import is_password_of
from annotator.http import oidc
from annotator.http.returning import safe_next
from annotator.services import identities
from annotator.views.accounts import LINKING, is_linking, let_in

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
        if is_linking(request):
            return _linked(request, told)
        person = identities.person_of(told.issuer, told.subject, name=told.name)
    except Refusal as error:
        return _not_in(request, error)
    wanted = request.session.pop(NEXT, "")
    return let_in(request, person, safe_next(request, wanted))


def _linked(request: HttpRequest, told: oidc.Claims) -> HttpResponse:
    """Anyone who gave the password of this account a moment ago, in this session."""
    assert isinstance(request.user, User)
    del request.session[LINKING]
    try:
        identities.link(request.user, told.issuer, told.subject)
        messages.success(request, _("Linked. You can now sign in with it."))
    except Refusal as error:
        messages.error(request, str(error))
    return redirect("account")


@sensitive_post_parameters("password")
@never_cache
@login_required
@require_POST
def links(request: HttpRequest) -> HttpResponse:
    """Begin to link, or unlink: with the account's password, given again.

    The way to the provider is a link on the next page: the browser lets no form lead
    to another site.
    """
    assert isinstance(request.user, User)
    password = request.POST.get("password", "")
    has_one = request.user.has_usable_password()
    if not (has_one and is_password_of(request.user, password, request)):
        messages.error(request, _("That is not the password of this account."))
    elif request.POST.get("what") == "unlink":
        identities.unlink(request.user, request.POST.get("subject", ""))
        messages.success(request, _("Unlinked. It no longer opens this account."))
    elif oidc.name():
        request.session[LINKING] = time.time()
    return redirect("account")


def _not_in(request: HttpRequest, error: Refusal) -> HttpResponse:
    shown = {
        "form": AuthenticationForm(request),
        "next": request.session.get(NEXT, ""),
        "problem": str(error),
    }
    return render(request, "accounts/sign_in.html", shown, status=error.status)
